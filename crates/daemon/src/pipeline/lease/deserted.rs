//! Worktrees whose folder is gone: nobody holds or waits for anything in them any more.

use engine::event::{Event, EventKind};
use engine::id::ProjectId;
use engine::lease::EndReason;
use engine::tool::Action;
use store::life::{self, LeaseMoment};
use store::table::worktrees;
use store::{Db, StoreError};

/// Whether an event is one by which worktrees come and go, or after which somebody is told who holds what.
pub fn may_end(event: &Event) -> bool {
    match &event.kind {
        EventKind::SessionStart { .. } | EventKind::AgentStart | EventKind::CwdChanged { .. } => true,
        EventKind::ToolAfter { call, .. } => match call.action() {
            Action::RunCommand { command, .. } => command.contains("worktree") || command.contains("rm "),
            _ => call.tool() == "ExitWorktree",
        },
        _ => false,
    }
}

/// Ends what is held in worktrees of a project that are gone.
pub fn end_deserted(db: &Db, project: ProjectId, now: &LeaseMoment) -> Result<(), StoreError> {
    for worktree in worktrees::of(db, project)? {
        if !worktree.root.exists() {
            life::end_worktree(db, worktree.id, EndReason::Expired, now)?;
        }
    }
    Ok(())
}
