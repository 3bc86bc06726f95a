//! What the guard may know of the world, and what it can ask. Everything is data, so that a replay is exact.

mod loss;

pub use loss::{LossFact, LossOf};

use serde::{Deserialize, Serialize};
use shell::{Fact, WorldFacts};
use std::collections::BTreeMap;

/// Most questions about one command; what is beyond stays unknown.
pub const MOST_QUESTIONS: usize = 64;

/// Something the guard wants to know before it decides.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum WorldQuestion {
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
    /// Whether a program is Toprope under another name.
    Program {
        /// An absolute path.
        path: String,
    },
    /// The text of an agent's settings file, to see whether our entries stay.
    Text {
        /// An absolute path.
        path: String,
    },
    /// What a file holds in a commit, or in the index.
    Version {
        /// An absolute path of a folder in the worktree.
        cwd: String,
        /// The commit; empty: the index.
        revision: String,
        /// The file, relative to the worktree's root.
        path: String,
    },
    /// What fits a pattern.
    Matches {
        /// An absolute path with a pattern in it.
        pattern: String,
    },
    /// What a git command would lose here.
    Loss {
        /// An absolute path.
        cwd: String,
        /// Of what.
        of: LossOf,
    },
}

/// Everything known when a command is judged. What is absent was not asked, or not answered.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct GuardFacts {
    /// The folder the command starts in.
    #[serde(skip_serializing_if = "is_default")]
    pub cwd: Option<String>,
    /// The person's home.
    #[serde(skip_serializing_if = "is_default")]
    pub home: Option<String>,
    /// The person's name on this machine.
    #[serde(skip_serializing_if = "is_default")]
    pub user: Option<String>,
    /// The temporary folder of the session.
    #[serde(skip_serializing_if = "is_default")]
    pub tmpdir: Option<String>,
    /// The client's own scratch folder.
    #[serde(skip_serializing_if = "is_default")]
    pub client_scratch: Option<String>,
    /// Whether a person watches.
    #[serde(skip_serializing_if = "is_default")]
    pub attended: bool,
    /// Where Toprope itself lives.
    #[serde(skip_serializing_if = "is_default")]
    pub own: OwnPlaces,
    /// Answers by absolute path.
    #[serde(skip_serializing_if = "is_default")]
    pub paths: BTreeMap<String, PathFact>,
    /// Answers by folder; `None`: no repository there.
    #[serde(skip_serializing_if = "is_default")]
    pub repositories: BTreeMap<String, Option<RepositoryFact>>,
    /// Answers by folder and name, joined by a newline; `None`: no alias.
    #[serde(skip_serializing_if = "is_default")]
    pub aliases: BTreeMap<String, Option<String>>,
    /// Texts of scripts by absolute path; `None`: not one of the session's.
    #[serde(skip_serializing_if = "is_default")]
    pub scripts: BTreeMap<String, Option<String>>,
    /// Programs by absolute path: whether they are Toprope under another name.
    #[serde(skip_serializing_if = "is_default")]
    pub programs: BTreeMap<String, bool>,
    /// Texts of settings files by absolute path; `None`: no such file.
    #[serde(skip_serializing_if = "is_default")]
    pub texts: BTreeMap<String, Option<String>>,
    /// What files hold in commits, by folder, commit and path.
    #[serde(skip_serializing_if = "is_default")]
    pub versions: BTreeMap<String, VersionFact>,
    /// What fits a pattern, and maybe a little more; `None`: too much, or it could not be told.
    #[serde(skip_serializing_if = "is_default")]
    pub matches: BTreeMap<String, Option<MatchFact>>,
    /// What git commands would lose, by folder and question; `None`: it could not be told.
    #[serde(skip_serializing_if = "is_default")]
    pub losses: BTreeMap<String, Option<LossFact>>,
    /// The live warnings of this actor.
    #[serde(skip_serializing_if = "is_default")]
    pub strikes: Vec<StrikeFact>,
    /// Rules whose advice this actor has been given.
    #[serde(skip_serializing_if = "is_default")]
    pub advised: Vec<String>,
    /// Another agent works in this worktree.
    #[serde(skip_serializing_if = "is_default")]
    pub shared: bool,
    /// Earlier denials of this actor: rule, target, how often.
    #[serde(skip_serializing_if = "is_default")]
    pub denials: Vec<DenialFact>,
    /// The id a parked request would get.
    #[serde(skip_serializing_if = "is_default")]
    pub request: Option<String>,
    /// A person approved exactly this command, here, for this session.
    #[serde(skip_serializing_if = "is_default")]
    pub approval: Option<String>,
    /// What the gates say.
    #[serde(skip_serializing_if = "is_default")]
    pub gates: GateFacts,
    /// A rewrite would hide the original from the person's own permission rules, or lost a race before.
    #[serde(skip_serializing_if = "is_default")]
    pub no_rewrite: bool,
    /// The active skill.
    #[serde(skip_serializing_if = "is_default")]
    pub skill: Option<String>,
    /// The active phase.
    #[serde(skip_serializing_if = "is_default")]
    pub phase: Option<String>,
    /// The kind of agent that acts.
    #[serde(skip_serializing_if = "is_default")]
    pub agent_type: Option<String>,
}

