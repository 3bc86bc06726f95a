//! Ruby: `FileUtils`, `File`, `Dir`, `system`, `Open3`.

use super::{
    CodeValue, CodeWalk, Word, nested, open, path_of, remove, remove_all, rename, spawn_either, truncate,
    variable,
};

pub(super) fn is_known(name: &str) -> bool {
    matches!(
        name,
        "system" | "exec" | "spawn" | "rm_rf" | "rm_r" | "rm" | "rm_f" | "mv" | "eval"
    ) || (name.starts_with("FileUtils.")
        || name.starts_with("File.")
        || name.starts_with("Dir.")
        || name.starts_with("IO."))
        && is_file_call(name)
}

fn is_file_call(name: &str) -> bool {
    matches!(
        name.rsplit('.').next(),
        Some(
            "rm_rf"
                | "rm_r"
                | "rmtree"
                | "rm"
                | "rm_f"
                | "remove"
                | "remove_dir"
                | "remove_entry"
                | "remove_entry_secure"
                | "mv"
                | "move"
                | "delete"
                | "unlink"
                | "rename"
                | "truncate"
                | "write"
                | "open"
                | "rmdir"
                | "popen"
                | "new"
        )
    )
}

pub(super) fn function(walk: &mut CodeWalk<'_>, name: &str, arguments: &[CodeValue]) -> CodeValue {
    match name {
        "FileUtils.rm_rf"
        | "FileUtils.rm_r"
        | "FileUtils.rmtree"
        | "FileUtils.remove_dir"
        | "FileUtils.remove_entry"
        | "FileUtils.remove_entry_secure"
        | "FileUtils.remove_file"
        | "rm_rf"
        | "rm_r" => remove_all(walk, arguments, true),
        "FileUtils.rm"
        | "FileUtils.rm_f"
        | "FileUtils.remove"
        | "FileUtils.safe_unlink"
        | "FileUtils.rmdir"
        | "File.delete"
        | "File.unlink"
        | "Dir.delete"
        | "Dir.rmdir"
        | "Dir.unlink"
        | "rm"
        | "rm_f" => remove_all(walk, arguments, false),
        "FileUtils.mv" | "FileUtils.move" | "File.rename" | "mv" => rename(walk, arguments),
        "File.truncate" | "File.write" | "IO.write" | "File.binwrite" => truncate(walk, arguments.first()),
        "File.open" | "File.new" | "open" => open(walk, arguments),
        "system" | "exec" | "spawn" | "Kernel.system" | "Kernel.exec" | "Kernel.spawn" | "Process.spawn"
        | "IO.popen" | "Open3.capture2" | "Open3.capture2e" | "Open3.capture3" | "Open3.popen3"
        | "Open3.popen2" | "Open3.pipeline" | "PTY.spawn" => spawn_either(walk, arguments),
        "eval" | "instance_eval" => nested(walk, arguments),
        "Dir.home" => return CodeValue::home(),
        "Dir.pwd" => return CodeValue::literal("."),
        "File.join" | "Pathname.new" | "Pathname" => return path_of(arguments),
        "File.expand_path" | "File.realpath" => {
            return arguments
                .first()
                .map_or(CodeValue::Unknown, super::python::expanded);
        }
        "ENV.fetch" => {
            return arguments
                .first()
                .and_then(CodeValue::text)
                .map_or(CodeValue::Unknown, variable);
        }
        "Dir.glob" | "Dir" => {
            let pattern = arguments.first().and_then(CodeValue::text);
            return pattern.map_or(CodeValue::Unknown, |pattern| {
                CodeValue::Text(Word::Glob {
                    pattern: pattern.to_owned(),
                })
            });
        }
        _ => {}
    }
    CodeValue::Unknown
}

/// Methods of path names.
pub(super) fn method(walk: &mut CodeWalk<'_>, receiver: &CodeValue, name: &str) -> CodeValue {
    match (receiver, name) {
        (CodeValue::Text(_), "rmtree") => remove(walk, Some(receiver), true),
        (CodeValue::Text(_), "delete" | "unlink" | "rmdir") => remove(walk, Some(receiver), false),
        (CodeValue::Text(_), "to_s" | "expand_path" | "strip" | "chomp" | "freeze") => {
            return receiver.clone();
        }
        _ => {}
    }
    CodeValue::Unknown
}
