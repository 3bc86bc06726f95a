//! What can be undone: rewinds, undos, and commands that destroyed something. There is no table of its own for them.

use super::{Checkpoint, Kind, columns, read};
use crate::StoreError;
use crate::db::{Db, column_of};
use crate::table::checkpoint_files;
use engine::id::{CheckpointId, WorktreeId};
use rusqlite::named_params;

/// Something that can be taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    /// What was done: a `rewind`, or the `before` of a command.
    pub done: Checkpoint,
    /// The state before it, and the id people use to undo it.
    pub before: CheckpointId,
}

impl Operation {
    /// A checkpoint as an operation. A rewind without the state before it cannot be undone.
    fn of(done: Checkpoint) -> Option<Self> {
        let before = match done.kind {
            Kind::Rewind => done.partner.clone()?,
            Kind::Before => done.id.clone(),
            Kind::Baseline
            | Kind::Outside
            | Kind::Step
            | Kind::AgentStart
            | Kind::AgentStop
            | Kind::Turn
            | Kind::Interrupted
            | Kind::BeforeRewind
            | Kind::Manual => return None,
        };
        Some(Self { done, before })
    }
}

/// The operations of a worktree that were not taken back, newest first.
pub fn undoable(db: &Db, worktree: WorktreeId, limit: u64) -> Result<Vec<Operation>, StoreError> {
    let found = db.all(
        concat!(
            "SELECT ",
            columns!(),
            " FROM checkpoints
             WHERE worktree_id = :worktree AND kind IN ('rewind', 'before') AND undone_by IS NULL
                 AND (kind = 'before'
                     OR EXISTS (SELECT 1 FROM checkpoints AS state WHERE state.id = checkpoints.partner))
             ORDER BY seq DESC LIMIT :limit"
        ),
        named_params! { ":worktree": worktree.0, ":limit": column_of(limit) },
        read,
    )?;
    Ok(found.into_iter().filter_map(Operation::of).collect())
}

/// The operation with this id: that of the state before it, or its own.
pub fn operation(db: &Db, id: &CheckpointId) -> Result<Option<Operation>, StoreError> {
    let found = db.one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM checkpoints WHERE (id = :id OR partner = :id) AND kind IN ('rewind', 'before')
             ORDER BY seq DESC LIMIT 1"
        ),
        named_params! { ":id": id.as_str() },
        read,
    )?;
    Ok(found.and_then(Operation::of))
}

/// An operation was taken back at these paths. What it had taken back counts again; what it had given back does not.
pub fn set_undone(
    db: &Db,
    operation: &Operation,
    by: &CheckpointId,
    paths: &[Vec<u8>],
) -> Result<(), StoreError> {
    let done = &operation.done;
    db.execute(
        "UPDATE checkpoints SET undone_by = :by WHERE id = :id",
        named_params! { ":by": by.as_str(), ":id": done.id.as_str() },
    )?;
    for path in paths {
        checkpoint_files::give_back(db, &done.id, path)?;
        if let Some(undone) = &done.undoes {
            checkpoint_files::take_again(db, undone, path, by)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
