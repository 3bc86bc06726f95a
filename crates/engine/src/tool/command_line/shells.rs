//! Tools whose name says that they are a shell: what is typed into them is a command line, whatever its key.

use super::line;
use crate::tool::ToolInput;
use crate::tool::name::{joined, own_words, words};
use serde_json::Value;

/// Words of a server or of a tool that is a shell, or types into one.
const SHELLS: [&str; 11] = [
    "shell",
    "bash",
    "sh",
    "zsh",
    "terminal",
    "terminals",
    "console",
    "tmux",
    "pty",
    "ssh",
    "cmd",
];
/// Words of a tool that runs what it is given.
const RUNNERS: [&str; 8] = [
    "exec",
    "execute",
    "run",
    "spawn",
    "command",
    "commands",
    "process",
    "subprocess",
];
/// Words of what is run and is no command.
const OTHERS: [&str; 20] = [
    "agent",
    "ai",
    "chat",
    "completion",
    "eval",
    "graphql",
    "llm",
    "message",
    "model",
    "notebook",
    "prompt",
    "query",
    "queries",
    "search",
    "sql",
    "statement",
    "task",
    "test",
    "tests",
    "workflow",
];
/// Keys of what is typed.
const TYPED: [&str; 13] = [
    "input", "text", "line", "lines", "data", "keys", "value", "content", "body", "stdin", "payload",
    "string", "args",
];

/// Whether a tool's name says that it gives what it gets to a shell.
pub(super) fn is_shell(tool: &str) -> bool {
    let own = own_words(tool);
    let has = |words: &[String], list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    !has(&own, &OTHERS) && (has(&own, &RUNNERS) || has(&words(tool), &SHELLS))
}

/// What an input types into a shell.
pub(super) fn typed(input: &ToolInput) -> Vec<String> {
    let is_typed = |(key, _): &(&String, &Value)| TYPED.contains(&&*joined(key));
    let values = input.iter().filter(is_typed);
    values.filter_map(|(_, value)| line("commands", value)).collect()
}
