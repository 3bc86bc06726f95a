//! What can go wrong with the store: one variant per thing a caller can do about it.

use rusqlite::ErrorCode;
use std::error::Error;
use std::path::PathBuf;

/// Why the store did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Try again later, or do without: someone else is writing.
    #[error("another program kept the database locked for too long")]
    Busy,
    /// Make room.
    #[error("the disk has no room left for the database")]
    Full,
    /// Fix the permissions, or the mount.
    #[error("the database cannot be written to")]
    ReadOnly,
    /// Move the file away; its content cannot be trusted.
    #[error("the database file is damaged")]
    Corrupt,
    /// Use a newer binary.
    #[error("database is at schema {found}, this binary knows up to {known}")]
    TooNew {
        /// The schema the file needs its readers to know.
        found: u32,
        /// The newest schema this binary knows.
        known: u32,
    },
    /// Open it for writing once, which migrates it.
    #[error("database is at schema {found}, this binary needs {known}")]
    TooOld {
        /// The file's schema.
        found: u32,
        /// The schema this binary reads.
        known: u32,
    },
    /// Nothing was recorded yet.
    #[error("there is no database at {}", path.display())]
    NotThere {
        /// Where it would be.
        path: PathBuf,
    },
    /// Fix the path or its permissions.
    #[error("the database at {} cannot be opened", path.display())]
    CannotOpen {
        /// Where it is.
        path: PathBuf,
        /// What the system said.
        source: Box<dyn Error + Send + Sync>,
    },
    /// Look at the disk, and at limits of file sizes.
    #[error("the system could not read or write the database file")]
    Io(#[source] rusqlite::Error),
    /// Begin again: an earlier failure undid the whole transaction.
    #[error("the whole transaction was rolled back")]
    RolledBack,
    /// Report it: a query of ours is wrong.
    #[error("the store made a mistake")]
    Bug(#[source] rusqlite::Error),
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy,
            Some(ErrorCode::DiskFull) => Self::Full,
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => Self::ReadOnly,
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::Corrupt,
            Some(
                ErrorCode::SystemIoFailure | ErrorCode::CannotOpen | ErrorCode::FileLockingProtocolFailed,
            ) => Self::Io(error),
            _ => Self::Bug(error),
        }
    }
}

impl StoreError {
    /// Names the file in errors that happened while it was opened.
    pub(crate) fn at(self, path: &std::path::Path) -> Self {
        match self {
            Self::Io(source) => Self::CannotOpen {
                path: path.to_owned(),
                source: Box::new(source),
            },
            other => other,
        }
    }
}
