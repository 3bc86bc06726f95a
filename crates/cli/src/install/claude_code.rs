//! What Toprope registers with Claude Code: which events, and the entry for each.

use super::error::InstallError;
use super::handler::Handler;
use serde_json::{Map, Value, json};
use std::path::Path;

#[cfg(test)]
mod tests;

/// The program's file name; an entry that runs another one is not ours.
pub const PROGRAM: &str = "toprope";

/// What the program is told to be.
pub const ARGUMENTS: [&str; 2] = ["hook", "claude-code"];

/// Every event of the client but three: `MessageDisplay` comes with each line of text, and registering
/// `WorktreeCreate` or `WorktreeRemove` would replace the client's own handling of worktrees.
pub const EVENTS: [&str; 30] = [
    "SessionStart",
    "Setup",
    "InstructionsLoaded",
    "UserPromptSubmit",
    "UserPromptExpansion",
    "PreToolUse",
    "PermissionRequest",
    "PermissionDenied",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "Stop",
    "StopFailure",
    "SubagentStart",
    "SubagentStop",
    "TeammateIdle",
    "TaskCreated",
    "TaskCompleted",
    "Notification",
    "Elicitation",
    "ElicitationResult",
    "PreCompact",
    "PostCompact",
    "PreModelSwitch",
    "PostModelSwitch",
    "ConfigChange",
    "CwdChanged",
    "FileChanged",
    "DirectoryAdded",
    "SessionEnd",
];

/// For `FileChanged` the matcher is the list of file names the client watches; without one it watches none.
const WATCHED_FILES: &str = "toprope.toml|toprope.local.toml|CLAUDE.md|.env|.envrc";

/// The client's own tool whose calls are judged by what they run.
const SHELL_TOOL: &str = "Bash";

/// How the client starts the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program(String);

impl Program {
    /// Found by PATH: for a file that is committed and read on other machines.
    pub fn by_name() -> Self {
        Self(PROGRAM.to_owned())
    }

    /// By its place on this machine.
    pub fn at(path: &Path) -> Result<Self, InstallError> {
        let refused = |reason| InstallError::Program {
            path: path.to_owned(),
            reason,
        };
        if !path.is_absolute() {
            return Err(refused("is not absolute"));
        }
        if path.file_name().is_none_or(|name| name != PROGRAM) {
            return Err(refused(
                "is not called `toprope`, so its entries could not be told from foreign ones",
            ));
        }
        let text = path
            .to_str()
            .ok_or_else(|| refused("is not UTF-8, so JSON cannot hold it"))?;
        if text.contains("${") {
            return Err(refused("contains `${`, which the client would replace"));
        }
        Ok(Self(text.to_owned()))
    }

    /// As it stands in the settings.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// What the client does with a call when the hook itself breaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BrokenHook {
    /// The call goes on.
    GoesOn,
    /// Calls of these tools are blocked, everything else goes on: `guard.on_failure = "block"`.
    BlocksShell(ShellTools),
}

/// The tools that run shell text, as two matchers of which exactly one fits each tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShellTools(Vec<String>);

impl ShellTools {
    /// The client's own, and these. A name a matcher could not hold literally is left out.
    pub fn with<'a>(more: impl Iterator<Item = &'a str>) -> Self {
        let is_plain = |name: &&str| {
            let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
            !name.is_empty() && *name != SHELL_TOOL && name.bytes().all(plain)
        };
        let more = more.filter(is_plain).map(str::to_owned);
        Self(std::iter::once(SHELL_TOOL.to_owned()).chain(more).collect())
    }

    fn matcher(&self) -> String {
        self.0.join("|")
    }

    fn others(&self) -> String {
        match self.0.as_slice() {
            [only] => format!("^(?!{only}$)"),
            _ => format!("^(?!(?:{})$)", self.matcher()),
        }
    }
}

