//! Files are put back: to a checkpoint, as far as somebody's changes go, or to what was before an operation.
//!
//! What would be done is a value ([`proposal`]), made from recorded changes (`history`), from who is meant
//! ([`circle`]) and from what is there now (`sight`), by the table in `git::plan`. Carrying it out ([`carrying`]) cuts
//! a checkpoint before and one after, and between them changes the files all or none. What a killed process left is
//! finished or taken back by whoever comes next ([`settling`]).

mod beyond;
pub mod busy;
pub mod carrying;
mod checked_out;
pub mod circle;
mod deed;
mod differing;
pub mod error;
mod head;
mod history;
mod holder;
mod message;
pub mod moved;
pub mod proposal;
pub mod settling;
mod sight;
mod tree;
mod way_back;
pub mod wish;

use super::cutter::Cutter;
use error::RewindError;
use git::restore::Ground;
use git::settings::Settings;
use git::shadow::{LineLock, Shadow};
use store::Terms;

pub use proposal::Proposal;
pub use wish::{Aim, Conflicts, Whose, Wish};

/// Puts files of one worktree back.
#[derive(Clone, Copy)]
pub struct Rewinder<'a> {
    /// What cuts checkpoints there.
    pub cutter: Cutter<'a>,
    /// On which terms agents hold files there; `None` where leases do not count.
    terms: Option<Terms>,
}

impl<'a> Rewinder<'a> {
    /// One for the worktree of this cutter, whoever holds files in it.
    pub fn new(cutter: Cutter<'a>) -> Self {
        Self { cutter, terms: None }
    }

    /// The same, minding what agents hold on these terms.
    #[must_use]
    pub fn minding(self, terms: Terms) -> Self {
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

    fn place(&self, settings: &Settings) -> Ground<'a> {
        Ground::of(&self.cutter.site.worktree, settings)
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
