//! `[lease]`: whether one file has one writer at a time, and for how long it is theirs.

use super::{Mode, Profile};
use serde::{Deserialize, Serialize};

/// `[lease]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeaseSettings {
    /// Whether a second writer is stopped, told, or nothing.
    pub mode: Mode,
    /// The files that are leased; globs.
    pub include: Vec<String>,
    /// Those that are not, out of these; globs.
    pub exclude: Vec<String>,
    /// When a main thread gives its files back.
    pub until: Until,
    /// Minutes without an event of the holder after which a lease is over.
    pub idle_minutes: u32,
    /// Hours after which a lease with an open call is over.
    pub max_hours: u32,
    /// Seconds a free file is kept for the next in line.
    pub offer_seconds: u32,
    /// The same as `mode`, for files that a command certainly writes.
    pub bash: Mode,
    /// The same, for commands that change the whole tree.
    pub bulk_mode: Mode,
    /// More commands that change the whole tree, by how they begin.
    pub bulk: Vec<String>,
    /// Whether an actor is told who writes the same file in another worktree.
    pub forecast: Mode,
    /// Tools of servers, and what they write.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool: Vec<LeaseTool>,
}

/// When a main thread gives its files back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Until {
    /// At the end of its turn.
    Turn,
    /// At the end of its session, or when it was idle.
    Session,
}

impl Until {
    /// Both, the shorter first.
    pub const ALL: [Self; 2] = [Self::Turn, Self::Session];
    /// Their names, in the same order.
    pub const WORDS: &[&str] = &["turn", "session"];

    /// Its name in settings.
    pub fn word(self) -> &'static str {
        match self {
            Self::Turn => "turn",
            Self::Session => "session",
        }
    }

    /// The end of that name.
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|until| until.word() == word)
    }
}

/// `[[lease.tool]]`: what a server's tool writes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeaseTool {
    /// The tool's whole name: `mcp__files__write`.
    pub name: String,
    /// The arguments that name files.
    pub path: Vec<String>,
    /// What happens to them.
    pub effect: ToolEffect,
}

/// What a declared tool does to its files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ToolEffect {
    /// It replaces them.
    Overwrite,
    /// It changes them.
    Change,
    /// It removes them.
    Delete,
}

impl ToolEffect {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Overwrite, Self::Change, Self::Delete];

    /// Its name in settings.
    pub fn word(self) -> &'static str {
        match self {
            Self::Overwrite => "overwrite",
            Self::Change => "change",
            Self::Delete => "delete",
        }
    }

    /// The effect of that name.
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|effect| effect.word() == word)
    }
}

impl LeaseSettings {
    /// The built-in values of a profile.
    pub fn of(profile: Profile) -> Self {
        let (mode, forecast) = match profile {
            Profile::Observe => (Mode::Off, Mode::Off),
            Profile::Standard | Profile::Strict => (Mode::Enforce, Mode::Advise),
        };
        Self {
            mode,
            include: vec!["**".to_owned()],
            exclude: vec![".git/**".to_owned()],
            until: Until::Turn,
            idle_minutes: 10,
            max_hours: 4,
            offer_seconds: 120,
            bash: mode,
            bulk_mode: mode,
            bulk: Vec::new(),
            forecast,
            tool: Vec::new(),
        }
    }
}
