//! Why files were not put back.

use super::proposal::Proposal;
use super::recover::Settled;
use crate::checkpoint::cutter::CutError;
use engine::id::CheckpointId;
use git::capture::CaptureError;
use git::restore::RestoreError;
use git::run::GitError;
use git::scan::ScanError;
use git::shadow::ShadowError;
use std::io;
use store::StoreError;

/// Why files were not put back. Unless a variant says otherwise, nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum RewindError {
    /// Another process puts files of this worktree back.
    #[error("another rewind of this worktree is under way")]
    UnderWay,
    /// What was shown is no longer what would be done: this is.
    #[error("something changed meanwhile")]
    Changed(Box<Proposal>),
    /// A checkpoint whose trees are no longer there.
    #[error("the objects of {0} are gone")]
    Gone(CheckpointId),
    /// A checkpoint that was taken over from elsewhere, without files.
    #[error("{0} was imported and holds no files")]
    NoFiles(CheckpointId),
    /// A file could neither be changed nor left as it was; this is what became of all of them.
    #[error("{}", .0.message())]
    CutShort(Settled),
    /// A file could not be changed in the end; all are as they were.
    #[error(transparent)]
    Restore(RestoreError),
    /// A checkpoint around it could not be cut.
    #[error(transparent)]
    Cut(#[from] CutError),
}

impl From<RestoreError> for RewindError {
    fn from(error: RestoreError) -> Self {
        match error {
            RestoreError::Pending(_) => Self::UnderWay,
            other => Self::Restore(other),
        }
    }
}

/// What a cut may fail of fails a rewind in the same way.
macro_rules! as_cuts {
    ($($error:ty),*) => {
        $(impl From<$error> for RewindError {
            fn from(error: $error) -> Self {
                Self::Cut(error.into())
            }
        })*
    };
}

as_cuts!(
    CaptureError,
    GitError,
    ScanError,
    ShadowError,
    StoreError,
    io::Error
);
