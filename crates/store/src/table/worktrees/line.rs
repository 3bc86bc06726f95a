//! A worktree and its line of checkpoints: which line it has, where HEAD is, and when it was last scanned.

use super::ensure;
use crate::StoreError;
use crate::db::{Db, bytes_of, column_of};
use crate::table::calls;
use engine::id::{EventSeq, ProjectId, WorktreeId};
use engine::time::Timestamp;
use rusqlite::named_params;
use std::path::Path;

/// A worktree as git knows it: the name stays when its folder is moved.
#[derive(Debug, Clone, Copy)]
pub struct GitWorktreeName<'a> {
    /// Whose it is.
    pub project: ProjectId,
    /// Its folder now.
    pub root: &'a Path,
    /// Git's own name, empty for the main worktree.
    pub name: &'a [u8],
    /// Its line in the shadow repository: twelve digits.
    pub line: &'a str,
}

/// The worktree of this name, if its row is at this folder: the common case by far, and its line need not be named.
pub fn known(
    db: &Db,
    project: ProjectId,
    root: &Path,
    name: &[u8],
) -> Result<Option<WorktreeId>, StoreError> {
    let found = db.value(
        "SELECT id FROM worktrees
         WHERE project_id = :project AND root = :root AND name = :name AND line IS NOT NULL",
        named_params! { ":project": project.0, ":root": bytes_of(root), ":name": name },
    )?;
    Ok(found.map(WorktreeId))
}

/// The worktree with this line. One that was moved keeps its row, and with it its checkpoints.
pub fn ensure_named(db: &Db, named: &GitWorktreeName<'_>, at: Timestamp) -> Result<WorktreeId, StoreError> {
    let by_root = of_root(db, named)?;
    if let Some((here, Some(line))) = &by_root
        && line == named.line
    {
        return Ok(*here);
    }
    match (of_line(db, named)?, by_root) {
        (Some(known), here) => {
            if let Some((here, _)) = here {
                set_aside(db, here)?;
            }
            move_to(db, known, named.root)?;
            return Ok(known);
        }
        // The folder was another worktree's, which is gone or elsewhere.
        (None, Some((other, Some(_)))) => set_aside(db, other)?,
        (None, Some((_, None)) | None) => {}
    }
    let id = ensure(db, named.project, named.root, at)?;
    db.execute(
        "UPDATE worktrees SET name = :name, line = :line WHERE id = :id",
        named_params! { ":name": named.name, ":line": named.line, ":id": id.0 },
    )?;
    Ok(id)
}

fn of_line(db: &Db, named: &GitWorktreeName<'_>) -> Result<Option<WorktreeId>, StoreError> {
    let found = db.value(
        "SELECT id FROM worktrees WHERE project_id = :project AND line = :line",
        named_params! { ":project": named.project.0, ":line": named.line },
    )?;
    Ok(found.map(WorktreeId))
}

/// The row at this folder, with the line it has so far.
fn of_root(db: &Db, named: &GitWorktreeName<'_>) -> Result<Option<(WorktreeId, Option<String>)>, StoreError> {
    db.one(
        "SELECT id, line FROM worktrees WHERE project_id = :project AND root = :root",
        named_params! { ":project": named.project.0, ":root": bytes_of(named.root) },
        |row| Ok((WorktreeId(row.take()?), row.take()?)),
    )
}

/// Makes room at a folder. No path has a NUL in it, so nothing is ever found there again.
fn set_aside(db: &Db, id: WorktreeId) -> Result<(), StoreError> {
    db.execute(
        "UPDATE worktrees SET root = CAST(root || x'00' || id AS BLOB) WHERE id = :id",
        named_params! { ":id": id.0 },
    )?;
    Ok(())
}

fn move_to(db: &Db, id: WorktreeId, root: &Path) -> Result<(), StoreError> {
    db.execute(
        "UPDATE worktrees SET root = :root WHERE id = :id",
        named_params! { ":root": bytes_of(root), ":id": id.0 },
    )?;
    Ok(())
}

/// Keeps where HEAD is, and says whether that is another commit than before.
pub fn set_head(
    db: &Db,
    id: WorktreeId,
    head: Option<&str>,
    branch: Option<&str>,
) -> Result<bool, StoreError> {
    let moved = db.exists(
        "SELECT 1 FROM worktrees WHERE id = :id AND head IS NOT :head",
        named_params! { ":id": id.0, ":head": head },
    )?;
    db.execute(
        "UPDATE worktrees SET head = :head, branch = :branch
         WHERE id = :id AND (head IS NOT :head OR branch IS NOT :branch)",
        named_params! { ":head": head, ":branch": branch, ":id": id.0 },
    )?;
    Ok(moved)
}

/// Keeps how far HEAD's reflog was followed, in its reader's words.
pub fn set_reflog(db: &Db, id: WorktreeId, reflog: &str) -> Result<(), StoreError> {
    db.execute(
        "UPDATE worktrees SET reflog = :reflog WHERE id = :id",
        named_params! { ":reflog": reflog, ":id": id.0 },
    )?;
    Ok(())
}

/// A scan that was finished.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FinishedScan {
    /// The newest event when it began.
    pub event: EventSeq,
    /// When it began.
    pub began: Timestamp,
    /// The same in nanoseconds, by the clock that files are dated with.
    pub looked: i64,
    /// How long it took.
    pub took_ms: u64,
}

/// A scan is finished: calls that were over when it began can have written nothing that it did not see.
pub fn scanned(db: &Db, id: WorktreeId, scan: &FinishedScan) -> Result<(), StoreError> {
    db.execute(
        "UPDATE worktrees SET scanned_event = MAX(COALESCE(scanned_event, 0), :event), scan_ms = :took,
             looked = MAX(COALESCE(looked, 0), :looked) WHERE id = :id",
        named_params! {
            ":event": scan.event.0,
            ":took": column_of(scan.took_ms),
            ":looked": scan.looked,
            ":id": id.0,
        },
    )?;
    calls::settle(db, id, scan.event, scan.began)
}