/// What fits a pattern now, by absolute path.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct MatchFact {
    /// In the worktree.
    pub paths: Vec<String>,
    /// Reached through a link to a folder, wherever that is.
    #[serde(skip_serializing_if = "is_default")]
    pub behind: Vec<String>,
    /// The same where two stars follow links: those of a shell may, those of a search do not.
    #[serde(skip_serializing_if = "is_default")]
    pub starred: Vec<String>,
}

/// What a file holds in a commit.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct VersionFact {
    /// There is such a commit.
    #[serde(skip_serializing_if = "is_default")]
    pub resolves: bool,
    /// The file's text; `None`: it is not in there.
    #[serde(skip_serializing_if = "is_default")]
    pub text: Option<String>,
}

/// A settings file that the client reads in this session, whether it is there or not.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SettingsFileFact {
    /// Where the client looks for it.
    pub path: String,
    /// The same with links resolved; empty if it is the same.
    #[serde(skip_serializing_if = "is_default")]
    pub real: String,
    /// It has Toprope called.
    #[serde(skip_serializing_if = "is_default")]
    pub hooked: bool,
}

/// Where Toprope itself lives; what an agent may not change.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct OwnPlaces {
    /// State: the database, spool, logs.
    #[serde(skip_serializing_if = "is_default")]
    pub home: Option<String>,
    /// The socket's folder.
    #[serde(skip_serializing_if = "is_default")]
    pub socket: Option<String>,
    /// The person's settings folder.
    #[serde(skip_serializing_if = "is_default")]
    pub config: Option<String>,
    /// The installed binary, under every name it is known by.
    #[serde(skip_serializing_if = "is_default")]
    pub binaries: Vec<String>,
    /// The daemon's process.
    #[serde(skip_serializing_if = "is_default")]
    pub daemon_pid: Option<u32>,
    /// The agents' settings folders, `~/.claude` and its like.
    #[serde(skip_serializing_if = "is_default")]
    pub agent_settings: Vec<String>,
    /// The settings files that the client reads here.
    #[serde(skip_serializing_if = "is_default")]
    pub settings: Vec<SettingsFileFact>,
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
    #[serde(skip_serializing_if = "is_default")]
    pub exists: bool,
    /// What it is, the last link not followed.
    #[serde(skip_serializing_if = "is_default")]
    pub kind: PathKind,
    /// The path with links resolved through the longest existing prefix; empty if it is the same.
    #[serde(skip_serializing_if = "is_default")]
    pub real: String,
    /// Git knows it, or a file below it.
    #[serde(skip_serializing_if = "is_default")]
    pub tracked: bool,
    /// Git ignores it.
    #[serde(skip_serializing_if = "is_default")]
    pub ignored: bool,
    /// Size of it and all below, up to a cap.
    #[serde(skip_serializing_if = "is_default")]
    pub bytes: u64,
    /// Files below, up to a cap.
    #[serde(skip_serializing_if = "is_default")]
    pub files: u64,
    /// There is more than was counted.
    #[serde(skip_serializing_if = "is_default")]
    pub capped: bool,
    /// This session made it, and nobody changed it since.
    #[serde(skip_serializing_if = "is_default")]
    pub created: bool,
    /// This session wrote, edited, moved or downloaded it.
    #[serde(skip_serializing_if = "is_default")]
    pub wrote: bool,
    /// Another file system is mounted here.
    #[serde(skip_serializing_if = "is_default")]
    pub mount: bool,
    /// Its volume does not tell upper from lower case.
    #[serde(skip_serializing_if = "is_default")]
    pub folds_case: bool,
    /// The root of the worktree it lies in, if that is not the one of the command's own folder.
    #[serde(skip_serializing_if = "is_default")]
    pub worktree: Option<String>,
    /// It is, or lies in, a git directory.
    #[serde(skip_serializing_if = "is_default")]
    pub git_dir: bool,
    /// It holds a private key; asked of files named like one.
    #[serde(skip_serializing_if = "is_default")]
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
    #[serde(skip_serializing_if = "is_default")]
    pub root: String,
    /// The git directory all worktrees share.
    #[serde(skip_serializing_if = "is_default")]
    pub common_dir: String,
    /// The git directory of this worktree.
    #[serde(skip_serializing_if = "is_default")]
    pub git_dir: String,
    /// The main worktree.
    #[serde(skip_serializing_if = "is_default")]
    pub main_worktree: String,
    /// The roots of all worktrees.
    #[serde(skip_serializing_if = "is_default")]
    pub worktrees: Vec<String>,
    /// The branch; `None`: HEAD is detached.
    #[serde(skip_serializing_if = "is_default")]
    pub branch: Option<String>,
    /// The remote's default branch.
    #[serde(skip_serializing_if = "is_default")]
    pub default_branch: Option<String>,
    /// Local branches, as far as they were looked at.
    #[serde(skip_serializing_if = "is_default")]
    pub branches: Vec<String>,
    /// `merge`, `rebase`, `cherry-pick`, `revert`, `bisect`: what is under way.
    #[serde(skip_serializing_if = "is_default")]
    pub operation: Option<String>,
    /// It has no worktree.
    #[serde(skip_serializing_if = "is_default")]
    pub is_bare: bool,
    /// Staged paths, relative to the root, where they are few and at hand.
    #[serde(skip_serializing_if = "is_default")]
    pub staged: Option<Vec<String>>,
    /// Changed tracked paths, relative to the root, where they are few and at hand.
    #[serde(skip_serializing_if = "is_default")]
    pub changed: Option<Vec<String>>,
    /// Worktrees with uncommitted work.
    #[serde(skip_serializing_if = "is_default")]
    pub dirty_worktrees: Vec<String>,
}

