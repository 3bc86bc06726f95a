//! Conversations: what all windows and agents of one client session share. Kept on the row of its main thread.

use super::{Actor, ActorState, Sighting, by_key, columns, end, ensure, read};
use crate::StoreError;
use crate::db::{Db, RowFields};
use engine::id::{ActorId, ActorKey, AgentKind, ClientSessionId, WorktreeId};
use engine::time::Timestamp;
use rusqlite::named_params;

/// A client session as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conversation {
    /// The row of its main thread.
    pub session: ActorId,
    /// Which agent program.
    pub agent_kind: AgentKind,
    /// The client's id.
    pub client_session: ClientSessionId,
    /// The name it keeps, whatever day it is; `None` for sessions from before there were names.
    pub alias: Option<String>,
    /// The session it is a copy of.
    pub forked_from: Option<ClientSessionId>,
    /// Where its main thread works.
    pub worktree: Option<WorktreeId>,
    /// Whether its main thread is at work.
    pub state: ActorState,
    /// Its main thread is in the middle of a turn.
    pub turn_open: bool,
    /// Its first event.
    pub first_seen: Timestamp,
    /// The newest event of its main thread.
    pub last_seen: Timestamp,
}

macro_rules! conversation_columns {
    () => {
        "id, agent_kind, client_session_id, alias, forked_from, worktree_id, state, turn_open, first_seen, last_seen"
    };
}

/// The row of the main thread of an actor's session; made where only its agents were heard of.
pub fn main_of(db: &Db, actor: &Actor) -> Result<ActorId, StoreError> {
    if actor.key.agent.is_none() {
        return Ok(actor.id);
    }
    let key = actor.key.main();
    if let Some(main) = by_key(db, &key)? {
        return Ok(main.id);
    }
    let sighting = Sighting {
        key: &key,
        agent_type: None,
        project: actor.project,
        worktree: actor.worktree,
        cwd: actor.cwd.as_deref(),
        at: actor.last_seen,
        boot: None,
    };
    Ok(ensure(db, &sighting)?.id)
}

/// The name of a session: the day it was first seen and the client's id. It is made once and never changes.
pub fn fix_alias(db: &Db, session: ActorId, local_date: &str) -> Result<String, StoreError> {
    let alias = db.value(
        "UPDATE actors SET alias = COALESCE(alias, :date || '-' || client_session_id) WHERE id = :id RETURNING alias",
        named_params! { ":date": local_date, ":id": session.0 },
    )?;
    alias.ok_or(StoreError::Corrupt)
}

/// Records which session this one is a copy of. What is known stays.
pub fn set_forked_from(db: &Db, session: ActorId, from: &ClientSessionId) -> Result<(), StoreError> {
    db.execute(
        "UPDATE actors SET forked_from = :from WHERE id = :id AND forked_from IS NULL",
        named_params! { ":from": from.as_str(), ":id": session.0 },
    )?;
    Ok(())
}

/// Records a session that is about to begin as a copy of another. It is not at work before its first event.
pub fn record_fork(
    db: &Db,
    original: &Actor,
    copy: &ClientSessionId,
    at: Timestamp,
) -> Result<ActorId, StoreError> {
    let key = ActorKey {
        session: copy.clone(),
        ..original.key.main()
    };
    let sighting = Sighting {
        key: &key,
        agent_type: None,
        project: original.project,
        worktree: original.worktree,
        cwd: original.cwd.as_deref(),
        at,
        boot: None,
    };
    let made = ensure(db, &sighting)?;
    end(db, made.id, ActorState::Ended, "not begun")?;
    set_forked_from(db, made.id, &original.key.session)?;
    Ok(made.id)
}

/// The session with this main thread.
pub fn conversation(db: &Db, session: ActorId) -> Result<Option<Conversation>, StoreError> {
    let sql = concat!("SELECT ", conversation_columns!(), " FROM actors WHERE id = :id");
    db.one(sql, named_params! { ":id": session.0 }, read_conversation)
}

/// The sessions whose name or client's id begins with a text, newest activity first.
pub fn conversations_like(db: &Db, beginning: &str) -> Result<Vec<Conversation>, StoreError> {
    db.all(
        concat!(
            "SELECT ",
            conversation_columns!(),
            " FROM actors
             WHERE agent_id = '' AND agent_kind <> 'person' AND (substr(client_session_id, 1, length(:text)) = :text
                 OR substr(alias, 1, length(:text)) = :text)
             ORDER BY last_seen DESC, id DESC"
        ),
        named_params! { ":text": beginning },
        read_conversation,
    )
}

/// The sessions whose main thread is at work in a worktree, newest activity first.
pub fn conversations_in(db: &Db, worktree: WorktreeId) -> Result<Vec<Conversation>, StoreError> {
    db.all(
        concat!(
            "SELECT ",
            conversation_columns!(),
            " FROM actors WHERE worktree_id = :worktree AND agent_id = '' AND agent_kind <> 'person' AND state = 'live'
             ORDER BY last_seen DESC, id DESC"
        ),
        named_params! { ":worktree": worktree.0 },
        read_conversation,
    )
}

/// The subagents of a session whose id begins with a text, newest activity first.
pub fn agents_like(db: &Db, key: &ActorKey, beginning: &str) -> Result<Vec<Actor>, StoreError> {
    db.all(
        concat!(
            "SELECT ",
            columns!(),
            " FROM actors WHERE agent_kind = :kind AND client_session_id = :session AND agent_id <> ''
                 AND substr(agent_id, 1, length(:text)) = :text
             ORDER BY last_seen DESC, id DESC"
        ),
        named_params! {
            ":kind": key.agent_kind.as_str(),
            ":session": key.session.as_str(),
            ":text": beginning,
        },
        read,
    )
}

/// A subagent's start was reported: the number of its run. One that already runs goes on with its own.
pub fn begin_run(db: &Db, actor: &Actor) -> Result<u64, StoreError> {
    let is_new = actor.run == 0 || actor.was != ActorState::Live;
    db.number(
        "UPDATE actors SET run = run + :more WHERE id = :id RETURNING run",
        named_params! { ":more": i64::from(is_new), ":id": actor.id.0 },
    )
}

fn read_conversation(row: &mut RowFields<'_>) -> rusqlite::Result<Conversation> {
    Ok(Conversation {
        session: ActorId(row.take()?),
        agent_kind: AgentKind::new(row.take::<String>()?),
        client_session: ClientSessionId::new(row.take::<String>()?),
        alias: row.take()?,
        forked_from: row.take::<Option<String>>()?.map(ClientSessionId::new),
        worktree: row.take::<Option<_>>()?.map(WorktreeId),
        state: ActorState::parse(&row.take::<String>()?),
        turn_open: row.take()?,
        first_seen: Timestamp(row.take()?),
        last_seen: Timestamp(row.take()?),
    })
}

#[cfg(test)]
mod tests;
