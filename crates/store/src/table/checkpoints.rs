//! Checkpoints: one commit in a shadow repository each, in one order that no clock decides.
//!
//! A *session* here is the client's session, known by the row of its main thread in `actors`.

use crate::StoreError;
use crate::db::{Db, RowFields};
use crate::migration::Migration;
use engine::id::{ActorId, CheckpointId, CheckpointSeq, ToolUseId, WorktreeId};
use engine::time::Timestamp;
use rusqlite::named_params;

mod address;
mod insert;
mod line;
mod list;
mod operation;
pub mod retention;
mod source;
mod tally;

pub use address::{
    AddressScope, SHORTEST_PREFIX, SubagentRun, baseline, by_prefix, end_of_turn, latest_run, newest_linked,
    nth_newest, point,
};
pub use engine::checkpoint::CheckpointKind;
pub use insert::{Inserted, NewCheckpoint, Trigger, by_key, by_trigger, counts, insert};
pub use line::{
    agents_left_open, before, began_at, end_of_its_turn, ends_of_run, first_head, has_baseline, has_before,
    line, newest_end, newest_of_session, newest_step, next_sequence, set_commits, set_label, set_pinned,
    set_sealed, tip, uses_base, with_tree,
};
pub use list::{CheckpointFilter, ListedActor, ListedCheckpoint, list};
pub use operation::{Stack, UndoableOperation, operation, operation_at, set_undone, stack};
pub use source::CheckpointSource;
pub use tally::{CheckpointTally, degraded, forget, has_any, tally};

pub(crate) const MIGRATIONS: &[Migration] = &[
    Migration {
        version: 2,
        oldest_reader: 1,
        // The newest checkpoint of a worktree is never dropped, so a sequence number never names two of them.
        sql: "CREATE TABLE checkpoints (
        seq INTEGER PRIMARY KEY, -- grows over all worktrees
        id TEXT NOT NULL UNIQUE,
        worktree_id INTEGER NOT NULL REFERENCES worktrees (id),
        session_id INTEGER REFERENCES actors (id), -- the main thread of the client's session
        actor_id INTEGER REFERENCES actors (id),
        run INTEGER,
        sequence INTEGER, -- within the actor's run, from 0
        turn INTEGER, -- the number of the session's turn
        point INTEGER, -- within the turn, from 1
        kind TEXT NOT NULL,
        label TEXT NOT NULL,
        summary TEXT,
        trigger_key TEXT NOT NULL,
        tool_use_id TEXT,
        commit_id TEXT NOT NULL,
        sealed_commit TEXT,
        files_tree TEXT NOT NULL,
        base_commit TEXT NOT NULL,
        head TEXT,
        branch TEXT,
        transcript_end INTEGER,
        degraded TEXT NOT NULL DEFAULT '[]', -- JSON
        pinned INTEGER NOT NULL DEFAULT 0,
        source TEXT NOT NULL DEFAULT 'local', -- local, import
        foreign_id TEXT,
        partner TEXT, -- a rewind's checkpoint of the state before it
        undoes TEXT, -- the operation an undo takes back
        undone_by TEXT,
        added INTEGER NOT NULL,
        modified INTEGER NOT NULL,
        deleted INTEGER NOT NULL,
        skipped INTEGER NOT NULL,
        created_at INTEGER NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX checkpoints_trigger
        ON checkpoints (worktree_id, COALESCE(session_id, 0), COALESCE(actor_id, 0), kind, trigger_key);
    CREATE INDEX checkpoints_line ON checkpoints (worktree_id, seq);
    CREATE INDEX checkpoints_points ON checkpoints (worktree_id, seq) WHERE kind <> 'step';
    CREATE INDEX checkpoints_of_kind ON checkpoints (worktree_id, kind, seq);
    CREATE INDEX checkpoints_of_session ON checkpoints (session_id, seq);
    CREATE INDEX checkpoints_points_of_session ON checkpoints (session_id, seq) WHERE kind <> 'step';
    CREATE INDEX checkpoints_of_turn ON checkpoints (session_id, turn, seq);
    CREATE INDEX checkpoints_of_actor ON checkpoints (actor_id, seq);
    CREATE INDEX checkpoints_of_tree ON checkpoints (files_tree);
    CREATE INDEX checkpoints_of_base ON checkpoints (base_commit);
    CREATE INDEX checkpoints_undoable ON checkpoints (worktree_id, seq)
        WHERE kind IN ('rewind', 'before') AND undone_by IS NULL;
    CREATE INDEX checkpoints_of_partner ON checkpoints (partner) WHERE partner IS NOT NULL;",
    },
    Migration {
        version: 4,
        oldest_reader: 1,
        sql: "CREATE INDEX checkpoints_of_agents ON checkpoints (session_id, seq) WHERE kind = 'agent-start';",
    },
];

