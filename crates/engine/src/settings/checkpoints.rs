//! `[checkpoints]`: whether, how finely and how long the states of a project are kept.

use super::{Mode, Profile};
use serde::{Deserialize, Serialize};

/// `[checkpoints]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckpointSettings {
    /// Whether checkpoints are made at all; usage is recorded either way.
    pub enabled: bool,
    /// Where a turn's work goes.
    pub strategy: Strategy,
    /// How fine the points within a turn are.
    pub steps: Steps,
    /// What is said when another session has uncommitted work here.
    pub concurrent: Mode,
    /// Whether transcripts are kept in checkpoints.
    pub transcript: bool,
    /// Whether ignored files that an agent wrote are kept.
    pub capture_ignored: bool,
    /// Files that are never kept; globs.
    pub exclude: Vec<String>,
    /// Checkpoints of a session kept whatever their age.
    pub keep_last: u32,
    /// How the strategy `commit` commits.
    pub commit: CommitSettings,
    /// A larger file is not kept.
    pub max_file_mb: u32,
    /// Beyond this the rest of one checkpoint is not kept.
    pub max_checkpoint_mb: u32,
    /// Beyond this the oldest checkpoints go.
    pub max_store_mb: u32,
    /// A larger folder outside git gets no checkpoints.
    pub max_files_without_git: u32,
    /// How long a call waits for files still being read.
    pub barrier_ms: u32,
    /// How long the first writing call of a turn waits for the prompt's scan.
    pub baseline_wait_ms: u32,
    /// A scan that took longer is not repeated within a turn.
    pub scan_budget_ms: u32,
    /// A scan that takes longer is given up.
    pub scan_timeout_ms: u32,
    /// How long steps are kept.
    pub keep_steps_hours: u32,
    /// How long checkpoints are kept.
    pub retention_days: u32,
}

/// `[checkpoints.commit]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommitSettings {
    /// Whether the person's git hooks run.
    pub git_hooks: bool,
    /// Whether commits are signed.
    pub sign: bool,
    /// How long one commit may take.
    pub timeout_ms: u32,
}

/// Where a turn's work goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Strategy {
    /// Into the shadow repository.
    Shadow,
    /// There, and into a commit on the active branch.
    Commit,
}

impl Strategy {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Shadow, Self::Commit];
    /// Their names, in the same order.
    pub const WORDS: &[&str] = &["shadow", "commit"];

    /// Its name in settings.
    pub fn word(self) -> &'static str {
        match self {
            Self::Shadow => "shadow",
            Self::Commit => "commit",
        }
    }

    /// The strategy of that name.
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|strategy| strategy.word() == word)
    }
}

/// How fine the points within a turn are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Steps {
    /// None.
    Off,
    /// One per update of the agent's list of things to do.
    Todo,
    /// One per batch of tool calls.
    Batch,
}

impl Steps {
    /// All of them, the coarsest first.
    pub const ALL: [Self; 3] = [Self::Off, Self::Todo, Self::Batch];
    /// Their names, in the same order.
    pub const WORDS: &[&str] = &["off", "todo", "batch"];

    /// Its name in settings.
    pub fn word(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Todo => "todo",
            Self::Batch => "batch",
        }
    }

    /// The fineness of that name.
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|steps| steps.word() == word)
    }
}

impl CheckpointSettings {
    /// The built-in values of a profile.
    pub fn of(profile: Profile) -> Self {
        Self {
            enabled: true,
            strategy: Strategy::Shadow,
            steps: Steps::Batch,
            concurrent: match profile {
                Profile::Observe => Mode::Off,
                Profile::Standard => Mode::Advise,
                Profile::Strict => Mode::Enforce,
            },
            transcript: true,
            capture_ignored: true,
            exclude: Vec::new(),
            keep_last: 20,
            commit: CommitSettings {
                git_hooks: true,
                sign: false,
                timeout_ms: 10_000,
            },
            max_file_mb: 50,
            max_checkpoint_mb: 500,
            max_store_mb: 2_048,
            max_files_without_git: 20_000,
            barrier_ms: 200,
            baseline_wait_ms: 2_000,
            scan_budget_ms: 250,
            scan_timeout_ms: 20_000,
            keep_steps_hours: 24,
            retention_days: 30,
        }
    }
}
