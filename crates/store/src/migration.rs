//! Brings a database file to the schema this binary knows, and leaves newer files alone.
//!
//! Every table lists its own migrations; a number is one step of the whole schema. Steps are appended, never edited.
//! A step that only adds keeps `oldest_reader` as it was, so that an older binary still works with a newer file.

use crate::db::Db;
use crate::table;
use crate::transaction::Tx;
use crate::{StoreError, fault};
use rusqlite::named_params;

/// One table's part of one step.
pub(crate) struct Migration {
    /// The schema this leads to.
    pub version: u32,
    /// The oldest binary, by the schema it knows, that still works with the file afterwards.
    pub oldest_reader: u32,
    /// What to run.
    pub sql: &'static str,
}

/// What the file says about itself to binaries that do not know its schema.
pub(crate) const META: &[Migration] = &[Migration {
    version: 1,
    oldest_reader: 1,
    sql: "CREATE TABLE meta (
        name TEXT PRIMARY KEY,
        value INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;",
}];

/// The newest schema this binary knows.
pub(crate) fn known() -> u32 {
    steps().map(|step| step.version).max().unwrap_or(0)
}

/// Refuses files whose schema this binary cannot work with.
pub(crate) fn check(db: &Db) -> Result<(), StoreError> {
    let (found, known) = (version(db)?, known());
    if found < known {
        return Err(StoreError::TooOld { found, known });
    }
    let needed = if found > known { oldest_reader(db)? } else { 0 };
    if needed > known {
        return Err(StoreError::TooNew { found, known });
    }
    Ok(())
}

/// Takes every missing step in one transaction.
pub(crate) fn migrate(db: &Db) -> Result<(), StoreError> {
    migrate_to(db, known())
}

pub(crate) fn migrate_to(db: &Db, wanted: u32) -> Result<(), StoreError> {
    if version(db)? >= wanted {
        return check(db);
    }
    let tx = Tx::begin(db)?;
    // Another process may have migrated while this one waited for the lock.
    let found = version(&tx)?;
    for next in found.saturating_add(1)..=wanted {
        for step in steps().filter(|step| step.version == next) {
            tx.connection().execute_batch(step.sql)?;
            fault::point("migration-step");
        }
    }
    if found < wanted {
        note(&tx, wanted)?;
    }
    tx.finish()
}

/// Records the schema, and who may still read it.
fn note(db: &Db, version: u32) -> Result<(), StoreError> {
    let taken = steps().filter(|step| step.version <= version);
    let oldest_reader = taken.map(|step| step.oldest_reader).max().unwrap_or(0);
    db.execute(
        "INSERT INTO meta (name, value) VALUES ('oldest_reader', :value)
         ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        named_params! { ":value": oldest_reader },
    )?;
    Ok(db.connection().pragma_update(None, "user_version", version)?)
}

fn steps() -> impl Iterator<Item = &'static Migration> {
    table::MIGRATIONS.iter().copied().flatten()
}

fn version(db: &Db) -> Result<u32, StoreError> {
    Ok(db.value("PRAGMA user_version", &[])?.unwrap_or_default())
}

fn oldest_reader(db: &Db) -> Result<u32, StoreError> {
    let sql = "SELECT value FROM meta WHERE name = 'oldest_reader'";
    Ok(db.value(sql, &[])?.unwrap_or_default())
}

#[cfg(test)]
mod tests;
