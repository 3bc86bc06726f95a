//! PHP: `unlink`, `rename`, `fopen`, `shell_exec`.

use super::{
    CodeValue, CodeWalk, nested, open, path_of, remove, rename, spawn, spawn_text, spawn_words, truncate,
    variable,
};

pub(super) fn function(walk: &mut CodeWalk<'_>, name: &str, arguments: &[CodeValue]) -> CodeValue {
    let first = arguments.first();
    match name.trim_start_matches(['\\', '@']) {
        "unlink" | "rmdir" => remove(walk, first, false),
        "rename" => rename(walk, arguments),
        "file_put_contents" => truncate(walk, first),
        "fopen" => open(walk, arguments),
        "shell_exec" | "exec" | "system" | "passthru" | "popen" => spawn_text(walk, arguments),
        "proc_open" => first.into_iter().for_each(|first| spawn(walk, first)),
        "pcntl_exec" => spawn_words(walk, arguments),
        "eval" => nested(walk, arguments),
        "getenv" => {
            return first
                .and_then(CodeValue::text)
                .map_or(CodeValue::Unknown, variable);
        }
        "realpath" => return first.cloned().unwrap_or(CodeValue::Unknown),
        "getcwd" => return CodeValue::literal("."),
        "base64_decode" => {
            let bytes = first
                .and_then(CodeValue::text)
                .and_then(|text| crate::decode::base64(text.as_bytes()));
            return bytes
                .and_then(|bytes| String::from_utf8(bytes).ok())
                .map_or(CodeValue::Unknown, CodeValue::literal);
        }
        "join_paths" => return path_of(arguments),
        _ => {}
    }
    CodeValue::Unknown
}
