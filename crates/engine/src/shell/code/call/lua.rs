//! Lua: `os` and `io`.

use super::{Value, Walk, nested, open, remove, rename, spawn_text, variable};

pub(super) fn function(walk: &mut Walk<'_>, name: &str, arguments: &[Value]) -> Value {
    match name {
        "os.remove" | "lfs.rmdir" => remove(walk, arguments.first(), false),
        "os.rename" => rename(walk, arguments),
        "os.execute" | "io.popen" | "vim.fn.system" => spawn_text(walk, arguments),
        "io.open" => open(walk, arguments),
        "load" | "loadstring" => nested(walk, arguments),
        "os.getenv" => {
            return arguments
                .first()
                .and_then(Value::text)
                .map_or(Value::Unknown, variable);
        }
        _ => {}
    }
    Value::Unknown
}
