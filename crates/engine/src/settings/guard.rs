//! `[guard]`: how commands are judged, and what the person made of single packs and rules.

use super::{Mode, Profile};
use serde::{Deserialize, Serialize};
use shell::{UserWrapper, UserWrappers};
use std::collections::BTreeMap;
use std::sync::Arc;

/// `[guard]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GuardSettings {
    /// Whether commands are judged; `advise` turns all but the floor into advice.
    pub mode: Mode,
    /// What a command that cannot be read meets while a person watches.
    pub opaque: Opaque,
    /// How far each built-in pack goes.
    pub packs: PackModes,
    /// Where writes into the system's temporary folder go instead, below the worktree; empty leaves them alone.
    pub scratch_dir: String,
    /// Whether a person watches.
    pub attended: Attended,
    /// Which scripts are read when they are run.
    pub scripts: Scripts,
    /// Names of ignored files and folders that a build makes again; `*` for any text.
    pub regenerable: Vec<String>,
    /// What removing a file meets that this session made itself.
    pub created: Created,
    /// When a warning counts as heard in a client that reports no batches.
    pub retry_after_ms: u32,
    /// How long a command waits for the checkpoint before it.
    pub checkpoint_wait_ms: u32,
    /// Ignored files up to this size are kept before a command removes them.
    pub capture_limit_mb: u32,
    /// How long an approval or a request lives.
    pub approval_minutes: u32,
    /// What a hook that fails to answer means for shell tools.
    pub on_failure: OnFailure,
    /// How much of a command is read.
    pub budget: BudgetSettings,
    /// Single rules, by id.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub rules: BTreeMap<String, RuleSetting>,
    /// Programs that only run the command behind them, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub wrappers: BTreeMap<String, WrapperSetting>,
    /// Rules of other layers, as their files hold them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub layers: Vec<RuleFile>,
    /// Tools that run shell text beside `Bash`, with the input's key that holds it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub shell_tools: BTreeMap<String, String>,
}

/// `[guard.packs]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PackModes {
    /// Files, git.
    pub core: CorePacks,
    /// Habits.
    pub workflow: WorkflowPacks,
    /// Code from elsewhere.
    pub exec: Mode,
    /// Credentials.
    pub secrets: Mode,
    /// The machine.
    pub system: Mode,
    /// Publishing and installing.
    pub packages: Mode,
    /// SQL and its like.
    pub databases: Mode,
    /// Docker and podman.
    pub containers: Mode,
    /// Clusters.
    pub kubernetes: Mode,
    /// aws, gcloud, az.
    pub cloud: Mode,
    /// Terraform and pulumi.
    pub terraform: Mode,
}

/// `[guard.packs.core]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CorePacks {
    /// Removing and overwriting.
    pub filesystem: Mode,
    /// Work and history.
    pub git: Mode,
}

/// `[guard.packs.workflow]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorkflowPacks {
    /// Commits and merges.
    pub git: Mode,
}

impl GuardSettings {
    /// Packs and single rules that do not stop what they find: `core.git off`, `exec advise`.
    pub fn loosened(&self) -> Vec<String> {
        let of_packs = PackModes::NAMES.iter().map(|name| (*name, self.packs.of(name)));
        let of_rules = self
            .rules
            .iter()
            .filter_map(|(id, rule)| Some((id.as_str(), rule.mode?)));
        of_packs
            .chain(of_rules)
            .filter(|(_, mode)| *mode != Mode::Enforce)
            .map(|(name, mode)| format!("{name} {}", mode.word()))
            .collect()
    }
}

impl PackModes {
    /// The packs that can be switched.
    pub const NAMES: [&str; 12] = [
        "core.filesystem",
        "core.git",
        "workflow.git",
        "exec",
        "secrets",
        "system",
        "packages",
        "databases",
        "containers",
        "kubernetes",
        "cloud",
        "terraform",
    ];

    /// The same mode for all.
    pub fn all(mode: Mode) -> Self {
        Self {
            core: CorePacks {
                filesystem: mode,
                git: mode,
            },
            workflow: WorkflowPacks { git: mode },
            exec: mode,
            secrets: mode,
            system: mode,
            packages: mode,
            databases: mode,
            containers: mode,
            kubernetes: mode,
            cloud: mode,
            terraform: mode,
        }
    }

    /// The mode of the pack of that name; one that cannot be switched, or is not built in, is enforced.
    pub fn of(&self, pack: &str) -> Mode {
        match pack {
            "core.filesystem" => self.core.filesystem,
            "core.git" => self.core.git,
            "workflow.git" => self.workflow.git,
            "exec" => self.exec,
            "secrets" => self.secrets,
            "system" => self.system,
            "packages" => self.packages,
            "databases" => self.databases,
            "containers" => self.containers,
            "kubernetes" => self.kubernetes,
            "cloud" => self.cloud,
            "terraform" => self.terraform,
            _ => Mode::Enforce,
        }
    }
}

/// `[guard.rules."<id>"]`
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleSetting {
    /// How far the rule goes, over its pack's mode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
    /// What it says instead of its own verdict: `deny`, `ask`, `one-strike`, `rewrite` or `advise`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<String>,
}

