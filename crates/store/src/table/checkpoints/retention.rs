//! Which checkpoints need not be kept, and how one is dropped without losing who did what.

use super::insert::counts;
use super::{Checkpoint, columns, read};
use crate::StoreError;
use crate::db::{Db, column_of};
use crate::file_state::{FileState, columns_of};
use crate::table::checkpoint_files::{self, CheckpointFileChange, FileRow, is_pending};
use crate::table::commit_links;
use engine::id::{ActorId, CheckpointId, CheckpointSeq, FileRowId, ProjectId};
use engine::time::Timestamp;
use rusqlite::named_params;

/// What is kept whatever its age.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// Only in this project.
    pub project: Option<ProjectId>,
    /// Only of this client session, by the row of its main thread.
    pub session: Option<ActorId>,
    /// Steps from then on are kept.
    pub steps_since: Timestamp,
    /// Everything else from then on is kept.
    pub others_since: Timestamp,
    /// What an undo needs is kept from then on.
    pub undo_since: Timestamp,
    /// So many of each session are kept.
    pub keep_last: u64,
}

/// A step that no turn ended with: `t3` is kept as long as turns are.
macro_rules! is_mere_step {
    () => {
        "checkpoints.kind = 'step' AND checkpoints.id NOT IN
             (SELECT checkpoint_id FROM turns WHERE checkpoint_id IS NOT NULL)"
    };
}

/// The checkpoints that need not be kept: steps first, each oldest first.
///
/// Never: what is pinned or pending, what belongs to a session that is open, the last of every session and of every
/// worktree, and what a recent undo needs.
pub fn candidates(db: &Db, retention: &Retention, limit: u64) -> Result<Vec<Checkpoint>, StoreError> {
    db.all(
        concat!(
            "SELECT ",
            columns!(),
            " FROM checkpoints
             JOIN (SELECT seq AS ranked, ROW_NUMBER() OVER (
                     PARTITION BY session_id, IIF(session_id IS NULL, worktree_id, 0) ORDER BY seq DESC) AS place,
                     ROW_NUMBER() OVER (PARTITION BY worktree_id ORDER BY seq DESC) AS on_line
                 FROM checkpoints) ON ranked = checkpoints.seq
             WHERE place > :keep_last AND on_line > 1 AND pinned = 0
                 AND checkpoints.created_at < IIF(",
            is_mere_step!(),
            ", :steps_since, :others_since)
                 AND (checkpoints.kind NOT IN ('before', 'before-rewind', 'rewind')
                     OR checkpoints.created_at < :undo_since)
                 AND (:session IS NULL OR checkpoints.session_id = :session)
                 AND (:project IS NULL OR checkpoints.worktree_id IN
                     (SELECT id FROM worktrees WHERE project_id = :project))
                 AND NOT EXISTS (SELECT 1 FROM actors AS main JOIN actors AS any ON any.agent_kind = main.agent_kind
                         AND any.client_session_id = main.client_session_id
                     WHERE main.id = checkpoints.session_id AND any.state = 'live')
                 AND NOT EXISTS (SELECT 1 FROM checkpoint_files AS files
                     WHERE files.checkpoint_seq = checkpoints.seq AND",
            is_pending!(),
            ")
             ORDER BY NOT (",
            is_mere_step!(),
            "), checkpoints.seq LIMIT :limit"
        ),
        named_params! {
            ":keep_last": column_of(retention.keep_last),
            ":steps_since": retention.steps_since.0,
            ":others_since": retention.others_since.0,
            ":undo_since": retention.undo_since.0,
            ":session": retention.session.map(|id| id.0),
            ":project": retention.project.map(|id| id.0),
            ":limit": column_of(limit),
        },
        read,
    )
}

/// Drops a checkpoint; what it changed is now changed by the next one on the line. False if it cannot be dropped: it is
/// the newest, or the next one changed the same file for somebody else.
///
/// The oldest of a line takes its changes with it: nothing can be rewound to before it.
pub fn drop(db: &Db, id: &CheckpointId) -> Result<bool, StoreError> {
    let Some(dropped) = super::by_id(db, id)? else {
        return Ok(true);
    };
    let Some(next) = next_of(db, &dropped)? else {
        return Ok(false);
    };
    if !is_oldest(db, &dropped)? && !fold(db, &dropped, &next)? {
        return Ok(false);
    }
    commit_links::bequeath(db, id, &heir_of(db, &dropped)?.unwrap_or(next.id))?;
    db.execute(
        "DELETE FROM checkpoints WHERE seq = :seq",
        named_params! { ":seq": dropped.seq.0 },
    )?;
    Ok(true)
}

/// Who holds from now on what a commit was linked to: the session's next checkpoint here.
fn heir_of(db: &Db, dropped: &Checkpoint) -> Result<Option<CheckpointId>, StoreError> {
    let next = db.one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM checkpoints WHERE session_id = :session AND worktree_id = :worktree AND seq > :seq
             ORDER BY seq LIMIT 1"
        ),
        named_params! {
            ":session": dropped.session.map(|id| id.0),
            ":worktree": dropped.worktree.0,
            ":seq": dropped.seq.0,
        },
        read,
    )?;
    Ok(next.map(|next| next.id))
}

/// The next checkpoint on the same line.
pub fn next_of(db: &Db, checkpoint: &Checkpoint) -> Result<Option<Checkpoint>, StoreError> {
    db.one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM checkpoints WHERE worktree_id = :worktree AND seq > :seq ORDER BY seq LIMIT 1"
        ),
        named_params! { ":worktree": checkpoint.worktree.0, ":seq": checkpoint.seq.0 },
        read,
    )
}

