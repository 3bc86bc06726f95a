//! Worktrees: the folders a project's files are checked out in.

use crate::StoreError;
use crate::db::{Db, RowFields, bytes_of};
use crate::migration::Migration;
use engine::id::{EventSeq, ProjectId, WorktreeId};
use engine::time::Timestamp;
use rusqlite::named_params;
use std::path::{Path, PathBuf};

mod line;

pub use line::{FinishedScan, GitWorktreeName, ensure_named, known, scanned, set_head, set_reflog};

pub(crate) const MIGRATIONS: &[Migration] = &[
    Migration {
        version: 1,
        oldest_reader: 1,
        sql: "CREATE TABLE worktrees (
        id INTEGER PRIMARY KEY,
        project_id INTEGER NOT NULL REFERENCES projects (id),
        root BLOB NOT NULL,
        first_seen INTEGER NOT NULL,
        UNIQUE (project_id, root)
    ) STRICT;",
    },
    Migration {
        version: 2,
        oldest_reader: 1,
        sql: "ALTER TABLE worktrees ADD COLUMN name BLOB; -- git's own; empty for the main worktree
    ALTER TABLE worktrees ADD COLUMN line TEXT; -- twelve digits: its line in the shadow repository
    ALTER TABLE worktrees ADD COLUMN head TEXT;
    ALTER TABLE worktrees ADD COLUMN branch TEXT;
    ALTER TABLE worktrees ADD COLUMN reflog TEXT; -- how far HEAD's reflog was followed, in its reader's words
    ALTER TABLE worktrees ADD COLUMN scanned_event INTEGER; -- the newest event when the last finished scan began
    ALTER TABLE worktrees ADD COLUMN scan_ms INTEGER;",
    },
    Migration {
        version: 6,
        oldest_reader: 1,
        sql: "ALTER TABLE worktrees ADD COLUMN looked INTEGER; -- when the last finished scan began, as files are dated",
    },
];

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
    /// Git's own name of it, empty for the main worktree; `None` until it was looked up.
    pub name: Option<Vec<u8>>,
    /// Its line in the shadow repository: twelve digits.
    pub line: Option<String>,
    /// Where HEAD was when it was last looked up.
    pub head: Option<String>,
    /// The branch HEAD was on then.
    pub branch: Option<String>,
    /// How far HEAD's reflog was followed, in its reader's words.
    pub reflog: Option<String>,
    /// The newest event when the last finished scan began.
    pub scanned_event: Option<EventSeq>,
    /// How long that scan took.
    pub scan_ms: Option<u64>,
    /// When it began, in nanoseconds since 1970, by the clock that files are dated with.
    pub looked: Option<i64>,
}

macro_rules! columns {
    () => {
        "id, project_id, root, first_seen, name, line, head, branch, reflog, scanned_event, scan_ms, looked"
    };
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
    let sql = concat!("SELECT ", columns!(), " FROM worktrees WHERE id = :id");
    db.one(sql, named_params! { ":id": id.0 }, read)
}

/// When the event came that the last finished scan covers.
pub fn scanned_event_at(db: &Db, id: WorktreeId) -> Result<Option<Timestamp>, StoreError> {
    let at = db.value(
        "SELECT events.at FROM worktrees JOIN events ON events.seq = worktrees.scanned_event
        WHERE worktrees.id = :id",
        named_params! { ":id": id.0 },
    )?;
    Ok(at.map(Timestamp))
}

/// A project's worktrees, oldest first.
pub fn of(db: &Db, project: ProjectId) -> Result<Vec<Worktree>, StoreError> {
    db.all(
        concat!(
            "SELECT ",
            columns!(),
            " FROM worktrees WHERE project_id = :project ORDER BY id"
        ),
        named_params! { ":project": project.0 },
        read,
    )
}

fn read(row: &mut RowFields<'_>) -> rusqlite::Result<Worktree> {
    Ok(Worktree {
        id: WorktreeId(row.take()?),
        project: ProjectId(row.take()?),
        root: row.path()?,
        first_seen: Timestamp(row.take()?),
        name: row.take()?,
        line: row.take()?,
        head: row.take()?,
        branch: row.take()?,
        reflog: row.take()?,
        scanned_event: row.take::<Option<_>>()?.map(EventSeq),
        scan_ms: row.optional_count()?,
        looked: row.take()?,
    })
}

#[cfg(test)]
mod tests;
