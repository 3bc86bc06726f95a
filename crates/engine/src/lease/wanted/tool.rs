//! What a tool of a server writes: as the settings declare it, else by its name and the names of its arguments.

use crate::lease::target::How;
use crate::settings::{LeaseSettings, ToolEffect};
use crate::tool::{ToolCall, ToolInput};
use serde_json::Value;
use std::path::PathBuf;

/// Most paths of one argument.
const MOST: usize = 64;

/// Arguments that name the file, without what separates their words.
const PATHS: &[&str] = &[
    "path",
    "filepath",
    "file",
    "filename",
    "target",
    "targetfile",
    "destination",
    "source",
    "relativepath",
    "absolutepath",
    "notebookpath",
    "oldpath",
    "newpath",
    "paths",
    "files",
];
/// Those of them that a move puts the file at.
const PLACES: &[&str] = &["target", "targetfile", "destination", "newpath"];

/// What a tool does, by the words of its name.
#[derive(Clone, Copy)]
enum Deed {
    Write(How),
    Move,
}

/// What the settings say the call writes; `None` if they do not know the tool.
pub(super) fn declared(call: &ToolCall, settings: &LeaseSettings) -> Option<Vec<(PathBuf, How)>> {
    let tool = settings.tool.iter().find(|tool| tool.name == call.tool())?;
    let how = match tool.effect {
        ToolEffect::Overwrite => How::Overwrite,
        ToolEffect::Change => How::Change,
        ToolEffect::Delete => How::Remove,
    };
    let values = tool.path.iter().filter_map(|name| call.input().get(name));
    let paths = values.flat_map(texts).filter_map(path);
    Some(paths.map(|path| (path, how)).collect())
}

/// What a tool that nobody declared writes.
pub(super) fn by_name(call: &ToolCall) -> Vec<(PathBuf, How)> {
    let input = call.input();
    let Some(deed) = deed(call.tool()).filter(|_| !is_elsewhere(input) && !only_tries(input)) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for (name, value) in input {
        let name = joined(name);
        let is_named = PATHS.contains(&name.as_str());
        let how = match deed {
            Deed::Write(how) => how,
            Deed::Move if PLACES.contains(&name.as_str()) => How::Overwrite,
            Deed::Move => How::Remove,
        };
        let texts = texts(value).filter(|text| is_named || text.starts_with("file://"));
        found.extend(texts.filter_map(path).map(|path| (path, how)));
    }
    found
}

/// The last part of the tool's name says it: `mcp__files__write_file`.
fn deed(tool: &str) -> Option<Deed> {
    let name = tool.rsplit("__").next().unwrap_or(tool);
    let words = words(name);
    let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(&word.as_str()));
    if has(&["directory", "directories", "folder", "dir"]) && has(&["create"]) {
        return None;
    }
    if has(&["move", "rename"]) {
        return Some(Deed::Move);
    }
    if has(&["delete", "remove"]) {
        return Some(Deed::Write(How::Remove));
    }
    if has(&["edit", "update", "append", "replace", "patch"]) {
        return Some(Deed::Write(How::Change));
    }
    has(&["write", "create", "save"]).then_some(Deed::Write(How::Overwrite))
}

/// `writeFile`, `write_file` and `write-file` are two words each.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_small = false;
    for letter in name.chars() {
        let begins = was_small && letter.is_uppercase();
        was_small = letter.is_lowercase() || letter.is_ascii_digit();
        if begins || !letter.is_alphanumeric() {
            words.push(String::new());
        }
        if letter.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(letter.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// `file_path`, `filePath` and `file-path` are one name.
fn joined(name: &str) -> String {
    words(name).concat()
}

/// A path in a repository on a server is no file here.
fn is_elsewhere(input: &ToolInput) -> bool {
    input.contains_key("owner") && input.contains_key("repo")
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

/// The path a text means; none if it is an address of something else.
fn path(text: &str) -> Option<PathBuf> {
    let Some(address) = text.strip_prefix("file://") else {
        return (!text.is_empty() && !text.contains("://")).then(|| PathBuf::from(text));
    };
    let path = address.strip_prefix("localhost").unwrap_or(address);
    decoded(path)
        .filter(|path| path.starts_with('/'))
        .map(PathBuf::from)
}

/// `%20` is a space.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits = [rest.next()?, rest.next()?];
        let digits = std::str::from_utf8(&digits).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
    }
    String::from_utf8(bytes).ok()
}
