//! What belongs to a turn beside its prompt: its part of the transcript, the agent's last words, its checkpoint.

use super::{LONGEST_SUMMARY, Turn, columns, kept, read};
use crate::StoreError;
use crate::db::{Db, column_of};
use engine::id::{ActorId, CheckpointId, EventSeq, PromptId, TurnId};
use engine::time::Timestamp;
use engine::usage::TurnMark;
use rusqlite::named_params;

/// Where a turn's part of the transcript ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seal<'a> {
    /// How long the transcript is there, in bytes.
    pub end: u64,
    /// The last line of the conversation that belongs to the turn.
    pub leaf_uuid: Option<&'a str>,
    /// Its closing lines were seen: nothing of it is missing.
    pub complete: bool,
}

/// Keeps how long the transcript was when a prompt opened the actor's turn, or continued one.
pub fn set_transcript_start(db: &Db, actor: ActorId, event: EventSeq, bytes: u64) -> Result<(), StoreError> {
    db.execute(
        "UPDATE turn_prompts SET transcript_start = :bytes WHERE event = :event",
        named_params! { ":bytes": column_of(bytes), ":event": event.0 },
    )?;
    db.execute(
        "UPDATE turns SET transcript_start = :bytes
         WHERE actor_id = :actor AND state = 'open' AND transcript_start IS NULL",
        named_params! { ":bytes": column_of(bytes), ":actor": actor.0 },
    )?;
    Ok(())
}

/// Keeps how far a turn's part of the transcript is known. A turn that is sealed stays so. It ends where a later turn
/// begins, though it may go on behind that one.
pub fn seal(db: &Db, turn: TurnId, seal: &Seal<'_>) -> Result<(), StoreError> {
    db.execute(
        "UPDATE turns SET transcript_end = :end, leaf_uuid = COALESCE(:leaf, leaf_uuid), sealed = MAX(sealed, :complete)
         WHERE id = :turn AND NOT EXISTS (SELECT 1 FROM turns AS later WHERE later.actor_id = turns.actor_id
             AND later.number > turns.number AND later.transcript_end < :end)",
        named_params! {
            ":end": column_of(seal.end),
            ":leaf": seal.leaf_uuid,
            ":complete": seal.complete,
            ":turn": turn.0,
        },
    )?;
    Ok(())
}

/// The actor's turns whose transcript is not complete yet, oldest first.
pub fn unsealed(db: &Db, actor: ActorId) -> Result<Vec<Turn>, StoreError> {
    db.all(
        concat!(
            "SELECT ",
            columns!(),
            " FROM turns WHERE actor_id = :actor AND transcript_start IS NOT NULL AND sealed = 0 ORDER BY number"
        ),
        named_params! { ":actor": actor.0 },
        read,
    )
}

/// The actor's turns whose transcript is complete while their own checkpoint lacks the end of it, oldest first.
pub fn complete_without_seal(db: &Db, actor: ActorId) -> Result<Vec<TurnId>, StoreError> {
    db.all(
        "SELECT turns.id FROM turns JOIN checkpoints ON checkpoints.id = turns.checkpoint_id
         WHERE turns.actor_id = :actor AND turns.sealed = 1 AND checkpoints.sealed_commit IS NULL
             AND checkpoints.session_id = turns.actor_id AND checkpoints.turn = turns.number
             AND checkpoints.kind IN ('turn', 'interrupted')
         ORDER BY number",
        named_params! { ":actor": actor.0 },
        |row| Ok(TurnId(row.take()?)),
    )
}

/// What tells an actor's turns apart in a transcript: every prompt that opened or continued one, oldest first.
pub fn marks(db: &Db, actor: ActorId) -> Result<Vec<TurnMark<(TurnId, u64)>>, StoreError> {
    db.all(
        "SELECT id, number, prompt_id, transcript_start, event FROM turns WHERE actor_id = :actor
         UNION ALL SELECT turns.id, number, turn_prompts.prompt_id, turn_prompts.transcript_start, turn_prompts.event
             FROM turns JOIN turn_prompts ON turn_prompts.turn_id = turns.id WHERE actor_id = :actor
         ORDER BY event",
        named_params! { ":actor": actor.0 },
        |row| {
            Ok(TurnMark {
                turn: (TurnId(row.take()?), row.count()?),
                prompt: row.take::<Option<String>>()?.map(PromptId::new),
                start: row.optional_count()?,
            })
        },
    )
}

/// The number of the turn an actor was in at a moment, or had been in last.
pub fn number_at(db: &Db, actor: ActorId, at: Timestamp) -> Result<Option<u64>, StoreError> {
    let number: Option<i64> = db.value(
        "SELECT number FROM turns WHERE actor_id = :actor AND opened_at <= :at ORDER BY number DESC LIMIT 1",
        named_params! { ":actor": actor.0, ":at": at.0 },
    )?;
    Ok(number.and_then(|number| u64::try_from(number).ok()))
}

/// Keeps which checkpoint has the files as they were at the turn's end.
pub fn set_checkpoint(db: &Db, turn: TurnId, checkpoint: &CheckpointId) -> Result<(), StoreError> {
    db.execute(
        "UPDATE turns SET checkpoint_id = :checkpoint WHERE id = :turn",
        named_params! { ":checkpoint": checkpoint.as_str(), ":turn": turn.0 },
    )?;
    Ok(())
}

/// Keeps the agent's last words in a turn, cut.
pub fn set_summary(db: &Db, turn: TurnId, summary: &str) -> Result<(), StoreError> {
    db.execute(
        "UPDATE turns SET summary = :summary WHERE id = :turn",
        named_params! { ":summary": kept(summary, LONGEST_SUMMARY), ":turn": turn.0 },
    )?;
    Ok(())
}
