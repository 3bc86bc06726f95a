//! Payloads: what came with an event, apart from its row so that the log can be read, and shrunk, without them.

use crate::StoreError;
use crate::db::{Db, column_of};
use crate::migration::Migration;
use crate::payload::{Payload, PayloadForm};
use engine::id::EventSeq;
use rusqlite::named_params;

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    version: 1,
    oldest_reader: 1,
    sql: "CREATE TABLE payloads (
        event INTEGER PRIMARY KEY REFERENCES events (seq) ON DELETE CASCADE,
        form TEXT NOT NULL, -- raw, packed, clipped
        length INTEGER NOT NULL,
        head INTEGER NOT NULL,
        sha256 BLOB,
        body BLOB NOT NULL
    ) STRICT;",
}];

/// The payload of an event; `None` once the log has dropped it.
pub fn of(db: &Db, event: EventSeq) -> Result<Option<Payload>, StoreError> {
    db.one(
        "SELECT form, length, head, sha256, body FROM payloads WHERE event = :event",
        named_params! { ":event": event.0 },
        |row| {
            Ok(Payload {
                form: PayloadForm::parse(&row.take::<String>()?),
                length: row.count()?,
                head: row.count()?,
                sha256: row.take()?,
                body: row.take()?,
            })
        },
    )
}

/// Bytes of all payloads that can be read back, and the bytes they are kept in.
pub fn bytes(db: &Db) -> Result<(u64, u64), StoreError> {
    let sum = |sql| db.number(sql, &[]);
    Ok((
        sum("SELECT SUM(CASE form WHEN 'clipped' THEN 2 * head ELSE length END) FROM payloads")?,
        sum("SELECT SUM(LENGTH(body)) FROM payloads")?,
    ))
}

pub(crate) fn insert(db: &Db, event: EventSeq, payload: &Payload) -> Result<(), StoreError> {
    db.execute(
        "INSERT INTO payloads (event, form, length, head, sha256, body)
         VALUES (:event, :form, :length, :head, :sha256, :body)",
        named_params! {
            ":event": event.0,
            ":form": payload.form.as_str(),
            ":length": column_of(payload.length),
            ":head": column_of(payload.head),
            ":sha256": payload.sha256,
            ":body": payload.body,
        },
    )?;
    Ok(())
}

/// Drops the oldest payloads, and says how many there were to drop.
pub(crate) fn prune(db: &Db, limit: u64) -> Result<usize, StoreError> {
    db.execute(
        "DELETE FROM payloads WHERE event IN (SELECT event FROM payloads ORDER BY event LIMIT :limit)",
        named_params! { ":limit": column_of(limit) },
    )
}
