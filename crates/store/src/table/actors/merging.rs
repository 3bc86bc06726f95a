//! Two ids of one agent: the row of one says which the other is.

use crate::StoreError;
use crate::db::Db;
use engine::id::{ActorId, ActorKey, AgentId};
use rusqlite::named_params;

/// Why a row ended whose agent goes on in another.
pub(crate) const MERGED: &str = "merged";

/// One row turns out to be another's agent: it ends, and whom it started is the other's. False if it was known before.
pub(crate) fn merge(db: &Db, from: ActorId, into: ActorId) -> Result<bool, StoreError> {
    let merged = db.execute(
        "UPDATE actors SET merged_into = :into, state = 'ended', end_reason = :reason, turn_open = 0, missing_since = NULL
         WHERE id = :from AND merged_into IS NULL",
        named_params! { ":from": from.0, ":into": into.0, ":reason": MERGED },
    )?;
    if merged == 0 {
        return Ok(false);
    }
    db.execute(
        "UPDATE actors SET parent_id = :into WHERE parent_id = :from",
        named_params! { ":from": from.0, ":into": into.0 },
    )?;
    Ok(true)
}

/// The client itself says that this id is an agent: whatever was thought before, it is one of its own.
pub fn part(db: &Db, key: &ActorKey) -> Result<(), StoreError> {
    db.execute(
        "UPDATE actors SET merged_into = NULL
         WHERE agent_kind = :kind AND client_session_id = :session AND agent_id = :agent AND merged_into IS NOT NULL",
        named_params! {
            ":kind": key.agent_kind.as_str(),
            ":session": key.session.as_str(),
            ":agent": key.agent.as_ref().map_or("", AgentId::as_str),
        },
    )?;
    Ok(())
}
