//! What is decided about a path, in the words people read.

use std::fmt;

use super::facts::PathObstacle;
use crate::object::PathState;
use crate::path::RepoPath;

/// What a rewind does to a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathVerdict {
    /// It is already as it should be; not even its time stamp changes.
    Nothing,
    /// Other content is put in its place.
    Restore {
        /// The content.
        to: PathState,
        /// Set if this is not the target's content but somebody's later one.
        note: Option<KeepsYourEdit>,
    },
    /// It is brought back.
    Recreate {
        /// The content.
        to: PathState,
    },
    /// Only the exec bit changes.
    Mode {
        /// The same content, with the other bit.
        to: PathState,
    },
    /// It is deleted.
    Delete,
    /// It stays as it is.
    Leave(LeftReason),
    /// It cannot be put back safely; nothing is done at all.
    Conflict(ConflictReason),
}

/// A restore that ends before the scope's first change, because somebody else changed the file before that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeepsYourEdit;

impl PathVerdict {
    /// What will be at the path, if it changes.
    pub fn goal(&self) -> Option<PathState> {
        match self {
            Self::Restore { to, .. } | Self::Recreate { to } | Self::Mode { to } => Some(*to),
            Self::Delete => Some(PathState::Absent),
            Self::Nothing | Self::Leave(_) | Self::Conflict(_) => None,
        }
    }

    /// The word for it.
    pub fn action(&self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Restore { .. } => "restore",
            Self::Recreate { .. } => "recreate",
            Self::Mode { .. } => "mode",
            Self::Delete => "delete",
            Self::Leave(_) => "leave",
            Self::Conflict(_) => "conflict",
        }
    }
}

/// The word, and what a person must know beside it.
impl fmt::Display for PathVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.action())?;
        match self {
            Self::Restore {
                note: Some(KeepsYourEdit),
                ..
            } => f.write_str(" (keeps your edit)"),
            _ => Ok(()),
        }
    }
}

/// Why a path is left as it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LeftReason {
    /// Nobody's call changed it.
    #[error("changed outside the agents")]
    Outside,
    /// Only somebody out of scope changed it.
    #[error("changed by {0}")]
    Other(String),
    /// It is as a commit has it that was checked out since.
    #[error("changed by git")]
    Git,
    /// The target does not have it, but it was there before the scope touched it.
    #[error("existed before")]
    ExistedBefore,
    /// The target does not have it, and it was not the scope that made it.
    #[error("made by {0}")]
    MadeBy(String),
    /// It is a repository of its own.
    #[error("a submodule or a nested repository")]
    Repository,
    /// What is there now is not captured, for this reason, so it could not be brought back.
    #[error("not captured: {0}")]
    NotCaptured(String),
    /// It holds what another file held that is left out and not there.
    #[error("the only copy of {0}")]
    OnlyCopy(RepoPath),
    /// It is in conflict, and conflicts are left out.
    #[error("{0}")]
    Conflict(ConflictReason),
}

impl LeftReason {
    /// One word for programs.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Outside => "outside",
            Self::Other(_) => "other",
            Self::Git => "git",
            Self::ExistedBefore => "existed",
            Self::MadeBy(_) => "made",
            Self::Repository => "repository",
            Self::NotCaptured(_) => "not captured",
            Self::OnlyCopy(_) => "only copy",
            Self::Conflict(_) => "conflict",
        }
    }
}

/// Why a path, or a whole rewind, is in conflict.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConflictReason {
    /// It is not what was recorded last.
    #[error("edited since")]
    EditedSince,
    /// The person may have changed it.
    #[error("maybe yours: {0}")]
    MaybeYours(String),
    /// Nobody of the scope changed it, somebody else did.
    #[error("changed by {0}")]
    ChangedBy(String),
    /// Somebody else changed it between the scope's changes or after them.
    #[error("also changed by {0}")]
    AlsoChangedBy(String),
    /// A lease of somebody out of scope.
    #[error("leased by {0}")]
    LeasedBy(String),
    /// The checkpoint has no content for it.
    #[error("not in the checkpoint: {0}")]
    NotInTheCheckpoint(String),
    /// It cannot be written as it stands.
    #[error("{}", obstacle(.0))]
    Obstacle(PathObstacle),
    /// For the whole rewind: the commit checked out does not go on from the one that was.
    #[error("HEAD was moved by \"{by}\" from {from} to {to} since {point}")]
    Head {
        /// What moved it, in git's own word.
        by: &'static str,
        /// The commit at the target, shortened.
        from: String,
        /// The commit now, shortened.
        to: String,
        /// How the target is called.
        point: String,
    },
    /// For the whole rewind: a command of those whose changes are taken back is at work on all files.
    #[error("`{command}` of {who} is changing the whole tree")]
    Running {
        /// The command.
        command: String,
        /// Whose it is.
        who: String,
    },
}

fn obstacle(obstacle: &PathObstacle) -> String {
    match obstacle {
        PathObstacle::Link(parent) => format!("a parent is now a link: {parent}"),
        PathObstacle::File(parent) => format!("a file stands where a folder must be: {parent}"),
        PathObstacle::Folder(_) => "a folder stands where the file must be".to_owned(),
        PathObstacle::CaseTwin(twin) => format!("differs only in case from {twin}"),
        PathObstacle::Unmerged => "unmerged in the index".to_owned(),
    }
}

#[cfg(test)]
mod tests;
