//! What happened to the files of a worktree since a checkpoint: what a rewind is planned from.

use super::{ChangeOrigin, FileRow, columns, joins, read};
use crate::StoreError;
use crate::db::Db;
use engine::id::{CheckpointSeq, ToolUseId, WorktreeId};
use rusqlite::named_params;

/// Why a path was last not captured; `None` if it was captured since, or never changed.
pub fn last_skip(db: &Db, worktree: WorktreeId, path: &[u8]) -> Result<Option<String>, StoreError> {
    let reason: Option<Option<String>> = db.value(
        "SELECT skip_reason FROM checkpoint_files WHERE worktree_id = :worktree AND path = :path
         ORDER BY checkpoint_seq DESC LIMIT 1",
        named_params! { ":worktree": worktree.0, ":path": path },
    )?;
    Ok(reason.flatten())
}

/// The paths that were there at a checkpoint and not captured, each with the reason.
pub fn skipped_at(
    db: &Db,
    worktree: WorktreeId,
    up_to: CheckpointSeq,
) -> Result<Vec<(Vec<u8>, String)>, StoreError> {
    db.all(
        "SELECT path, skip_reason FROM checkpoint_files AS files
         WHERE worktree_id = :worktree AND checkpoint_seq <= :up_to AND skip_reason IS NOT NULL
             AND NOT EXISTS (SELECT 1 FROM checkpoint_files AS later
                 WHERE later.path = files.path AND later.worktree_id = files.worktree_id
                     AND later.checkpoint_seq > files.checkpoint_seq AND later.checkpoint_seq <= :up_to)
         ORDER BY path",
        named_params! { ":worktree": worktree.0, ":up_to": up_to.0 },
        |row| Ok((row.take()?, row.take()?)),
    )
}

/// The newest change of a path up to a checkpoint.
pub fn newest_at(
    db: &Db,
    worktree: WorktreeId,
    path: &[u8],
    up_to: CheckpointSeq,
) -> Result<Option<FileRow>, StoreError> {
    db.one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM checkpoint_files AS files JOIN checkpoints ON checkpoints.seq = files.checkpoint_seq",
            joins!(),
            "WHERE files.path = :path AND files.checkpoint_seq <= :up_to AND files.worktree_id = :worktree
             ORDER BY files.checkpoint_seq DESC, files.place LIMIT 1"
        ),
        named_params! { ":path": path, ":up_to": up_to.0, ":worktree": worktree.0 },
        read,
    )
}

/// How it is known who changed a path last on a worktree's line, whether that is sure, and in which checkpoint.
pub fn changed_last(
    db: &Db,
    worktree: WorktreeId,
    path: &[u8],
) -> Result<Option<(CheckpointSeq, ChangeOrigin, bool)>, StoreError> {
    db.one(
        "SELECT checkpoint_seq, origin, doubt IS NULL FROM checkpoint_files
         WHERE path = :path AND worktree_id = :worktree AND change <> 'skipped'
         ORDER BY checkpoint_seq DESC LIMIT 1",
        named_params! { ":path": path, ":worktree": worktree.0 },
        |row| {
            let (seq, origin) = (CheckpointSeq(row.take()?), row.take::<String>()?);
            Ok((seq, ChangeOrigin::parse(&origin), row.take()?))
        },
    )
}

/// Every change on a worktree's line after a checkpoint, oldest first.
pub fn history(db: &Db, worktree: WorktreeId, after: CheckpointSeq) -> Result<Vec<FileRow>, StoreError> {
    db.all(
        concat!(
            "SELECT ",
            columns!(),
            " FROM checkpoints JOIN checkpoint_files AS files ON files.checkpoint_seq = checkpoints.seq",
            joins!(),
            "WHERE checkpoints.worktree_id = :worktree AND checkpoints.seq > :after
             ORDER BY checkpoints.seq, files.path, files.place"
        ),
        named_params! { ":worktree": worktree.0, ":after": after.0 },
        read,
    )
}

/// The changes of one path on a worktree's line after a checkpoint, oldest first.
pub fn history_of(
    db: &Db,
    worktree: WorktreeId,
    after: CheckpointSeq,
    path: &[u8],
) -> Result<Vec<FileRow>, StoreError> {
    db.all(
        concat!(
            "SELECT ",
            columns!(),
            " FROM checkpoint_files AS files JOIN checkpoints ON checkpoints.seq = files.checkpoint_seq",
            joins!(),
            "WHERE files.path = :path AND files.checkpoint_seq > :after AND files.worktree_id = :worktree
             ORDER BY files.checkpoint_seq, files.place"
        ),
        named_params! { ":path": path, ":after": after.0, ":worktree": worktree.0 },
        read,
    )
}

/// What a call changed after a checkpoint, oldest first: what the undo of a command brings back.
pub fn of_call(
    db: &Db,
    worktree: WorktreeId,
    after: CheckpointSeq,
    call: &ToolUseId,
) -> Result<Vec<FileRow>, StoreError> {
    db.all(
        concat!(
            "SELECT ",
            columns!(),
            " FROM checkpoint_files AS files JOIN checkpoints ON checkpoints.seq = files.checkpoint_seq",
            joins!(),
            "WHERE files.tool_use_id = :call AND files.checkpoint_seq > :after AND files.worktree_id = :worktree
             ORDER BY files.checkpoint_seq, files.path, files.place"
        ),
        named_params! { ":call": call.as_str(), ":after": after.0, ":worktree": worktree.0 },
        read,
    )
}
