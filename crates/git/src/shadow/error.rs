//! Why the shadow could not do what was asked, by what a caller can do about it.

use std::io;
use std::path::PathBuf;

use crate::object::Id;
use crate::path::RepoPath;
use crate::run::GitError;

/// Why the shadow could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum ShadowError {
    /// The repository itself is not usable: set it aside and begin a new one.
    #[error("the shadow repository is damaged: {} {fault}", path.display())]
    Damaged {
        /// The file or folder that is wrong.
        path: PathBuf,
        /// What is wrong with it.
        fault: &'static str,
    },
    /// An object is neither in the shadow nor in the user's repository.
    #[error("object {0} is gone")]
    Missing(Id),
    /// An object is there and cannot be read.
    #[error("object {id} cannot be read: {reason}")]
    Corrupt {
        /// The object.
        id: Id,
        /// What the reader said.
        reason: String,
    },
    /// An object is readable, but not what git or we would have written in its place.
    #[error("object {id} is malformed: {fault}")]
    Malformed {
        /// The object.
        id: Id,
        /// What is wrong with it.
        fault: &'static str,
    },
    /// An object is larger than the caller wants to hold.
    #[error("object {id} has {size} bytes, more than {limit}")]
    TooLarge {
        /// The object.
        id: Id,
        /// Its size.
        size: u64,
        /// What was asked for at most.
        limit: u64,
    },
    /// A change asks for a file and for something below it at once.
    #[error("{0} cannot be a file and a folder at once")]
    Clash(RepoPath),
    /// Somebody else moved the line meanwhile: read its tip again.
    #[error("another process moved the line of checkpoints")]
    Raced,
    /// The repository names its objects in a way we do not know.
    #[error("unknown object format `{0}`")]
    Format(String),
    /// The file system refused.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A git command failed.
    #[error(transparent)]
    Git(#[from] GitError),
}
