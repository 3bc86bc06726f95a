//! What happened to the files of a worktree since a checkpoint, as far as it was recorded.

use super::change::RewindChange;
use super::error::RewindError;
use super::scope::together;
use crate::checkpoint::blame::Blame;
use crate::checkpoint::chain::{Chain, ChangeOwner, Shelf};
use crate::checkpoint::coverage::CheckpointCoverage;
use crate::checkpoint::cutter::{CutBase, Cutter};
use crate::checkpoint::touching::{Claim, SightingOutcome};
use engine::id::{CheckpointId, EventSeq};
use git::object::PathState;
use git::path::RepoPath;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use store::table::checkpoint_files::{self, FileRow};
use store::table::checkpoints::{self, Checkpoint};

/// Every path that changed, with its changes, oldest first.
#[derive(Debug, Default)]
pub struct History {
    /// By path.
    pub deeds: BTreeMap<RepoPath, Vec<RewindChange>>,
    /// Paths that changed and were not captured.
    pub skipped: BTreeSet<RepoPath>,
    order: Vec<CheckpointId>,
}

impl History {
    /// What happened after a checkpoint, and what calls did that no checkpoint holds yet.
    pub fn since(cutter: &Cutter<'_>, ground: &CutBase<'_>, at: &Checkpoint) -> Result<Self, RewindError> {
        let rows = cutter.read(|db| checkpoint_files::history(db, cutter.worktree, at.seq))?;
        let mut history = Self::of(&rows);
        history.add_uncut(cutter, ground)?;
        Ok(history)
    }

    /// What rows tell.
    pub fn of(rows: &[FileRow]) -> Self {
        let mut history = Self::default();
        for row in rows {
            if history.order.last() != Some(&row.checkpoint) {
                history.order.push(row.checkpoint.clone());
            }
            if let Some((path, deed)) = RewindChange::of(row) {
                history.deeds.entry(path).or_default().push(deed);
            } else if let Ok(path) = RepoPath::new(row.file.path.clone()) {
                history.skipped.insert(path);
            }
        }
        history
    }

    /// Whether anything happened at a path, or below it.
    pub fn has_at_or_below(&self, path: &RepoPath) -> bool {
        let mut paths = self.deeds.keys().chain(&self.skipped);
        paths.any(|other| other == path || other.is_below(path))
    }

    fn add_uncut(&mut self, cutter: &Cutter<'_>, ground: &CutBase<'_>) -> Result<(), RewindError> {
        let touches = cutter.touches(EventSeq(i64::MAX))?;
        let unread = RefCell::new(None);
        let suspects = cutter.suspects(ground, None, &touches, &unread)?;
        let blame = Blame::new(cutter, ground, suspects);
        let shelves = cutter.shelves(ground, &touches)?;
        let sightings = cutter.sightings(ground, (&touches, &shelves), &blame.suspects, None)?;
        if sightings.is_empty() {
            return Ok(());
        }
        let coverage = CheckpointCoverage::of(cutter)?;
        let trouble = RefCell::new(None);
        let mut chain = Chain::new(|path: &RepoPath, shelf: Shelf| {
            let state = ground.tip.state(ground.shadow, ground.base, path, shelf);
            state.unwrap_or_else(|error| {
                trouble.borrow_mut().get_or_insert(error);
                PathState::Absent
            })
        });
        for sighting in sightings {
            if let SightingOutcome::News(mut news) = sighting.what {
                let before = chain.state(&news.path, news.shelf);
                if coverage.is_no_news(ground, &news, before)? {
                    news.claim = Claim::By(ChangeOwner::outside());
                }
                blame.follow(&news, &mut chain)?;
            }
        }
        let (closed, open) = chain.end();
        if let Some(error) = unread.take() {
            return Err(error.into());
        }
        if let Some(error) = trouble.into_inner() {
            return Err(error.into());
        }
        for link in closed.iter().map(|(link, _)| link).chain([&open]) {
            for (path, passage) in link {
                if let Some(deed) = RewindChange::uncut(passage) {
                    self.deeds.entry(path.clone()).or_default().push(deed);
                }
            }
        }
        Ok(())
    }

    /// The checkpoints after a command in which what it did is mixed with what others did.
    pub fn mixed_with(
        &self,
        cutter: &Cutter<'_>,
        before: &Checkpoint,
    ) -> Result<BTreeSet<CheckpointId>, RewindError> {
        let mut later = Vec::new();
        for id in &self.order {
            let turn = cutter
                .read(|db| checkpoints::by_id(db, id))?
                .and_then(|row| row.turn);
            let deeds = self.deeds.values().flatten();
            let of_it = deeds.filter(|deed| deed.checkpoint.as_ref() == Some(id));
            later.extend(of_it.map(|deed| (id.clone(), turn, deed.clone())));
        }
        Ok(together(before, &later))
    }
}
