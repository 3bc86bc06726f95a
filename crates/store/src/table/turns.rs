//! Turns: a person's prompt and all that follows until their next. Numbered per actor, across its windows.

use crate::StoreError;
use crate::db::{Db, RowFields, column_of};
use crate::migration::Migration;
use crate::table::turn_prompts::{self, Continuing};
use engine::id::{ActorId, CheckpointId, EventSeq, PromptId, SessionId, TurnId};
use engine::lifecycle::TurnEnd;
use engine::time::Timestamp;
use rusqlite::named_params;

mod finding;
mod transcript;

pub(crate) use finding::launching;
pub use finding::{Current, current, is_behind_a_later_one, number_for, number_of_event, of_prompt};
pub use transcript::{
    Seal, complete_without_seal, marks, number_at, seal, set_checkpoint, set_summary, set_transcript_start,
    unsealed,
};

pub(crate) const MIGRATIONS: &[Migration] = &[
    Migration {
        version: 1,
        oldest_reader: 1,
        sql: "CREATE TABLE turns (
        id INTEGER PRIMARY KEY,
        actor_id INTEGER NOT NULL REFERENCES actors (id),
        session_id INTEGER NOT NULL REFERENCES sessions (id),
        number INTEGER NOT NULL,
        prompt_id TEXT,
        origin TEXT NOT NULL,
        prompt TEXT NOT NULL,
        event INTEGER NOT NULL,
        state TEXT NOT NULL DEFAULT 'open',
        opened_at INTEGER NOT NULL,
        closed_at INTEGER,
        UNIQUE (actor_id, number)
    ) STRICT;
    CREATE INDEX turns_of_session ON turns (session_id);
    CREATE UNIQUE INDEX turns_open ON turns (actor_id) WHERE state = 'open';",
    },
    Migration {
        version: 2,
        oldest_reader: 1,
        sql: "ALTER TABLE turns ADD COLUMN transcript_start INTEGER; -- bytes
    ALTER TABLE turns ADD COLUMN transcript_end INTEGER;
    ALTER TABLE turns ADD COLUMN leaf_uuid TEXT; -- the last line of the conversation so far
    ALTER TABLE turns ADD COLUMN sealed INTEGER NOT NULL DEFAULT 0; -- its closing lines were seen
    ALTER TABLE turns ADD COLUMN checkpoint_id TEXT; -- the state at its end
    ALTER TABLE turns ADD COLUMN summary TEXT;
    CREATE INDEX turns_unsealed ON turns (actor_id, number) WHERE transcript_start IS NOT NULL AND sealed = 0;",
    },
    Migration {
        version: 5,
        oldest_reader: 5,
        // Every turn is a person's: what the client reports itself is in `turn_prompts`.
        sql: "ALTER TABLE turns DROP COLUMN origin;",
    },
];

/// Bytes of a prompt that are kept here; the event's payload has its own limit.
const LONGEST_PROMPT: usize = 64 * 1024;

/// Bytes of an agent's last words that are kept.
const LONGEST_SUMMARY: usize = 16 * 1024;

/// A row of `turns`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// Its row.
    pub id: TurnId,
    /// Whose turn.
    pub actor: ActorId,
    /// In which window it began.
    pub session: SessionId,
    /// Counted from one.
    pub number: u64,
    /// The client's id.
    pub prompt_id: Option<PromptId>,
    /// What was asked.
    pub prompt: String,
    /// The event that opened it.
    pub event: EventSeq,
    /// `open`, `done`, `interrupted` or `failed`.
    pub state: String,
    /// When it opened.
    pub opened_at: Timestamp,
    /// When it closed.
    pub closed_at: Option<Timestamp>,
    /// How long the transcript was when it opened, in bytes; `None` where that was not looked up.
    pub transcript_start: Option<u64>,
    /// How long the transcript was when its last line was seen.
    pub transcript_end: Option<u64>,
    /// The last line of the conversation that belongs to it.
    pub leaf_uuid: Option<String>,
    /// Its closing lines were seen: nothing of it is missing.
    pub sealed: bool,
    /// The state of the files at its end.
    pub checkpoint: Option<CheckpointId>,
    /// The agent's last words, cut.
    pub summary: Option<String>,
}

macro_rules! columns {
    () => {
        "id, actor_id, session_id, number, prompt_id, prompt, event, state, opened_at, closed_at, \
         transcript_start, transcript_end, leaf_uuid, sealed, checkpoint_id, summary"
    };
}
use columns;

/// What opens a turn.
pub(crate) struct TurnStart<'a> {
    pub actor: ActorId,
    pub session: SessionId,
    pub prompt_id: Option<&'a PromptId>,
    pub prompt: &'a str,
    pub event: EventSeq,
    pub at: Timestamp,
}

/// Opens the actor's next turn. One that is still open is over with it.
pub(crate) fn open(db: &Db, opening: &TurnStart<'_>) -> Result<(), StoreError> {
    close(db, opening.actor, TurnEnd::Done, opening.at)?;
    db.execute(
        "INSERT INTO turns (actor_id, session_id, number, prompt_id, prompt, event, opened_at)
         VALUES (:actor, :session, (SELECT COALESCE(MAX(number), 0) + 1 FROM turns WHERE actor_id = :actor),
             :prompt_id, :prompt, :event, :at)",
        named_params! {
            ":actor": opening.actor.0,
            ":session": opening.session.0,
            ":prompt_id": opening.prompt_id.map(PromptId::as_str),
            ":prompt": kept(opening.prompt, LONGEST_PROMPT),
            ":event": opening.event.0,
            ":at": opening.at.0,
        },
    )?;
    Ok(())
}

