//! Which changes a commit of the person's holds, row by row: what linking commits asks and records.

use super::{FileRow, columns, joins, read};
use crate::StoreError;
use crate::db::Db;
use engine::id::{ActorId, CheckpointSeq, FileRowId, WorktreeId};
use rusqlite::named_params;

/// Older commits at one path have nothing to do with a new one.
const MOST_COMMITS: i64 = 20;

/// The changes of sessions that a commit holds, oldest first.
pub fn held_by(db: &Db, worktree: WorktreeId, commit: &str) -> Result<Vec<FileRow>, StoreError> {
    db.all(
        concat!(
            "SELECT ",
            columns!(),
            " FROM checkpoint_files AS files JOIN checkpoints ON checkpoints.seq = files.checkpoint_seq",
            joins!(),
            "WHERE files.committed_in = :commit AND files.worktree_id = :worktree AND files.session_id IS NOT NULL
                 AND files.taken_back_by IS NULL
             ORDER BY files.checkpoint_seq, files.path"
        ),
        named_params! { ":commit": commit, ":worktree": worktree.0 },
        read,
    )
}

/// The commits that hold changes of sessions at a path, the newest changes first.
pub fn commits_at(db: &Db, worktree: WorktreeId, path: &[u8]) -> Result<Vec<String>, StoreError> {
    db.values(
        "SELECT committed_in FROM checkpoint_files
         WHERE path = :path AND worktree_id = :worktree AND committed_in IS NOT NULL AND session_id IS NOT NULL
         GROUP BY committed_in ORDER BY MAX(checkpoint_seq) DESC LIMIT :most",
        named_params! { ":path": path, ":worktree": worktree.0, ":most": MOST_COMMITS },
    )
}

/// A commit holds this change, whichever did before.
pub fn set_held(db: &Db, row: FileRowId, commit: &str) -> Result<(), StoreError> {
    db.execute(
        "UPDATE checkpoint_files SET committed_in = :commit WHERE id = :id",
        named_params! { ":commit": commit, ":id": row.0 },
    )?;
    Ok(())
}

/// Whether a session had changed anything by a checkpoint.
pub fn has_work(db: &Db, session: ActorId, up_to: CheckpointSeq) -> Result<bool, StoreError> {
    db.exists(
        "SELECT 1 FROM checkpoints JOIN checkpoint_files AS files ON files.checkpoint_seq = checkpoints.seq
         WHERE checkpoints.session_id = :session AND checkpoints.seq <= :up_to AND files.session_id = :session
             AND files.place = 'files' AND files.change <> 'skipped' AND files.origin <> 'rewind'
         LIMIT 1",
        named_params! { ":session": session.0, ":up_to": up_to.0 },
    )
}

#[cfg(test)]
mod tests;
