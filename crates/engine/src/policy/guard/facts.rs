//! What the guard may know of the world, and what it can ask. Everything is data, so that a replay is exact.

use crate::shell::{Fact, Known};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Most questions about one command; what is beyond stays unknown.
pub const MOST_QUESTIONS: usize = 64;

/// Something the guard wants to know before it decides.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Asked {
    /// What is at this absolute path.
    Path {
        /// Lexically resolved; links are not.
        path: String,
    },
    /// Where this absolute path leads, and whether a key is there. Nothing that git, its size or the session would say:
    /// a tool that names one file is judged without.
    Identity {
        /// Lexically resolved; links are not.
        path: String,
    },
    /// The repository this folder belongs to.
    Repository {
        /// An absolute path.
        cwd: String,
    },
    /// What `git <name>` stands for here.
    GitAlias {
        /// An absolute path.
        cwd: String,
        /// The alias.
        name: String,
    },
    /// The text of a file that would be run, if the session wrote, edited, moved or downloaded it.
    Script {
        /// An absolute path.
        path: String,
    },
    /// The text of an agent's settings file, to see whether our entries stay.
    Text {
        /// An absolute path.
        path: String,
    },
}

/// Everything known when a command is judged. What is absent was not asked, or not answered.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct GuardFacts {
    /// The folder the command starts in.
    pub cwd: Option<String>,
    /// The person's home.
    pub home: Option<String>,
    /// The person's name on this machine.
    pub user: Option<String>,
    /// The temporary folder of the session.
    pub tmpdir: Option<String>,
    /// The client's own scratch folder.
    pub client_scratch: Option<String>,
    /// Whether a person watches.
    pub attended: bool,
    /// Where Toprope itself lives.
    pub own: OwnPlaces,
    /// Answers by absolute path.
    pub paths: BTreeMap<String, PathFact>,
    /// Answers by folder; `None`: no repository there.
    pub repositories: BTreeMap<String, Option<RepositoryFact>>,
    /// Answers by folder and name, joined by a newline; `None`: no alias.
    pub aliases: BTreeMap<String, Option<String>>,
    /// Texts of scripts by absolute path; `None`: not one of the session's.
    pub scripts: BTreeMap<String, Option<String>>,
    /// Texts of settings files by absolute path; `None`: no such file.
    pub texts: BTreeMap<String, Option<String>>,
    /// The live warnings of this actor.
    pub strikes: Vec<StrikeFact>,
    /// Earlier denials of this actor: rule, target, how often.
    pub denials: Vec<DenialFact>,
    /// The id a parked request would get.
    pub request: Option<String>,
    /// A person approved exactly this command, here, for this session.
    pub approval: Option<String>,
    /// What the gates say.
    pub gates: GateFacts,
    /// A rewrite would hide the original from the person's own permission rules, or lost a race before.
    pub no_rewrite: bool,
    /// The active skill.
    pub skill: Option<String>,
    /// The active phase.
    pub phase: Option<String>,
    /// The kind of agent that acts.
    pub agent_type: Option<String>,
}

/// Where Toprope itself lives; what an agent may not change.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct OwnPlaces {
    /// State: the database, spool, logs.
    pub home: Option<String>,
    /// The socket's folder.
    pub socket: Option<String>,
    /// The person's settings folder.
    pub config: Option<String>,
    /// The installed binary, under every name it is known by.
    pub binaries: Vec<String>,
    /// The daemon's process.
    pub daemon_pid: Option<u32>,
    /// The agents' settings folders, `~/.claude` and its like.
    pub agent_settings: Vec<String>,
}

/// What is at a path.
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent answers about one path, stored as they are"
)]
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PathFact {
    /// Whether something is there.
    pub exists: bool,
    /// What it is, the last link not followed.
    pub kind: PathKind,
    /// The path with links resolved through the longest existing prefix; empty if it is the same.
    pub real: String,
    /// Git knows it, or a file below it.
    pub tracked: bool,
    /// Git ignores it.
    pub ignored: bool,
    /// Size of it and all below, up to a cap.
    pub bytes: u64,
    /// Files below, up to a cap.
    pub files: u64,
    /// There is more than was counted.
    pub capped: bool,
    /// This session made it, and nobody changed it since.
    pub created: bool,
    /// This session wrote, edited, moved or downloaded it.
    pub wrote: bool,
    /// Another file system is mounted here.
    pub mount: bool,
    /// Its volume does not tell upper from lower case.
    pub folds_case: bool,
    /// The root of the worktree it lies in, if that is not the one of the command's own folder.
    pub worktree: Option<String>,
    /// It is, or lies in, a git directory.
    pub git_dir: bool,
    /// It holds a private key; asked of files named like one.
    pub private_key: bool,
}

