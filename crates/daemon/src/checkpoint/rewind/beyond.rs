//! What differs from the target although nobody in scope changed it: never put back, and always said.

use super::Rewinder;
use super::change::{refine, was_converted};
use super::checked_out::CheckedOut;
use super::differing::Differing;
use super::error::RewindError;
use super::history::History;
use super::proposal::{Proposal, layout_of, leaving};
use super::wish::{RewindTo, Wish};
use super::worktree_view::{CurrentState, WorktreeView, ground};
use crate::checkpoint::coverage::CheckpointCoverage;
use crate::checkpoint::cutter::CutBase;
use crate::checkpoint::tip::{shelf_in, state_in};
use git::capture::Skip;
use git::object::{EntryMode, PathState};
use git::path::RepoPath;
use git::plan::{LeftReason, Planned};
use std::collections::BTreeSet;
use std::path::Path;
use store::table::checkpoint_files;
use store::table::checkpoints::{CheckpointKind, UndoableOperation};

impl Rewinder<'_> {
    /// What differs from the target beside the paths a plan speaks of. An undo asks for its own paths alone; what a command
    /// removed that no checkpoint has is among them.
    pub fn beyond(&self, wish: &Wish, proposal: &Proposal) -> Result<Vec<Planned>, RewindError> {
        match self.cutter.site.shadow()? {
            Some(shadow) => self.beyond_on(&ground(&self.cutter, &shadow)?, wish, proposal),
            None => Ok(Vec::new()),
        }
    }

    /// The same for one who has looked already.
    pub(super) fn beyond_on(
        &self,
        ground: &CutBase<'_>,
        wish: &Wish,
        proposal: &Proposal,
    ) -> Result<Vec<Planned>, RewindError> {
        let planned: BTreeSet<&RepoPath> = proposal.plan.paths.iter().map(|planned| &planned.path).collect();
        let is_asked = |path: &RepoPath| wish.is_about(path) && !planned.contains(path);
        let mut left = match &wish.aim {
            RewindTo::Back { .. } if wish.aim.is_about_all() => Vec::new(),
            RewindTo::Back { .. } => self.of_others(ground, proposal, &is_asked)?,
            RewindTo::Undo(operation) if operation.done.kind == CheckpointKind::Before => {
                self.of_git(ground, (proposal, operation), &is_asked)?
            }
            RewindTo::Undo(_) => return Ok(Vec::new()),
        };
        for planned in self.unkept(proposal)? {
            if is_asked(&planned.path) && left.iter().all(|known| known.path != planned.path) {
                left.push(planned);
            }
        }
        left.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(left)
    }

    /// What was there at the target, was not captured, and is there no longer.
    fn unkept(&self, proposal: &Proposal) -> Result<Vec<Planned>, RewindError> {
        let root = &self.cutter.site.worktree.root;
        let skipped = self
            .cutter
            .read(|db| checkpoint_files::skipped_at(db, self.cutter.worktree, proposal.target.seq))?;
        let named = skipped.into_iter().filter_map(|(path, reason)| {
            let path = RepoPath::new(path).ok()?;
            is_absent(root, &path).then(|| leaving(path, LeftReason::NotCaptured(reason)))
        });
        Ok(named.collect())
    }

    /// What others than those whose changes are taken back have changed.
    fn of_others(
        &self,
        ground: &CutBase<'_>,
        proposal: &Proposal,
        is_asked: &dyn Fn(&RepoPath) -> bool,
    ) -> Result<Vec<Planned>, RewindError> {
        let differing = Differing {
            cutter: self.cutter,
            ground,
            layout: &proposal.layout,
        };
        let dirty = differing.dirty()?;
        let mut unsure: BTreeSet<RepoPath> = differing.ignored()?.into_iter().collect();
        let mut left = Vec::new();
        let then = proposal.target.head.as_deref().and_then(|then| then.parse().ok());
        let then = then.and_then(|then| ground.shadow.tree_of(then).ok());
        // A file that the commits of then had, and those of now have not, went with them.
        let is_taken = |path: &RepoPath| -> Result<bool, RewindError> {
            let Some(then) = then.filter(|_| is_absent(&self.cutter.site.worktree.root, path)) else {
                return Ok(false);
            };
            let kept = ground.shadow.entry(proposal.layout.files, path)?;
            Ok(kept.is_some() && kept == ground.shadow.entry(then, path)?)
        };
        for path in differing.committed(&dirty)? {
            if is_asked(&path) && (differing.is_tracked(&path) || is_taken(&path)?) {
                left.push(leaving(path, LeftReason::Git));
            } else {
                unsure.insert(path);
            }
        }
        unsure.extend(dirty);
        unsure.retain(is_asked);
        let settings = self.cutter.site.settings()?;
        let rules = self.cutter.rules();
        let mut sight = WorktreeView::open(&self.cutter, ground, &settings, &rules)?.without_keeping();
        let coverage = CheckpointCoverage::of(&self.cutter)?;
        for path in unsure {
            if let Some(why) = self.compare((ground, proposal), &mut sight, &path)?
                && !coverage.was_hidden(ground.shadow, &proposal.layout, &path)?
            {
                left.push(leaving(path, why));
            }
        }
        Ok(left)
    }

    /// What the command that is undone had git move, and that is not as before it yet.
    fn of_git(
        &self,
        ground: &CutBase<'_>,
        (proposal, operation): (&Proposal, &UndoableOperation),
        is_asked: &dyn Fn(&RepoPath) -> bool,
    ) -> Result<Vec<Planned>, RewindError> {
        let Some((then, left)) = self.carried(&operation.act)? else {
            return Ok(Vec::new());
        };
        let (then, left) = (ground.shadow.tree_of(then)?, ground.shadow.tree_of(left)?);
        let settings = self.cutter.site.settings()?;
        let rules = self.cutter.rules();
        let mut sight = WorktreeView::open(&self.cutter, ground, &settings, &rules)?.without_keeping();
        let mut found = Vec::new();
        for delta in ground.shadow.diff(Some(then), Some(left))? {
            // What was not there before may be somebody's commit since.
            let Some(path) = delta.before.map(|_| delta.path) else {
                continue;
            };
            if is_asked(&path) && self.compare((ground, proposal), &mut sight, &path)?.is_some() {
                found.push(leaving(path, LeftReason::Git));
            }
        }
        Ok(found)
    }

    /// Why a path differs from the target; nothing where it does not, or nobody can tell.
    fn compare(
        &self,
        (ground, proposal): (&CutBase<'_>, &Proposal),
        sight: &mut WorktreeView<'_>,
        path: &RepoPath,
    ) -> Result<Option<LeftReason>, RewindError> {
        let (shadow, layout) = (ground.shadow, &proposal.layout);
        let shelf = shelf_in(shadow, layout, path)?;
        let mut target = state_in(shadow, layout, path, shelf)?;
        let seen = ground.seen.as_ref();
        let known = seen.and_then(|seen| seen.snapshot.states.get(path));
        let now = match known {
            Some(state) => CurrentState::Is(*state),
            None => sight.now(path, shelf)?,
        };
        Ok(match now {
            CurrentState::Is(now) => {
                refine(&mut target, &mut [], now);
                if now != target && sight.is_converted(path) && was_converted(&[], now) {
                    target = CheckedOut::default().refine(&self.cutter, shadow, path, target)?;
                }
                (now != target).then_some(LeftReason::Outside)
            }
            CurrentState::Repository => {
                let was_one = target
                    .entry()
                    .is_some_and(|entry| entry.mode == EntryMode::Commit);
                (!was_one).then_some(LeftReason::Repository)
            }
            CurrentState::Uncaptured(reason) if reason == Skip::Excluded.to_string() => None,
            CurrentState::Uncaptured(reason) => {
                // As it was then, as far as anybody knows: a change since would be in the plan.
                let recorded = self.cutter.read(|db| {
                    let up_to = proposal.target.seq;
                    checkpoint_files::newest_at(db, self.cutter.worktree, path.as_bytes(), up_to)
                })?;
                let was_left = recorded.is_some_and(|row| row.file.skip_reason.is_some());
                (!was_left || target != PathState::Absent).then_some(LeftReason::NotCaptured(reason))
            }
        })
    }

    /// The paths that were asked for and are nowhere: not in the target, not in the worktree, not in what is recorded
    /// since.
    pub fn unmatched(&self, wish: &Wish) -> Result<Vec<RepoPath>, RewindError> {
        let Some(shadow) = self.cutter.site.shadow()?.filter(|_| !wish.only.is_empty()) else {
            return Ok(Vec::new());
        };
        let target = self.target(&wish.aim)?;
        let layout = layout_of(&shadow, &target)?;
        let history = History::since(&self.cutter, &ground(&self.cutter, &shadow)?, &target)?;
        let root = &self.cutter.site.worktree.root;
        let unkept = self
            .cutter
            .read(|db| checkpoint_files::skipped_at(db, self.cutter.worktree, target.seq))?;
        let mut unmatched = Vec::new();
        for path in &wish.only {
            let mut is_known = !is_absent(root, path)
                || history.has_at_or_below(path)
                || unkept.iter().any(|(unkept, _)| unkept == path.as_bytes());
            for tree in [Some(layout.files), layout.ignored].into_iter().flatten() {
                is_known = is_known || shadow.entry(tree, path)?.is_some() || shadow.has_below(tree, path)?;
            }
            if !is_known {
                unmatched.push(path.clone());
            }
        }
        Ok(unmatched)
    }
}

fn is_absent(root: &Path, path: &RepoPath) -> bool {
    fs_err::symlink_metadata(root.join(path.to_path())).is_err()
}
