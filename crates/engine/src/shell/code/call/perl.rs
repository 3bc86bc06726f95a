//! Perl: `unlink`, `rmtree`, `system`, `open`.

use super::{Effect, Spawn, Value, Walk, Word, nested, remove_all, rename, spawn_either, truncate};

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

pub(super) fn function(walk: &mut Walk<'_>, name: &str, arguments: &[Value]) -> Value {
    match name {
        "unlink" | "rmdir" | "CORE.unlink" => remove_all(walk, arguments, false),
        "rmtree" | "remove_tree" | "File.Path.rmtree" | "File.Path.remove_tree" => {
            remove_all(walk, arguments, true);
        }
        "rename" | "move" | "File.Copy.move" => rename(walk, arguments),
        "truncate"
            if arguments
                .first()
                .is_some_and(|first| matches!(first, Value::Text(_))) =>
        {
            truncate(walk, arguments.first());
        }
        "system" | "exec" => spawn_either(walk, arguments),
        "open" => open(walk, arguments),
        "eval" => nested(walk, arguments),
        "glob" => {
            return arguments
                .first()
                .and_then(Value::text)
                .map_or(Value::Unknown, glob);
        }
        _ => {}
    }
    Value::Unknown
}

fn glob(pattern: &str) -> Value {
    Value::Text(Word::Glob {
        pattern: pattern.to_owned(),
    })
}

/// `open(F, '>', path)`, `open(F, ">path")`, `open(F, "command |")`, `open(F, '-|', words)`.
fn open(walk: &mut Walk<'_>, arguments: &[Value]) {
    let Some(mode) = arguments.iter().position(|value| matches!(value, Value::Text(_))) else {
        return;
    };
    let Some(text) = arguments.get(mode).and_then(Value::text) else {
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
                walk.effect(Effect::Spawn(Spawn::Text(Word::new(command.trim()))));
            } else if let Some(path) = trimmed
                .strip_prefix('>')
                .filter(|path| !path.starts_with(['>', '&']))
            {
                truncate(walk, Some(&Value::literal(path.trim())));
            }
        }
        (_, _) => {}
    }
}
