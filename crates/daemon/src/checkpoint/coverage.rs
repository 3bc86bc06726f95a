//! Files that come under looks, or are left out of them, because a rule that ignores them changed. That is no change of
//! the files: only what is gone was deleted, and only what was not there before was made.

use super::cutter::{CutError, Cutter, Ground};
use super::tip::Tip;
use engine::policy::guard::zone::is_made_again;
use engine::settings::{GuardSettings, Profile};
use engine::time::Timestamp;
use git::below::Below;
use git::object::{Id, State};
use git::path::RepoPath;
use git::scan::{Dirt, Dirty, Scan};
use git::shadow::{Shadow, ShadowError};
use git::stat::{Kind, Stat};
use store::StoreError;
use store::table::{events, worktrees};

/// The system dates files by a clock that may be so many nanoseconds behind.
const TICK: i128 = 20_000_000;

/// The worktree's files by their names, whether git ignores them or not.
pub(super) struct Coverage {
    /// Nothing where the worktree cannot be opened.
    below: Option<Below>,
    /// A moment before the last look began.
    looked: Option<Timestamp>,
}

/// Which way a path went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shift {
    /// It was there before, and is covered now.
    In,
    /// It is still there, and covered no longer.
    Out,
}

impl Coverage {
    pub fn of(cutter: &Cutter<'_>) -> Result<Self, StoreError> {
        let looked = cutter.read(|db| {
            let row = worktrees::by_id(db, cutter.worktree)?;
            let event = row.and_then(|row| row.scanned_event);
            let event = event.map(|event| events::by_seq(db, event)).transpose()?;
            Ok(event.flatten().map(|event| event.at))
        })?;
        Ok(Self {
            below: Below::open_root(&cutter.site.worktree.root).ok(),
            looked,
        })
    }

    /// Whether a path that no call named differs from the tip only because looks cover something else than before.
    pub fn shift(
        &self,
        ground: &Ground<'_>,
        path: &RepoPath,
        (before, now): (State, State),
    ) -> Result<Option<Shift>, ShadowError> {
        Ok(match (before, now) {
            (State::Present { .. }, State::Absent) if self.stands(path) => Some(Shift::Out),
            (State::Absent, State::Present { .. })
                if ground.tip.row.is_some() && self.was_there(ground.shadow, &ground.tip, path)? =>
            {
                Some(Shift::In)
            }
            _ => None,
        })
    }

    /// Whether a file or a link is at a path.
    pub fn stands(&self, path: &RepoPath) -> bool {
        let found = self.stat(path);
        found.is_some_and(|found| matches!(found.kind, Kind::File | Kind::Link))
    }

    /// Whether what is at a path was there when the last look began, which `tip` does not have.
    ///
    /// A folder that was moved here brings old files along; it is itself new then.
    pub fn was_there(&self, shadow: &Shadow, tip: &Tip, path: &RepoPath) -> Result<bool, ShadowError> {
        let mut above = Some(path.clone());
        while let Some(place) = above {
            let is_known = place != *path
                && match tip.layout {
                    Some(layout) => shadow.has_below(layout.files, &place)?,
                    None => false,
                };
            if is_known {
                return Ok(true);
            }
            if !self.is_older(&place) {
                return Ok(false);
            }
            above = place.parent();
        }
        Ok(true)
    }

    fn is_older(&self, path: &RepoPath) -> bool {
        let (Some(looked), Some(found)) = (self.looked, self.stat(path)) else {
            return false;
        };
        found.changed + TICK < i128::from(looked.0) * 1_000_000
    }

    fn stat(&self, path: &RepoPath) -> Option<Stat> {
        self.below.as_ref()?.metadata(path).ok()
    }
}

impl Cutter<'_> {
    /// Adds to a scan what the tip has and git reports no longer, though it is there: it is ignored now, and kept all
    /// the same. What builds make again is let go.
    pub(super) fn keep_covered(
        &self,
        (shadow, tip): (&Shadow, &Tip),
        base: Option<Id>,
        scan: &mut Scan,
    ) -> Result<(), CutError> {
        let Some(layout) = tip.layout else { return Ok(()) };
        let mut missing = shadow.diff(base, Some(layout.files))?;
        missing.retain(|delta| delta.before.is_none() && !scan.dirty.contains_key(&delta.path));
        if missing.is_empty() {
            return Ok(());
        }
        let coverage = Coverage::of(self)?;
        let regenerable = GuardSettings::of(Profile::Standard).regenerable;
        for path in missing.into_iter().map(|delta| delta.path) {
            if coverage.stands(&path) && !is_made_again(&path.to_string(), &regenerable) {
                let unknown = Dirty {
                    head: None,
                    index: None,
                    kind: Dirt::Untracked,
                    is_as_staged: false,
                };
                scan.dirty.insert(path, unknown);
            }
        }
        Ok(())
    }
}
