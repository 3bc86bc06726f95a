//! Turns: a prompt and all that follows until the next. Numbered per actor, across its windows.

use crate::StoreError;
use crate::db::{Db, Fields, column_of};
use crate::migration::Migration;
use engine::event::PromptOrigin;
use engine::id::{ActorId, EventSeq, PromptId, SessionId};
use engine::lifecycle::TurnEnd;
use engine::time::Timestamp;
use rusqlite::named_params;

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
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
}];

/// Bytes of a prompt that are kept here; the event's payload has its own limit.
const LONGEST_PROMPT: usize = 64 * 1024;

/// A row of `turns`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
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
}

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
            ":prompt": kept(opening.prompt),
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

/// The actor's newest turns, newest first.
pub fn of(db: &Db, actor: ActorId, limit: u64) -> Result<Vec<Turn>, StoreError> {
    db.all(
        "SELECT actor_id, session_id, number, prompt_id, origin, prompt, event, state, opened_at, closed_at
         FROM turns WHERE actor_id = :actor ORDER BY number DESC LIMIT :limit",
        named_params! { ":actor": actor.0, ":limit": column_of(limit) },
        read,
    )
}

fn kept(prompt: &str) -> &str {
    prompt
        .get(..prompt.floor_char_boundary(LONGEST_PROMPT))
        .unwrap_or(prompt)
}

fn read(row: &mut Fields<'_>) -> rusqlite::Result<Turn> {
    Ok(Turn {
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
    })
}

/// Drops turns that ended before a moment: their prompts are kept no longer than the events around them.
pub(crate) fn prune(db: &Db, before: Timestamp, limit: u64) -> Result<usize, StoreError> {
    db.execute(
        "DELETE FROM turns WHERE id IN (SELECT id FROM turns WHERE closed_at < :before LIMIT :limit)",
        named_params! { ":before": before.0, ":limit": column_of(limit) },
    )
}
