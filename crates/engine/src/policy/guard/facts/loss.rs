//! What a command may lose, and what was counted of it.

use super::is_default;
use serde::{Deserialize, Serialize};

/// What a git command may lose.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(tag = "of", rename_all = "kebab-case")]
pub enum LossOf {
    /// Uncommitted changes of files git knows, staged or not.
    Changes {
        /// Absolute paths; none: the whole worktree.
        paths: Vec<String>,
    },
    /// The same, but what is staged stays.
    Unstaged {
        /// Absolute paths; none: the whole worktree.
        paths: Vec<String>,
    },
    /// Changes of files that are replaced by what a commit has.
    Replaced {
        /// Absolute paths; none: the whole worktree.
        paths: Vec<String>,
        /// The commit.
        revision: String,
        /// Files that the commit does not have stay.
        overlay: bool,
    },
    /// What is staged, and no different in the tree.
    Staged,
    /// What `git clean` removes.
    Clean {
        /// Its options and paths, as they were given.
        words: Vec<String>,
    },
    /// Commits of this branch that no other name leads to once it is moved.
    Commits {
        /// Where it is moved to.
        revision: String,
    },
    /// Commits of these branches that no other name leads to once they are gone or moved.
    Branches {
        /// Their names.
        names: Vec<String>,
        /// Where the name goes; `None`: nowhere.
        to: Option<String>,
    },
    /// Commits of these tags that no other name leads to once they are gone.
    Tags {
        /// Their names.
        names: Vec<String>,
    },
    /// Entries of the stash.
    Stash,
    /// What a checkpoint taken now would not hold of what goes, each with its reason. All by absolute path.
    Uncovered {
        /// Files, folders and patterns of which everything goes.
        files: Vec<String>,
        /// Files and folders in which changes of what git knows go.
        changes: Vec<String>,
        /// Files and folders in which goes what git does not know.
        untracked: Vec<String>,
        /// Folders of which every ignored file goes.
        below: Vec<String>,
    },
}

impl LossOf {
    /// What tells two questions about one folder apart.
    pub(super) fn key(&self, cwd: &str) -> String {
        let (kind, words) = match self {
            Self::Changes { paths } => ("changes", paths.join("\n")),
            Self::Unstaged { paths } => ("unstaged", paths.join("\n")),
            Self::Replaced {
                paths,
                revision,
                overlay,
            } => ("replaced", format!("{revision}\n{overlay}\n{}", paths.join("\n"))),
            Self::Staged => ("staged", String::new()),
            Self::Clean { words } => ("clean", words.join("\n")),
            Self::Commits { revision } => ("commits", revision.clone()),
            Self::Branches { names, to } => (
                "branches",
                format!("{}\n{}", to.as_deref().unwrap_or_default(), names.join("\n")),
            ),
            Self::Tags { names } => ("tags", names.join("\n")),
            Self::Stash => ("stash", String::new()),
            Self::Uncovered {
                files,
                changes,
                untracked,
                below,
            } => (
                "uncovered",
                [files, changes, untracked, below]
                    .map(|paths| paths.join("\n"))
                    .join("\n\n"),
            ),
        };
        format!("{cwd}\n{kind}\n{words}")
    }
}

/// What a git command would lose, as far as it was counted.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LossFact {
    /// How many files or commits.
    #[serde(skip_serializing_if = "is_default")]
    pub count: u64,
    /// There are more than were counted.
    #[serde(skip_serializing_if = "is_default")]
    pub capped: bool,
    /// The first of them, as git names them.
    #[serde(skip_serializing_if = "is_default")]
    pub first: Vec<String>,
    /// Settings files among them that hold our hooks.
    #[serde(skip_serializing_if = "is_default")]
    pub hooks: Vec<String>,
    /// Files of values among them that nobody has elsewhere: `.env` and its like.
    #[serde(skip_serializing_if = "is_default")]
    pub precious: Vec<String>,
    /// Repositories among them: no checkpoint holds these.
    #[serde(skip_serializing_if = "is_default")]
    pub repositories: Vec<String>,
    /// Ignored files among them are made again by builds: these are in no checkpoint.
    #[serde(skip_serializing_if = "is_default")]
    pub made_again: bool,
    /// How many files that is, where they could be counted.
    #[serde(skip_serializing_if = "is_default")]
    pub made: u64,
    /// All that goes is in the last commit as it is, or made again by builds: git brings it back.
    #[serde(skip_serializing_if = "is_default")]
    pub committed: bool,
}
