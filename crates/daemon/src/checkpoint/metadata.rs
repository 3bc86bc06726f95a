//! What a checkpoint says about itself: enough to bring its row back, and readable without Toprope.

use super::path_text::PathText;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// The form of `metadata.json` this version writes.
pub const FORMAT: u32 = 1;
/// What the main thread of a session is called instead of an id.
pub const MAIN: &str = "main";

/// `session/metadata.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Metadata {
    /// The form of this file.
    pub format: u32,
    /// Twelve digits.
    pub checkpoint_id: String,
    /// The kind of agent: `claude-code`. Absent where no agent acted.
    pub agent: Option<String>,
    /// The client's id of the session.
    pub session_id: Option<String>,
    /// The name people know it by.
    pub session_alias: Option<String>,
    /// The subagent's id, or [`MAIN`]; absent where no agent's work ends in it.
    pub actor: Option<String>,
    /// The kind of subagent.
    pub agent_type: Option<String>,
    /// The task it was started with.
    pub description: Option<String>,
    /// The id of the agent that started it.
    pub parent_agent: Option<String>,
    /// The call it belongs to.
    pub tool_use_id: Option<String>,
    /// Which run of the actor.
    pub run: u64,
    /// Counted within the run.
    pub sequence: u64,
    /// The turn's number.
    pub turn: Option<u64>,
    /// The client's id of the prompt.
    pub prompt_id: Option<String>,
    /// What it is.
    pub kind: String,
    /// What people read.
    pub label: String,
    /// The turn's prompts, word for word.
    pub prompts: Vec<String>,
    /// The branch checked out.
    pub branch: Option<String>,
    /// The commit checked out.
    pub head: Option<String>,
    /// The commit whose tree `files/` is laid over.
    pub base_commit: Option<String>,
    /// The worktree's folder.
    pub worktree: PathText,
    /// `shadow` or `commit`.
    pub strategy: String,
    /// What changed: since the checkpoint before, or in the whole turn or run it ends.
    pub files: Vec<FileChange>,
    /// What of it changed since the checkpoint before, where it ends a turn or a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changed: Option<Vec<FileChange>>,
    /// The part of the transcript it belongs to.
    pub transcript: Option<TranscriptPart>,
    /// What the turn cost so far.
    pub token_usage: Option<TokenUsage>,
    /// What calls touched that is in it, however that came out: nobody need look at it again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub touches: Vec<MetadataPath>,
    /// What was there before calls touched it, where that is in it and they are not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub begun: Vec<MetadataPath>,
    /// The look at the worktree that it was made with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub look: Option<ScanMetadata>,
    /// What it may miss.
    pub degraded: Vec<String>,
    /// What it was cut for.
    pub trigger: String,
    /// For pairs: the checkpoint before a rewind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partner: Option<String>,
    /// For an undo: what it took back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undoes: Option<String>,
    /// Before a command that may lose something: what was in the stash, newest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stash: Vec<String>,
    /// Before such a command: what it was about to leave without a name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost: Vec<String>,
    /// The names among it that it was about to take away, each with what it stood for: `refs/tags/v1 <id>`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// When, in milliseconds since 1970.
    pub created_at: i64,
    /// Who wrote this.
    pub toprope_version: String,
    /// The id of an imported checkpoint.
    pub foreign_id: Option<String>,
}

/// One file's change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileChange {
    /// Relative to the worktree.
    pub path: PathText,
    /// `added`, `modified`, `deleted`, `mode`, `type` or `skipped`.
    pub change: String,
    /// The stored form before.
    pub before: Option<String>,
    /// The stored form after.
    pub after: Option<String>,
    /// The mode before.
    pub before_mode: Option<String>,
    /// The mode after.
    pub mode: Option<String>,
    /// The worktree's bytes before, where they differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before_raw: Option<String>,
    /// The worktree's bytes after, where they differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_raw: Option<String>,
    /// `files` or `ignored`.
    pub place: String,
    /// The subagent's id, empty for the main thread; absent where nobody can be named.
    pub actor: Option<String>,
    /// The client session it is put down to, where that is another than the checkpoint's; empty where it is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// How that is known.
    pub origin: String,
    /// The call that did it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_use_id: Option<String>,
    /// Why it was not captured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skip_reason: Option<String>,
    /// Why it is not sure who did it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doubt: Option<String>,
}

/// A path that a call touched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MetadataPath {
    /// Relative to the worktree.
    pub path: PathText,
    /// The call.
    pub tool_use_id: String,
}

