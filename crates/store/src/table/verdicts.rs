//! Verdicts: what each policy said about an event.

use crate::StoreError;
use crate::db::{Db, column_of};
use crate::migration::Migration;
use engine::id::EventSeq;
use engine::round::VerdictRecord;
use engine::verdict::VerdictKind;
use rusqlite::named_params;

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    version: 1,
    oldest_reader: 1,
    sql: "CREATE TABLE verdicts (
        id INTEGER PRIMARY KEY,
        event INTEGER NOT NULL REFERENCES events (seq) ON DELETE CASCADE,
        policy TEXT NOT NULL,
        verdict TEXT NOT NULL,
        reason TEXT NOT NULL,
        applied INTEGER NOT NULL,
        took_us INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX verdicts_of_event ON verdicts (event);",
}];

/// A row of `verdicts`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredVerdict {
    /// Which policy.
    pub policy: String,
    /// What it said.
    pub verdict: VerdictKind,
    /// Why.
    pub reason: String,
    /// Whether the agent was told.
    pub applied: bool,
    /// How long it took.
    pub took_us: u64,
}

/// Records what one policy said.
pub fn insert(db: &Db, event: EventSeq, record: &VerdictRecord) -> Result<(), StoreError> {
    db.execute(
        "INSERT INTO verdicts (event, policy, verdict, reason, applied, took_us)
         VALUES (:event, :policy, :verdict, :reason, :applied, :took_us)",
        named_params! {
            ":event": event.0,
            ":policy": record.policy,
            ":verdict": record.verdict.as_str(),
            ":reason": record.reason,
            ":applied": record.applied,
            ":took_us": column_of(record.took_us),
        },
    )?;
    Ok(())
}

/// What the policies said about an event, in the order they were asked.
pub fn of(db: &Db, event: EventSeq) -> Result<Vec<StoredVerdict>, StoreError> {
    db.all(
        "SELECT policy, verdict, reason, applied, took_us FROM verdicts WHERE event = :event ORDER BY id",
        named_params! { ":event": event.0 },
        |row| {
            Ok(StoredVerdict {
                policy: row.take()?,
                // A newer binary may know kinds this one does not: they said something, and that is all we can tell.
                verdict: VerdictKind::parse(&row.take::<String>()?).unwrap_or(VerdictKind::Advise),
                reason: row.take()?,
                applied: row.take()?,
                took_us: row.count()?,
            })
        },
    )
}
