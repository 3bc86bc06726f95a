//! Code in the input of a tool: of a shell, or of a language whose interpreter would be given it.

use super::field;
use crate::text::word;
use crate::tool::ToolInput;
use serde_json::Value;
use shell::{self, Scene, UnreadCause, UserWrappers};

/// Keys that name the language of code.
const LANGUAGES: [&str; 6] = ["language", "lang", "interpreter", "runtime", "kernel", "syntax"];

/// Parts of a tool's name that say it runs what it is given.
const RUNNERS: [&str; 7] = ["exec", "run", "eval", "shell", "bash", "terminal", "command"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum InlineLanguage {
    Shell,
    /// An interpreter with the option that takes code.
    Other(&'static str),
    /// One whose code nobody here can read.
    Unread,
}

const PYTHON: InlineLanguage = InlineLanguage::Other("python3 -c");
const JAVASCRIPT: InlineLanguage = InlineLanguage::Other("node -e");

/// Whether a tool's own name says that it runs what it is given.
pub(super) fn runs(tool: &str) -> bool {
    let name = own_name(tool);
    RUNNERS.iter().any(|part| name.contains(part))
}

/// The line that runs a text; nothing for what is no code, or of a language nobody here reads.
pub(super) fn line(tool: &str, input: &ToolInput, text: &str) -> Option<String> {
    // One word is a name or a number: of a country, of an error, of an invitation.
    if !text
        .trim()
        .contains(|character: char| character.is_whitespace() || character == '(')
    {
        return None;
    }
    match language(input).or_else(|| by_tool(tool)) {
        Some(InlineLanguage::Shell) => Some(text.to_owned()),
        Some(InlineLanguage::Other(interpreter)) => Some(format!("{interpreter} {}", word(text))),
        Some(InlineLanguage::Unread) => None,
        None if is_shell(text) => Some(text.to_owned()),
        None => {
            let read = [PYTHON, JAVASCRIPT]
                .into_iter()
                .filter_map(|language| match language {
                    InlineLanguage::Other(interpreter) => Some(format!("{interpreter} {}", word(text))),
                    InlineLanguage::Shell | InlineLanguage::Unread => None,
                });
            Some(read.collect::<Vec<_>>().join("\n"))
        }
    }
}

fn own_name(tool: &str) -> String {
    tool.rsplit("__").next().unwrap_or(tool).to_lowercase()
}

fn language(input: &ToolInput) -> Option<InlineLanguage> {
    let mut named = LANGUAGES
        .into_iter()
        .filter_map(|key| field(input, key).and_then(Value::as_str));
    let name = named.next()?.to_lowercase();
    let name = name.rsplit('/').next().unwrap_or_default();
    let found =
        match name.trim_end_matches(|character: char| character.is_ascii_digit() || character == '.') {
            "sh" | "bash" | "zsh" | "dash" | "ksh" | "fish" | "shell" | "shellscript" | "powershell"
            | "pwsh" => InlineLanguage::Shell,
            "python" | "py" | "ipython" | "jupyter" => PYTHON,
            "javascript" | "js" | "node" | "nodejs" | "typescript" | "ts" | "bun" | "deno" => JAVASCRIPT,
            "ruby" | "rb" => InlineLanguage::Other("ruby -e"),
            "perl" => InlineLanguage::Other("perl -e"),
            "php" => InlineLanguage::Other("php -r"),
            "lua" => InlineLanguage::Other("lua -e"),
            _ => InlineLanguage::Unread,
        };
    Some(found)
}

fn by_tool(tool: &str) -> Option<InlineLanguage> {
    let tool = tool.to_lowercase();
    let has = |parts: &[&str]| parts.iter().any(|part| tool.contains(part));
    if has(&["bash", "shell", "terminal", "ssh"]) {
        return Some(InlineLanguage::Shell);
    }
    if has(&["python", "jupyter", "notebook", "mcp__ide__executecode"]) {
        return Some(PYTHON);
    }
    let is_page = has(&[
        "javascript",
        "node",
        "browser",
        "playwright",
        "puppeteer",
        "chrome",
    ]);
    is_page.then_some(JAVASCRIPT)
}

/// Whether a shell could read the text at all.
pub(super) fn is_shell(text: &str) -> bool {
    let wrappers = UserWrappers::default();
    let intent = shell::read(text, &Scene::at(None, &wrappers));
    intent
        .notes
        .iter()
        .all(|note| note.cause != UnreadCause::Unparseable)
}