/// A look at the whole worktree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScanMetadata {
    /// The newest event when it began, by the number it had in the database.
    pub event: i64,
    /// When it began, in milliseconds since 1970.
    pub began: i64,
    /// The same in nanoseconds, by the clock that files are dated with.
    #[serde(default)]
    pub dated: i64,
    /// How many milliseconds it took.
    pub took: u64,
}

/// Where in the transcript a turn is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TranscriptPart {
    /// The client's file.
    pub path: PathText,
    /// Its first byte.
    pub start: u64,
    /// The byte after its last.
    pub end: u64,
    /// The last message.
    pub leaf: Option<String>,
    /// Whether its closing lines were seen.
    pub sealed: bool,
}

/// What a turn cost.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TokenUsage {
    /// Tokens read without a cache.
    pub input: u64,
    /// Tokens written to a cache.
    pub cache_write: u64,
    /// Tokens read from a cache.
    pub cache_read: u64,
    /// Tokens written by the model.
    pub output: u64,
    /// The same for its subagents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subagents: Option<Box<TokenUsage>>,
    /// Whether the whole transcript of the turn was read.
    pub complete: bool,
}

impl TokenUsage {
    /// Counts these as well.
    pub fn add(&mut self, more: &Self) {
        self.input += more.input;
        self.cache_write += more.cache_write;
        self.cache_read += more.cache_read;
        self.output += more.output;
    }
}

impl Metadata {
    /// The file's bytes.
    pub fn to_json(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec_pretty(self).unwrap_or_default();
        bytes.push(b'\n');
        bytes
    }

    /// What a file of this form says; nothing if it says something else.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let metadata: Self = serde_json::from_slice(bytes).ok()?;
        (metadata.format == FORMAT).then_some(metadata)
    }

    /// `session/context.md`: what happened, for somebody without Toprope.
    pub fn context(&self, commits: &[String]) -> String {
        let mut page = format!("# {}\n\n", self.label);
        let mut line = |name: &str, value: Option<String>| {
            if let Some(value) = value {
                // Writing to a string cannot fail.
                let _ = writeln!(page, "- {name}: {value}");
            }
        };
        line(
            "Checkpoint",
            Some(format!("{} ({})", self.checkpoint_id, self.kind)),
        );
        line("Session", self.session_alias.clone());
        line("Turn", self.turn.map(|turn| turn.to_string()));
        line("Branch", self.branch.clone());
        line("Base", self.base_commit.clone());
        line(
            "Tokens",
            self.token_usage.as_ref().map(|usage| {
                format!(
                    "{} in, {} written to cache, {} read from cache, {} out{}",
                    usage.input,
                    usage.cache_write,
                    usage.cache_read,
                    usage.output,
                    if usage.complete { "" } else { " (so far)" }
                )
            }),
        );
        line("Commits", (!commits.is_empty()).then(|| commits.join(", ")));
        for change in ["added", "modified", "deleted", "mode", "type", "skipped"] {
            let files: Vec<&FileChange> = self.files.iter().filter(|file| file.change == change).collect();
            if files.is_empty() {
                continue;
            }
            let _ = write!(page, "\n## {change}\n\n");
            for file in files {
                let _ = writeln!(page, "- {}", shown(&file.path));
            }
        }
        page
    }
}

/// The commit's message: the label, and what tools need to find it again.
pub fn message(metadata: &Metadata) -> String {
    let mut trailers = vec![("Checkpoint", metadata.checkpoint_id.clone())];
    if let (Some(agent), Some(session)) = (&metadata.agent, &metadata.session_id) {
        trailers.push(("Session", format!("{agent}/{session}")));
        trailers.extend(metadata.actor.iter().map(|actor| ("Agent", actor.clone())));
    }
    if let Some(turn) = metadata.turn {
        trailers.push(("Turn", turn.to_string()));
    }
    trailers.push(("Kind", metadata.kind.clone()));
    if let Some(base) = &metadata.base_commit {
        trailers.push(("Base", base.clone()));
    }
    trailers.push(("Strategy", metadata.strategy.clone()));
    let mut message = format!("{}\n\n", engine::text::one_line(&metadata.label, 200));
    for (name, value) in trailers {
        let _ = writeln!(message, "Toprope-{name}: {}", engine::text::one_line(&value, 300));
    }
    message
}

fn shown(path: &PathText) -> String {
    match path {
        PathText::Text(text) => engine::text::one_line(text, 400),
        PathText::Bytes { bytes } => format!("(base64) {bytes}"),
    }
}

#[cfg(test)]
mod tests;
