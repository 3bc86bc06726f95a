//! Which turn something belongs to: by its prompt, by its event, by what launched it.

use super::{Turn, columns, read};
use crate::StoreError;
use crate::db::{Db, column_of};
use engine::event::BackgroundReport;
use engine::id::{ActorId, ActorKey, EventSeq, PromptId, ToolUseId, TurnId};
use rusqlite::named_params;

/// A turn without its prompt, which may be long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Current {
    /// Its row.
    pub id: TurnId,
    /// Counted from one.
    pub number: u64,
    /// The agent is in it.
    pub is_open: bool,
    /// The client's id of the person's prompt.
    pub prompt_id: Option<PromptId>,
}

/// The turn an actor is in, else its newest.
pub fn current(db: &Db, actor: ActorId) -> Result<Option<Current>, StoreError> {
    // Two look-ups by index: in one order, every turn of a long session would be stepped through.
    db.one(
        "SELECT id, number, state = 'open', prompt_id FROM turns WHERE id = COALESCE(
             (SELECT id FROM turns WHERE actor_id = :actor AND state = 'open'),
             (SELECT id FROM turns WHERE actor_id = :actor ORDER BY number DESC LIMIT 1))",
        named_params! { ":actor": actor.0 },
        |row| {
            Ok(Current {
                id: TurnId(row.take()?),
                number: row.count()?,
                is_open: row.take()?,
                prompt_id: row.take::<Option<String>>()?.map(PromptId::new),
            })
        },
    )
}

/// The actor's turn that a prompt opened or continued, the newest if several claim it.
pub fn of_prompt(db: &Db, actor: ActorId, prompt: &PromptId) -> Result<Option<Turn>, StoreError> {
    db.one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM turns WHERE actor_id = :actor AND (prompt_id = :prompt
                 OR id IN (SELECT turn_id FROM turn_prompts WHERE prompt_id = :prompt))
             ORDER BY number DESC LIMIT 1"
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
             (SELECT MAX(number) FROM turns JOIN events ON events.seq = :event
                 WHERE turns.actor_id = :actor AND (turns.prompt_id = events.prompt_id
                     OR turns.id IN (SELECT turn_id FROM turn_prompts WHERE prompt_id = events.prompt_id))),
             (SELECT MAX(number) FROM turns WHERE actor_id = :actor AND event <= :event))",
        named_params! { ":actor": actor.0, ":event": event.0 },
    )?;
    Ok(number.flatten().and_then(|number| u64::try_from(number).ok()))
}

/// The number of the turn that an event of an actor's session belongs to: an agent's to the prompt it was started for.
pub fn number_for(db: &Db, actor: ActorId, prompt: Option<&PromptId>) -> Result<Option<u64>, StoreError> {
    let current = current(db, actor)?;
    let (Some(prompt), Some(now)) = (prompt, &current) else {
        return Ok(current.map(|turn| turn.number));
    };
    if now.prompt_id.as_ref() != Some(prompt)
        && let Some(other) = of_prompt(db, actor, prompt)?
    {
        return Ok(Some(other.number));
    }
    Ok(current.map(|turn| turn.number))
}

/// Whether an event belongs to a turn that goes on although a later one has begun; without an event, now.
pub fn is_behind_a_later_one(
    db: &Db,
    actor: ActorId,
    number: u64,
    event: Option<EventSeq>,
) -> Result<bool, StoreError> {
    db.exists(
        "SELECT 1 FROM turns WHERE actor_id = :actor AND number > :number AND (:event IS NULL OR event < :event)",
        named_params! { ":actor": actor.0, ":number": column_of(number), ":event": event.map(|event| event.0) },
    )
}

/// The turn whose call launched what is reported; the current one where nobody knows that call.
pub(crate) fn launching(
    db: &Db,
    (actor, key): (ActorId, &ActorKey),
    report: &BackgroundReport,
) -> Result<Option<TurnId>, StoreError> {
    let call: Option<Option<i64>> = db.value(
        "SELECT MAX(event) FROM (
             SELECT calls.event FROM actors
                 JOIN events ON events.actor_id = actors.id AND events.tool_use_id = :call
                 JOIN calls ON calls.event = events.seq
                 WHERE actors.agent_kind = :kind AND actors.client_session_id = :session
             UNION ALL SELECT calls.event FROM calls JOIN actors ON actors.id = calls.actor_id
                 WHERE calls.task = :task AND actors.agent_kind = :kind AND actors.client_session_id = :session)",
        named_params! {
            ":kind": key.agent_kind.as_str(),
            ":session": key.session.as_str(),
            ":call": report.call.as_ref().map(ToolUseId::as_str),
            ":task": report.task,
        },
    )?;
    let number = match call.flatten() {
        Some(event) => number_of_event(db, actor, EventSeq(event))?,
        None => None,
    };
    let found = match number {
        Some(number) => super::numbered(db, actor, number)?.map(|turn| turn.id),
        None => None,
    };
    match found {
        Some(found) => Ok(Some(found)),
        None => Ok(current(db, actor)?.map(|turn| turn.id)),
    }
}
