//! The project's structure as it was captured for a window.

use crate::StoreError;
use crate::db::Db;
use engine::id::{ActorId, SessionId};
use rusqlite::named_params;

/// Keeps the project's structure as it was captured for this window, as JSON.
pub fn set_structure(db: &Db, id: SessionId, structure: &str) -> Result<(), StoreError> {
    db.execute(
        "UPDATE sessions SET structure = :structure WHERE id = :id",
        named_params! { ":structure": structure, ":id": id.0 },
    )?;
    Ok(())
}

/// The project's structure as it was captured for this window.
pub fn structure(db: &Db, id: SessionId) -> Result<Option<String>, StoreError> {
    let found = db.value(
        "SELECT structure FROM sessions WHERE id = :id",
        named_params! { ":id": id.0 },
    )?;
    Ok(found.flatten())
}

/// The structure that was captured last for an actor: a window that goes on with an older one has none of its own.
pub fn captured(db: &Db, actor: ActorId) -> Result<Option<String>, StoreError> {
    db.value(
        "SELECT structure FROM sessions WHERE actor_id = :actor AND structure IS NOT NULL ORDER BY id DESC LIMIT 1",
        named_params! { ":actor": actor.0 },
    )
}

/// The newest window of an actor.
pub fn newest_of(db: &Db, actor: ActorId) -> Result<Option<SessionId>, StoreError> {
    let id = db.value(
        "SELECT id FROM sessions WHERE actor_id = :actor ORDER BY id DESC LIMIT 1",
        named_params! { ":actor": actor.0 },
    )?;
    Ok(id.map(SessionId))
}
