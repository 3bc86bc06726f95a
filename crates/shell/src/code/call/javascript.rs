//! JavaScript: `fs`, `child_process`, Deno, Bun, and the libraries people use for both.

use super::super::binding::module_name;
use super::{
    CodeAction, CodeValue, CodeWalk, ProcessSpawn, flag, nested, open, path_of, remove, remove_all, rename,
    spawn, spawn_text, spawn_words, truncate, variable,
};
use crate::code::value::path;

pub(super) fn function(walk: &mut CodeWalk<'_>, name: &str, arguments: &[CodeValue]) -> CodeValue {
    let name = name.replace(".promises.", ".").replace("node:", "");
    let first = arguments.first();
    match name.trim_end_matches("Sync") {
        "fs.rm" | "fs.rmdir" | "Deno.remove" => remove(walk, first, flag(arguments, "recursive")),
        "fs.unlink" | "fs.promises.unlink" => remove(walk, first, false),
        "fs.remove" | "fs.emptyDir" | "rimraf" | "rimraf.sync" | "rimraf.rimraf" | "rimraf.native"
        | "rimraf.manual" | "rimraf.default" => remove(walk, first, true),
        "del" | "del.sync" | "del.deleteAsync" | "del.delete" | "deleteAsync" => {
            remove_all(walk, arguments, true);
        }
        "fs.rename" | "fs.move" | "Deno.rename" => rename(walk, arguments),
        "fs.writeFile"
        | "fs.createWriteStream"
        | "fs.truncate"
        | "fs.outputFile"
        | "fs.writeJson"
        | "Deno.writeTextFile"
        | "Deno.writeFile"
        | "Deno.truncate"
        | "Bun.write" => truncate(walk, first),
        "fs.open" => open(walk, arguments),
        "child_process.exec" | "execaCommand" | "execa.command" | "execa.execaCommand" | "shelljs.exec"
        | "shell.exec" | "bun.$" => spawn_text(walk, arguments),
        "child_process.execFile"
        | "child_process.spawn"
        | "child_process.fork"
        | "execa"
        | "execa.execa"
        | "execa.sync"
        | "cross-spawn"
        | "cross-spawn.sync" => spawned(walk, arguments),
        "Bun.spawn" | "Deno.run" => spawn_list(walk, arguments),
        "Deno.Command" => command(walk, arguments),
        "shelljs.rm" | "shell.rm" => shell_remove(walk, arguments),
        "eval" | "vm.runInThisContext" | "Function" => nested(walk, arguments),
        _ => return answer(&name, arguments),
    }
    CodeValue::Unknown
}

/// With `shell: true` and no list, the program is shell text.
fn spawned(walk: &mut CodeWalk<'_>, arguments: &[CodeValue]) {
    let has_list = matches!(arguments.get(1), Some(CodeValue::List(_)));
    if flag(arguments, "shell") && !has_list {
        spawn_text(walk, arguments);
    } else {
        spawn_words(walk, arguments);
    }
}

fn spawn_list(walk: &mut CodeWalk<'_>, arguments: &[CodeValue]) {
    let Some(first) = arguments.first() else { return };
    let list = first.part("cmd").unwrap_or(first);
    spawn(walk, list);
}

fn command(walk: &mut CodeWalk<'_>, arguments: &[CodeValue]) {
    let Some(program) = arguments.first() else { return };
    let mut words = program.words();
    if let Some(list) = arguments.get(1).and_then(|options| options.part("args")) {
        words.extend(list.words());
    }
    walk.effect(CodeAction::Spawn(ProcessSpawn::Words(words)));
}

/// `shell.rm('-rf', paths)`
fn shell_remove(walk: &mut CodeWalk<'_>, arguments: &[CodeValue]) {
    let flags = arguments
        .first()
        .and_then(CodeValue::text)
        .filter(|text| text.starts_with('-'));
    let skip = usize::from(flags.is_some());
    let recursive = flags.is_some_and(|flags| flags.contains(['r', 'R']));
    remove_all(walk, arguments.get(skip..).unwrap_or_default(), recursive);
}

/// Calls that only answer something.
fn answer(name: &str, arguments: &[CodeValue]) -> CodeValue {
    let first = arguments.first().cloned().unwrap_or(CodeValue::Unknown);
    match name {
        "require" | "import" | "process.getBuiltinModule" | "module.require" => {
            first.text().map_or(CodeValue::Unknown, |module| {
                CodeValue::Symbol(module_name(module))
            })
        }
        "path.join" | "path.resolve" | "join" | "resolve" | "path.posix.join" => path_of(arguments),
        "path.normalize" | "String" | "URL" | "fileURLToPath" | "Bun.file" => first,
        "os.homedir" | "homedir" => CodeValue::home(),
        "process.cwd" | "Deno.cwd" => CodeValue::literal("."),
        "Deno.env.get" => first.text().map_or(CodeValue::Unknown, variable),
        "atob" => {
            let bytes = first
                .text()
                .and_then(|text| crate::decode::base64(text.as_bytes()));
            bytes
                .and_then(|bytes| String::from_utf8(bytes).ok())
                .map_or(CodeValue::Unknown, CodeValue::literal)
        }
        "Buffer.from" => buffer(&first, arguments.get(1)),
        _ => CodeValue::Unknown,
    }
}

fn buffer(text: &CodeValue, encoding: Option<&CodeValue>) -> CodeValue {
    let bytes = match (text.text(), encoding.and_then(CodeValue::text)) {
        (Some(text), Some("base64")) => crate::decode::base64(text.as_bytes()),
        (Some(text), Some("hex")) => crate::decode::hex(text.as_bytes()),
        (Some(text), _) => Some(text.as_bytes().to_vec()),
        (None, _) => None,
    };
    bytes
        .and_then(|bytes| String::from_utf8(bytes).ok())
        .map_or(CodeValue::Unknown, CodeValue::literal)
}

/// Methods of strings, files and what nobody knows.
pub(super) fn method(
    walk: &mut CodeWalk<'_>,
    receiver: &CodeValue,
    name: &str,
    arguments: &[CodeValue],
) -> CodeValue {
    match (receiver, name) {
        (CodeValue::Text(_), "toString" | "trim" | "normalize") => receiver.clone(),
        (CodeValue::Text(_), "delete" | "unlink") => {
            remove(walk, Some(receiver), false);
            CodeValue::Unknown
        }
        (CodeValue::Text(_), "concat") => {
            let texts: Option<Vec<&str>> = std::iter::once(receiver)
                .chain(arguments)
                .map(CodeValue::text)
                .collect();
            texts.map_or(CodeValue::Unknown, |texts| CodeValue::literal(texts.concat()))
        }
        (CodeValue::Text(_), "split") => match receiver.text() {
            Some(text) => CodeValue::List(text.split_whitespace().map(CodeValue::literal).collect()),
            None => CodeValue::Unknown,
        },
        (CodeValue::List(parts), "join") => {
            let between = arguments.first().and_then(CodeValue::text).unwrap_or(",");
            let known: Option<Vec<&str>> = parts.iter().map(CodeValue::text).collect();
            known.map_or_else(
                || CodeValue::Text(path(parts)),
                |known| CodeValue::literal(known.join(between)),
            )
        }
        _ => CodeValue::Unknown,
    }
}
