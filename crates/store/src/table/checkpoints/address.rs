//! What people call a checkpoint: the first digits of its id, `@-3`, `start`, `t3`, `t3.2`, `agent:a3f2^`, a commit.

use super::{Checkpoint, CheckpointKind, by_id, columns, read};
use crate::StoreError;
use crate::db::{Db, column_of};
use crate::table::turns;
use engine::id::{ActorId, ProjectId, WorktreeId};
use rusqlite::named_params;

/// Fewer digits name too many.
pub const SHORTEST_PREFIX: usize = 4;

/// Whose checkpoints an address speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AddressScope {
    /// The client's session, by the row of its main thread.
    pub session: ActorId,
    /// Only in this worktree; `None` wherever the session worked.
    pub worktree: Option<WorktreeId>,
}

impl AddressScope {
    fn worktree_column(&self) -> Option<i64> {
        self.worktree.map(|id| id.0)
    }
}

/// A run of a subagent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubagentRun {
    /// Its number; `None` where the client told of no start.
    pub number: Option<u64>,
    /// The state just before its first change.
    pub start: Option<Checkpoint>,
    /// The state at its end, or the newest while it works.
    pub end: Checkpoint,
}

/// The checkpoints whose id begins with these digits, newest first; none for fewer than [`SHORTEST_PREFIX`].
pub fn by_prefix(db: &Db, digits: &str) -> Result<Vec<Checkpoint>, StoreError> {
    if digits.len() < SHORTEST_PREFIX {
        return Ok(Vec::new());
    }
    // Every digit sorts before `g`.
    db.all(
        concat!(
            "SELECT ",
            columns!(),
            " FROM checkpoints WHERE id >= :digits AND id < :digits || 'g' ORDER BY seq DESC"
        ),
        named_params! { ":digits": digits },
        read,
    )
}

/// The newest checkpoint, or so many before it; steps are counted or passed over.
pub fn nth_newest(
    db: &Db,
    scope: &AddressScope,
    nth: u64,
    steps: bool,
) -> Result<Option<Checkpoint>, StoreError> {
    let sql = if steps {
        concat!(
            "SELECT ",
            columns!(),
            " FROM checkpoints WHERE session_id = :session AND (:worktree IS NULL OR worktree_id = :worktree)
             ORDER BY seq DESC LIMIT 1 OFFSET :nth"
        )
    } else {
        concat!(
            "SELECT ",
            columns!(),
            " FROM checkpoints WHERE session_id = :session AND (:worktree IS NULL OR worktree_id = :worktree)
                 AND kind <> 'step'
             ORDER BY seq DESC LIMIT 1 OFFSET :nth"
        )
    };
    db.one(
        sql,
        named_params! {
            ":session": scope.session.0,
            ":worktree": scope.worktree_column(),
            ":nth": column_of(nth),
        },
        read,
    )
}

/// The state a session began with. A line that had to begin anew has a new one.
pub fn baseline(db: &Db, scope: &AddressScope) -> Result<Option<Checkpoint>, StoreError> {
    db.one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM checkpoints WHERE session_id = :session AND (:worktree IS NULL OR worktree_id = :worktree)
                 AND kind <> 'step' AND kind = 'baseline'
             ORDER BY seq DESC LIMIT 1"
        ),
        named_params! { ":session": scope.session.0, ":worktree": scope.worktree_column() },
        read,
    )
}

/// The state at the end of a turn: its own checkpoint, or the newest before it where it changed nothing.
///
/// `None` where there was no such turn, and where its checkpoint is no longer kept.
pub fn end_of_turn(db: &Db, scope: &AddressScope, number: u64) -> Result<Option<Checkpoint>, StoreError> {
    let turn = turns::numbered(db, scope.session, number)?;
    if let Some(id) = turn.as_ref().and_then(|turn| turn.checkpoint.as_ref()) {
        let Some(found) = by_id(db, id)? else {
            return Ok(None);
        };
        if scope.worktree.is_none_or(|worktree| worktree == found.worktree) {
            return Ok(Some(found));
        }
    }
    let found = newest_up_to(db, scope, number)?;
    Ok(found.filter(|found| turn.is_some() || found.turn == Some(number)))
}

fn newest_up_to(db: &Db, scope: &AddressScope, number: u64) -> Result<Option<Checkpoint>, StoreError> {
    let of_turns = db.one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM checkpoints WHERE session_id = :session AND turn <= :turn
                 AND (:worktree IS NULL OR worktree_id = :worktree)
             ORDER BY turn DESC, seq DESC LIMIT 1"
        ),
        named_params! {
            ":session": scope.session.0,
            ":turn": column_of(number),
            ":worktree": scope.worktree_column(),
        },
        read,
    )?;
    of_turns.map_or_else(|| baseline(db, scope), |found| Ok(Some(found)))
}

/// The so-many-th point within a turn, from one.
pub fn point(db: &Db, scope: &AddressScope, turn: u64, point: u64) -> Result<Option<Checkpoint>, StoreError> {
    db.one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM checkpoints WHERE session_id = :session AND turn = :turn AND point = :point
                 AND (:worktree IS NULL OR worktree_id = :worktree)"
        ),
        named_params! {
            ":session": scope.session.0,
            ":turn": column_of(turn),
            ":point": column_of(point),
            ":worktree": scope.worktree_column(),
        },
        read,
    )
}

/// The latest run of a subagent.
pub fn latest_run(db: &Db, actor: ActorId) -> Result<Option<SubagentRun>, StoreError> {
    let newest = db.one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM checkpoints WHERE actor_id = :actor ORDER BY seq DESC LIMIT 1"
        ),
        named_params! { ":actor": actor.0 },
        read,
    )?;
    let Some(newest) = newest else { return Ok(None) };
    let stop = of_run(db, actor, newest.run, CheckpointKind::AgentStop)?;
    Ok(Some(SubagentRun {
        number: newest.run,
        start: of_run(db, actor, newest.run, CheckpointKind::AgentStart)?,
        end: stop.unwrap_or(newest),
    }))
}

fn of_run(
    db: &Db,
    actor: ActorId,
    run: Option<u64>,
    kind: CheckpointKind,
) -> Result<Option<Checkpoint>, StoreError> {
    db.one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM checkpoints WHERE actor_id = :actor AND run IS :run AND kind = :kind ORDER BY seq DESC LIMIT 1"
        ),
        named_params! { ":actor": actor.0, ":run": run.map(column_of), ":kind": kind.as_str() },
        read,
    )
}

/// The newest checkpoint linked to a commit of the person's.
pub fn newest_linked(db: &Db, project: ProjectId, commit: &str) -> Result<Option<Checkpoint>, StoreError> {
    db.one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM commit_links JOIN checkpoints ON checkpoints.id = commit_links.checkpoint_id
             WHERE commit_links.commit_id = :commit AND project_id = :project ORDER BY checkpoints.seq DESC LIMIT 1"
        ),
        named_params! { ":commit": commit, ":project": project.0 },
        read,
    )
}

#[cfg(test)]
mod tests;
