//! The one way to the database: cached statements with named parameters, columns read in the order they are listed.

use crate::StoreError;
use engine::id::CheckpointId;
use rusqlite::types::FromSql;
use rusqlite::{Connection, Row, Statement, ToSql};
use std::ffi::OsString;
use std::ops::{ControlFlow, Deref};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Named parameters of a statement.
pub(crate) type Params<'a> = &'a [(&'a str, &'a dyn ToSql)];

/// The database, for the queries of the table modules.
#[derive(Debug)]
pub struct Db {
    connection: Connection,
    /// How long other writers are waited for.
    wait: Duration,
    #[cfg(test)]
    spent: std::cell::Cell<Spent>,
}

impl Db {
    pub(crate) fn new(connection: Connection) -> Self {
        Self {
            connection,
            wait: Duration::ZERO,
            #[cfg(test)]
            spent: std::cell::Cell::default(),
        }
    }

    /// Waits for other writers so long.
    pub(crate) fn waiting(self, wait: Duration) -> Self {
        Self { wait, ..self }
    }

    pub(crate) fn wait(&self) -> Duration {
        self.wait
    }

    pub(crate) fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Runs a statement and says how many rows it changed.
    pub(crate) fn execute(&self, sql: &str, params: Params<'_>) -> Result<usize, StoreError> {
        let mut statement = self.connection.prepare_cached(sql)?;
        let changed = statement.execute(params)?;
        self.account(sql, &statement);
        Ok(changed)
    }

    /// Runs an insert and says which row it made.
    pub(crate) fn insert(&self, sql: &str, params: Params<'_>) -> Result<i64, StoreError> {
        let mut statement = self.connection.prepare_cached(sql)?;
        let id = statement.insert(params)?;
        self.account(sql, &statement);
        Ok(id)
    }

