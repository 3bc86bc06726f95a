//! Changes that are in a commit of the person's.

use crate::StoreError;
use crate::db::Db;
use engine::id::{CheckpointSeq, WorktreeId};
use rusqlite::named_params;

/// A commit holds what was pending at a path up to a checkpoint. Says how many changes that were.
pub fn set_committed(
    db: &Db,
    worktree: WorktreeId,
    path: &[u8],
    up_to: CheckpointSeq,
    commit: &str,
) -> Result<usize, StoreError> {
    db.execute(
        "UPDATE checkpoint_files SET committed_in = :commit
         WHERE worktree_id = :worktree AND path = :path AND checkpoint_seq <= :up_to
             AND committed_in IS NULL AND taken_back_by IS NULL AND session_id IS NOT NULL AND place = 'files'
             AND change <> 'skipped' AND origin <> 'rewind'",
        named_params! { ":commit": commit, ":worktree": worktree.0, ":path": path, ":up_to": up_to.0 },
    )
}

/// Another commit took the place of the one that held changes.
pub fn set_recommitted(db: &Db, worktree: WorktreeId, old: &str, new: &str) -> Result<usize, StoreError> {
    db.execute(
        "UPDATE checkpoint_files SET committed_in = :new WHERE committed_in = :old AND worktree_id = :worktree",
        named_params! { ":new": new, ":old": old, ":worktree": worktree.0 },
    )
}

/// The commit that held changes at a path is no longer part of the branch: they are pending again.
pub fn set_uncommitted(
    db: &Db,
    worktree: WorktreeId,
    commit: &str,
    path: &[u8],
) -> Result<usize, StoreError> {
    db.execute(
        "UPDATE checkpoint_files SET committed_in = NULL
         WHERE committed_in = :commit AND worktree_id = :worktree AND path = :path",
        named_params! { ":commit": commit, ":worktree": worktree.0, ":path": path },
    )
}
