//! What a tool of a server writes: as the settings declare it, else by its name and the names of its arguments.

use crate::lease::target::FileChangeKind;
use crate::settings::{LeaseSettings, ToolEffect};
use crate::tool::name::own_words;
use crate::tool::named::{NamedPath, is_on_server, named, path};
use crate::tool::{ToolCall, ToolInput};
use serde_json::Value;
use std::path::PathBuf;

/// Most paths of one call.
const MOST: usize = 64;

/// Arguments that name where a move puts the file.
const PLACES: &[&str] = &[
    "target",
    "targetfile",
    "targetpath",
    "destination",
    "destinationpath",
    "destinationfile",
    "dest",
    "destpath",
    "dst",
    "newpath",
];

/// What a tool does, by the words of its name.
#[derive(Clone, Copy)]
enum ToolVerb {
    Write(FileChangeKind),
    Move,
}

/// What the settings say the call writes; `None` if they do not know the tool.
pub(super) fn declared(call: &ToolCall, settings: &LeaseSettings) -> Option<Vec<(PathBuf, FileChangeKind)>> {
    let tool = settings.tool.iter().find(|tool| tool.name == call.tool())?;
    let how = match tool.effect {
        ToolEffect::Overwrite => FileChangeKind::Overwrite,
        ToolEffect::Change => FileChangeKind::Change,
        ToolEffect::Delete => FileChangeKind::Remove,
    };
    let values = tool.path.iter().filter_map(|name| call.input().get(name));
    let paths = values.flat_map(texts).filter_map(path).map(PathBuf::from);
    Some(paths.map(|path| (path, how)).collect())
}

/// What a tool that nobody declared writes.
pub(super) fn by_name(call: &ToolCall) -> Vec<(PathBuf, FileChangeKind)> {
    let input = call.input();
    let Some(deed) = deed(call.tool()).filter(|_| !is_on_server(input) && !only_tries(input)) else {
        return Vec::new();
    };
    let is_named = |named: &NamedPath<'_>| named.is_known() || named.is_address;
    let how = |key: &str| match deed {
        ToolVerb::Write(how) => how,
        ToolVerb::Move if PLACES.contains(&key) => FileChangeKind::Overwrite,
        ToolVerb::Move => FileChangeKind::Remove,
    };
    let named = named(input).into_iter().filter(is_named).take(MOST);
    named
        .map(|named| (PathBuf::from(&named.path), how(&named.key)))
        .collect()
}

/// The last part of the tool's name says it: `mcp__files__write_file`.
fn deed(tool: &str) -> Option<ToolVerb> {
    let words = own_words(tool);
    let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(&word.as_str()));
    if has(&["directory", "directories", "folder", "dir"]) && has(&["create"]) {
        return None;
    }
    if has(&["move", "rename"]) {
        return Some(ToolVerb::Move);
    }
    if has(&["delete", "remove"]) {
        return Some(ToolVerb::Write(FileChangeKind::Remove));
    }
    if has(&["edit", "update", "append", "replace", "patch"]) {
        return Some(ToolVerb::Write(FileChangeKind::Change));
    }
    has(&["write", "create", "save"]).then_some(ToolVerb::Write(FileChangeKind::Overwrite))
}

fn only_tries(input: &ToolInput) -> bool {
    let is_set = |name: &str| input.get(name).and_then(Value::as_bool) == Some(true);
    is_set("dryRun") || is_set("dry_run")
}

/// The texts of an argument: one, or a list of them.
fn texts(value: &Value) -> impl Iterator<Item = &str> {
    let list = value.as_array().map(Vec::as_slice).unwrap_or_default();
    value
        .as_str()
        .into_iter()
        .chain(list.iter().take(MOST).filter_map(Value::as_str))
}