    /// The first row of a query.
    pub(crate) fn one<T>(
        &self,
        sql: &str,
        params: Params<'_>,
        read: impl FnOnce(&mut RowFields<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, StoreError> {
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query(params)?;
        let found = match rows.next()? {
            Some(row) => Some(read(&mut RowFields { row, at: 0 })?),
            None => None,
        };
        drop(rows);
        self.account(sql, &statement);
        Ok(found)
    }

    /// The first column of the first row.
    pub(crate) fn value<T: FromSql>(&self, sql: &str, params: Params<'_>) -> Result<Option<T>, StoreError> {
        self.one(sql, params, |row| row.row.get(0))
    }

    /// The first column of every row.
    pub(crate) fn values<T: FromSql>(&self, sql: &str, params: Params<'_>) -> Result<Vec<T>, StoreError> {
        self.all(sql, params, |row| row.row.get(0))
    }

    /// The first column of the first row, as a count; zero where there is none.
    pub(crate) fn number(&self, sql: &str, params: Params<'_>) -> Result<u64, StoreError> {
        let value: Option<Option<i64>> = self.value(sql, params)?;
        Ok(value
            .flatten()
            .and_then(|value| u64::try_from(value).ok())
            .unwrap_or(0))
    }

    /// Whether a query has a row.
    pub(crate) fn exists(&self, sql: &str, params: Params<'_>) -> Result<bool, StoreError> {
        Ok(self.one(sql, params, |_| Ok(()))?.is_some())
    }

    /// Every row of a query.
    pub(crate) fn all<T>(
        &self,
        sql: &str,
        params: Params<'_>,
        mut read: impl FnMut(&mut RowFields<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query(params)?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            found.push(read(&mut RowFields { row, at: 0 })?);
        }
        drop(rows);
        self.account(sql, &statement);
        Ok(found)
    }
}

impl Db {
    /// Hands every row of a query to `see` until it breaks.
    pub(crate) fn each(
        &self,
        sql: &str,
        params: Params<'_>,
        mut see: impl FnMut(&mut RowFields<'_>) -> rusqlite::Result<ControlFlow<()>>,
    ) -> Result<(), StoreError> {
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query(params)?;
        while let Some(row) = rows.next()? {
            if see(&mut RowFields { row, at: 0 })?.is_break() {
                break;
            }
        }
        drop(rows);
        self.account(sql, &statement);
        Ok(())
    }
}

/// What statements cost, as the database itself counts.
#[cfg(test)]
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Spent {
    pub statements: i32,
    pub steps: i32,
    /// Rows met by looking at all of them.
    pub scanned: i32,
    /// Statements that had to be planned again.
    pub replanned: i32,
}

#[cfg(test)]
impl Db {
    fn account(&self, sql: &str, statement: &Statement<'_>) {
        use rusqlite::StatementStatus::{FullscanStep, RePrepare, VmStep};
        let mut spent = self.spent.get();
        let steps = statement.reset_status(VmStep);
        crate::ledger::note(sql, steps);
        spent.statements += 1;
        spent.steps += steps;
        spent.scanned += statement.reset_status(FullscanStep);
        spent.replanned += statement.reset_status(RePrepare);
        self.spent.set(spent);
    }

    /// What was spent since the last time this was asked.
    pub(crate) fn spent(&self) -> Spent {
        self.spent.take()
    }
}

#[cfg(all(feature = "faults", not(test)))]
impl Db {
    #[expect(clippy::unused_self, reason = "the store's own tests count by connection")]
    fn account(&self, sql: &str, statement: &Statement<'_>) {
        crate::ledger::note(sql, statement.reset_status(rusqlite::StatementStatus::VmStep));
    }
}

#[cfg(not(any(test, feature = "faults")))]
impl Db {
    #[expect(clippy::unused_self, reason = "only test builds count what statements cost")]
    fn account(&self, _: &str, _: &Statement<'_>) {}
}

/// The columns of one row, taken one after the other.
pub(crate) struct RowFields<'a> {
    row: &'a Row<'a>,
    at: usize,
}

impl RowFields<'_> {
    /// Reads every column, also what lies on pages of its own, and keeps nothing.
    pub(crate) fn skim(&self) -> rusqlite::Result<()> {
        (0..self.row.as_ref().column_count()).try_for_each(|column| self.row.get_ref(column).map(drop))
    }

    pub(crate) fn take<T: FromSql>(&mut self) -> rusqlite::Result<T> {
        let value = self.row.get(self.at)?;
        self.at += 1;
        Ok(value)
    }

    pub(crate) fn path(&mut self) -> rusqlite::Result<PathBuf> {
        Ok(OsString::from_vec(self.take()?).into())
    }

    pub(crate) fn optional_path(&mut self) -> rusqlite::Result<Option<PathBuf>> {
        let bytes: Option<Vec<u8>> = self.take()?;
        Ok(bytes.map(|bytes| OsString::from_vec(bytes).into()))
    }

    /// A count; what a damaged row holds below zero counts as none.
    pub(crate) fn count(&mut self) -> rusqlite::Result<u64> {
        let value: i64 = self.take()?;
        Ok(u64::try_from(value).unwrap_or(0))
    }

    pub(crate) fn optional_count(&mut self) -> rusqlite::Result<Option<u64>> {
        let value: Option<i64> = self.take()?;
        Ok(value.and_then(|value| u64::try_from(value).ok()))
    }

    pub(crate) fn checkpoint(&mut self) -> rusqlite::Result<CheckpointId> {
        self.optional_checkpoint()?.ok_or(rusqlite::Error::InvalidQuery)
    }

    pub(crate) fn optional_checkpoint(&mut self) -> rusqlite::Result<Option<CheckpointId>> {
        let text: Option<String> = self.take()?;
        Ok(text.as_deref().and_then(CheckpointId::parse))
    }
}

/// A path as the bytes that are stored.
pub(crate) fn bytes_of(path: &Path) -> &[u8] {
    path.as_os_str().as_bytes()
}

/// A count as the integer that is stored.
pub(crate) fn column_of(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// Queries outside a write transaction.
#[derive(Debug, Clone, Copy)]
pub struct ReadConnection<'a> {
    db: &'a Db,
}

impl<'a> ReadConnection<'a> {
    pub(crate) fn new(db: &'a Db) -> Self {
        Self { db }
    }
}

impl Deref for ReadConnection<'_> {
    type Target = Db;

    fn deref(&self) -> &Db {
        self.db
    }
}
