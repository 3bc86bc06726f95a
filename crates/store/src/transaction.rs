//! A write transaction: several events may share its commit, each is all or nothing.

use crate::db::Db;
use crate::{StoreError, fault, write_queue};
use std::ops::Deref;

/// A write transaction. Dropped without a commit, it never happened.
#[derive(Debug)]
pub struct Tx<'a> {
    db: &'a Db,
    open: bool,
}

impl<'a> Tx<'a> {
    pub(crate) fn begin(db: &'a Db) -> Result<Self, StoreError> {
        write_queue::take(db)?;
        Ok(Self { db, open: true })
    }

    /// One event of a group: if `work` fails or panics, what it wrote is undone and the rest of the group stays.
    pub fn unit<T>(&mut self, work: impl FnOnce(&Db) -> Result<T, StoreError>) -> Result<T, StoreError> {
        // A full disk can undo more than the statement that met it. A savepoint outside a transaction would then
        // commit on its own, without the events before it.
        if self.db.connection().is_autocommit() {
            return Err(StoreError::RolledBack);
        }
        let savepoint = Savepoint::open(self.db)?;
        let value = work(self.db)?;
        fault::point("after-effects");
        savepoint.keep()?;
        Ok(value)
    }

    /// A group of one: the whole transaction is all or nothing, and needs no way back within it.
    pub fn only<T>(self, work: impl FnOnce(&Db) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let value = work(self.db)?;
        fault::point("after-effects");
        self.commit()?;
        Ok(value)
    }

    /// Makes everything since the beginning permanent.
    pub fn commit(self) -> Result<(), StoreError> {
        fault::point("before-commit");
        self.finish()?;
        fault::point("after-commit");
        Ok(())
    }

    /// A commit without fault points: those are the events' own, a migration has others.
    pub(crate) fn finish(mut self) -> Result<(), StoreError> {
        if self.db.connection().is_autocommit() {
            self.open = false;
            return Err(StoreError::RolledBack);
        }
        self.db.execute("COMMIT", &[])?;
        self.open = false;
        Ok(())
    }
}

/// Does something within a transaction, keeps what comes of it and undoes what it wrote.
pub fn try_out<T>(db: &Db, work: impl FnOnce(&Db) -> Result<T, StoreError>) -> Result<T, StoreError> {
    let _undone = Savepoint::open(db)?;
    work(db)
}

impl Deref for Tx<'_> {
    type Target = Db;

    fn deref(&self) -> &Db {
        self.db
    }
}

impl Drop for Tx<'_> {
    fn drop(&mut self) {
        if self.open && !self.db.connection().is_autocommit() {
            // If even this fails, the connection is of no use: its next `BEGIN` says so.
            let _ = self.db.execute("ROLLBACK", &[]);
        }
    }
}

struct Savepoint<'a> {
    db: &'a Db,
    open: bool,
}

impl<'a> Savepoint<'a> {
    fn open(db: &'a Db) -> Result<Self, StoreError> {
        db.execute("SAVEPOINT unit", &[])?;
        Ok(Self { db, open: true })
    }

    fn keep(mut self) -> Result<(), StoreError> {
        self.db.execute("RELEASE unit", &[])?;
        self.open = false;
        Ok(())
    }
}

impl Drop for Savepoint<'_> {
    fn drop(&mut self) {
        if self.open && !self.db.connection().is_autocommit() {
            let undone = self
                .db
                .execute("ROLLBACK TO unit", &[])
                .and_then(|_| self.db.execute("RELEASE unit", &[]));
            if undone.is_err() {
                // Half an event must never be committed: give up the whole group.
                let _ = self.db.execute("ROLLBACK", &[]);
            }
        }
    }
}

#[cfg(test)]
mod tests;
