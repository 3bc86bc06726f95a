//! What the person did with our own commands, as lines of the log beside the agents' events.

use crate::db::Db;
use crate::{ClientProcess, StoreError};
use engine::id::{ProjectId, WorktreeId};
use engine::time::Timestamp;
use rusqlite::named_params;

/// The names these events have.
pub const ACTS: [&str; 5] = ["Rewind", "Undo", "Redo", "Prune", "Approval"];

/// One act of the person's.
#[derive(Debug, Clone, Copy)]
pub struct PersonAct<'a> {
    /// One of [`ACTS`].
    pub name: &'a str,
    /// Tells it from every other of that name: noted twice, it is one.
    pub key: &'a str,
    /// When.
    pub at: Timestamp,
    /// Where.
    pub project: Option<ProjectId>,
    /// Where.
    pub worktree: Option<WorktreeId>,
    /// What it was about.
    pub target: &'a str,
    /// What came of it.
    pub outcome: &'a str,
    /// The process that did it.
    pub process: &'a ClientProcess,
}

/// Records what a person did.
pub fn note_act(db: &Db, act: &PersonAct<'_>) -> Result<(), StoreError> {
    db.execute(
        "INSERT INTO events (at, project_id, worktree_id, event, delivery, client_pid, client_pid_started, target, outcome)
         VALUES (:at, :project, :worktree, :name, :delivery, :pid, :started, :target, :outcome)
         ON CONFLICT (delivery) DO NOTHING",
        named_params! {
            ":at": act.at.0,
            ":project": act.project.map(|id| id.0),
            ":worktree": act.worktree.map(|id| id.0),
            ":name": act.name,
            ":delivery": format!("{}-{}", act.name, act.key),
            ":pid": act.process.pid_column(),
            ":started": act.process.started_column(),
            ":target": act.target,
            ":outcome": act.outcome,
        },
    )?;
    Ok(())
}
