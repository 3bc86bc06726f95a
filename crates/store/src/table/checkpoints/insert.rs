//! Records a checkpoint with everything it changed, once.

use super::{Checkpoint, CheckpointKind, CheckpointSource, Counts, columns, read};
use crate::StoreError;
use crate::db::{Db, column_of};
use crate::table::checkpoint_files::{self, CheckpointFileChange, NewFile};
use engine::id::{ActorId, CheckpointId, CheckpointSeq, ToolUseId, WorktreeId};
use engine::time::Timestamp;
use rusqlite::named_params;

/// Bytes of an agent's last words that are kept here; the commit has all of them.
const LONGEST_SUMMARY: usize = 2 * 1024;

/// A checkpoint to be recorded. Its numbers within run and turn are counted here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewCheckpoint {
    /// Its id, as its commit has it.
    pub id: CheckpointId,
    /// What it is made for.
    pub trigger: Trigger,
    /// Which run of the actor.
    pub run: Option<u64>,
    /// The session's turn.
    pub turn: Option<u64>,
    /// It ends a turn that went on behind a later one: a point within that turn, not the turn's own end.
    pub is_late: bool,
    /// One line.
    pub label: String,
    /// The agent's last words; kept cut.
    pub summary: Option<String>,
    /// The command it is made before.
    pub tool_use_id: Option<ToolUseId>,
    /// Its commit.
    pub commit: String,
    /// The tree of the worktree's files.
    pub files_tree: String,
    /// The commit of the person's that its files are laid over.
    pub base_commit: String,
    /// Where HEAD is; `None` where there is no commit yet.
    pub head: Option<String>,
    /// The branch; `None` where HEAD is detached.
    pub branch: Option<String>,
    /// How long the transcript is, in bytes.
    pub transcript_end: Option<u64>,
    /// What it may miss, a word or two each.
    pub degraded: Vec<String>,
    /// Where it comes from.
    pub source: CheckpointSource,
    /// Its id in the place it comes from, where that is no id of ours.
    pub foreign_id: Option<String>,
    /// For a rewind: the checkpoint of the state before it.
    pub partner: Option<CheckpointId>,
    /// For an undo: the operation it takes back.
    pub undoes: Option<CheckpointId>,
    /// When it is made.
    pub created_at: Timestamp,
    /// How many files it stands for, where that is more than it changed itself: a turn's end counts its steps.
    pub counts: Option<Counts>,
}

/// What a checkpoint is made for. The same one makes no second checkpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trigger {
    /// On whose line.
    pub worktree: WorktreeId,
    /// The client's session, by the row of its main thread.
    pub session: Option<ActorId>,
    /// Whose work ends in it.
    pub actor: Option<ActorId>,
    /// Why.
    pub kind: CheckpointKind,
    /// What tells it from others of this kind: the event, the call, the run.
    pub key: String,
}

/// What came of recording a checkpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Inserted {
    /// It is recorded.
    New(CheckpointSeq),
    /// Its trigger had made one already; nothing was changed.
    Known(Box<Checkpoint>),
}

/// Records a checkpoint and its files, all or nothing within the caller's transaction.
pub fn insert(db: &Db, new: &NewCheckpoint, files: &[NewFile]) -> Result<Inserted, StoreError> {
    if let Some(known) = by_trigger(db, &new.trigger)? {
        return Ok(Inserted::Known(Box::new(known)));
    }
    let seq = insert_row(
        db,
        new,
        new.counts
            .unwrap_or_else(|| counts(files.iter().map(|file| file.change))),
    )?;
    for file in files {
        checkpoint_files::insert(db, seq, new.trigger.worktree, file)?;
    }
    Ok(Inserted::New(seq))
}

/// The checkpoint a trigger has made.
pub fn by_trigger(db: &Db, trigger: &Trigger) -> Result<Option<Checkpoint>, StoreError> {
    db.one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM checkpoints WHERE worktree_id = :worktree AND COALESCE(session_id, 0) = COALESCE(:session, 0)
                 AND COALESCE(actor_id, 0) = COALESCE(:actor, 0) AND kind = :kind AND trigger_key = :key"
        ),
        named_params! {
            ":worktree": trigger.worktree.0,
            ":session": trigger.session.map(|id| id.0),
            ":actor": trigger.actor.map(|id| id.0),
            ":kind": trigger.kind.as_str(),
            ":key": trigger.key,
        },
        read,
    )
}

