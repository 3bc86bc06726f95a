//! Tools whose name says that they are a shell: what is typed into them is a command line, whatever its key.

use super::{code, line};
use crate::tool::ToolInput;
use crate::tool::name::{joined, own_words, words};

/// Words of a server or of a tool that is a shell, or types into one.
const SHELLS: [&str; 12] = [
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
    "exec",
];
/// Words of a tool that runs what it is given, whatever that is.
const RUNNERS: [&str; 6] = ["execute", "run", "spawn", "command", "commands", "subprocess"];
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
/// Keys of what is typed into a shell.
const TYPED: [&str; 13] = [
    "input", "text", "line", "lines", "data", "keys", "value", "content", "body", "stdin", "payload",
    "string", "args",
];
/// Keys of what is run by something that may be no shell.
const RUN: [&str; 5] = ["input", "line", "lines", "stdin", "args"];

/// What a tool's name says of what it is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Typing {
    /// It goes to a shell.
    Shell,
    /// It is run by something.
    Runner,
    /// Nothing.
    Unsaid,
}

impl Typing {
    /// By the words of a tool's name.
    pub(super) fn of(tool: &str) -> Self {
        let own = own_words(tool);
        let has = |words: &[String], list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
        if has(&own, &OTHERS) {
            Self::Unsaid
        } else if has(&words(tool), &SHELLS) {
            Self::Shell
        } else if has(&own, &RUNNERS) {
            Self::Runner
        } else {
            Self::Unsaid
        }
    }

    /// What an input types: for a runner only what a shell could read.
    pub(super) fn lines(self, input: &ToolInput) -> Vec<String> {
        let keys: &[&str] = match self {
            Self::Shell => &TYPED,
            Self::Runner => &RUN,
            Self::Unsaid => return Vec::new(),
        };
        let values = input.iter().filter(|(key, _)| keys.contains(&&*joined(key)));
        let lines = values.filter_map(|(_, value)| line("commands", value));
        lines
            .filter(|line| self == Self::Shell || code::is_shell(line))
            .collect()
    }
}
