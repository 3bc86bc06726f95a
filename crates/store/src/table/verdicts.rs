//! Verdicts: what each policy said about an event.

use crate::StoreError;
use crate::db::{Db, RowFields, column_of};
use crate::migration::Migration;
use engine::id::EventSeq;
use engine::round::VerdictRecord;
use engine::verdict::VerdictKind;
use rusqlite::named_params;

mod detail;
mod mention;
mod replay;
mod spoken;

pub use detail::{Detail, Explained, LONGEST_FACTS, explained, rewritten, set_checkpoint, set_detail};
pub use mention::mentioning;
pub use replay::{RecordedCall, ReplayFilter, each};
pub(crate) use spoken::spoken;

pub(crate) const MIGRATIONS: &[Migration] = &[
    Migration {
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
    },
    Migration {
        version: 3,
        oldest_reader: 1,
        sql: "ALTER TABLE verdicts ADD COLUMN rule_id TEXT;
    ALTER TABLE verdicts ADD COLUMN class TEXT;
    ALTER TABLE verdicts ADD COLUMN segment TEXT; -- redacted
    ALTER TABLE verdicts ADD COLUMN coverage TEXT; -- full, partial, opaque
    ALTER TABLE verdicts ADD COLUMN rewritten TEXT;
    ALTER TABLE verdicts ADD COLUMN strike_id INTEGER;
    ALTER TABLE verdicts ADD COLUMN approval_id TEXT;
    ALTER TABLE verdicts ADD COLUMN checkpoint_id TEXT;
    ALTER TABLE verdicts ADD COLUMN facts TEXT; -- JSON
    ALTER TABLE verdicts ADD COLUMN rules_hash TEXT;",
    },
    Migration {
        version: 4,
        oldest_reader: 1,
        sql: "CREATE INDEX verdicts_of_kind ON verdicts (policy, verdict, event);",
    },
];

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
        read,
    )
}

fn read(row: &mut RowFields<'_>) -> rusqlite::Result<StoredVerdict> {
    Ok(StoredVerdict {
        policy: row.take()?,
        // A newer binary may know kinds this one does not: they said something, and that is all we can tell.
        verdict: VerdictKind::parse(&row.take::<String>()?).unwrap_or(VerdictKind::Advise),
        reason: row.take()?,
        applied: row.take()?,
        took_us: row.count()?,
    })
}

fn read_explained(row: &mut RowFields<'_>) -> rusqlite::Result<Explained> {
    Ok(Explained {
        verdict: read(row)?,
        detail: Detail {
            rule_id: row.take()?,
            class: row.take()?,
            segment: row.take()?,
            coverage: row.take()?,
            rewritten: row.take()?,
            strike_id: row.take()?,
            approval_id: row.take()?,
            checkpoint_id: row.optional_checkpoint()?,
            facts: row.take()?,
            rules_hash: row.take()?,
        },
    })
}
