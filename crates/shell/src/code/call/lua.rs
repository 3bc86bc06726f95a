//! Lua: `os` and `io`.

use super::{CodeValue, CodeWalk, nested, open, remove, rename, spawn_text, variable};

pub(super) fn function(walk: &mut CodeWalk<'_>, name: &str, arguments: &[CodeValue]) -> CodeValue {
    match name {
        "os.remove" | "lfs.rmdir" => remove(walk, arguments.first(), false),
        "os.rename" => rename(walk, arguments),
        "os.execute" | "io.popen" | "vim.fn.system" => spawn_text(walk, arguments),
        "io.open" => open(walk, arguments),
        "load" | "loadstring" => nested(walk, arguments),
        "os.getenv" => {
            return arguments
                .first()
                .and_then(CodeValue::text)
                .map_or(CodeValue::Unknown, variable);
        }
        _ => {}
    }
    CodeValue::Unknown
}
