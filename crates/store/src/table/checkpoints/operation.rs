//! The undo stack: rewinds and commands that destroyed something, each done or undone. There is no table of its own for it.
//!
//! An undo or a redo is a `rewind` that names in `undoes` what it takes back, which in turn names it in `undone_by`. So an
//! operation is a chain: the act, its undo, the redo of that, and so on. Whether it is done is told by the chain's end.

use super::{Checkpoint, CheckpointKind, by_id, columns, read};
use crate::StoreError;
use crate::db::{Db, column_of};
use crate::table::{calls, checkpoint_files};
use engine::id::{CheckpointId, CheckpointSeq, WorktreeId};
use engine::lifecycle::CallEnd;
use rusqlite::named_params;

/// More undos and redos of one act than anybody makes.
const LONGEST_CHAIN: usize = 10_000;
/// More operations than this are not looked through.
const MOST_ENDS: u64 = 1_000;

/// Something that was done, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndoableOperation {
    /// What was done at first: a `rewind`, or the `before` of a command.
    pub act: Checkpoint,
    /// What would be taken back now: the act, its redo, or where it is undone its undo.
    pub done: Checkpoint,
    /// The state before `done`.
    pub before: CheckpointId,
    /// Whether it was taken back.
    pub is_undone: bool,
}

impl UndoableOperation {
    /// The operation as it was when this was the last of its chain.
    fn ending_in(db: &Db, done: Checkpoint) -> Result<Option<Self>, StoreError> {
        let Some(before) = before_of(&done).cloned() else {
            return Ok(None);
        };
        let (mut act, mut is_undone) = (done.clone(), false);
        for _ in 0..LONGEST_CHAIN {
            let Some(undone) = &act.undoes else {
                return Ok(Some(Self {
                    act,
                    done,
                    before,
                    is_undone,
                }));
            };
            let Some(earlier) = by_id(db, undone)? else {
                return Ok(None);
            };
            (act, is_undone) = (earlier, !is_undone);
        }
        Ok(None)
    }

    /// The id people know it by: that of the state before the act.
    pub fn id(&self) -> &CheckpointId {
        before_of(&self.act).unwrap_or(&self.act.id)
    }

    /// Whether it was a command, and not a rewind.
    pub fn is_command(&self) -> bool {
        self.act.kind == CheckpointKind::Before
    }
}

/// What `undo` and `redo` can do in a worktree.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stack {
    /// What is done, newest first: `undo` takes back the first of them.
    pub done: Vec<UndoableOperation>,
    /// What was undone since the newest act, last undone first: `redo` puts back the first of them.
    pub undone: Vec<UndoableOperation>,
}

/// The undo stack of a worktree.
pub fn stack(db: &Db, worktree: WorktreeId) -> Result<Stack, StoreError> {
    let ends = db.all(
        concat!(
            "SELECT ",
            columns!(),
            " FROM checkpoints
             WHERE worktree_id = :worktree AND kind IN ('rewind', 'before') AND undone_by IS NULL
                 AND (kind = 'before'
                     OR EXISTS (SELECT 1 FROM checkpoints AS state WHERE state.id = checkpoints.partner))
             ORDER BY seq DESC LIMIT :limit"
        ),
        named_params! { ":worktree": worktree.0, ":limit": column_of(MOST_ENDS) },
        read,
    )?;
    let mut stack = Stack::default();
    for end in ends {
        if let Some(operation) = UndoableOperation::ending_in(db, end)?
            && has_run(db, &operation.act)?
        {
            let side = if operation.is_undone {
                &mut stack.undone
            } else {
                &mut stack.done
            };
            side.push(operation);
        }
    }
    let acts = stack.done.iter().chain(&stack.undone);
    let newest = acts.map(|operation| operation.act.seq).max();
    // What was undone before the newest act can no longer be redone.
    stack
        .undone
        .retain(|operation| newest.is_none_or(|newest: CheckpointSeq| operation.done.seq > newest));
    stack
        .done
        .sort_by_key(|operation| std::cmp::Reverse(operation.act.seq));
    Ok(stack)
}

/// The operation with this id, as it is now: that of the state before it, its own, or one of its undos and redos.
pub fn operation(db: &Db, id: &CheckpointId) -> Result<Option<UndoableOperation>, StoreError> {
    let found = db.one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM checkpoints WHERE (id = :id OR partner = :id) AND kind IN ('rewind', 'before')
             ORDER BY seq DESC LIMIT 1"
        ),
        named_params! { ":id": id.as_str() },
        read,
    )?;
    let Some(mut end) = found else { return Ok(None) };
    for _ in 0..LONGEST_CHAIN {
        let Some(by) = &end.undone_by else {
            return UndoableOperation::ending_in(db, end);
        };
        match by_id(db, by)? {
            Some(later) => end = later,
            None => return Ok(None),
        }
    }
    Ok(None)
}

/// The operation as it was when this checkpoint was what an undo or a redo would have taken back.
pub fn operation_at(db: &Db, done: &CheckpointId) -> Result<Option<UndoableOperation>, StoreError> {
    match by_id(db, done)? {
        Some(done) => UndoableOperation::ending_in(db, done),
        None => Ok(None),
    }
}

/// An operation was taken back at these paths. What it had taken back counts again; what it had given back does not.
pub fn set_undone(
    db: &Db,
    operation: &UndoableOperation,
    by: &CheckpointId,
    paths: &[Vec<u8>],
) -> Result<(), StoreError> {
    let done = &operation.done;
    db.execute(
        "UPDATE checkpoints SET undone_by = :by WHERE id = :id",
        named_params! { ":by": by.as_str(), ":id": done.id.as_str() },
    )?;
    for path in paths {
        checkpoint_files::give_back(db, &done.id, path)?;
        if let Some(undone) = &done.undoes {
            checkpoint_files::take_again(db, undone, path, by)?;
        }
    }
    Ok(())
}

/// The state before a rewind or a command. A rewind without one cannot be taken back.
fn before_of(done: &Checkpoint) -> Option<&CheckpointId> {
    match done.kind {
        CheckpointKind::Rewind => done.partner.as_ref(),
        CheckpointKind::Before => Some(&done.id),
        CheckpointKind::Baseline
        | CheckpointKind::Outside
        | CheckpointKind::Step
        | CheckpointKind::AgentStart
        | CheckpointKind::AgentStop
        | CheckpointKind::Turn
        | CheckpointKind::Interrupted
        | CheckpointKind::BeforeRewind
        | CheckpointKind::Manual => None,
    }
}

/// Whether an act took place: a command that a person or a policy refused after its checkpoint was cut did not.
fn has_run(db: &Db, act: &Checkpoint) -> Result<bool, StoreError> {
    let (CheckpointKind::Before, Some(actor), Some(call)) = (act.kind, act.actor, &act.tool_use_id) else {
        return Ok(true);
    };
    let call = calls::newest(db, actor, call)?;
    Ok(call.is_none_or(|call| call.how.as_deref() != Some(CallEnd::NotRun.as_str())))
}

#[cfg(test)]
mod tests;
