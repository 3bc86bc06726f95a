//! Who has what: a file, a worktree, an actor's hands.

use super::{Lease, columns, read, worktree_column};
use crate::db::{Db, column_of};
use crate::{StoreError, pattern};
use engine::id::{ActorId, ProjectId, WorktreeId};
use engine::lease::FileKey;
use engine::lease::held::WHOLE_TREE;
use rusqlite::named_params;
use std::path::PathBuf;

/// The live `edit` lease on a file, by its path or by its links.
pub fn held(db: &Db, key: &FileKey) -> Result<Option<Lease>, StoreError> {
    let worktree = worktree_column(key.worktree);
    let by_path = db.one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM leases WHERE worktree_id = :worktree AND path = :path AND kind = 'edit' AND ended_at IS NULL"
        ),
        named_params! { ":worktree": worktree, ":path": key.path },
        read,
    )?;
    let (None, Some(file)) = (&by_path, &key.file_id) else {
        return Ok(by_path);
    };
    db.one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM leases WHERE worktree_id = :worktree AND file_id = :file AND kind = 'edit' AND ended_at IS NULL"
        ),
        named_params! { ":worktree": worktree, ":file": file },
        read,
    )
}

/// The live lease on a whole worktree.
pub fn everything(db: &Db, worktree: Option<WorktreeId>) -> Result<Option<Lease>, StoreError> {
    if worktree.is_none() {
        return Ok(None);
    }
    let found = db.one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM leases WHERE worktree_id = :worktree AND path = :path AND kind = 'edit' AND ended_at IS NULL"
        ),
        named_params! { ":worktree": worktree_column(worktree), ":path": WHOLE_TREE },
        read,
    )?;
    Ok(found.filter(Lease::is_everything))
}

/// The live `edit` leases of a worktree, oldest first, `**` included.
pub fn in_worktree(db: &Db, worktree: Option<WorktreeId>) -> Result<Vec<Lease>, StoreError> {
    db.all(
        concat!(
            "SELECT ",
            columns!(),
            " FROM leases WHERE worktree_id = :worktree AND kind = 'edit' AND ended_at IS NULL ORDER BY id"
        ),
        named_params! { ":worktree": worktree_column(worktree) },
        read,
    )
}

/// The live `edit` leases on files below a folder of a worktree, by path; `""` is the worktree itself.
pub fn below(db: &Db, worktree: WorktreeId, folder: &str) -> Result<Vec<Lease>, StoreError> {
    let folder = folder.trim_end_matches('/');
    // Whatever lies below begins with the folder and a slash; `0` is the letter after it.
    let (from, to) = if folder.is_empty() {
        (String::new(), "\u{10ffff}".to_owned())
    } else {
        (format!("{folder}/"), format!("{folder}0"))
    };
    db.all(
        concat!(
            "SELECT ",
            columns!(),
            " FROM leases WHERE worktree_id = :worktree AND path >= :from AND path < :to AND kind = 'edit'
                 AND ended_at IS NULL AND pattern IS NULL
             ORDER BY path"
        ),
        named_params! { ":worktree": worktree.0, ":from": from, ":to": to },
        read,
    )
}

/// The live leases an actor owns or has borrowed, oldest first. Those it has lent are among them.
pub fn held_by(db: &Db, actor: ActorId) -> Result<Vec<Lease>, StoreError> {
    db.all(
        concat!(
            "SELECT ",
            columns!(),
            " FROM leases WHERE id IN (
                 SELECT id FROM leases WHERE actor_id = :actor AND ended_at IS NULL
                 UNION ALL
                 SELECT id FROM leases WHERE lent_to = :actor AND ended_at IS NULL AND lent_to IS NOT NULL)
             ORDER BY id"
        ),
        named_params! { ":actor": actor.0 },
        read,
    )
}

/// Live `edit` leases on the same path in other worktrees of a project, oldest first.
pub fn elsewhere(db: &Db, project: ProjectId, key: &FileKey, most: u64) -> Result<Vec<Lease>, StoreError> {
    db.all(
        concat!(
            "SELECT ",
            columns!(),
            " FROM leases WHERE project_id = :project AND path = :path AND kind = 'edit' AND ended_at IS NULL
                 AND worktree_id <> :worktree AND worktree_id <> 0 AND pattern IS NULL
             ORDER BY id LIMIT :most"
        ),
        named_params! {
            ":project": project.0,
            ":path": key.path,
            ":worktree": worktree_column(key.worktree),
            ":most": column_of(most),
        },
        read,
    )
}

/// The live reservations of a worktree, oldest first.
pub fn reservations(db: &Db, worktree: Option<WorktreeId>) -> Result<Vec<Lease>, StoreError> {
    db.all(
        concat!(
            "SELECT ",
            columns!(),
            " FROM leases WHERE worktree_id = :worktree AND kind = 'reserve' AND ended_at IS NULL ORDER BY id"
        ),
        named_params! { ":worktree": worktree_column(worktree) },
        read,
    )
}

/// The live reservations that cover a file, oldest first.
pub fn reservations_over(db: &Db, key: &FileKey) -> Result<Vec<Lease>, StoreError> {
    let mut found = reservations(db, key.worktree)?;
    found.retain(|lease| pattern::covers(&lease.key.path, &key.path));
    Ok(found)
}

/// The last lease on a file that is over, if nobody holds it now.
pub fn newest_ended(db: &Db, key: &FileKey) -> Result<Option<Lease>, StoreError> {
    if held(db, key)?.is_some() {
        return Ok(None);
    }
    db.one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM leases WHERE worktree_id = :worktree AND path = :path AND ended_at IS NOT NULL AND kind = 'edit'
             ORDER BY id DESC LIMIT 1"
        ),
        named_params! { ":worktree": worktree_column(key.worktree), ":path": key.path },
        read,
    )
}

/// The files of a project that are leased, by the roots of their worktrees: what a command may be about to change under
/// somebody, or may have changed.
pub fn held_files(db: &Db, project: ProjectId, most: u64) -> Result<Vec<(PathBuf, String)>, StoreError> {
    db.all(
        "SELECT worktrees.root, leases.path FROM leases JOIN worktrees ON worktrees.id = leases.worktree_id
         WHERE leases.project_id = :project AND kind = 'edit' AND ended_at IS NULL AND pattern IS NULL
         ORDER BY leases.path LIMIT :most",
        named_params! { ":project": project.0, ":most": column_of(most) },
        |row| Ok((row.path()?, row.take()?)),
    )
}
