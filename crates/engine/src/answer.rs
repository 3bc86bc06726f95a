//! What the world answered to a policy's questions.

use crate::lease::LeaseAnswers;
use crate::policy::guard::facts::GuardFacts;
use serde::{Deserialize, Serialize};

/// The answers to one event's questions. What was not asked, or came too late, is absent.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Answers {
    /// The state of the project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project_state: Option<ProjectState>,
    /// What a guard knows: where the call is made, and what the world answered so far. Absent for other events.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guard: Option<Box<GuardFacts>>,
    /// Of the files that other sessions changed in the worktree of a prompt, those that differ from the last commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uncommitted: Option<Vec<String>>,
    /// The files a call writes or reads, as they were found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lease: Option<Box<LeaseAnswers>>,
}

/// Branch, changes, tree and last commits, as far as they arrived in time. All text is foreign data.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ProjectState {
    /// The branch, or the short commit id of a detached HEAD.
    pub branch: Option<String>,
    /// Distance to the upstream.
    pub upstream: Option<Upstream>,
    /// Changed files.
    pub changes: Option<Changes>,
    /// Folders first, then files, to depth two.
    pub tree: Vec<TreeEntry>,
    /// Entries of the tree that were left out.
    pub tree_left_out: usize,
    /// The last commit subjects, newest first.
    pub commits: Vec<String>,
    /// What came too late.
    pub late: Vec<String>,
}

/// How far a branch is from its upstream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Upstream {
    /// Its name.
    pub name: String,
    /// Commits only we have.
    pub ahead: u64,
    /// Commits only it has.
    pub behind: u64,
}

/// Counts of changed files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Changes {
    /// Changed in the working tree.
    pub modified: u64,
    /// Changed in the index.
    pub staged: u64,
    /// Known to nobody.
    pub untracked: u64,
}

/// One line of the tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeEntry {
    /// Relative to the root; folders end with a slash.
    pub path: String,
    /// For folders: the files below.
    pub files: Option<u64>,
}
