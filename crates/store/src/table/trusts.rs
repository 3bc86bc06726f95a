//! Trusts: settings files whose very bytes the person accepted.

use crate::StoreError;
use crate::db::{Db, bytes_of};
use crate::migration::Migration;
use engine::time::Timestamp;
use rusqlite::named_params;
use sha2::{Digest, Sha256};
use std::fmt;
use std::path::{Path, PathBuf};

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    version: 1,
    oldest_reader: 1,
    sql: "CREATE TABLE trusts (
        id INTEGER PRIMARY KEY,
        kind TEXT NOT NULL, -- settings
        path BLOB NOT NULL,
        sha256 BLOB NOT NULL,
        granted_at INTEGER NOT NULL,
        revoked_at INTEGER
    ) STRICT;
    CREATE UNIQUE INDEX trusts_granted ON trusts (kind, path, sha256) WHERE revoked_at IS NULL;",
}];

/// What tells one content from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint([u8; 32]);

impl Fingerprint {
    /// The fingerprint of a file's bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The hash itself.
    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl From<[u8; 32]> for Fingerprint {
    fn from(sha256: [u8; 32]) -> Self {
        Self(sha256)
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// A file the person trusts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trust {
    /// The file.
    pub path: PathBuf,
    /// What it held.
    pub sha256: Fingerprint,
    /// Since when.
    pub granted_at: Timestamp,
}

/// Whether the person trusts a file with these bytes.
pub fn is_trusted(db: &Db, path: &Path, sha256: &Fingerprint) -> Result<bool, StoreError> {
    db.exists(
        "SELECT 1 FROM trusts WHERE kind = 'settings' AND path = :path AND sha256 = :sha256 AND revoked_at IS NULL",
        named_params! { ":path": bytes_of(path), ":sha256": sha256.0 },
    )
}

/// Trusts a file as it is, and no longer as it was.
pub fn trust(db: &Db, path: &Path, sha256: &Fingerprint, at: Timestamp) -> Result<(), StoreError> {
    if is_trusted(db, path, sha256)? {
        return Ok(());
    }
    revoke(db, path, at)?;
    db.execute(
        "INSERT INTO trusts (kind, path, sha256, granted_at) VALUES ('settings', :path, :sha256, :at)",
        named_params! { ":path": bytes_of(path), ":sha256": sha256.0, ":at": at.0 },
    )?;
    Ok(())
}

/// Takes trust back; false if there was none.
pub fn revoke(db: &Db, path: &Path, at: Timestamp) -> Result<bool, StoreError> {
    let revoked = db.execute(
        "UPDATE trusts SET revoked_at = :at WHERE kind = 'settings' AND path = :path AND revoked_at IS NULL",
        named_params! { ":at": at.0, ":path": bytes_of(path) },
    )?;
    Ok(revoked > 0)
}

/// Every file the person trusts, by path.
pub fn list(db: &Db) -> Result<Vec<Trust>, StoreError> {
    db.all(
        "SELECT path, sha256, granted_at FROM trusts WHERE kind = 'settings' AND revoked_at IS NULL ORDER BY path",
        &[],
        |row| {
            Ok(Trust {
                path: row.path()?,
                sha256: Fingerprint(row.take()?),
                granted_at: Timestamp(row.take()?),
            })
        },
    )
}