/// A file with rules of its own: `guard/*.toml` beside the person's settings, or the `[[guard.rule]]` tables of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleFile {
    /// Whose it is.
    pub layer: RuleLayer,
    /// The file, as people know it.
    pub file: String,
    /// What it holds; shared, because every event gets the settings.
    #[serde(with = "shared")]
    pub text: Arc<str>,
}

/// A shared text is written and read like any other.
mod shared {
    use serde::{Deserialize, Deserializer, Serializer};
    use std::sync::Arc;

    pub(super) fn serialize<S: Serializer>(text: &Arc<str>, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(text)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<str>, D::Error> {
        String::deserialize(deserializer).map(Arc::from)
    }
}

/// Whose rules they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RuleLayer {
    /// The person's.
    User,
    /// The project's; they may only tighten.
    Project,
    /// The active effort's; they may only tighten.
    Effort,
}

/// `[guard.wrappers]`: one program that only runs the command behind it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrapperSetting {
    /// Operands of its own in front of the command.
    #[serde(default)]
    pub skip: u32,
}

/// `[guard.budget]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BudgetSettings {
    /// Text of one command.
    pub bytes: u32,
    /// Commands and other parts of it.
    pub nodes: u32,
    /// How deep they nest.
    pub depth: u32,
    /// Words of one command.
    pub words: u32,
    /// Texts within texts.
    pub reparse: u32,
    /// Scripts read for one command.
    pub scripts: u32,
}

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum $name {
            $($(#[$variant_doc])* $variant),+
        }

        impl $name {
            /// All of them, the loosest first.
            pub const ALL: &[Self] = &[$(Self::$variant),+];
            /// Their names, in the same order.
            pub const WORDS: &[&str] = &[$($word),+];

            /// Its name in settings.
            pub fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $word),+
                }
            }

            /// The value of that name.
            pub fn named(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|value| value.word() == word)
            }
        }
    };
}

words! {
    /// What an opaque command meets while a person watches.
    Opaque {
        /// Nothing.
        Silent = "silent",
        /// The person is asked.
        Ask = "ask",
    }
}

words! {
    /// Whether a person watches.
    Attended {
        /// Always.
        Yes = "yes",
        /// As the client says.
        Auto = "auto",
        /// Never.
        No = "no",
    }
}

words! {
    /// Which scripts are read when they are run.
    Scripts {
        /// None.
        Off = "off",
        /// Those the session wrote, edited, moved or downloaded.
        Session = "session",
        /// All.
        All = "all",
    }
}

words! {
    /// What removing a file meets that this session made itself.
    Created {
        /// Nothing.
        Silent = "silent",
        /// It is held once.
        OneStrike = "one-strike",
    }
}

words! {
    /// What a hook that fails to answer means for shell tools.
    OnFailure {
        /// The call goes on.
        Open = "open",
        /// The call is blocked.
        Block = "block",
    }
}

/// What builds make and can make again.
const REGENERABLE: [&str; 26] = [
    "target",
    "node_modules",
    "dist",
    "build",
    "out",
    ".venv",
    "venv",
    "__pycache__",
    ".next",
    ".nuxt",
    ".turbo",
    ".parcel-cache",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
    ".tox",
    ".gradle",
    "coverage",
    "htmlcov",
    ".cache",
    ".nyc_output",
    "*.egg-info",
    "*.pyc",
    "*.o",
    "*.class",
    "*.tsbuildinfo",
];

impl GuardSettings {
    /// Whether a person watches, given what the client says of it.
    pub fn is_attended(&self, said: bool) -> bool {
        match self.attended {
            Attended::Yes => true,
            Attended::No => false,
            Attended::Auto => said,
        }
    }

    /// The programs that only run the command behind them, as reading takes them.
    pub fn user_wrappers(&self) -> UserWrappers {
        let wrapper = |(name, wrapper): (&String, &WrapperSetting)| {
            let skip = usize::try_from(wrapper.skip).unwrap_or(usize::MAX);
            (name.clone(), UserWrapper { skip })
        };
        UserWrappers {
            programs: self.wrappers.iter().map(wrapper).collect(),
        }
    }

    /// The built-in values of a profile.
    pub fn of(profile: Profile) -> Self {
        let strict = profile == Profile::Strict;
        Self {
            mode: Mode::Enforce,
            opaque: if strict { Opaque::Ask } else { Opaque::Silent },
            packs: PackModes::all(Mode::Enforce),
            scratch_dir: if strict { "tmp".to_owned() } else { String::new() },
            attended: Attended::Auto,
            scripts: Scripts::Session,
            regenerable: REGENERABLE.map(str::to_owned).into(),
            created: if strict {
                Created::OneStrike
            } else {
                Created::Silent
            },
            retry_after_ms: 2_000,
            checkpoint_wait_ms: 5_000,
            capture_limit_mb: 64,
            approval_minutes: 15,
            on_failure: if strict { OnFailure::Block } else { OnFailure::Open },
            budget: BudgetSettings {
                bytes: 1_048_576,
                nodes: 20_000,
                depth: 64,
                words: 4_096,
                reparse: 8,
                scripts: 8,
            },
            rules: BTreeMap::new(),
            wrappers: BTreeMap::new(),
            layers: Vec::new(),
            shell_tools: BTreeMap::new(),
        }
    }
}
