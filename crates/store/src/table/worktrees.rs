//! Worktrees: the folders a project's files are checked out in.

use crate::StoreError;
use crate::db::{Db, Fields, bytes_of};
use crate::migration::Migration;
use engine::id::{ProjectId, WorktreeId};
use engine::time::Timestamp;
use rusqlite::named_params;
use std::path::{Path, PathBuf};

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    version: 1,
    oldest_reader: 1,
    sql: "CREATE TABLE worktrees (
        id INTEGER PRIMARY KEY,
        project_id INTEGER NOT NULL REFERENCES projects (id),
        root BLOB NOT NULL,
        first_seen INTEGER NOT NULL,
        UNIQUE (project_id, root)
    ) STRICT;",
}];

/// A row of `worktrees`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worktree {
    /// Its row.
    pub id: WorktreeId,
    /// Whose it is.
    pub project: ProjectId,
    /// Its folder.
    pub root: PathBuf,
    /// When its first event came.
    pub first_seen: Timestamp,
}

/// The worktree of a project at this folder, recorded if it is new.
pub fn ensure(db: &Db, project: ProjectId, root: &Path, at: Timestamp) -> Result<WorktreeId, StoreError> {
    let known = db.value(
        "SELECT id FROM worktrees WHERE project_id = :project AND root = :root",
        named_params! { ":project": project.0, ":root": bytes_of(root) },
    )?;
    if let Some(id) = known {
        return Ok(WorktreeId(id));
    }
    let id = db.insert(
        "INSERT INTO worktrees (project_id, root, first_seen) VALUES (:project, :root, :at)",
        named_params! { ":project": project.0, ":root": bytes_of(root), ":at": at.0 },
    )?;
    Ok(WorktreeId(id))
}

/// The worktree in this row.
pub fn by_id(db: &Db, id: WorktreeId) -> Result<Option<Worktree>, StoreError> {
    let sql = "SELECT id, project_id, root, first_seen FROM worktrees WHERE id = :id";
    db.one(sql, named_params! { ":id": id.0 }, read)
}

/// A project's worktrees, oldest first.
pub fn of(db: &Db, project: ProjectId) -> Result<Vec<Worktree>, StoreError> {
    db.all(
        "SELECT id, project_id, root, first_seen FROM worktrees WHERE project_id = :project ORDER BY id",
        named_params! { ":project": project.0 },
        read,
    )
}

fn read(row: &mut Fields<'_>) -> rusqlite::Result<Worktree> {
    Ok(Worktree {
        id: WorktreeId(row.take()?),
        project: ProjectId(row.take()?),
        root: row.path()?,
        first_seen: Timestamp(row.take()?),
    })
}
