//! Python: `os`, `shutil`, `pathlib`, `subprocess`.

use super::{
    CodeAction, CodeValue, CodeWalk, ProcessSpawn, Word, nested, open, path_of, remove, rename, spawn,
    spawn_text, truncate, variable,
};
use crate::code::value::path;

pub(super) fn function(walk: &mut CodeWalk<'_>, name: &str, arguments: &[CodeValue]) -> CodeValue {
    let first = arguments.first();
    match name {
        "shutil.rmtree" | "distutils.dir_util.remove_tree" => remove(walk, first, true),
        "os.remove" | "os.unlink" | "os.rmdir" | "os.removedirs" | "send2trash.send2trash" => {
            remove(walk, first, false);
        }
        "os.rename" | "os.replace" | "os.renames" | "shutil.move" => rename(walk, arguments),
        "os.truncate" => truncate(walk, first),
        "open" | "io.open" | "codecs.open" => open(walk, arguments),
        "os.system" | "os.popen" | "commands.getoutput" | "asyncio.create_subprocess_shell" => {
            spawn_text(walk, arguments);
        }
        "subprocess.run"
        | "subprocess.call"
        | "subprocess.check_call"
        | "subprocess.check_output"
        | "subprocess.Popen"
        | "subprocess.getoutput"
        | "subprocess.getstatusoutput"
        | "pty.spawn" => {
            let named = arguments.last().and_then(|last| last.part("args"));
            if let Some(value) = first
                .filter(|first| !matches!(first, CodeValue::Object(_)))
                .or(named)
            {
                spawn(walk, value);
            }
        }
        "asyncio.create_subprocess_exec" => {
            let words = arguments
                .iter()
                .filter(|value| !matches!(value, CodeValue::Object(_)))
                .map(CodeValue::word)
                .collect();
            walk.effect(CodeAction::Spawn(ProcessSpawn::Words(words)));
        }
        "os.execv" | "os.execvp" | "os.execve" | "os.execvpe" | "os.posix_spawn" | "os.posix_spawnp" => {
            replaced(walk, first, arguments.get(1));
        }
        "os.spawnv" | "os.spawnvp" | "os.spawnve" => replaced(walk, arguments.get(1), arguments.get(2)),
        "os.execl" | "os.execlp" | "os.execle" | "os.execlpe" => {
            let list = CodeValue::List(arguments.get(1..).unwrap_or_default().to_vec());
            replaced(walk, first, Some(&list));
        }
        "os.spawnl" | "os.spawnlp" | "os.spawnle" | "os.spawnlpe" => {
            let list = CodeValue::List(arguments.get(2..).unwrap_or_default().to_vec());
            replaced(walk, arguments.get(1), Some(&list));
        }
        "exec" | "eval" => nested(walk, arguments),
        _ => return answer(name, arguments),
    }
    CodeValue::Unknown
}

/// The program's own name stands first in its argument list.
fn replaced(walk: &mut CodeWalk<'_>, program: Option<&CodeValue>, list: Option<&CodeValue>) {
    let Some(program) = program else { return };
    let mut words = vec![program.word()];
    words.extend(list.map(CodeValue::words).unwrap_or_default().into_iter().skip(1));
    walk.effect(CodeAction::Spawn(ProcessSpawn::Words(words)));
}

/// Calls that only answer something.
fn answer(name: &str, arguments: &[CodeValue]) -> CodeValue {
    let first = arguments.first().cloned().unwrap_or(CodeValue::Unknown);
    match name {
        "pathlib.Path" | "Path" | "PurePath" | "pathlib.PurePath" | "os.path.join" | "PosixPath" => {
            match arguments {
                [] => CodeValue::literal("."),
                _ => path_of(arguments),
            }
        }
        "pathlib.Path.home" | "Path.home" => CodeValue::home(),
        "pathlib.Path.cwd" | "Path.cwd" | "os.getcwd" => CodeValue::literal("."),
        "os.path.expanduser" => expanded(&first),
        "os.path.expandvars" => match first.text() {
            Some(text) if text.starts_with("$HOME") => {
                expanded(&CodeValue::literal(text.replacen("$HOME", "~", 1)))
            }
            _ => first,
        },
        "os.path.abspath" | "os.path.realpath" | "os.path.normpath" | "str" | "os.fspath" | "list"
        | "tuple" | "os.fsencode" | "shlex.quote" => first,
        "os.getenv" | "os.environ.get" => first.text().map_or(CodeValue::Unknown, variable),
        "shlex.split" => split(&first),
        "glob.glob" | "glob.iglob" => first
            .text()
            .map_or(CodeValue::Unknown, |pattern| glob(pattern.to_owned())),
        "__import__" | "importlib.import_module" => first
            .text()
            .map_or(CodeValue::Unknown, |name| CodeValue::Symbol(name.to_owned())),
        "base64.b64decode" => decoded(&first),
        "bytes.fromhex" => hexed(&first),
        "getattr" => match (arguments.first(), arguments.get(1).and_then(CodeValue::text)) {
            (Some(CodeValue::Symbol(module)), Some(name)) => CodeValue::Symbol(format!("{module}.{name}")),
            _ => CodeValue::Unknown,
        },
        _ => CodeValue::Unknown,
    }
}

