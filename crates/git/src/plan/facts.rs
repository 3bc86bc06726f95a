//! What has to be known of a path before anything can be decided about it.

use crate::object::PathState;
use crate::path::RepoPath;

/// Whose changes are taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanScope {
    /// Those of a session, or of one agent with its nested ones. What others did is left.
    Some,
    /// Everybody's: what is not the agents' is a conflict instead of being left.
    All,
}

/// All that is known of one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathFacts {
    /// The path.
    pub path: RepoPath,
    /// What the target has there.
    pub target: RecordedState,
    /// Every recorded change after the target, oldest first.
    pub history: Vec<PathHistory>,
    /// What is there now.
    pub now: PathState,
    /// What makes the path impossible to write.
    pub obstacle: Option<PathObstacle>,
    /// The actor outside the scope that holds a lease on it.
    pub leased_by: Option<String>,
}

/// What a checkpoint says of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordedState {
    /// This was there, or nothing.
    State(PathState),
    /// Something was there that was not captured, for this reason.
    NotCaptured(String),
}

/// One recorded change of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathHistory {
    /// Who did it.
    pub by: PathAuthor,
    /// What was there before.
    pub before: PathState,
    /// What was there afterwards.
    pub after: PathState,
    /// Whether it made the file, and whoever did answers for that: by a tool or a shell, or as the operation that an
    /// undo takes back.
    pub added: bool,
}

/// Who changed a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathAuthor {
    /// An actor in scope.
    Scope(String),
    /// An actor out of scope.
    Other(String),
    /// Nobody's call: the person, an editor, a server.
    Outside,
    /// Somebody in scope, or the person; nobody can say which, for this reason.
    Doubt(String),
    /// One of several actors whose calls ran at the same time.
    Shared {
        /// Whether one of them is out of scope.
        beyond_scope: bool,
    },
}

impl PathAuthor {
    /// Whether all that may have done it are in scope.
    pub fn is_scope(&self) -> bool {
        match self {
            Self::Scope(_) | Self::Shared { beyond_scope: false } => true,
            Self::Other(_) | Self::Outside | Self::Doubt(_) | Self::Shared { beyond_scope: true } => false,
        }
    }

    /// Whether somebody in scope may have done it.
    pub fn touches_scope(&self) -> bool {
        match self {
            Self::Scope(_) | Self::Doubt(_) | Self::Shared { .. } => true,
            Self::Other(_) | Self::Outside => false,
        }
    }

    /// Who, as part of a sentence.
    pub fn who(&self) -> &str {
        match self {
            Self::Scope(label) | Self::Other(label) => label,
            Self::Outside | Self::Doubt(_) => "someone outside the agents",
            Self::Shared { .. } => "another agent",
        }
    }
}

/// What makes a path impossible to write as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathObstacle {
    /// This parent is a symbolic link now.
    Link(RepoPath),
    /// This parent is a file. No obstacle if the plan deletes it.
    File(RepoPath),
    /// A folder is at the path, and holds these. No obstacle if the plan deletes them all.
    Folder(Vec<RepoPath>),
    /// This path is the same on a file system that does not tell upper from lower case.
    CaseTwin(RepoPath),
    /// The index has several versions of it.
    Unmerged,
}
