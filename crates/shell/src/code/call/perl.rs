//! Perl: `unlink`, `rmtree`, `system`, `open`.

use super::{
    CodeAction, CodeValue, CodeWalk, ProcessSpawn, Word, nested, remove_all, rename, spawn_either, truncate,
};

pub(super) fn is_known(name: &str) -> bool {
    matches!(
        name,
        "unlink"
            | "rmdir"
            | "rename"
            | "rmtree"
            | "remove_tree"
            | "system"
            | "exec"
            | "open"
            | "truncate"
            | "eval"
            | "move"
    )
}

pub(super) fn function(walk: &mut CodeWalk<'_>, name: &str, arguments: &[CodeValue]) -> CodeValue {
    match name {
        "unlink" | "rmdir" | "CORE.unlink" => remove_all(walk, arguments, false),
        "rmtree" | "remove_tree" | "File.Path.rmtree" | "File.Path.remove_tree" => {
            remove_all(walk, arguments, true);
        }
        "rename" | "move" | "File.Copy.move" => rename(walk, arguments),
        "truncate"
            if arguments
                .first()
                .is_some_and(|first| matches!(first, CodeValue::Text(_))) =>
        {
            truncate(walk, arguments.first());
        }
        "system" | "exec" => spawn_either(walk, arguments),
        "open" => open(walk, arguments),
        "eval" => nested(walk, arguments),
        "glob" => {
            return arguments
                .first()
                .and_then(CodeValue::text)
                .map_or(CodeValue::Unknown, glob);
        }
        _ => {}
    }
    CodeValue::Unknown
}

fn glob(pattern: &str) -> CodeValue {
    CodeValue::Text(Word::Glob {
        pattern: pattern.to_owned(),
    })
}

/// `open(F, '>', path)`, `open(F, ">path")`, `open(F, "command |")`, `open(F, '-|', words)`.
fn open(walk: &mut CodeWalk<'_>, arguments: &[CodeValue]) {
    let Some(mode) = arguments
        .iter()
        .position(|value| matches!(value, CodeValue::Text(_)))
    else {
        return;
    };
    let Some(text) = arguments.get(mode).and_then(CodeValue::text) else {
        return;
    };
    let behind = arguments.get(mode + 1..).unwrap_or_default();
    let trimmed = text.trim();
    match (trimmed, behind) {
        (">" | "+>" | ">:utf8" | ">:raw", [path, ..]) => truncate(walk, Some(path)),
        ("-|" | "|-", _) => spawn_either(walk, behind),
        (_, []) => {
            let command = trimmed.strip_suffix('|').or(trimmed.strip_prefix('|'));
            if let Some(command) = command {
                walk.effect(CodeAction::Spawn(ProcessSpawn::Text(Word::new(command.trim()))));
            } else if let Some(path) = trimmed
                .strip_prefix('>')
                .filter(|path| !path.starts_with(['>', '&']))
            {
                truncate(walk, Some(&CodeValue::literal(path.trim())));
            }
        }
        (_, _) => {}
    }
}
