//! Python: `os`, `shutil`, `pathlib`, `subprocess`.

use super::{
    Effect, Spawn, Value, Walk, Word, nested, open, path_of, remove, rename, spawn, spawn_text, truncate,
    variable,
};
use crate::shell::code::value::path;

pub(super) fn function(walk: &mut Walk<'_>, name: &str, arguments: &[Value]) -> Value {
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
            if let Some(value) = first.filter(|first| !matches!(first, Value::Object(_))).or(named) {
                spawn(walk, value);
            }
        }
        "asyncio.create_subprocess_exec" => {
            let words = arguments
                .iter()
                .filter(|value| !matches!(value, Value::Object(_)))
                .map(Value::word)
                .collect();
            walk.effect(Effect::Spawn(Spawn::Words(words)));
        }
        "os.execv" | "os.execvp" | "os.execve" | "os.execvpe" | "os.posix_spawn" | "os.posix_spawnp" => {
            replaced(walk, first, arguments.get(1));
        }
        "os.spawnv" | "os.spawnvp" | "os.spawnve" => replaced(walk, arguments.get(1), arguments.get(2)),
        "os.execl" | "os.execlp" | "os.execle" | "os.execlpe" => {
            let list = Value::List(arguments.get(1..).unwrap_or_default().to_vec());
            replaced(walk, first, Some(&list));
        }
        "os.spawnl" | "os.spawnlp" | "os.spawnle" | "os.spawnlpe" => {
            let list = Value::List(arguments.get(2..).unwrap_or_default().to_vec());
            replaced(walk, arguments.get(1), Some(&list));
        }
        "exec" | "eval" => nested(walk, arguments),
        _ => return answer(name, arguments),
    }
    Value::Unknown
}

/// The program's own name stands first in its argument list.
fn replaced(walk: &mut Walk<'_>, program: Option<&Value>, list: Option<&Value>) {
    let Some(program) = program else { return };
    let mut words = vec![program.word()];
    words.extend(list.map(Value::words).unwrap_or_default().into_iter().skip(1));
    walk.effect(Effect::Spawn(Spawn::Words(words)));
}

/// Calls that only answer something.
fn answer(name: &str, arguments: &[Value]) -> Value {
    let first = arguments.first().cloned().unwrap_or(Value::Unknown);
    match name {
        "pathlib.Path" | "Path" | "PurePath" | "pathlib.PurePath" | "os.path.join" | "PosixPath" => {
            match arguments {
                [] => Value::literal("."),
                _ => path_of(arguments),
            }
        }
        "pathlib.Path.home" | "Path.home" => Value::home(),
        "pathlib.Path.cwd" | "Path.cwd" | "os.getcwd" => Value::literal("."),
        "os.path.expanduser" => expanded(&first),
        "os.path.expandvars" => match first.text() {
            Some(text) if text.starts_with("$HOME") => {
                expanded(&Value::literal(text.replacen("$HOME", "~", 1)))
            }
            _ => first,
        },
        "os.path.abspath" | "os.path.realpath" | "os.path.normpath" | "str" | "os.fspath" | "list"
        | "tuple" | "os.fsencode" | "shlex.quote" => first,
        "os.getenv" | "os.environ.get" => first.text().map_or(Value::Unknown, variable),
        "shlex.split" => split(&first),
        "glob.glob" | "glob.iglob" => first
            .text()
            .map_or(Value::Unknown, |pattern| glob(pattern.to_owned())),
        "__import__" | "importlib.import_module" => first
            .text()
            .map_or(Value::Unknown, |name| Value::Symbol(name.to_owned())),
        "base64.b64decode" => decoded(&first),
        "bytes.fromhex" => hexed(&first),
        "getattr" => match (arguments.first(), arguments.get(1).and_then(Value::text)) {
            (Some(Value::Symbol(module)), Some(name)) => Value::Symbol(format!("{module}.{name}")),
            _ => Value::Unknown,
        },
        _ => Value::Unknown,
    }
}

fn decoded(value: &Value) -> Value {
    let bytes = value
        .text()
        .and_then(|text| crate::shell::decode::base64(text.as_bytes()));
    bytes
        .and_then(|bytes| String::from_utf8(bytes).ok())
        .map_or(Value::Unknown, Value::literal)
}

fn hexed(value: &Value) -> Value {
    let bytes = value
        .text()
        .and_then(|text| crate::shell::decode::hex(text.as_bytes()));
    bytes
        .and_then(|bytes| String::from_utf8(bytes).ok())
        .map_or(Value::Unknown, Value::literal)
}

/// `~` and what is below it.
pub(super) fn expanded(value: &Value) -> Value {
    match value.text() {
        Some("~") => Value::home(),
        Some(text) => match text.strip_prefix("~/") {
            Some(below) => Value::Text(path(&[Value::home(), Value::literal(below)])),
            None => value.clone(),
        },
        None => value.clone(),
    }
}

fn split(value: &Value) -> Value {
    match value.text() {
        Some(text) => Value::List(text.split_whitespace().map(Value::literal).collect()),
        None => Value::List(vec![Value::Text(Word::unknown_words())]),
    }
}

/// Methods of paths and strings.
pub(super) fn method(walk: &mut Walk<'_>, receiver: &Value, name: &str, arguments: &[Value]) -> Value {
    match name {
        "unlink" | "rmdir" => remove(walk, Some(receiver), false),
        "rmtree" => remove(walk, Some(receiver), true),
        "write_text" | "write_bytes" => truncate(walk, Some(receiver)),
        "rename" | "replace" if arguments.len() == 1 => {
            if let Some(to) = arguments.first() {
                walk.effect(Effect::Rename {
                    from: receiver.word(),
                    to: to.word(),
                });
            }
        }
        "open"
            if arguments
                .first()
                .and_then(Value::text)
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
            return Value::Text(Word::Unknown {
                prefix,
                suffix: String::new(),
                quoted: true,
                name: None,
            });
        }
        _ => {}
    }
    Value::Unknown
}

/// What a path's `glob` and `iterdir` find.
fn found_below(receiver: &Value, arguments: &[Value]) -> Value {
    let pattern = arguments.first().and_then(Value::text).unwrap_or("*");
    match receiver.text() {
        Some(root) => glob(format!("{}/{pattern}", root.trim_end_matches('/'))),
        None => Value::Unknown,
    }
}

fn glob(pattern: String) -> Value {
    Value::Text(Word::Glob { pattern })
}

fn joined(receiver: &Value, arguments: &[Value]) -> Value {
    let (Some(between), Some(Value::List(parts))) = (receiver.text(), arguments.first()) else {
        return Value::Unknown;
    };
    let known: Option<Vec<&str>> = parts.iter().map(Value::text).collect();
    known.map_or(Value::Unknown, |known| Value::literal(known.join(between)))
}