fn decoded(value: &CodeValue) -> CodeValue {
    let bytes = value
        .text()
        .and_then(|text| crate::decode::base64(text.as_bytes()));
    bytes
        .and_then(|bytes| String::from_utf8(bytes).ok())
        .map_or(CodeValue::Unknown, CodeValue::literal)
}

fn hexed(value: &CodeValue) -> CodeValue {
    let bytes = value.text().and_then(|text| crate::decode::hex(text.as_bytes()));
    bytes
        .and_then(|bytes| String::from_utf8(bytes).ok())
        .map_or(CodeValue::Unknown, CodeValue::literal)
}

/// `~` and what is below it.
pub(super) fn expanded(value: &CodeValue) -> CodeValue {
    match value.text() {
        Some("~") => CodeValue::home(),
        Some(text) => match text.strip_prefix("~/") {
            Some(below) => CodeValue::Text(path(&[CodeValue::home(), CodeValue::literal(below)])),
            None => value.clone(),
        },
        None => value.clone(),
    }
}

fn split(value: &CodeValue) -> CodeValue {
    match value.text() {
        Some(text) => CodeValue::List(text.split_whitespace().map(CodeValue::literal).collect()),
        None => CodeValue::List(vec![CodeValue::Text(Word::unknown_words())]),
    }
}

/// Methods of paths and strings.
pub(super) fn method(
    walk: &mut CodeWalk<'_>,
    receiver: &CodeValue,
    name: &str,
    arguments: &[CodeValue],
) -> CodeValue {
    match name {
        "unlink" | "rmdir" => remove(walk, Some(receiver), false),
        "rmtree" => remove(walk, Some(receiver), true),
        "write_text" | "write_bytes" => truncate(walk, Some(receiver)),
        "rename" | "replace" if arguments.len() == 1 => {
            if let Some(to) = arguments.first() {
                walk.effect(CodeAction::Rename {
                    from: receiver.word(),
                    to: to.word(),
                });
            }
        }
        "open"
            if arguments
                .first()
                .and_then(CodeValue::text)
                .is_some_and(|mode| mode.starts_with('w')) =>
        {
            truncate(walk, Some(receiver));
        }
        "expanduser" => return expanded(receiver),
        "glob" | "rglob" | "iterdir" => return found_below(receiver, arguments),
        "resolve" | "absolute" | "as_posix" | "strip" | "decode" | "encode" | "lower" => {
            return receiver.clone();
        }
        "joinpath" => {
            let mut parts = vec![receiver.clone()];
            parts.extend(arguments.iter().cloned());
            return path_of(&parts);
        }
        "split" => return split(receiver),
        "join" => return joined(receiver, arguments),
        "format" => {
            let prefix = receiver
                .word()
                .prefix()
                .split('{')
                .next()
                .unwrap_or_default()
                .to_owned();
            return CodeValue::Text(Word::Unknown {
                prefix,
                suffix: String::new(),
                quoted: true,
                name: None,
            });
        }
        _ => {}
    }
    CodeValue::Unknown
}

/// What a path's `glob` and `iterdir` find.
fn found_below(receiver: &CodeValue, arguments: &[CodeValue]) -> CodeValue {
    let pattern = arguments.first().and_then(CodeValue::text).unwrap_or("*");
    match receiver.text() {
        Some(root) => glob(format!("{}/{pattern}", root.trim_end_matches('/'))),
        None => CodeValue::Unknown,
    }
}

fn glob(pattern: String) -> CodeValue {
    CodeValue::Text(Word::Glob { pattern })
}

fn joined(receiver: &CodeValue, arguments: &[CodeValue]) -> CodeValue {
    let (Some(between), Some(CodeValue::List(parts))) = (receiver.text(), arguments.first()) else {
        return CodeValue::Unknown;
    };
    let known: Option<Vec<&str>> = parts.iter().map(CodeValue::text).collect();
    known.map_or(CodeValue::Unknown, |known| {
        CodeValue::literal(known.join(between))
    })
}