/// A live warning of the actor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StrikeFact {
    /// The rule.
    pub rule: String,
    /// The model has read the warning.
    pub heard: bool,
    /// What it was about, see [`super::aim`].
    #[serde(default)]
    pub targets: Vec<String>,
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
    #[serde(skip_serializing_if = "is_default")]
    pub branch: Option<crate::settings::Mode>,
    /// `gate.test.mode`.
    #[serde(skip_serializing_if = "is_default")]
    pub test: Option<crate::settings::Mode>,
    /// The last test run failed, and no file changed since.
    #[serde(skip_serializing_if = "is_default")]
    pub tests_red: bool,
    /// Plan files, relative to the root; `*` for any text.
    #[serde(skip_serializing_if = "is_default")]
    pub plan_files: Vec<String>,
}

/// Facts are kept with their event, and most of them say nothing: what is as it would be unsaid is not written.
fn is_default<T: Default + PartialEq>(fact: &T) -> bool {
    *fact == T::default()
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

    /// Takes an answer about a file in a commit.
    pub fn know_version(&mut self, cwd: &str, revision: &str, path: &str, fact: VersionFact) {
        self.versions.insert(format!("{cwd}\n{revision}\n{path}"), fact);
    }

    /// What a file holds in a commit, if that was asked and answered.
    pub fn version(&self, cwd: &str, revision: &str, path: &str) -> Option<&VersionFact> {
        self.versions.get(&format!("{cwd}\n{revision}\n{path}"))
    }

    /// Takes an answer about a loss.
    pub fn know_loss(&mut self, cwd: &str, of: &LossOf, fact: Option<LossFact>) {
        self.losses.insert(of.key(cwd), fact);
    }

    /// What would be lost, if that was asked and could be told.
    pub fn loss(&self, cwd: &str, of: &LossOf) -> Option<&LossFact> {
        self.losses.get(&of.key(cwd))?.as_ref()
    }

    /// The aliases of git that stand for something here, by name.
    pub fn known_aliases(&self) -> impl Iterator<Item = &str> {
        let known = self.aliases.iter().filter(|(_, value)| value.is_some());
        known.filter_map(|(key, _)| Some(key.split_once('\n')?.1))
    }

    /// Whether a question has its answer.
    pub fn answers(&self, asked: &WorldQuestion) -> bool {
        match asked {
            WorldQuestion::Path { path } | WorldQuestion::Identity { path } => self.paths.contains_key(path),
            WorldQuestion::Repository { cwd } => self.repositories.contains_key(cwd),
            WorldQuestion::GitAlias { cwd, name } => self.aliases.contains_key(&format!("{cwd}\n{name}")),
            WorldQuestion::Script { path } => self.scripts.contains_key(path),
            WorldQuestion::Program { path } => self.programs.contains_key(path),
            WorldQuestion::Text { path } => self.texts.contains_key(path),
            WorldQuestion::Version { cwd, revision, path } => self.version(cwd, revision, path).is_some(),
            WorldQuestion::Matches { pattern } => self.matches.contains_key(pattern),
            WorldQuestion::Loss { cwd, of } => self.losses.contains_key(&of.key(cwd)),
        }
    }
}

impl WorldFacts for GuardFacts {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_that_say_nothing_take_no_room() {
        assert_eq!(serde_json::to_string(&GuardFacts::default()).unwrap(), "{}");
    }

    #[test]
    fn what_is_kept_is_read_as_it_was() {
        let mut facts = GuardFacts {
            cwd: Some("/p".to_owned()),
            attended: true,
            ..GuardFacts::default()
        };
        facts.know_path("/p/new", PathFact::default());
        facts.know_path(
            "/p/old",
            PathFact {
                exists: true,
                kind: PathKind::Folder,
                files: 3,
                ..PathFact::default()
            },
        );
        facts.know_repository("/elsewhere", None);
        facts.know_repository("/p", Some(RepositoryFact::default()));
        facts.know_alias("/p", "co", None);
        let kept = serde_json::to_string(&facts).unwrap();
        assert_eq!(
            serde_json::from_str::<GuardFacts>(&kept).unwrap(),
            facts,
            "{kept}"
        );
    }
}