/// Adds a prompt to a turn that launched something, and opens that turn again. An actor that is in a turn stays in it: the
/// prompt is a part of that one.
pub(crate) fn resume(db: &Db, prompt: &Continuing<'_>) -> Result<(), StoreError> {
    let opened = db.execute(
        "UPDATE turns SET state = 'open', closed_at = NULL, sealed = 0
         WHERE id = :turn AND NOT EXISTS (SELECT 1 FROM turns AS other
             WHERE other.actor_id = turns.actor_id AND other.state = 'open')",
        named_params! { ":turn": prompt.turn.0 },
    )?;
    if opened > 0 {
        turn_prompts::add(db, prompt)?;
    }
    Ok(())
}

/// Closes the actor's open turn, if it has one.
pub(crate) fn close(db: &Db, actor: ActorId, how: TurnEnd, at: Timestamp) -> Result<(), StoreError> {
    db.execute(
        "UPDATE turns SET state = :state, closed_at = :at WHERE actor_id = :actor AND state = 'open'",
        named_params! { ":state": how.as_str(), ":at": at.0, ":actor": actor.0 },
    )?;
    Ok(())
}

/// The actor's turns, newest first.
pub fn list(db: &Db, actor: ActorId, limit: u64) -> Result<Vec<Turn>, StoreError> {
    db.all(
        concat!(
            "SELECT ",
            columns!(),
            " FROM turns WHERE actor_id = :actor ORDER BY number DESC LIMIT :limit"
        ),
        named_params! { ":actor": actor.0, ":limit": column_of(limit) },
        read,
    )
}

/// The turn in this row.
pub fn by_id(db: &Db, id: TurnId) -> Result<Option<Turn>, StoreError> {
    let sql = concat!("SELECT ", columns!(), " FROM turns WHERE id = :id");
    db.one(sql, named_params! { ":id": id.0 }, read)
}

/// The actor's turn with this number.
pub fn numbered(db: &Db, actor: ActorId, number: u64) -> Result<Option<Turn>, StoreError> {
    db.one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM turns WHERE actor_id = :actor AND number = :number"
        ),
        named_params! { ":actor": actor.0, ":number": column_of(number) },
        read,
    )
}

/// The first thing a person asked of an actor.
pub fn first_prompt(db: &Db, actor: ActorId) -> Result<Option<String>, StoreError> {
    db.value(
        "SELECT prompt FROM turns WHERE actor_id = :actor ORDER BY number LIMIT 1",
        named_params! { ":actor": actor.0 },
    )
}

/// The lowest and the highest number of an actor's turns; `None` where it has none.
pub fn range(db: &Db, actor: ActorId) -> Result<Option<(u64, u64)>, StoreError> {
    let found = db.one(
        "SELECT MIN(number), MAX(number) FROM turns WHERE actor_id = :actor",
        named_params! { ":actor": actor.0 },
        |row| Ok((row.optional_count()?, row.optional_count()?)),
    )?;
    Ok(found.and_then(|(first, last)| first.zip(last)))
}

fn kept(text: &str, longest: usize) -> &str {
    text.get(..text.floor_char_boundary(longest)).unwrap_or(text)
}

fn read(row: &mut RowFields<'_>) -> rusqlite::Result<Turn> {
    Ok(Turn {
        id: TurnId(row.take()?),
        actor: ActorId(row.take()?),
        session: SessionId(row.take()?),
        number: row.count()?,
        prompt_id: row.take::<Option<String>>()?.map(PromptId::new),
        prompt: row.take()?,
        event: EventSeq(row.take()?),
        state: row.take()?,
        opened_at: Timestamp(row.take()?),
        closed_at: row.take::<Option<_>>()?.map(Timestamp),
        transcript_start: row.optional_count()?,
        transcript_end: row.optional_count()?,
        leaf_uuid: row.take()?,
        sealed: row.take()?,
        checkpoint: row.optional_checkpoint()?,
        summary: row.take()?,
    })
}

/// The first and the last id there is.
pub(crate) fn ids(db: &Db) -> Result<Option<(i64, i64)>, StoreError> {
    let sql = "SELECT (SELECT MIN(id) FROM turns), (SELECT MAX(id) FROM turns)";
    let found = db.one(sql, &[], |row| {
        Ok((row.take::<Option<i64>>()?, row.take::<Option<i64>>()?))
    })?;
    Ok(found.and_then(|(first, last)| first.zip(last)))
}

/// Drops turns that ended before a moment: their prompts are kept no longer than the events around them. One that a
/// checkpoint belongs to goes with it, and one whose transcript is still being read stays until that is done.
pub(crate) fn prune(db: &Db, before: Timestamp, (first, last): (i64, i64)) -> Result<usize, StoreError> {
    db.execute(
        "DELETE FROM turns WHERE id BETWEEN :first AND :last AND closed_at < :before
             AND (transcript_start IS NULL OR sealed = 1)
             AND NOT EXISTS (SELECT 1 FROM checkpoints WHERE checkpoints.id = turns.checkpoint_id)
             AND NOT EXISTS (SELECT 1 FROM checkpoints
                 WHERE checkpoints.session_id = turns.actor_id AND checkpoints.turn = turns.number)",
        named_params! { ":before": before.0, ":first": first, ":last": last },
    )
}

#[cfg(test)]
mod tests;
