//! Ends what is over before anybody is told what is not: as a decision would.

use ::daemon::pipeline::lease::{close_lost, end_deserted, end_orphan};
use ::daemon::process::Process;
use engine::id::{ProjectId, WorktreeId};
use store::life::{self, ExpiryScope, LeaseMoment};
use store::table::leases::{self, LeaseFilter};
use store::table::{sessions, worktrees};
use store::{Db, StoreError};

/// What is over in a project: idle leases, reservations whose time is up, what processes left behind, what was held in
/// folders that are gone.
pub fn settle_project(db: &Db, project: ProjectId, now: &LeaseMoment) -> Result<(), StoreError> {
    end_lost(db, now)?;
    end_deserted(db, project, now)?;
    for worktree in worktrees::of(db, project)? {
        end_orphan(db, worktree.id, now)?;
        life::settle(db, ExpiryScope::Worktree(worktree.id), now)?;
    }
    let filter = LeaseFilter {
        project: Some(project),
        ..LeaseFilter::default()
    };
    for lease in leases::list(db, &filter)? {
        if lease.key.worktree.is_none() {
            life::settle(db, ExpiryScope::File(&lease.key), now)?;
        }
    }
    Ok(())
}

/// The same in one worktree.
pub fn settle_worktree(db: &Db, worktree: WorktreeId, now: &LeaseMoment) -> Result<(), StoreError> {
    end_lost(db, now)?;
    end_orphan(db, worktree, now)?;
    life::settle(db, ExpiryScope::Worktree(worktree), now).map(drop)
}

/// Ends what processes left behind that are gone: without a daemon nobody else notices.
fn end_lost(db: &Db, now: &LeaseMoment) -> Result<(), StoreError> {
    for live in sessions::live_processes(db)? {
        let is_known = live.client.started != 0;
        if is_known && !Process::from(live.client).is_alive() {
            close_lost(db, &live.client, *now)?;
        }
    }
    Ok(())
}
