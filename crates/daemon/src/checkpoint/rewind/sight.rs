//! What is there now, path by path.

use super::error::RewindError;
use crate::checkpoint::chain::Shelf;
use crate::checkpoint::cutter::{Cutter, Ground};
use crate::checkpoint::ground::HEAD_TIME;
use crate::checkpoint::tip::Tip;
use crate::checkpoint::touching::shelved;
use crate::checkpoint::worksite::Tracking;
use git::below::Below;
use git::capture::{Capture, Found, Rules, Skip};
use git::object::{Id, State};
use git::obstacle::obstacle;
use git::path::RepoPath;
use git::plan::Obstacle;
use git::settings::Settings;
use git::shadow::Shadow;
use std::collections::BTreeSet;
use std::sync::Arc;
use store::table::checkpoints;

/// What is at a path now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Now {
    /// This, or nothing.
    Is(State),
    /// Something that is not captured, for this reason.
    Uncaptured(String),
    /// A repository of its own.
    Repository,
}

/// Looks at the paths of one worktree.
pub struct Sight<'a> {
    tracking: Tracking<'a>,
    capture: Capture<'a>,
    below: Below,
    unmerged: Arc<BTreeSet<RepoPath>>,
    ignore_case: bool,
}

/// Where the worktree stands: the newest checkpoint and the commit checked out.
pub fn ground<'s>(cutter: &Cutter<'_>, shadow: &'s Shadow) -> Result<Ground<'s>, RewindError> {
    let row = cutter.read(|db| checkpoints::tip(db, cutter.worktree))?;
    let tip = match shadow.tip(&cutter.site.line)? {
        Some(commit) => Tip::at(shadow, commit, row)?,
        None => Tip::none(),
    };
    let head = git::head::read(&cutter.site.place, cutter.site.environment(), HEAD_TIME);
    let commit: Option<Id> = head.commit().and_then(|commit| commit.parse().ok());
    Ok(Ground {
        base: commit.map(|commit| shadow.tree_of(commit)).transpose()?,
        head: commit,
        branch: head.branch().map(str::to_owned),
        ..Ground::standing(shadow, tip)
    })
}

impl<'a> Sight<'a> {
    /// Opens the worktree's eyes.
    pub fn open(
        cutter: &Cutter<'a>,
        ground: &'a Ground<'a>,
        settings: &'a Settings,
        rules: &'a Rules,
    ) -> Result<Self, RewindError> {
        let worktree = &cutter.site.worktree;
        Ok(Self {
            tracking: cutter.site.tracking(),
            capture: Capture::new(ground.shadow, worktree, settings, rules)?,
            below: Below::open_root(&worktree.root)?,
            unmerged: cutter.site.unmerged()?,
            ignore_case: settings.ignore_case,
        })
    }

    /// The same for one who only wants to know: nothing is written, not even an object.
    #[must_use]
    pub fn without_keeping(self) -> Self {
        Self {
            capture: self.capture.without_keeping(),
            ..self
        }
    }

    /// What is at a path now.
    pub fn now(&mut self, path: &RepoPath, shelf: Shelf) -> Result<Now, RewindError> {
        let tracking = &self.tracking;
        let found = self.capture.take_asking(path, &|path| tracking.entry(path))?;
        Ok(match found {
            Found::Is(seen) => Now::Is(shelved(seen.state, shelf)),
            // The link is told of as what stands in the way.
            Found::Skipped(Skip::ThroughLink) => Now::Is(State::Absent),
            Found::Skipped(Skip::NestedRepository) => Now::Repository,
            Found::Skipped(skip) => Now::Uncaptured(skip.to_string()),
        })
    }

    /// Whether a checkout may give a file other bytes than its stored form.
    pub fn is_converted(&mut self, path: &RepoPath) -> bool {
        self.capture.is_converted(path)
    }

    /// What stands in the way of a path.
    pub fn obstacle(&self, path: &RepoPath) -> Option<Obstacle> {
        if self.unmerged.contains(path) {
            return Some(Obstacle::Unmerged);
        }
        obstacle(&self.below, path, self.ignore_case)
    }
}