/// The newest checkpoint of a kind that was made for this, whoever it was made for.
pub fn by_key(
    db: &Db,
    worktree: WorktreeId,
    kind: CheckpointKind,
    key: &str,
) -> Result<Option<Checkpoint>, StoreError> {
    db.one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM checkpoints WHERE worktree_id = :worktree AND kind = :kind AND trigger_key = :key
             ORDER BY seq DESC LIMIT 1"
        ),
        named_params! { ":worktree": worktree.0, ":kind": kind.as_str(), ":key": key },
        read,
    )
}

/// How many files were changed, and how.
pub fn counts(changes: impl Iterator<Item = CheckpointFileChange>) -> Counts {
    let mut counts = Counts::default();
    for change in changes {
        let count = match change {
            CheckpointFileChange::Added => &mut counts.added,
            CheckpointFileChange::Modified | CheckpointFileChange::Mode | CheckpointFileChange::Type => {
                &mut counts.modified
            }
            CheckpointFileChange::Deleted => &mut counts.deleted,
            CheckpointFileChange::Skipped => &mut counts.skipped,
        };
        *count += 1;
    }
    counts
}

fn insert_row(db: &Db, new: &NewCheckpoint, counts: Counts) -> Result<CheckpointSeq, StoreError> {
    let trigger = &new.trigger;
    let summary = new.summary.as_deref().map(|text| {
        text.get(..text.floor_char_boundary(LONGEST_SUMMARY))
            .unwrap_or(text)
    });
    let seq = db.insert(
        "INSERT INTO checkpoints (id, worktree_id, session_id, actor_id, run, sequence, turn, point, kind, label, summary,
             trigger_key, tool_use_id, commit_id, files_tree, base_commit, head, branch, transcript_end, degraded,
             source, foreign_id, partner, undoes, added, modified, deleted, skipped, created_at)
         VALUES (:id, :worktree, :session, :actor, :run,
             CASE WHEN :actor IS NOT NULL THEN COALESCE((SELECT sequence + 1 FROM checkpoints
                 WHERE actor_id = :actor AND run IS :run ORDER BY seq DESC LIMIT 1), 0) END,
             :turn,
             CASE WHEN :is_within AND :turn IS NOT NULL THEN (SELECT COALESCE(MAX(point), 0) + 1 FROM checkpoints
                 WHERE session_id = :session AND turn = :turn) END,
             :kind, :label, :summary, :key, :tool_use_id, :commit, :files_tree, :base, :head, :branch, :transcript_end,
             :degraded, :source, :foreign_id, :partner, :undoes, :added, :modified, :deleted, :skipped, :at)",
        named_params! {
            ":id": new.id.as_str(),
            ":worktree": trigger.worktree.0,
            ":session": trigger.session.map(|id| id.0),
            ":actor": trigger.actor.map(|id| id.0),
            ":run": new.run.map(column_of),
            ":turn": new.turn.map(column_of),
            ":is_within": (trigger.kind.is_within_a_turn() || new.is_late) && trigger.session.is_some(),
            ":kind": trigger.kind.as_str(),
            ":label": new.label,
            ":summary": summary,
            ":key": trigger.key,
            ":tool_use_id": new.tool_use_id.as_ref().map(ToolUseId::as_str),
            ":commit": new.commit,
            ":files_tree": new.files_tree,
            ":base": new.base_commit,
            ":head": new.head,
            ":branch": new.branch,
            ":transcript_end": new.transcript_end.map(column_of),
            ":degraded": serde_json::to_string(&new.degraded).unwrap_or_default(),
            ":source": new.source.as_str(),
            ":foreign_id": new.foreign_id,
            ":partner": new.partner.as_ref().map(CheckpointId::as_str),
            ":undoes": new.undoes.as_ref().map(CheckpointId::as_str),
            ":added": column_of(counts.added),
            ":modified": column_of(counts.modified),
            ":deleted": column_of(counts.deleted),
            ":skipped": column_of(counts.skipped),
            ":at": new.created_at.0,
        },
    )?;
    Ok(CheckpointSeq(seq))
}