fn is_oldest(db: &Db, checkpoint: &Checkpoint) -> Result<bool, StoreError> {
    let has_older = db.exists(
        "SELECT 1 FROM checkpoints WHERE worktree_id = :worktree AND seq < :seq LIMIT 1",
        named_params! { ":worktree": checkpoint.worktree.0, ":seq": checkpoint.seq.0 },
    )?;
    Ok(!has_older)
}

/// Gives the changes of a checkpoint to the next one; false, and nothing is done, where two actors changed one file.
fn fold(db: &Db, dropped: &Checkpoint, next: &Checkpoint) -> Result<bool, StoreError> {
    let (olds, news) = (
        checkpoint_files::of(db, &dropped.id)?,
        checkpoint_files::of(db, &next.id)?,
    );
    let twin = |old: &FileRow| {
        news.iter()
            .find(|new| (&new.file.path, new.file.place) == (&old.file.path, old.file.place))
    };
    if olds
        .iter()
        .any(|old| twin(old).is_some_and(|new| !is_same_doer(old, new)))
    {
        return Ok(false);
    }
    for old in &olds {
        match twin(old) {
            Some(new) => join(db, old, new)?,
            None => give(db, old.id, next.seq)?,
        }
    }
    recount(db, next)?;
    Ok(true)
}

fn is_same_doer(old: &FileRow, new: &FileRow) -> bool {
    (
        old.file.actor,
        old.file.session,
        old.file.origin,
        &old.taken_back_by,
    ) == (
        new.file.actor,
        new.file.session,
        new.file.origin,
        &new.taken_back_by,
    )
}

/// Two changes of one path become one, or none if the second took back the first.
fn join(db: &Db, old: &FileRow, new: &FileRow) -> Result<(), StoreError> {
    let (before, after) = (old.file.before.as_ref(), new.file.after.as_ref());
    let change = match new.file.change {
        CheckpointFileChange::Skipped => Some(CheckpointFileChange::Skipped),
        _ => CheckpointFileChange::between(before, after),
    };
    match change {
        Some(change) => set_before(db, new.id, before, change),
        None => remove(db, new.id),
    }
}

fn set_before(
    db: &Db,
    row: FileRowId,
    before: Option<&FileState>,
    change: CheckpointFileChange,
) -> Result<(), StoreError> {
    let (mode, id, raw) = columns_of(before);
    db.execute(
        "UPDATE checkpoint_files SET before_mode = :mode, before_id = :object, before_raw = :raw, change = :change
         WHERE id = :id",
        named_params! {
            ":mode": mode, ":object": id, ":raw": raw, ":change": change.as_str(), ":id": row.0,
        },
    )?;
    Ok(())
}

fn remove(db: &Db, row: FileRowId) -> Result<(), StoreError> {
    db.execute(
        "DELETE FROM checkpoint_files WHERE id = :id",
        named_params! { ":id": row.0 },
    )?;
    Ok(())
}

fn give(db: &Db, row: FileRowId, to: CheckpointSeq) -> Result<(), StoreError> {
    db.execute(
        "UPDATE checkpoint_files SET checkpoint_seq = :to WHERE id = :id",
        named_params! { ":to": to.0, ":id": row.0 },
    )?;
    Ok(())
}

/// The end of a turn or of an agent's run counts all of it, whatever is folded into it.
fn recount(db: &Db, checkpoint: &Checkpoint) -> Result<(), StoreError> {
    let files = checkpoint_files::account(db, checkpoint)?;
    let counts = counts(files.iter().map(|file| file.change));
    db.execute(
        "UPDATE checkpoints SET added = :added, modified = :modified, deleted = :deleted, skipped = :skipped
         WHERE seq = :seq",
        named_params! {
            ":added": column_of(counts.added),
            ":modified": column_of(counts.modified),
            ":deleted": column_of(counts.deleted),
            ":skipped": column_of(counts.skipped),
            ":seq": checkpoint.seq.0,
        },
    )?;
    Ok(())
}

#[cfg(test)]
mod tests;
