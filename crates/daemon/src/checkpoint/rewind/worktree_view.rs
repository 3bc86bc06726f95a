//! What is there now, path by path.

use super::error::RewindError;
use crate::checkpoint::chain::Shelf;
use crate::checkpoint::cutter::{CutBase, Cutter};
use crate::checkpoint::ground::HEAD_TIME;
use crate::checkpoint::tip::Tip;
use crate::checkpoint::touching::shelved;
use crate::checkpoint::worksite::IndexLookup;
use git::blockers::obstacle;
use git::capture::{Capture, Captured, Rules, Skip};
use git::nofollow::OpenFolder;
use git::object::{Id, PathState};
use git::path::RepoPath;
use git::plan::PathObstacle;
use git::settings::GitSettings;
use git::shadow::Shadow;
use std::collections::BTreeSet;
use std::sync::Arc;
use store::table::checkpoints;

/// What is at a path now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CurrentState {
    /// This, or nothing.
    Is(PathState),
    /// Something that is not captured, for this reason.
    Uncaptured(String),
    /// A repository of its own.
    Repository,
}

/// Looks at the paths of one worktree.
pub struct WorktreeView<'a> {
    tracking: IndexLookup<'a>,
    capture: Capture<'a>,
    below: OpenFolder,
    unmerged: Arc<BTreeSet<RepoPath>>,
    ignore_case: bool,
}

/// Where the worktree stands: the newest checkpoint and the commit checked out.
pub fn ground<'s>(cutter: &Cutter<'_>, shadow: &'s Shadow) -> Result<CutBase<'s>, RewindError> {
    let row = cutter.read(|db| checkpoints::tip(db, cutter.worktree))?;
    let tip = match shadow.tip(&cutter.site.line)? {
        Some(commit) => Tip::at(shadow, commit, row)?,
        None => Tip::none(),
    };
    let head = git::head::read(&cutter.site.place, cutter.site.environment(), HEAD_TIME);
    let commit: Option<Id> = head.commit().and_then(|commit| commit.parse().ok());
    Ok(CutBase {
        base: commit.map(|commit| shadow.tree_of(commit)).transpose()?,
        head: commit,
        branch: head.branch().map(str::to_owned),
        ..CutBase::standing(shadow, tip)
    })
}

impl<'a> WorktreeView<'a> {
    /// Opens the worktree's eyes.
    pub fn open(
        cutter: &Cutter<'a>,
        ground: &'a CutBase<'a>,
        settings: &'a GitSettings,
        rules: &'a Rules,
    ) -> Result<Self, RewindError> {
        let worktree = &cutter.site.worktree;
        Ok(Self {
            tracking: cutter.site.tracking(),
            capture: Capture::new(ground.shadow, worktree, settings, rules)?,
            below: OpenFolder::open_root(&worktree.root)?,
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
    pub fn now(&mut self, path: &RepoPath, shelf: Shelf) -> Result<CurrentState, RewindError> {
        let tracking = &self.tracking;
        let found = self.capture.take_asking(path, &|path| tracking.entry(path))?;
        Ok(match found {
            Captured::Is(seen) => CurrentState::Is(shelved(seen.state, shelf)),
            // The link is told of as what stands in the way.
            Captured::Skipped(Skip::ThroughLink) => CurrentState::Is(PathState::Absent),
            Captured::Skipped(Skip::NestedRepository) => CurrentState::Repository,
            Captured::Skipped(skip) => CurrentState::Uncaptured(skip.to_string()),
        })
    }

    /// Whether a checkout may give a file other bytes than its stored form.
    pub fn is_converted(&mut self, path: &RepoPath) -> bool {
        self.capture.is_converted(path)
    }

    /// What stands in the way of a path.
    pub fn obstacle(&self, path: &RepoPath) -> Option<PathObstacle> {
        if self.unmerged.contains(path) {
            return Some(PathObstacle::Unmerged);
        }
        obstacle(&self.below, path, self.ignore_case)
    }
}