/// One entry of an event: its matcher and its only handler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    matcher: Matcher,
    blocks: bool,
    timeout: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Matcher {
    Everything,
    Only(String),
    /// A list a person may have made longer.
    Watch(&'static str),
}

/// The entries an event should have; none for an event that is left out.
pub fn entries(event: &str, broken: &BrokenHook) -> Vec<Entry> {
    if !EVENTS.contains(&event) {
        return Vec::new();
    }
    let timeout = timeout(event);
    let entry = |matcher, blocks| Entry {
        matcher,
        blocks,
        timeout,
    };
    match (event, broken) {
        ("PreToolUse", BrokenHook::BlocksShell(tools)) => vec![
            entry(Matcher::Only(tools.matcher()), true),
            entry(Matcher::Only(tools.others()), false),
        ],
        ("FileChanged", _) => vec![entry(Matcher::Watch(WATCHED_FILES), false)],
        _ => vec![entry(Matcher::Everything, false)],
    }
}

/// Seconds. Our own deadlines are far shorter; this is what the client grants a machine under load.
fn timeout(event: &str) -> u32 {
    match event {
        // The client ends its process after this; it grants 1.5 s where nothing is said.
        "SessionEnd" => 10,
        // A person waits for these, and the client's own default is no longer.
        "UserPromptSubmit" | "PreModelSwitch" => 30,
        _ => 60,
    }
}

impl Entry {
    /// Whether an entry in the file does what this one would; its timeout and message are the person's to choose.
    pub fn is_met_by(&self, handler: &Handler<'_>, program: &Program) -> bool {
        let keys_are = |node: &super::json::Node, known: &[&str]| {
            node.members()
                .iter()
                .all(|member| known.contains(&member.key.as_str()))
        };
        let failure = handler.node.member("onFailure");
        self.matcher.is_met_by(handler)
            && keys_are(handler.group, &["matcher", "hooks"])
            && keys_are(
                handler.node,
                &["type", "command", "args", "onFailure", "timeout", "statusMessage"],
            )
            && handler.text("command") == Some(program.as_str())
            && handler.arguments() == Some(ARGUMENTS.to_vec())
            && failure.and_then(super::json::Node::as_text) == self.blocks.then_some("block")
            && failure.is_some() == self.blocks
    }

    /// The entry as a value, with what a person chose for the one it replaces.
    pub fn value(&self, program: &Program, chosen: &[(&str, Value)]) -> Value {
        let mut handler = Map::new();
        handler.insert("type".to_owned(), json!("command"));
        handler.insert("command".to_owned(), json!(program.as_str()));
        handler.insert("args".to_owned(), json!(ARGUMENTS));
        handler.insert("timeout".to_owned(), json!(self.timeout));
        if self.blocks {
            handler.insert("onFailure".to_owned(), json!("block"));
        }
        for (key, value) in chosen {
            handler.insert((*key).to_owned(), value.clone());
        }
        let mut entry = Map::new();
        let matcher = match &self.matcher {
            Matcher::Everything => None,
            Matcher::Only(matcher) => Some(matcher.as_str()),
            Matcher::Watch(files) => Some(*files),
        };
        entry.extend(matcher.map(|matcher| ("matcher".to_owned(), json!(matcher))));
        entry.insert("hooks".to_owned(), json!([handler]));
        Value::Object(entry)
    }
}

impl Matcher {
    fn is_met_by(&self, handler: &Handler<'_>) -> bool {
        let Some(matcher) = handler.group.member("matcher") else {
            return *self == Self::Everything;
        };
        let Some(matcher) = matcher.as_text() else {
            return false;
        };
        match self {
            Self::Everything => matches!(matcher, "" | "*"),
            Self::Only(wanted) => matcher == wanted,
            Self::Watch(files) => {
                let watched: Vec<&str> = matcher.split('|').collect();
                files.split('|').all(|file| watched.contains(&file))
            }
        }
    }
}