/// What kind of thing a path leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PathKind {
    /// A file.
    #[default]
    File,
    /// A folder.
    Folder,
    /// A link.
    Link,
    /// A disk or a part of one.
    BlockDevice,
    /// Something else: a pipe, a socket, a terminal.
    Other,
}

/// The repository a folder belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RepositoryFact {
    /// The root of this worktree.
    pub root: String,
    /// The git directory all worktrees share.
    pub common_dir: String,
    /// The git directory of this worktree.
    pub git_dir: String,
    /// The main worktree.
    pub main_worktree: String,
    /// The roots of all worktrees.
    pub worktrees: Vec<String>,
    /// The branch; `None`: HEAD is detached.
    pub branch: Option<String>,
    /// The remote's default branch.
    pub default_branch: Option<String>,
    /// Local branches, as far as they were looked at.
    pub branches: Vec<String>,
    /// Changed files, where the number is at hand.
    pub modified: Option<u64>,
    /// Files git does not know, where the number is at hand.
    pub untracked: Option<u64>,
    /// Commits nobody else has, where the number is at hand.
    pub unpushed: Option<u64>,
    /// `merge`, `rebase`, `cherry-pick`, `revert`, `bisect`: what is under way.
    pub operation: Option<String>,
    /// It has no worktree.
    pub is_bare: bool,
    /// Staged paths, relative to the root, where they are few and at hand.
    pub staged: Option<Vec<String>>,
    /// Changed tracked paths, relative to the root, where they are few and at hand.
    pub changed: Option<Vec<String>>,
    /// Worktrees with uncommitted work.
    pub dirty_worktrees: Vec<String>,
}

/// A live warning of the actor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StrikeFact {
    /// The rule.
    pub rule: String,
    /// The model has read the warning.
    pub heard: bool,
}

/// An earlier denial of the actor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DenialFact {
    /// The rule.
    pub rule: String,
    /// What it was about.
    pub target: String,
    /// How often.
    pub times: u32,
}

/// What the gates say about commits and merges.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct GateFacts {
    /// `gate.branch.mode`.
    pub branch: Option<crate::settings::Mode>,
    /// `gate.test.mode`.
    pub test: Option<crate::settings::Mode>,
    /// The last test run failed, and no file changed since.
    pub tests_red: bool,
    /// Plan files, relative to the root; `*` for any text.
    pub plan_files: Vec<String>,
}

impl GuardFacts {
    /// Takes an answer about a path.
    pub fn know_path(&mut self, path: impl Into<String>, fact: PathFact) {
        self.paths.insert(path.into(), fact);
    }

    /// Takes an answer about a folder's repository.
    pub fn know_repository(&mut self, cwd: impl Into<String>, fact: Option<RepositoryFact>) {
        self.repositories.insert(cwd.into(), fact);
    }

    /// Takes an answer about an alias.
    pub fn know_alias(&mut self, cwd: &str, name: &str, value: Option<String>) {
        self.aliases.insert(format!("{cwd}\n{name}"), value);
    }

    /// The aliases of git that stand for something here, by name.
    pub fn known_aliases(&self) -> impl Iterator<Item = &str> {
        let known = self.aliases.iter().filter(|(_, value)| value.is_some());
        known.filter_map(|(key, _)| Some(key.split_once('\n')?.1))
    }

    /// Whether a question has its answer.
    pub fn answers(&self, asked: &Asked) -> bool {
        match asked {
            Asked::Path { path } | Asked::Identity { path } => self.paths.contains_key(path),
            Asked::Repository { cwd } => self.repositories.contains_key(cwd),
            Asked::GitAlias { cwd, name } => self.aliases.contains_key(&format!("{cwd}\n{name}")),
            Asked::Script { path } => self.scripts.contains_key(path),
            Asked::Text { path } => self.texts.contains_key(path),
        }
    }
}

impl Known for GuardFacts {
    fn git_alias(&self, cwd: &str, name: &str) -> Fact<String> {
        answered(self.aliases.get(&format!("{cwd}\n{name}")))
    }

    fn script(&self, path: &str) -> Fact<String> {
        answered(self.scripts.get(path))
    }

    fn root(&self, cwd: &str) -> Fact<String> {
        match self.repositories.get(cwd) {
            None => Fact::NotAsked,
            Some(None) => Fact::None,
            Some(Some(repository)) => Fact::Is(repository.root.clone()),
        }
    }
}

fn answered(answer: Option<&Option<String>>) -> Fact<String> {
    match answer {
        None => Fact::NotAsked,
        Some(None) => Fact::None,
        Some(Some(text)) => Fact::Is(text.clone()),
    }
}
