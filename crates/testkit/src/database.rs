//! The database as `SQLite` itself sees it: an oracle that shares no code with the store.

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};
use std::path::Path;
use std::time::Duration;

/// How long a look may wait for somebody's lock.
const WAIT: Duration = Duration::from_secs(10);

/// A connection of its own.
#[derive(Debug)]
pub struct Database {
    connection: Connection,
}

impl Database {
    /// Opens a database that is there.
    ///
    /// # Panics
    /// If it is not.
    pub fn open(path: &Path) -> Self {
        let connection =
            Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE).expect("a database");
        connection.busy_timeout(WAIT).expect("a time to wait");
        Self { connection }
    }

    /// Runs statements, for instance to hold a lock.
    ///
    /// # Panics
    /// If one fails.
    #[track_caller]
    pub fn run(&self, sql: &str) {
        self.connection.execute_batch(sql).expect(sql);
    }

    /// The one number a query asks for.
    ///
    /// # Panics
    /// If it asks for anything else.
    #[track_caller]
    pub fn number(&self, sql: &str) -> i64 {
        self.connection.query_row(sql, [], |row| row.get(0)).expect(sql)
    }

    /// Every row as text, columns separated by `|`.
    ///
    /// # Panics
    /// If the query fails.
    #[track_caller]
    pub fn rows(&self, sql: &str) -> Vec<String> {
        let mut statement = self.connection.prepare(sql).expect(sql);
        let columns = statement.column_count();
        let rows = statement.query_map([], |row| {
            let cells: rusqlite::Result<Vec<String>> =
                (0..columns).map(|at| row.get_ref(at).map(shown)).collect();
            Ok(cells?.join("|"))
        });
        rows.expect(sql).collect::<rusqlite::Result<_>>().expect(sql)
    }

    /// What `SQLite`'s own full check finds; empty if the file is sound.
    pub fn damage(&self) -> Vec<String> {
        let mut found = self.rows("PRAGMA integrity_check");
        found.retain(|line| line != "ok");
        found.extend(self.rows("PRAGMA foreign_key_check"));
        found
    }
}

fn shown(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Null => String::new(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => number.to_string(),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => String::from_utf8_lossy(bytes).into_owned(),
    }
}
