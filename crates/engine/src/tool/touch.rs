//! What a tool does with the files it names, by the words of its name.

use crate::tool::ToolInput;
use crate::tool::name::{joined, own_words};
use crate::tool::named::{NamedPath, named};
use serde_json::Value;

/// What a tool does with the files it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolAccess {
    /// It shows them.
    Reads,
    /// It changes them.
    Writes,
    /// Nobody can tell.
    Unknown,
}

/// Words that begin like this change a file.
const WRITES: [&str; 27] = [
    "write",
    "edit",
    "create",
    "delete",
    "remove",
    "move",
    "rename",
    "update",
    "append",
    "save",
    "replace",
    "patch",
    "apply",
    "insert",
    "truncate",
    "copy",
    "overwrite",
    "modify",
    "download",
    "upload",
    "unlink",
    "symlink",
    "erase",
    "restore",
    "rewrite",
    "prepend",
    "merge",
];
/// The same, as whole words.
const WRITES_EXACTLY: [&str; 7] = ["put", "set", "add", "link", "cp", "mv", "rm"];
/// Words that begin like this show one.
const READS: [&str; 20] = [
    "read", "get", "view", "open", "search", "list", "show", "fetch", "find", "grep", "glob", "stat",
    "inspect", "describe", "validate", "check", "lint", "diff", "count", "query",
];
/// The same, as whole words.
const READS_EXACTLY: [&str; 6] = ["cat", "head", "tail", "tree", "info", "hash"];
/// What git does with a file and leaves it as it is.
const BY_GIT: [&str; 5] = ["add", "stage", "commit", "log", "blame"];

/// Whether a tool is one of the client's own, whose input is known.
pub fn is_clients(tool: &str) -> bool {
    by_client(tool).is_some()
}

fn by_client(tool: &str) -> Option<ToolAccess> {
    match tool {
        "Read" | "Grep" | "Glob" | "NotebookRead" | "LS" => Some(ToolAccess::Reads),
        "Write" | "Edit" | "MultiEdit" | "NotebookEdit" => Some(ToolAccess::Writes),
        _ => None,
    }
}

/// What the tool does with files.
pub fn touch(tool: &str) -> ToolAccess {
    if let Some(known) = by_client(tool) {
        return known;
    }
    let words = own_words(tool);
    let begins = |list: &[&str]| {
        words
            .iter()
            .any(|word| list.iter().any(|one| word.starts_with(one)))
    };
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    if has(&["git"]) && has(&BY_GIT) {
        ToolAccess::Reads
    } else if begins(&WRITES) || has(&WRITES_EXACTLY) {
        ToolAccess::Writes
    } else if begins(&READS) || has(&READS_EXACTLY) {
        ToolAccess::Reads
    } else {
        ToolAccess::Unknown
    }
}

/// First words of tools that leave all files as they are; others that show something may also write.
const READING: [&str; 18] = [
    "read", "get", "list", "search", "find", "show", "view", "describe", "query", "count", "stat", "inspect",
    "grep", "glob", "head", "tail", "tree", "info",
];

/// Whether a tool of a server only shows something, by its name, and is told of no place to put it.
pub fn only_shows(tool: &str, input: &ToolInput) -> bool {
    let first = own_words(tool).into_iter().next();
    tool.starts_with("mcp__")
        && first.is_some_and(|first| READING.contains(&first.as_str()))
        && touch(tool) == ToolAccess::Reads
        && named(input)
            .iter()
            .all(|named| touch_of(tool, named) != ToolAccess::Writes)
}

/// What the tool does with one of the files: a copy leaves the one it is made of, and what is fetched lands somewhere.
pub fn touch_of(tool: &str, named: &NamedPath<'_>) -> ToolAccess {
    let touch = touch(tool);
    if is_clients(tool) {
        return touch;
    }
    let begins = |list: &[&str]| list.iter().any(|one| named.key.starts_with(one));
    match touch {
        ToolAccess::Writes if has_word(tool, &["copy", "cp"]) && begins(&["source", "src", "from"]) => {
            ToolAccess::Reads
        }
        ToolAccess::Reads if begins(&["dest", "dst", "out", "save"]) => ToolAccess::Writes,
        touch => touch,
    }
}

/// Whether a tool takes what it names from where it is.
pub fn takes_away(tool: &str) -> bool {
    let words = [
        "delete", "remove", "move", "rename", "rmdir", "unlink", "rm", "mv", "erase",
    ];
    let mut own = own_words(tool).into_iter();
    own.any(|word| {
        words
            .iter()
            .any(|one| word == *one || one.len() > 3 && word.starts_with(one))
    })
}

/// Whether a call puts a text into a file that keeps what it held.
pub fn adds(tool: &str, input: &ToolInput) -> bool {
    let is_said = |(key, value): (&String, &Value)| match &*joined(key) {
        "append" => value != &Value::Bool(false),
        "mode" => !matches!(
            value.as_str(),
            Some("w" | "write" | "overwrite" | "rewrite" | "replace")
        ),
        "offset" | "position" | "line" | "insertline" | "startline" | "endline" => true,
        _ => false,
    };
    !is_clients(tool)
        && (has_word(tool, &["append", "insert", "prepend", "add", "patch"]) || input.iter().any(is_said))
}

/// Whether a tool's name says that it applies a change somebody wrote out.
pub fn applies(tool: &str) -> bool {
    has_word(tool, &["patch", "diff", "apply", "applypatch"])
}

fn has_word(tool: &str, list: &[&str]) -> bool {
    own_words(tool).iter().any(|word| list.contains(&word.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_tool_is_known_by_its_words_and_writing_counts_before_reading() {
        for (tool, expected) in [
            ("Read", ToolAccess::Reads),
            ("mcp__fs__read_file", ToolAccess::Reads),
            ("mcp__fs__readFile", ToolAccess::Reads),
            ("mcp__fs__get_output", ToolAccess::Reads),
            ("mcp__app__get_settings", ToolAccess::Reads),
            ("mcp__git__git_add", ToolAccess::Reads),
            ("mcp__fs__search_and_replace", ToolAccess::Writes),
            ("mcp__fs__truncate_file", ToolAccess::Writes),
            ("mcp__fs__writefile", ToolAccess::Writes),
            ("mcp__fs__set_text", ToolAccess::Writes),
            ("mcp__fs__location", ToolAccess::Unknown),
        ] {
            assert_eq!(touch(tool), expected, "{tool}");
        }
    }

    #[test]
    fn a_server_s_tool_only_shows_something_if_all_of_its_name_says_so() {
        let shows = |tool: &str, input: Value| {
            let Value::Object(input) = input else {
                panic!("an input is an object")
            };
            only_shows(tool, &input)
        };
        let path = || json!({ "path": "src" });
        assert!(shows("mcp__fs__read_file", path()));
        assert!(shows("mcp__fs__listFiles", path()));
        assert!(shows("mcp__github__get_issue", json!({ "number": 1 })));
        assert!(!shows("mcp__fs__get_or_create_file", path()));
        assert!(!shows("mcp__fs__find_and_replace", path()));
        assert!(!shows(
            "mcp__fs__read_file",
            json!({ "path": "a", "output_path": "b" })
        ));
        assert!(!shows("mcp__browser__wait", json!({ "ms": 1 })));
        assert!(!shows("read_everything", path()));
    }
}
