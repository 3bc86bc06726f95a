//! Files are put back: to a checkpoint, as far as somebody's changes go, or to what was before an operation.
//!
//! What would be done is a value ([`proposal`]), made from recorded changes (`history`), from who is meant
//! ([`scope`]) and from what is there now (`worktree_view`), by the table in `git::plan`. Carrying it out
//! ([`execute`]) cuts a checkpoint before and one after, and between them changes the files all or none. What a killed
//! process left is finished or taken back by whoever comes next ([`recover`]).

mod beyond;
mod change;
mod checked_out;
mod differing;
pub mod error;
pub mod execute;
mod head;
mod history;
mod holder;
pub mod live_agents;
mod message;
pub mod moved;
pub mod proposal;
pub mod recover;
pub mod scope;
mod tree;
mod way_back;
pub mod wish;
mod worktree_view;

use super::cutter::Cutter;
use error::RewindError;
use git::restore::RestoreTarget;
use git::settings::GitSettings;
use git::shadow::{LineLock, Shadow};
use store::LeaseTerms;

pub use proposal::Proposal;
pub use wish::{Conflicts, RewindOwner, RewindTo, Wish};

/// Puts files of one worktree back.
#[derive(Clone, Copy)]
pub struct Rewinder<'a> {
    /// What cuts checkpoints there.
    pub cutter: Cutter<'a>,
    /// On which terms agents hold files there; `None` where leases do not count.
    terms: Option<LeaseTerms>,
}

impl<'a> Rewinder<'a> {
    /// One for the worktree of this cutter, whoever holds files in it.
    pub fn new(cutter: Cutter<'a>) -> Self {
        Self { cutter, terms: None }
    }

    /// The same, minding what agents hold on these terms.
    #[must_use]
    pub fn minding(self, terms: LeaseTerms) -> Self {
        Self {
            terms: Some(terms),
            ..self
        }
    }

    /// Keeps other rewinds of the worktree away until it is dropped.
    pub fn lock(&self) -> Result<LineLock, RewindError> {
        let shadow = self.cutter.site.make_shadow()?;
        let lock = shadow.lock_rewinds(&self.cutter.site.line)?;
        lock.ok_or(RewindError::UnderWay)
    }

    fn place(&self, settings: &GitSettings) -> RestoreTarget<'a> {
        RestoreTarget::of(&self.cutter.site.worktree, settings)
    }
}

/// Where a process can be killed, to prove that it does no harm: named by the step that was just done.
fn observe(step: &'static str) {
    store::fault::point(step);
}

/// Whether a folder is nothing but what the shadow's journals need.
fn has_journals(shadow: &Shadow) -> bool {
    fs_err::read_dir(shadow.journal_folder()).is_ok_and(|mut entries| entries.next().is_some())
}

#[cfg(test)]
mod tests;
