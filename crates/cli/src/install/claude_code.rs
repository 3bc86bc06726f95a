//! What Toprope registers with Claude Code: which events, and the entry for each.

use super::error::InstallError;
use super::handler::Handler;
use super::json::JsonDocument;
use ::daemon::client::STATE_FOLDER;
use agents::claude_code::SHELL_TOOLS;
use engine::text::one_line;
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

/// Characters of a foreign value shown in a message.
const LONGEST_SHOWN: usize = 60;

/// How the client starts the program: what it runs, and with which state folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookProgram {
    command: String,
    state_folder: Option<String>,
}

impl HookProgram {
    /// Found by PATH, with the state folder of whoever runs it: for a file that is committed and read on other machines.
    pub fn by_name() -> Self {
        Self {
            command: PROGRAM.to_owned(),
            state_folder: None,
        }
    }

    /// By its place on this machine. The entry names the state folder, so that no variable of a hook decides which it is.
    pub fn at(path: &Path, state_folder: &Path) -> Result<Self, InstallError> {
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
        let command = plain(path).map_err(refused)?;
        let state_folder = plain(state_folder).map_err(|reason| InstallError::StateFolder {
            path: state_folder.to_owned(),
            reason,
        })?;
        Ok(Self {
            command,
            state_folder: Some(state_folder),
        })
    }

    /// As it stands in the settings.
    pub fn as_str(&self) -> &str {
        &self.command
    }

    /// Its arguments.
    pub fn arguments(&self) -> Vec<&str> {
        let folder = self.state_folder.as_deref();
        ARGUMENTS
            .into_iter()
            .chain(folder.into_iter().flat_map(|folder| [STATE_FOLDER, folder]))
            .collect()
    }
}

/// A path that settings can hold as it is.
fn plain(path: &Path) -> Result<String, &'static str> {
    let text = path.to_str().ok_or("is not UTF-8, so JSON cannot hold it")?;
    if text.contains("${") {
        return Err("contains `${`, which the client would replace");
    }
    Ok(text.to_owned())
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
            !name.is_empty() && !SHELL_TOOLS.contains(name) && name.bytes().all(plain)
        };
        Self(
            SHELL_TOOLS
                .into_iter()
                .chain(more.filter(is_plain))
                .map(str::to_owned)
                .collect(),
        )
    }

    fn matcher(&self) -> String {
        self.0.join("|")
    }

    fn others(&self) -> String {
        format!("^(?!(?:{})$)", self.matcher())
    }
}

/// One entry of an event: its matcher and its only handler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookEntry {
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
pub fn entries(event: &str, broken: &BrokenHook) -> Vec<HookEntry> {
    if !EVENTS.contains(&event) {
        return Vec::new();
    }
    let timeout = timeout(event);
    let entry = |matcher, blocks| HookEntry {
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

impl HookEntry {
    /// Whether an entry in the file does what this one would; its message is the person's to choose.
    pub fn is_met_by(&self, document: &JsonDocument, handler: &Handler<'_>, program: &HookProgram) -> bool {
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
            && handler.arguments() == Some(program.arguments())
            && handler.number(document, "timeout") == Some(self.timeout)
            && failure.and_then(super::json::Node::as_text) == self.blocks.then_some("block")
            && failure.is_some() == self.blocks
    }

    /// What an entry in the file says otherwise than this one about when and for how long it runs; nothing where that is
    /// as it should be.
    pub fn weakness(&self, document: &JsonDocument, handler: &Handler<'_>) -> Option<String> {
        let event = handler.event;
        let said = |node: &super::json::Node| one_line(document.text_of(node), LONGEST_SHOWN);
        if !self.matcher.is_met_by(handler) {
            let matcher = handler
                .group
                .member("matcher")
                .map_or("no matcher".to_owned(), |node| {
                    format!("`matcher` {}", said(node))
                });
            return Some(format!("{event} has {matcher}"));
        }
        if handler.number(document, "timeout") != Some(self.timeout) {
            let found = handler
                .node
                .member("timeout")
                .map_or("no `timeout`".to_owned(), |node| {
                    format!("`timeout` {}", said(node))
                });
            return Some(format!("{event} has {found}, not {}", self.timeout));
        }
        let conditions = ["if", "async", "asyncRewake", "once"].into_iter();
        let mut conditions = conditions.filter(|key| handler.node.member(key).is_some());
        conditions.next().map(|key| format!("{event} has `{key}`"))
    }

    /// The entry as a value, with what a person chose for the one it replaces.
    pub fn value(&self, program: &HookProgram, chosen: &[(&str, Value)]) -> Value {
        let mut handler = Map::new();
        handler.insert("type".to_owned(), json!("command"));
        handler.insert("command".to_owned(), json!(program.as_str()));
        handler.insert("args".to_owned(), json!(program.arguments()));
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
