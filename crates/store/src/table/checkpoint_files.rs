//! What each checkpoint changed: one row per path, each with who did it and how that is known.
//!
//! The rows of a checkpoint are the difference of its tree to the one before it on the line, nothing else.

use crate::StoreError;
use crate::db::{Db, RowFields};
use crate::file_state::{FileState, TreePart, columns_of};
use crate::migration::Migration;
use engine::id::{ActorId, CheckpointId, CheckpointSeq, FileRowId, ToolUseId, WorktreeId};
use rusqlite::named_params;

mod account;
mod change;
mod committed;
mod held;
mod history;
mod objects;
mod pending;
mod taken_back;

pub use account::{account, net, of_run, of_turn};
pub use change::CheckpointFileChange;
pub use committed::{set_committed, set_recommitted, set_uncommitted};
pub use engine::checkpoint::{ChangeOrigin, Doubt};
pub use held::{commits_at, has_work, held_by, set_held};
pub use history::{changed_last, history, history_of, last_skip, newest_at, of_call, skipped_at};
pub use objects::objects;
pub use pending::{OtherWork, SessionActivity, others_paths, others_work, pending_at, pending_of};
pub use taken_back::take_back;
pub(crate) use taken_back::{give_back, take_again};

pub(crate) const MIGRATIONS: &[Migration] = &[
    Migration {
    version: 2,
    oldest_reader: 1,
    sql: "CREATE TABLE checkpoint_files (
        id INTEGER PRIMARY KEY,
        checkpoint_seq INTEGER NOT NULL REFERENCES checkpoints (seq) ON DELETE CASCADE,
        worktree_id INTEGER NOT NULL REFERENCES worktrees (id),
        path BLOB NOT NULL, -- relative to the worktree
        place TEXT NOT NULL, -- files, ignored
        change TEXT NOT NULL, -- added, modified, deleted, mode, type, skipped
        before_mode TEXT,
        before_id TEXT,
        before_raw TEXT,
        after_mode TEXT,
        after_id TEXT,
        after_raw TEXT,
        session_id INTEGER REFERENCES actors (id), -- the main thread of the client's session
        actor_id INTEGER REFERENCES actors (id),
        origin TEXT NOT NULL, -- tool, shell, shared, outside, rewind
        tool_use_id TEXT,
        skip_reason TEXT,
        committed_in TEXT,
        taken_back_by TEXT,
        given_back TEXT, -- who had taken it back, before that was undone
        UNIQUE (checkpoint_seq, path, place)
    ) STRICT;
    CREATE INDEX checkpoint_files_of_path ON checkpoint_files (path, checkpoint_seq);
    CREATE INDEX checkpoint_files_pending ON checkpoint_files (worktree_id, session_id)
        WHERE committed_in IS NULL AND taken_back_by IS NULL AND session_id IS NOT NULL AND place = 'files'
            AND change <> 'skipped' AND origin <> 'rewind';
    CREATE INDEX checkpoint_files_pending_path ON checkpoint_files (worktree_id, path, checkpoint_seq)
        WHERE committed_in IS NULL AND taken_back_by IS NULL AND session_id IS NOT NULL AND place = 'files'
            AND change <> 'skipped' AND origin <> 'rewind';
    CREATE INDEX checkpoint_files_of_call ON checkpoint_files (tool_use_id, checkpoint_seq)
        WHERE tool_use_id IS NOT NULL;
    CREATE INDEX checkpoint_files_of_commit ON checkpoint_files (committed_in) WHERE committed_in IS NOT NULL;
    CREATE INDEX checkpoint_files_taken_back ON checkpoint_files (taken_back_by) WHERE taken_back_by IS NOT NULL;
    CREATE INDEX checkpoint_files_given_back ON checkpoint_files (given_back) WHERE given_back IS NOT NULL;",
},
    Migration {
        version: 6,
        oldest_reader: 1,
        sql: "ALTER TABLE checkpoint_files ADD COLUMN doubt TEXT; -- undated, interrupted, your file",
    },
];

/// One path that a checkpoint is about to record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewFile {
    /// Relative to the worktree, as bytes.
    pub path: Vec<u8>,
    /// Where in the checkpoint it is kept.
    pub place: TreePart,
    /// What happened to it.
    pub change: CheckpointFileChange,
    /// What it held in the checkpoint before; `None` where it was not there.
    pub before: Option<FileState>,
    /// What it holds in this one.
    pub after: Option<FileState>,
    /// The client's session that did it, by the row of its main thread.
    pub session: Option<ActorId>,
    /// Who did it.
    pub actor: Option<ActorId>,
    /// How that is known.
    pub origin: ChangeOrigin,
    /// The call that did it.
    pub tool_use_id: Option<ToolUseId>,
    /// Why its content was not captured.
    pub skip_reason: Option<String>,
    /// Why it is not sure whose doing it was.
    pub doubt: Option<Doubt>,
}

