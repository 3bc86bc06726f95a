//! How windows open, follow one another and end.

use crate::StoreError;
use crate::client::ClientProcess;
use crate::db::{Db, bytes_of};
use engine::event::StartSource;
use engine::id::{ActorId, SessionId, WorktreeId};
use engine::time::Timestamp;
use rusqlite::named_params;
use std::path::Path;

/// What a reported start says about its window.
pub(crate) struct WindowStart<'a> {
    pub source: &'a StartSource,
    pub model: Option<&'a str>,
    pub previous: Option<SessionId>,
    pub at: Timestamp,
}

/// A window nobody reported the start of.
pub(super) fn create(
    db: &Db,
    actor: ActorId,
    worktree: Option<WorktreeId>,
    client: &ClientProcess,
    transcript: Option<&Path>,
    at: Timestamp,
) -> Result<SessionId, StoreError> {
    let id = db.insert(
        "INSERT INTO sessions (actor_id, worktree_id, client_session_id, prev_session_id, parent_session_id, source,
             opened_at, transcript_path, client_pid, client_pid_started)
         SELECT id, :worktree, client_session_id,
             (SELECT MAX(own.id) FROM sessions AS own WHERE own.actor_id = :actor),
             (SELECT parent.id FROM sessions AS parent
              WHERE parent.actor_id = actors.parent_id AND parent.ended_at IS NULL),
             'unseen', :at, :transcript, :pid, :started
         FROM actors WHERE id = :actor",
        named_params! {
            ":actor": actor.0,
            ":worktree": worktree.map(|id| id.0),
            ":at": at.0,
            ":transcript": transcript.map(bytes_of),
            ":pid": client.pid_column(),
            ":started": client.started_column(),
        },
    )?;
    Ok(SessionId(id))
}

/// A window after another of the same actor, in the same place and process.
pub(crate) fn follow(db: &Db, from: SessionId, opening: &WindowStart<'_>) -> Result<SessionId, StoreError> {
    let id = db.insert(
        "INSERT INTO sessions (actor_id, worktree_id, client_session_id, prev_session_id, parent_session_id, source,
             model, opened_at, transcript_path, client_pid, client_pid_started, attended, entrypoint, env, identity)
         SELECT actor_id, worktree_id, client_session_id, :previous, parent_session_id, :source, :model, :at,
             transcript_path, client_pid, client_pid_started, attended, entrypoint, env, identity
         FROM sessions WHERE id = :from",
        named_params! {
            ":previous": opening.previous.map(|id| id.0),
            ":source": opening.source.as_str(),
            ":model": opening.model,
            ":at": opening.at.0,
            ":from": from.0,
        },
    )?;
    Ok(SessionId(id))
}

/// Gives a window that events opened before its start was reported the start it belongs to.
pub(crate) fn adopt(db: &Db, id: SessionId, opening: &WindowStart<'_>) -> Result<(), StoreError> {
    db.execute(
        "UPDATE sessions SET source = :source, model = :model, prev_session_id = :previous WHERE id = :id",
        named_params! {
            ":source": opening.source.as_str(),
            ":model": opening.model,
            ":previous": opening.previous.map(|id| id.0),
            ":id": id.0,
        },
    )?;
    Ok(())
}

/// Whether a window's start is still unknown and nothing was done in it.
pub(crate) fn is_untouched(db: &Db, id: SessionId) -> Result<bool, StoreError> {
    let found = db.value(
        "SELECT source = 'unseen'
             AND NOT EXISTS (SELECT 1 FROM turns WHERE turns.session_id = sessions.id)
             AND NOT EXISTS (SELECT 1 FROM events WHERE events.actor_id = sessions.actor_id
                 AND events.tool_use_id IS NOT NULL AND events.session_id = sessions.id)
         FROM sessions WHERE id = :id",
        named_params! { ":id": id.0 },
    )?;
    Ok(found.unwrap_or(false))
}

/// The actor's window before this one.
pub(crate) fn previous_of(db: &Db, id: SessionId) -> Result<Option<SessionId>, StoreError> {
    let found = db.value::<Option<i64>>(
        "SELECT MAX(before.id) FROM sessions AS own
         JOIN sessions AS before ON before.actor_id = own.actor_id AND before.id < own.id WHERE own.id = :id",
        named_params! { ":id": id.0 },
    )?;
    Ok(found.flatten().map(SessionId))
}

/// The newest window of a main thread in this process, other than one.
pub(crate) fn latest_of_process(
    db: &Db,
    client: &ClientProcess,
    except: SessionId,
) -> Result<Option<SessionId>, StoreError> {
    let found = db.value(
        "SELECT sessions.id FROM sessions JOIN actors ON actors.id = sessions.actor_id
         WHERE client_pid = :pid AND client_pid_started = :started AND agent_id = '' AND sessions.id <> :except
         ORDER BY sessions.id DESC LIMIT 1",
        named_params! {
            ":pid": client.pid_column(), ":started": client.started_column(), ":except": except.0,
        },
    )?;
    Ok(found.map(SessionId))
}

/// Ends the open window of an actor.
pub(crate) fn end_of_actor(db: &Db, actor: ActorId, reason: &str, at: Timestamp) -> Result<(), StoreError> {
    db.execute(
        "UPDATE sessions SET ended_at = :at, end_reason = :reason WHERE actor_id = :actor AND ended_at IS NULL",
        named_params! { ":at": at.0, ":reason": reason, ":actor": actor.0 },
    )?;
    Ok(())
}
