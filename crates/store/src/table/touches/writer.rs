//! Who wrote a file last, before a checkpoint holds it.

use crate::StoreError;
use crate::db::Db;
use engine::id::{ActorId, EventSeq, TouchId, WorktreeId};
use rusqlite::named_params;

/// Who last wrote a file of a worktree with a tool, and which event told; `None` once a checkpoint holds that.
pub fn last_writer(
    db: &Db,
    worktree: WorktreeId,
    path: &[u8],
) -> Result<Option<(ActorId, EventSeq)>, StoreError> {
    db.one(
        "SELECT actor_id, event_after FROM touches
         WHERE path = :path AND worktree_id = :worktree AND event_after IS NOT NULL AND consumed_by IS NULL
         ORDER BY event_after DESC LIMIT 1",
        named_params! { ":path": path, ":worktree": worktree.0 },
        |row| Ok((ActorId(row.take()?), EventSeq(row.take()?))),
    )
}

/// The touch of an actor whose call is over, where no call named the file since and no checkpoint holds it.
pub fn last_of(
    db: &Db,
    worktree: WorktreeId,
    path: &[u8],
    actor: ActorId,
) -> Result<Option<TouchId>, StoreError> {
    let last = db.one(
        "SELECT id, actor_id, event_after IS NOT NULL AND consumed_by IS NULL FROM touches
         WHERE path = :path AND worktree_id = :worktree ORDER BY id DESC LIMIT 1",
        named_params! { ":path": path, ":worktree": worktree.0 },
        |row| Ok((TouchId(row.take()?), ActorId(row.take()?), row.take::<bool>()?)),
    )?;
    Ok(last
        .filter(|(_, by, is_due)| *by == actor && *is_due)
        .map(|(id, _, _)| id))
}
