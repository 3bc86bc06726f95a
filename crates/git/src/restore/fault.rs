//! Why one path could not be changed.

use std::io;

use rustix::io::Errno;

use crate::nofollow::BelowFault;
use crate::shadow::ShadowError;

/// Why one path could not be changed.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// It is not what it was when the plan was made.
    #[error("changed meanwhile")]
    Changed,
    /// A folder on the way is a symbolic link, which is never followed.
    #[error("has a parent that is now a link")]
    Link,
    /// A folder on the way is a file.
    #[error("needs a folder where a file stands")]
    NotAFolder,
    /// A folder that is not empty is in its place.
    #[error("has a folder with other files in its place")]
    FolderInTheWay,
    /// Its content could not be had from the checkpoint.
    #[error("has no content: {0}")]
    Content(#[source] ShadowError),
    /// The file system refused.
    #[error("cannot be written: {0}")]
    Io(#[source] io::Error),
}

impl From<BelowFault> for Fault {
    fn from(fault: BelowFault) -> Self {
        match fault {
            BelowFault::Missing | BelowFault::NotAFile => Self::Changed,
            BelowFault::ThroughLink => Self::Link,
            BelowFault::NotAFolder => Self::NotAFolder,
            BelowFault::Io(error) => Self::Io(error),
        }
    }
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<Errno> for Fault {
    fn from(error: Errno) -> Self {
        Self::Io(error.into())
    }
}