/// A row of `checkpoint_files`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileRow {
    /// Its row.
    pub id: FileRowId,
    /// Its checkpoint's place in the order of all.
    pub seq: CheckpointSeq,
    /// Its checkpoint.
    pub checkpoint: CheckpointId,
    /// On whose line.
    pub worktree: WorktreeId,
    /// What happened.
    pub file: NewFile,
    /// The commit of the person's that holds it.
    pub committed_in: Option<String>,
    /// The rewind that took it back.
    pub taken_back_by: Option<CheckpointId>,
    /// Who did it, as people know them.
    pub label: Option<String>,
    /// The session that did it, as people know it.
    pub session_alias: Option<String>,
}

macro_rules! columns {
    () => {
        "files.id, files.checkpoint_seq, checkpoints.id, files.worktree_id, files.path, files.place, files.change, \
         before_mode, before_id, before_raw, after_mode, after_id, after_raw, files.session_id, files.actor_id, \
         files.origin, files.tool_use_id, files.skip_reason, files.doubt, files.committed_in, files.taken_back_by, actor.label, \
         main.alias"
    };
}
use columns;

macro_rules! joins {
    () => {
        " LEFT JOIN actors AS actor ON actor.id = files.actor_id
          LEFT JOIN actors AS main ON main.id = files.session_id "
    };
}
use joins;

/// Work that is in no commit and was not taken back. Ignored files are never committed, so they are never pending.
macro_rules! is_pending {
    () => {
        " files.committed_in IS NULL AND files.taken_back_by IS NULL AND files.session_id IS NOT NULL
          AND files.place = 'files' AND files.change <> 'skipped' AND files.origin <> 'rewind' "
    };
}
pub(crate) use is_pending;

/// What a checkpoint changed, by path.
pub fn of(db: &Db, checkpoint: &CheckpointId) -> Result<Vec<FileRow>, StoreError> {
    db.all(
        concat!(
            "SELECT ",
            columns!(),
            " FROM checkpoints JOIN checkpoint_files AS files ON files.checkpoint_seq = checkpoints.seq",
            joins!(),
            "WHERE checkpoints.id = :checkpoint ORDER BY files.path, files.place"
        ),
        named_params! { ":checkpoint": checkpoint.as_str() },
        read,
    )
}

/// Records what a checkpoint changed at one path.
pub(crate) fn insert(
    db: &Db,
    checkpoint: CheckpointSeq,
    worktree: WorktreeId,
    file: &NewFile,
) -> Result<(), StoreError> {
    let (before_mode, before_id, before_raw) = columns_of(file.before.as_ref());
    let (after_mode, after_id, after_raw) = columns_of(file.after.as_ref());
    db.execute(
        "INSERT INTO checkpoint_files (checkpoint_seq, worktree_id, path, place, change, before_mode, before_id,
             before_raw, after_mode, after_id, after_raw, session_id, actor_id, origin, tool_use_id, skip_reason, doubt)
         VALUES (:checkpoint, :worktree, :path, :place, :change, :before_mode, :before_id, :before_raw, :after_mode,
             :after_id, :after_raw, :session, :actor, :origin, :tool_use_id, :skip_reason, :doubt)",
        named_params! {
            ":checkpoint": checkpoint.0,
            ":worktree": worktree.0,
            ":path": file.path,
            ":place": file.place.as_str(),
            ":change": file.change.as_str(),
            ":before_mode": before_mode,
            ":before_id": before_id,
            ":before_raw": before_raw,
            ":after_mode": after_mode,
            ":after_id": after_id,
            ":after_raw": after_raw,
            ":session": file.session.map(|id| id.0),
            ":actor": file.actor.map(|id| id.0),
            ":origin": file.origin.as_str(),
            ":tool_use_id": file.tool_use_id.as_ref().map(ToolUseId::as_str),
            ":skip_reason": file.skip_reason,
            ":doubt": file.doubt.map(Doubt::as_str),
        },
    )?;
    Ok(())
}

fn read(row: &mut RowFields<'_>) -> rusqlite::Result<FileRow> {
    Ok(FileRow {
        id: FileRowId(row.take()?),
        seq: CheckpointSeq(row.take()?),
        checkpoint: row.checkpoint()?,
        worktree: WorktreeId(row.take()?),
        file: NewFile {
            path: row.take()?,
            place: TreePart::parse(&row.take::<String>()?),
            change: CheckpointFileChange::parse(&row.take::<String>()?),
            before: FileState::take(row)?,
            after: FileState::take(row)?,
            session: row.take::<Option<_>>()?.map(ActorId),
            actor: row.take::<Option<_>>()?.map(ActorId),
            origin: ChangeOrigin::parse(&row.take::<String>()?),
            tool_use_id: row.take::<Option<String>>()?.map(ToolUseId::new),
            skip_reason: row.take()?,
            doubt: row.take::<Option<String>>()?.map(|word| Doubt::parse(&word)),
        },
        committed_in: row.take()?,
        taken_back_by: row.optional_checkpoint()?,
        label: row.take()?,
        session_alias: row.take()?,
    })
}

#[cfg(test)]
mod tests;
