//! A worktree's line of checkpoints, and what is learned about one of them after it was made.

use super::{Checkpoint, columns, read};
use crate::StoreError;
use crate::db::Db;
use engine::id::{CheckpointId, ProjectId, WorktreeId};
use rusqlite::named_params;

/// The newest checkpoint of a worktree.
pub fn tip(db: &Db, worktree: WorktreeId) -> Result<Option<Checkpoint>, StoreError> {
    db.one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM checkpoints WHERE worktree_id = :worktree ORDER BY seq DESC LIMIT 1"
        ),
        named_params! { ":worktree": worktree.0 },
        read,
    )
}

/// All checkpoints of a worktree, oldest first.
pub fn line(db: &Db, worktree: WorktreeId) -> Result<Vec<Checkpoint>, StoreError> {
    db.all(
        concat!(
            "SELECT ",
            columns!(),
            " FROM checkpoints WHERE worktree_id = :worktree ORDER BY seq"
        ),
        named_params! { ":worktree": worktree.0 },
        read,
    )
}

/// The newest checkpoint of each session of a project whose files are this tree, newest first.
pub fn with_tree(db: &Db, project: ProjectId, tree: &str) -> Result<Vec<Checkpoint>, StoreError> {
    db.all(
        concat!(
            "SELECT ",
            columns!(),
            " FROM checkpoints WHERE seq IN (SELECT MAX(seq) FROM checkpoints AS same
                 JOIN worktrees ON worktrees.id = same.worktree_id
                 WHERE same.files_tree = :tree AND worktrees.project_id = :project AND same.session_id IS NOT NULL
                 GROUP BY same.session_id)
             ORDER BY seq DESC"
        ),
        named_params! { ":tree": tree, ":project": project.0 },
        read,
    )
}

/// Whether any checkpoint of a project is laid over this commit of the person's: then it is to be kept.
pub fn uses_base(db: &Db, project: ProjectId, commit: &str) -> Result<bool, StoreError> {
    db.exists(
        "SELECT 1 FROM checkpoints JOIN worktrees ON worktrees.id = checkpoints.worktree_id
         WHERE worktrees.project_id = :project AND base_commit = :commit LIMIT 1",
        named_params! { ":project": project.0, ":commit": commit },
    )
}

/// The transcript of its turn is complete, in this commit.
pub fn set_sealed(db: &Db, id: &CheckpointId, commit: &str) -> Result<(), StoreError> {
    db.execute(
        "UPDATE checkpoints SET sealed_commit = :commit WHERE id = :id",
        named_params! { ":commit": commit, ":id": id.as_str() },
    )?;
    Ok(())
}

/// Its line was written anew: it has other commits, with the same trees.
pub fn set_commits(db: &Db, id: &CheckpointId, commit: &str, sealed: Option<&str>) -> Result<(), StoreError> {
    db.execute(
        "UPDATE checkpoints SET commit_id = :commit, sealed_commit = :sealed WHERE id = :id",
        named_params! { ":commit": commit, ":sealed": sealed, ":id": id.as_str() },
    )?;
    Ok(())
}

/// What is known better now: an agent's description comes after its start.
pub fn set_label(db: &Db, id: &CheckpointId, label: &str) -> Result<(), StoreError> {
    db.execute(
        "UPDATE checkpoints SET label = :label WHERE id = :id",
        named_params! { ":label": label, ":id": id.as_str() },
    )?;
    Ok(())
}

/// Keeps a checkpoint for ever, or no longer; false if there is none with this id.
pub fn set_pinned(db: &Db, id: &CheckpointId, pinned: bool) -> Result<bool, StoreError> {
    let changed = db.execute(
        "UPDATE checkpoints SET pinned = :pinned WHERE id = :id",
        named_params! { ":pinned": pinned, ":id": id.as_str() },
    )?;
    Ok(changed > 0)
}
