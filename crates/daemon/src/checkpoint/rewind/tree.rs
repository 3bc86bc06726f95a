//! The whole worktree, taken as the person while files are put back: until then agents' writes are turned away.

use super::Rewinder;
use super::error::RewindError;
use super::holder::Holders;
use super::proposal::Proposal;
use super::scope::RewindScope;
use super::wish::{Conflicts, RewindTo, Wish};
use crate::checkpoint::cutter::Cutter;
use crate::checkpoint::naming::root_of;
use crate::clock;
use crate::pipeline::lease::end_orphan;
use crate::process::Process;
use engine::id::LeaseId;
use engine::lease::{EndReason, Means};
use std::collections::BTreeSet;
use store::life::{self, LeaseMoment};
use store::table::leases::{self, TakeResult, Taking};
use store::table::{actors, worktrees};
use store::{Db, LeaseTerms, StoreError};

/// Given back when it is dropped. Should that fail, or the process be killed, whoever meets the lease next ends it.
pub(super) struct WorktreeLease<'a> {
    cutter: Cutter<'a>,
    terms: LeaseTerms,
    lease: LeaseId,
}

impl Drop for WorktreeLease<'_> {
    fn drop(&mut self) {
        let now = self.now();
        let given = self
            .cutter
            .write(|db| life::end_lease(db, self.lease, EndReason::Released, &now));
        // The files are as they should be, and this process is about to end: so is what it holds.
        drop(given);
    }
}

impl WorktreeLease<'_> {
    fn now(&self) -> LeaseMoment {
        now(self.terms)
    }
}

impl<'a> Rewinder<'a> {
    /// Takes the worktree, if others still hold what they held when it was shown what would be done. `None` where leases
    /// do not count.
    pub(super) fn take_tree(
        &self,
        wish: &Wish,
        shown: &Proposal,
    ) -> Result<Option<WorktreeLease<'a>>, RewindError> {
        let Some(terms) = self.terms else {
            return Ok(None);
        };
        let taken = self.cutter.write(|db| self.take(db, wish, shown, &now(terms)))?;
        let Some(lease) = taken else {
            return Err(RewindError::Changed(Box::new(self.propose(wish)?)));
        };
        Ok(Some(WorktreeLease {
            cutter: self.cutter,
            terms,
            lease,
        }))
    }

    fn take(
        &self,
        db: &Db,
        wish: &Wish,
        shown: &Proposal,
        now: &LeaseMoment,
    ) -> Result<Option<LeaseId>, StoreError> {
        let worktree = self.cutter.worktree;
        end_orphan(db, worktree, now)?;
        let circle = RewindScope::of(db, &wish.aim, BTreeSet::new())?;
        let root = root_of(&self.cutter.site.place);
        let holders = Holders::read(db, (worktree, root), &circle, now)?;
        let is_shown = |path| holders.of(path) == shown.holder(path);
        if !shown.plan.changes().iter().all(|change| is_shown(&change.path)) {
            return Ok(None);
        }
        if let Some(other) = leases::everything(db, Some(worktree))? {
            let reason = match (holders.has_everything(), wish.conflicts) {
                (false, _) => EndReason::ProcessGone,
                // They were told whose it is, and want it all the same.
                (true, Conflicts::Force) => EndReason::Broken,
                (true, Conflicts::Refuse | Conflicts::Skip) => return Ok(None),
            };
            life::end_lease(db, other.id, reason, now)?;
        }
        let project = worktrees::by_id(db, worktree)?.map(|row| row.project);
        let user = rustix::process::getuid().as_raw();
        let person = actors::person(db, user, (project, Some(worktree)), now.moment)?;
        let taking = Taking {
            actor: person.id,
            project,
            call: None,
            means: Means::Tool,
            at: now.moment,
        };
        let for_us = (command(&wish.aim), &Process::own().into());
        Ok(match leases::occupy(db, &taking, worktree, for_us)? {
            TakeResult::New(id) | TakeResult::Again(id) => Some(id),
            TakeResult::Held(_) => None,
        })
    }
}

/// This moment.
pub(super) fn now(terms: LeaseTerms) -> LeaseMoment {
    LeaseMoment {
        moment: clock::moment(),
        terms,
    }
}

/// What agents are told is running.
fn command(aim: &RewindTo) -> &'static str {
    match aim {
        RewindTo::Back { .. } => "toprope rewind",
        RewindTo::Undo(operation) if operation.is_undone => "toprope redo",
        RewindTo::Undo(_) => "toprope undo",
    }
}