/// A row of `checkpoints`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    /// Its place in the order of all checkpoints.
    pub seq: CheckpointSeq,
    /// As people know it.
    pub id: CheckpointId,
    /// On whose line it is.
    pub worktree: WorktreeId,
    /// The client's session it was made for, by the row of its main thread.
    pub session: Option<ActorId>,
    /// Whose work ended in it.
    pub actor: Option<ActorId>,
    /// Which run of that actor.
    pub run: Option<u64>,
    /// Its number within that run, from 0.
    pub sequence: Option<u64>,
    /// The session's turn.
    pub turn: Option<u64>,
    /// Its number within the turn, from 1; the ends of a turn and the baseline have none.
    pub point: Option<u64>,
    /// Why it was made.
    pub kind: CheckpointKind,
    /// One line.
    pub label: String,
    /// The agent's last words, cut.
    pub summary: Option<String>,
    /// What it was made for: the same thing is never recorded twice.
    pub trigger_key: String,
    /// The command it was made before.
    pub tool_use_id: Option<ToolUseId>,
    /// Its commit.
    pub commit: String,
    /// The commit that holds the complete transcript of its turn.
    pub sealed_commit: Option<String>,
    /// The tree of the worktree's files.
    pub files_tree: String,
    /// The commit of the person's that its files are laid over.
    pub base_commit: String,
    /// Where HEAD was; `None` where there was no commit yet.
    pub head: Option<String>,
    /// The branch; `None` where HEAD was detached.
    pub branch: Option<String>,
    /// How long the transcript was, in bytes.
    pub transcript_end: Option<u64>,
    /// What it may miss, a word or two each.
    pub degraded: Vec<String>,
    /// Never dropped.
    pub pinned: bool,
    /// Where it came from.
    pub source: CheckpointSource,
    /// Its id in the place it came from, where that is no id of ours.
    pub foreign_id: Option<String>,
    /// For a rewind: the checkpoint of the state before it.
    pub partner: Option<CheckpointId>,
    /// For an undo: the operation it takes back.
    pub undoes: Option<CheckpointId>,
    /// For an operation: what took it back.
    pub undone_by: Option<CheckpointId>,
    /// How many files it changed, and how.
    pub counts: Counts,
    /// When it was made.
    pub created_at: Timestamp,
}

/// How many files a checkpoint changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// New files.
    pub added: u64,
    /// Files with other content, another mode or of another type.
    pub modified: u64,
    /// Files that went.
    pub deleted: u64,
    /// Files that changed and were not captured.
    pub skipped: u64,
}

macro_rules! columns {
    () => {
        "checkpoints.seq, checkpoints.id, checkpoints.worktree_id, checkpoints.session_id, checkpoints.actor_id, \
         checkpoints.run, sequence, turn, point, checkpoints.kind, checkpoints.label, checkpoints.summary, \
         trigger_key, checkpoints.tool_use_id, checkpoints.commit_id, sealed_commit, files_tree, base_commit, \
         checkpoints.head, checkpoints.branch, checkpoints.transcript_end, checkpoints.degraded, pinned, source, \
         foreign_id, partner, undoes, undone_by, added, modified, deleted, skipped, created_at"
    };
}
use columns;

/// The checkpoint with this id.
pub fn by_id(db: &Db, id: &CheckpointId) -> Result<Option<Checkpoint>, StoreError> {
    let sql = concat!("SELECT ", columns!(), " FROM checkpoints WHERE id = :id");
    db.one(sql, named_params! { ":id": id.as_str() }, read)
}

fn read(row: &mut RowFields<'_>) -> rusqlite::Result<Checkpoint> {
    Ok(Checkpoint {
        seq: CheckpointSeq(row.take()?),
        id: row.checkpoint()?,
        worktree: WorktreeId(row.take()?),
        session: row.take::<Option<_>>()?.map(ActorId),
        actor: row.take::<Option<_>>()?.map(ActorId),
        run: row.optional_count()?,
        sequence: row.optional_count()?,
        turn: row.optional_count()?,
        point: row.optional_count()?,
        kind: CheckpointKind::parse(&row.take::<String>()?),
        label: row.take()?,
        summary: row.take()?,
        trigger_key: row.take()?,
        tool_use_id: row.take::<Option<String>>()?.map(ToolUseId::new),
        commit: row.take()?,
        sealed_commit: row.take()?,
        files_tree: row.take()?,
        base_commit: row.take()?,
        head: row.take()?,
        branch: row.take()?,
        transcript_end: row.optional_count()?,
        degraded: words(&row.take::<String>()?),
        pinned: row.take()?,
        source: CheckpointSource::parse(&row.take::<String>()?),
        foreign_id: row.take()?,
        partner: row.optional_checkpoint()?,
        undoes: row.optional_checkpoint()?,
        undone_by: row.optional_checkpoint()?,
        counts: Counts {
            added: row.count()?,
            modified: row.count()?,
            deleted: row.count()?,
            skipped: row.count()?,
        },
        created_at: Timestamp(row.take()?),
    })
}

/// A list of words as it is stored; one that cannot be read is empty.
fn words(json: &str) -> Vec<String> {
    serde_json::from_str(json).unwrap_or_default()
}

#[cfg(test)]
mod tests;
