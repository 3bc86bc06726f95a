//! Turns: a prompt and all that follows until the next. Numbered per actor, across its windows.

use crate::StoreError;
use crate::db::{Db, Fields, column_of};
use crate::migration::Migration;
use engine::event::PromptOrigin;
use engine::id::{ActorId, CheckpointId, EventSeq, PromptId, SessionId, TurnId};
use engine::lifecycle::TurnEnd;
use engine::time::Timestamp;
use rusqlite::named_params;

mod transcript;

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
    /// `person` or `notification`.
    pub origin: String,
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
        "id, actor_id, session_id, number, prompt_id, origin, prompt, event, state, opened_at, closed_at, \
         transcript_start, transcript_end, leaf_uuid, sealed, checkpoint_id, summary"
    };
}
use columns;

/// What opens a turn.
pub(crate) struct Opening<'a> {
    pub actor: ActorId,
    pub session: SessionId,
    pub prompt_id: Option<&'a PromptId>,
    pub origin: PromptOrigin,
    pub prompt: &'a str,
    pub event: EventSeq,
    pub at: Timestamp,
}

/// Opens the actor's next turn. One that is still open is over with it.
pub(crate) fn open(db: &Db, opening: &Opening<'_>) -> Result<(), StoreError> {
    close(db, opening.actor, TurnEnd::Done, opening.at)?;
    let origin = match opening.origin {
        PromptOrigin::Person => "person",
        PromptOrigin::Notification => "notification",
    };
    db.execute(
        "INSERT INTO turns (actor_id, session_id, number, prompt_id, origin, prompt, event, opened_at)
         VALUES (:actor, :session, (SELECT COALESCE(MAX(number), 0) + 1 FROM turns WHERE actor_id = :actor),
             :prompt_id, :origin, :prompt, :event, :at)",
        named_params! {
            ":actor": opening.actor.0,
            ":session": opening.session.0,
            ":prompt_id": opening.prompt_id.map(PromptId::as_str),
            ":origin": origin,
            ":prompt": kept(opening.prompt, LONGEST_PROMPT),
            ":event": opening.event.0,
            ":at": opening.at.0,
        },
    )?;
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

/// The actor's turn for this prompt, the newest if several claim it.
pub fn of_prompt(db: &Db, actor: ActorId, prompt: &PromptId) -> Result<Option<Turn>, StoreError> {
    db.one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM turns WHERE actor_id = :actor AND prompt_id = :prompt ORDER BY number DESC LIMIT 1"
        ),
        named_params! { ":actor": actor.0, ":prompt": prompt.as_str() },
        read,
    )
}

/// The number of the turn that an event of an actor's session belongs to: an agent's to the one it was started in.
pub fn number_of_event(db: &Db, actor: ActorId, event: EventSeq) -> Result<Option<u64>, StoreError> {
    // None where the session has no turn: it began before anybody listened.
    let number: Option<Option<i64>> = db.value(
        "SELECT COALESCE(
             (SELECT MAX(number) FROM turns WHERE actor_id = :actor
                 AND prompt_id = (SELECT prompt_id FROM events WHERE seq = :event)),
             (SELECT MAX(number) FROM turns WHERE actor_id = :actor AND event <= :event))",
        named_params! { ":actor": actor.0, ":event": event.0 },
    )?;
    Ok(number.flatten().and_then(|number| u64::try_from(number).ok()))
}

/// The number of the turn that an event of an actor's session belongs to: an agent's to the prompt it was started for.
pub fn number_for(db: &Db, actor: ActorId, prompt: Option<&PromptId>) -> Result<Option<u64>, StoreError> {
    let newest = newest_number(db, actor)?;
    let (Some(prompt), Some((_, _, of))) = (prompt, &newest) else {
        return Ok(newest.map(|(number, ..)| number));
    };
    if of.as_ref() != Some(prompt)
        && let Some(other) = of_prompt(db, actor, prompt)?
    {
        return Ok(Some(other.number));
    }
    Ok(newest.map(|(number, ..)| number))
}

/// The number of the actor's newest turn, whether it is open, and its prompt's id: without the prompt itself, which
/// may be long.
pub fn newest_number(db: &Db, actor: ActorId) -> Result<Option<(u64, bool, Option<PromptId>)>, StoreError> {
    db.one(
        "SELECT number, state = 'open', prompt_id FROM turns WHERE actor_id = :actor ORDER BY number DESC LIMIT 1",
        named_params! { ":actor": actor.0 },
        |row| {
            let (number, is_open) = (row.count()?, row.take()?);
            Ok((number, is_open, row.take::<Option<String>>()?.map(PromptId::new)))
        },
    )
}

/// The actor's newest turn.
pub fn newest(db: &Db, actor: ActorId) -> Result<Option<Turn>, StoreError> {
    Ok(list(db, actor, 1)?.pop())
}

/// The newest turn up to a number that a person asked for: what a label is made of.
pub fn by_person(db: &Db, actor: ActorId, up_to: u64) -> Result<Option<Turn>, StoreError> {
    db.one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM turns WHERE actor_id = :actor AND number <= :up_to AND origin = 'person'
             ORDER BY number DESC LIMIT 1"
        ),
        named_params! { ":actor": actor.0, ":up_to": column_of(up_to) },
        read,
    )
}

/// The first thing a person asked of an actor.
pub fn first_prompt(db: &Db, actor: ActorId) -> Result<Option<String>, StoreError> {
    db.value(
        "SELECT prompt FROM turns WHERE actor_id = :actor AND origin = 'person' ORDER BY number LIMIT 1",
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

fn read(row: &mut Fields<'_>) -> rusqlite::Result<Turn> {
    Ok(Turn {
        id: TurnId(row.take()?),
        actor: ActorId(row.take()?),
        session: SessionId(row.take()?),
        number: row.count()?,
        prompt_id: row.take::<Option<String>>()?.map(PromptId::new),
        origin: row.take()?,
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

/// Drops turns that ended before a moment: their prompts are kept no longer than the events around them. One that a
/// checkpoint belongs to goes with it, and one whose transcript is still being read stays until that is done.
pub(crate) fn prune(db: &Db, before: Timestamp, limit: u64) -> Result<usize, StoreError> {
    db.execute(
        "DELETE FROM turns WHERE id IN (SELECT id FROM turns WHERE closed_at < :before
             AND (transcript_start IS NULL OR sealed = 1)
             AND NOT EXISTS (SELECT 1 FROM checkpoints WHERE checkpoints.id = turns.checkpoint_id)
             AND NOT EXISTS (SELECT 1 FROM checkpoints
                 WHERE checkpoints.session_id = turns.actor_id AND checkpoints.turn = turns.number)
             LIMIT :limit)",
        named_params! { ":before": before.0, ":limit": column_of(limit) },
    )
}

#[cfg(test)]
mod tests;
