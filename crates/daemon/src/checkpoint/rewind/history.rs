//! What happened to the files of a worktree since a checkpoint, as far as it was recorded.

use super::circle::together;
use super::deed::Deed;
use super::error::RewindError;
use crate::checkpoint::chain::{Chain, Shelf, Touched};
use crate::checkpoint::cutter::{Cutter, Ground};
use crate::checkpoint::states::from_image;
use crate::checkpoint::touching::Owners;
use engine::id::CheckpointId;
use git::object::State;
use git::path::RepoPath;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use store::table::checkpoint_files::{self, FileRow};
use store::table::checkpoints::{self, Checkpoint};
use store::table::touches;

/// Every path that changed, with its changes, oldest first.
#[derive(Debug, Default)]
pub struct History {
    /// By path.
    pub deeds: BTreeMap<RepoPath, Vec<Deed>>,
    /// Paths that changed and were not captured.
    pub skipped: BTreeSet<RepoPath>,
    order: Vec<CheckpointId>,
}

impl History {
    /// What happened after a checkpoint, and what calls did that no checkpoint holds yet.
    pub fn since(cutter: &Cutter<'_>, ground: &Ground<'_>, at: &Checkpoint) -> Result<Self, RewindError> {
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
            if let Some((path, deed)) = Deed::of(row) {
                history.deeds.entry(path).or_default().push(deed);
            } else if let Ok(path) = RepoPath::new(row.file.path.clone()) {
                history.skipped.insert(path);
            }
        }
        history
    }

    fn add_uncut(&mut self, cutter: &Cutter<'_>, ground: &Ground<'_>) -> Result<(), RewindError> {
        let touches = cutter.read(|db| touches::pending(db, cutter.worktree))?;
        if touches.is_empty() {
            return Ok(());
        }
        let shelves = cutter.shelves(ground, &touches)?;
        let trouble = RefCell::new(None);
        let mut chain = Chain::new(|path: &RepoPath, shelf: Shelf| {
            let state = ground.tip.state(ground.shadow, ground.base, path, shelf);
            state.unwrap_or_else(|error| {
                trouble.borrow_mut().get_or_insert(error);
                State::Absent
            })
        });
        let mut owners = Owners::new();
        for touch in touches.iter().filter(|touch| touch.skip_reason.is_none()) {
            let Ok(path) = RepoPath::new(touch.path.clone()) else {
                continue;
            };
            chain.follow(&Touched {
                shelf: shelves.get(&path).copied().unwrap_or(Shelf::Files),
                path,
                pre: from_image(&touch.pre),
                post: from_image(&touch.post),
                owner: cutter.owner(touch, &mut owners)?,
            });
        }
        let (closed, open) = chain.end();
        if let Some(error) = trouble.into_inner() {
            return Err(error.into());
        }
        for link in closed.iter().map(|(link, _)| link).chain([&open]) {
            for (path, passage) in link {
                if let Some(deed) = Deed::uncut(passage) {
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
