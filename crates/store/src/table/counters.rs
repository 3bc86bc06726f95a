//! Counters: how often something happened that is not an event, and what it last looked like.

use crate::StoreError;
use crate::db::{Db, column_of};
use crate::migration::Migration;
use engine::time::Timestamp;
use rusqlite::named_params;

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    version: 1,
    oldest_reader: 1,
    sql: "CREATE TABLE counters (
        name TEXT PRIMARY KEY,
        count INTEGER NOT NULL,
        last_text TEXT,
        last_at INTEGER
    ) STRICT, WITHOUT ROWID;",
}];

/// A row of `counters`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counter {
    /// What is counted.
    pub name: String,
    /// How often it happened.
    pub count: u64,
    /// What it last looked like.
    pub last_text: Option<String>,
    /// When it last happened.
    pub last_at: Option<Timestamp>,
}

/// Counts.
pub fn add(db: &Db, name: &str, count: u64) -> Result<(), StoreError> {
    db.execute(
        "INSERT INTO counters (name, count) VALUES (:name, :count)
         ON CONFLICT (name) DO UPDATE SET count = count + excluded.count",
        named_params! { ":name": name, ":count": column_of(count) },
    )?;
    Ok(())
}

/// Counts one, and remembers what it looked like.
pub fn note(db: &Db, name: &str, text: &str, at: Timestamp) -> Result<(), StoreError> {
    db.execute(
        "INSERT INTO counters (name, count, last_text, last_at) VALUES (:name, 1, :text, :at)
         ON CONFLICT (name) DO UPDATE
         SET count = count + 1, last_text = excluded.last_text, last_at = excluded.last_at",
        named_params! { ":name": name, ":text": text, ":at": at.0 },
    )?;
    Ok(())
}

/// When something last happened; `None` if it never did.
pub fn last(db: &Db, name: &str) -> Result<Option<Timestamp>, StoreError> {
    let sql = "SELECT last_at FROM counters WHERE name = :name";
    let found: Option<Option<i64>> = db.value(sql, named_params! { ":name": name })?;
    Ok(found.flatten().map(Timestamp))
}

/// Every counter, by name.
pub fn list(db: &Db) -> Result<Vec<Counter>, StoreError> {
    db.all(
        "SELECT name, count, last_text, last_at FROM counters ORDER BY name",
        &[],
        |row| {
            Ok(Counter {
                name: row.take()?,
                count: row.count()?,
                last_text: row.take()?,
                last_at: row.take::<Option<_>>()?.map(Timestamp),
            })
        },
    )
}
