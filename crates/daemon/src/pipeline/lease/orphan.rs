//! Worktrees that a person's command had taken, and whose process is gone: whoever meets that ends it.

use crate::process::is_gone;
use engine::id::WorktreeId;
use engine::lease::EndReason;
use store::life::{self, LeaseMoment};
use store::table::leases::{self, Lease};
use store::{Db, StoreError};

/// Whether the process that a lease ends with is gone.
pub fn is_orphan(lease: &Lease) -> bool {
    lease.process.as_ref().is_some_and(is_gone)
}

/// Ends what a killed command left of its hold on a worktree.
pub fn end_orphan(db: &Db, worktree: WorktreeId, now: &LeaseMoment) -> Result<(), StoreError> {
    if let Some(lease) = leases::everything(db, Some(worktree))?.filter(is_orphan) {
        life::end_lease(db, lease.id, EndReason::ProcessGone, now)?;
    }
    Ok(())
}
