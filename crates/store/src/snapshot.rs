//! Queries that all see the same moment, while others go on writing.

use crate::StoreError;
use crate::db::Db;
use std::ops::Deref;

/// A read transaction. It never waits for a writer and no writer waits for it.
#[derive(Debug)]
pub struct ReadSnapshot<'a> {
    db: &'a Db,
}

impl<'a> ReadSnapshot<'a> {
    pub(crate) fn take(db: &'a Db) -> Result<Self, StoreError> {
        db.execute("BEGIN", &[])?;
        Ok(Self { db })
    }
}

impl Deref for ReadSnapshot<'_> {
    type Target = Db;

    fn deref(&self) -> &Db {
        self.db
    }
}

impl Drop for ReadSnapshot<'_> {
    fn drop(&mut self) {
        if !self.db.connection().is_autocommit() {
            // Nothing was written: there is nothing to lose if this fails.
            let _ = self.db.execute("ROLLBACK", &[]);
        }
    }
}
