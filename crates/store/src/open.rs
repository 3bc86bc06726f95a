//! Opens the database file, and looks after it as a whole.

use crate::db::{Db, ReadConnection};
use crate::examine::{self, Depth, Examined};
use crate::snapshot::ReadSnapshot;
use crate::transaction::Tx;
use crate::{StoreError, fault, migration};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

/// Statements kept ready. All statements of all tables together stay below it.
const STATEMENTS: usize = 256;

/// How often the write-ahead log is moved while others add to it.
const ADVANCES: usize = 3;

/// A transaction gives back so many pages that others hardly wait for it.
const GIVE_BACK: &str = "PRAGMA incremental_vacuum(128)";

/// How often the switch to the write-ahead log is tried while others do the same.
const SWITCH_ATTEMPTS: usize = 100;

/// One connection to the database.
#[derive(Debug)]
pub struct Store {
    db: Db,
}

impl Store {
    /// Opens the database, creating and migrating it as needed. Its folder must exist. Locks are waited for at most `wait`.
    pub fn open(path: &Path, wait: Duration) -> Result<Self, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        let store = Self::connect(path, flags, wait)?;
        if make_private(path)? == 0 {
            // Only an empty file takes it: free pages can be given back later, a few at a time.
            store
                .db
                .connection()
                .execute_batch("PRAGMA auto_vacuum = INCREMENTAL")?;
        }
        let ready = switch_to_wal(&store.db).and_then(|()| migration::migrate(&store.db));
        ready.map_err(|error| error.at(path))?;
        Ok(store)
    }

    /// Opens a database that is already there, as it is.
    pub fn open_existing(path: &Path, wait: Duration) -> Result<Self, StoreError> {
        if !path.exists() {
            return Err(StoreError::NotThere {
                path: path.to_owned(),
            });
        }
        let store = Self::connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE, wait)?;
        migration::check(&store.db).map_err(|error| error.at(path))?;
        Ok(store)
    }

    /// Opens a write transaction, waiting for other writers.
    pub fn begin(&mut self) -> Result<Tx<'_>, StoreError> {
        fault::point("before-begin");
        let tx = Tx::begin(&self.db)?;
        fault::point("after-begin");
        Ok(tx)
    }

    /// Queries outside a write transaction.
    pub fn read(&self) -> ReadConnection<'_> {
        ReadConnection::new(&self.db)
    }

    /// Queries that all see the same moment.
    pub fn snapshot(&self) -> Result<ReadSnapshot<'_>, StoreError> {
        ReadSnapshot::take(&self.db)
    }

    /// A number that changes whenever another connection commits.
    pub fn version(&self) -> Result<u64, StoreError> {
        self.db.number("PRAGMA data_version", &[])
    }

    /// Leaves it to [`Store::advance`] to move the write-ahead log: a commit here never waits for the disk.
    pub fn defer_checkpoints(&self) -> Result<(), StoreError> {
        self.db.value::<i64>("PRAGMA wal_autocheckpoint = 0", &[])?;
        Ok(())
    }

    /// Moves what can be moved of the write-ahead log into the database file, beside whoever reads or writes. The log
    /// is begun anew only if all of it was moved, so what was written meanwhile is moved as well. Says whether it was.
    pub fn advance(&self) -> Result<bool, StoreError> {
        for _ in 0..ADVANCES {
            let left = self.db.one("PRAGMA wal_checkpoint(PASSIVE)", &[], |row| {
                let (_, written, moved): (i64, i64, i64) = (row.take()?, row.take()?, row.take()?);
                Ok(written - moved)
            })?;
            if left.is_none_or(|left| left <= 0) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Gives some free pages of the file back to the system, in one short transaction; false if there are none left.
    /// The file itself shrinks when the write-ahead log is moved.
    pub fn give_back(&mut self) -> Result<bool, StoreError> {
        let tx = self.begin()?;
        let free = |db: &Db| db.number("PRAGMA freelist_count", &[]);
        let before = free(&tx)?;
        // Each page is a row of its own.
        tx.all(GIVE_BACK, &[], |_| Ok(()))?;
        let after = free(&tx)?;
        tx.commit()?;
        Ok(after > 0 && after < before)
    }

    /// Moves the write-ahead log into the database file and empties it.
    pub fn checkpoint(&self) -> Result<(), StoreError> {
        let busy = self.db.value::<bool>("PRAGMA wal_checkpoint(TRUNCATE)", &[])?;
        match busy {
            Some(true) => Err(StoreError::Busy),
            Some(false) | None => Ok(()),
        }
    }

    /// Looks for damage in the file.
    pub fn examine(&self, depth: Depth) -> Result<Examined, StoreError> {
        examine::examine(&self.db, depth)
    }

    fn connect(path: &Path, flags: OpenFlags, wait: Duration) -> Result<Self, StoreError> {
        let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags)
            .map_err(StoreError::from)
            .and_then(|connection| settle(&connection, wait).map(|()| connection));
        Ok(Self {
            db: Db::new(connection.map_err(|error| error.at(path))?).waiting(wait),
        })
    }
}

/// What holds for this connection only.
fn settle(connection: &Connection, wait: Duration) -> Result<(), StoreError> {
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    connection.busy_timeout(wait)?;
    // Without this a statement that could use a partial index is planned anew each time a parameter is bound.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    // Temporary data stays in memory: the folder for temporary files may be full, or not writable.
    connection.execute_batch(
        "PRAGMA synchronous = NORMAL;
         PRAGMA foreign_keys = ON;
         PRAGMA temp_store = MEMORY;
         PRAGMA journal_size_limit = 16777216;",
    )?;
    Ok(())
}

/// Says how long the file is.
///
/// By path, not through a descriptor: closing one would drop the locks other connections of this process hold.
fn make_private(path: &Path) -> Result<u64, StoreError> {
    let cannot = |source| StoreError::CannotOpen {
        path: path.to_owned(),
        source: Box::new(source),
    };
    let found = fs_err::metadata(path).map_err(cannot)?;
    let mode = found.permissions().mode();
    let is_shared = mode & 0o077 != 0;
    if is_shared {
        fs_err::set_permissions(path, Permissions::from_mode(0o600)).map_err(cannot)?;
    }
    Ok(found.len())
}

/// Other connections are not waited for here, so that many first hooks at once would fail. They are when asking for the
/// write lock: that is how to wait.
fn switch_to_wal(db: &Db) -> Result<(), StoreError> {
    for _ in 0..SWITCH_ATTEMPTS {
        match db.value::<String>("PRAGMA journal_mode = WAL", &[]) {
            Err(StoreError::Busy) => drop(Tx::begin(db)?),
            other => return other.map(|_| ()),
        }
    }
    Err(StoreError::Busy)
}

#[cfg(test)]
mod tests;
