//! The settings policies read: plain values, already layered and checked (see `daemon::config`).
//!
//! [`KEYS`] lists every one of them; layering, checks, the reference page and the schema all follow that list.

mod actors;
mod branch;
mod checkpoints;
mod guard;
mod key;
mod lease;
mod nearest;
mod registry;
mod skills;
mod stale_write;
mod value;

pub use actors::ActorsSettings;
pub use checkpoints::{CheckpointSettings, CommitSettings, Steps, Strategy};
pub use guard::{
    Attended, BudgetSettings, CorePacks, Created, GuardSettings, OnFailure, Opaque, PackModes, RuleFile,
    RuleLayer, RuleSetting, Scripts, WorkflowPacks, WrapperSetting,
};
pub use key::{Restraint, SettingKey, ValueKind};
pub use lease::{LeaseSettings, LeaseTool, ToolEffect, Until};
pub use nearest::nearest;
pub use registry::KEYS;
pub use skills::SkillsSettings;
pub use stale_write::StaleWriteSettings;
pub use value::{SettingValue, Slot};

use serde::{Deserialize, Serialize};

/// All settings in force for one project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Whether Toprope is on here at all.
    pub enabled: bool,
    /// The set of defaults.
    pub profile: Profile,
    /// Branches nobody should rewrite; patterns with `*`.
    pub protected_branches: Vec<String>,
    /// What is sent to agents.
    pub context: ContextSettings,
    /// The project's structure at session start.
    pub structure: StructureSettings,
    /// Checkpoints.
    pub checkpoints: CheckpointSettings,
    /// How commands are judged.
    pub guard: GuardSettings,
    /// One writer per file at a time.
    pub lease: LeaseSettings,
    /// Writers whose picture of a file is out of date.
    pub stale_write: StaleWriteSettings,
    /// Skills that fit a prompt.
    pub skills: SkillsSettings,
    /// What agents' commands are told about who runs them.
    pub actors: ActorsSettings,
    /// What the log keeps.
    pub log: LogSettings,
    /// The daemon.
    pub daemon: DaemonSettings,
}

/// A named set of defaults.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// Records everything, sends nothing to agents.
    Observe,
    /// The default.
    Standard,
    /// Every gate is enforced.
    Strict,
}

impl Profile {
    /// All of them, the loosest first.
    pub const ALL: [Self; 3] = [Self::Observe, Self::Standard, Self::Strict];
    /// Their names, in the same order.
    pub const WORDS: &[&str] = &["observe", "standard", "strict"];

    /// Its name in settings and on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Self::Observe => "observe",
            Self::Standard => "standard",
            Self::Strict => "strict",
        }
    }

    /// The profile of that name.
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|profile| profile.word() == word)
    }
}

/// How far a policy may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// It is not asked.
    Off,
    /// It may speak, not stop.
    Advise,
    /// It may stop.
    Enforce,
}

impl Mode {
    /// All of them, the loosest first.
    pub const ALL: [Self; 3] = [Self::Off, Self::Advise, Self::Enforce];
    /// Their names, in the same order.
    pub const WORDS: &[&str] = &["off", "advise", "enforce"];

    /// Its name in settings.
    pub fn word(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Advise => "advise",
            Self::Enforce => "enforce",
        }
    }

    /// The mode of that name.
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.word() == word)
    }
}

/// `[context]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContextSettings {
    /// Most UTF-16 code units of text in one reply.
    pub budget: u32,
}

/// `[structure]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StructureSettings {
    /// Whether the structure is sent.
    pub mode: Mode,
    /// Most characters of it.
    pub max_chars: u32,
    /// How long git may take.
    pub timeout_ms: u32,
}

/// `[log]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogSettings {
    /// Days an event is kept.
    pub keep_days: u32,
    /// Size of the database above which the oldest payloads go.
    pub max_mib: u32,
    /// Payloads above this keep head, tail, length and hash.
    pub payload_kib: u32,
}

/// `[daemon]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DaemonSettings {
    /// Minutes without sessions after which the daemon ends.
    pub idle_minutes: u32,
}

impl Settings {
    /// The built-in values of a profile.
    pub fn of(profile: Profile) -> Self {
        let structure = if profile == Profile::Observe {
            Mode::Off
        } else {
            Mode::Advise
        };
        Self {
            enabled: true,
            profile,
            protected_branches: ["main", "master", "trunk", "release/*"].map(str::to_owned).into(),
            context: ContextSettings { budget: 9_000 },
            structure: StructureSettings {
                mode: structure,
                max_chars: 2_000,
                timeout_ms: 500,
            },
            checkpoints: CheckpointSettings::of(profile),
            guard: GuardSettings::of(profile),
            lease: LeaseSettings::of(profile),
            stale_write: StaleWriteSettings::of(profile),
            skills: SkillsSettings::of(profile),
            actors: ActorsSettings::default(),
            log: LogSettings {
                keep_days: 30,
                max_mib: 512,
                payload_kib: 64,
            },
            daemon: DaemonSettings { idle_minutes: 30 },
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self::of(Profile::Standard)
    }
}

#[cfg(test)]
mod tests;
