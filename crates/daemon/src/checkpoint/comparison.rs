//! What differs between a checkpoint and another one, or the worktree as it is now. No line is touched.

use super::chain::Shelf;
use super::coverage::CheckpointCoverage;
use super::cutter::{CutError, Cutter};
use super::tip::Tip;
use engine::id::CheckpointSeq;
use git::capture::{Capture, Captured};
use git::object::{Id, TreeLeaf};
use git::path::RepoPath;
use git::shadow::{Shadow, ShadowError, ShadowLayout};
use store::table::checkpoint_files;
use store::table::checkpoints::Checkpoint;

/// See the module.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Comparison {
    /// The paths that differ, in their order; ignored ones after the others.
    pub differences: Vec<PathDifference>,
    /// Paths of the worktree that could not be compared, and why.
    pub uncompared: Vec<(RepoPath, String)>,
}

/// One path that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathDifference {
    /// The path.
    pub path: RepoPath,
    /// Whether git ignores it.
    pub shelf: Shelf,
    /// What it is in the checkpoint.
    pub before: Option<TreeLeaf>,
    /// What it is in the other one, or now.
    pub after: Option<TreeLeaf>,
}

impl Comparison {
    /// What leads from one checkpoint to another.
    pub fn of_two(shadow: &Shadow, before: &Checkpoint, after: &Checkpoint) -> Result<Self, ShadowError> {
        let (old, new) = (layout_of(shadow, before)?, layout_of(shadow, after)?);
        let mut differences = within(shadow, Some(old.files), Some(new.files), Shelf::Files)?;
        differences.extend(within(shadow, old.ignored, new.ignored, Shelf::Ignored)?);
        Ok(Self {
            differences,
            uncompared: Vec::new(),
        })
    }
}

impl Cutter<'_> {
    /// What leads from one checkpoint to another, but for files that were there and not covered.
    pub fn compare_two(
        &self,
        shadow: &Shadow,
        before: &Checkpoint,
        after: &Checkpoint,
    ) -> Result<Comparison, CutError> {
        let mut comparison = Comparison::of_two(shadow, before, after)?;
        if before.worktree != after.worktree {
            return Ok(comparison);
        }
        let (first, last) = (before.seq.min(after.seq), before.seq.max(after.seq));
        let bases = [base_of(shadow, before), base_of(shadow, after)];
        let mut kept = Vec::new();
        for difference in comparison.differences {
            let is_one_sided = difference.before.is_none() || difference.after.is_none();
            let is_of_git = || {
                let mut trees = bases.iter().flatten();
                trees.any(|tree| matches!(shadow.entry(*tree, &difference.path), Ok(Some(_))))
            };
            if !is_one_sided || is_of_git() || self.is_recorded(&difference.path, (first, last))? {
                kept.push(difference);
            }
        }
        comparison.differences = kept;
        Ok(comparison)
    }

    /// Whether a change of a path is recorded after a checkpoint and not after another.
    fn is_recorded(
        &self,
        path: &RepoPath,
        (after, until): (CheckpointSeq, CheckpointSeq),
    ) -> Result<bool, CutError> {
        let newest =
            self.read(|db| checkpoint_files::newest_at(db, self.worktree, path.as_bytes(), until))?;
        Ok(newest.is_some_and(|row| row.seq > after))
    }

    /// What leads from a checkpoint to the worktree as it is now.
    pub fn compare_with_now(&self, shadow: &Shadow, before: &Checkpoint) -> Result<Comparison, CutError> {
        let rules = self.rules();
        let tip = Tip::at(shadow, commit_of(before)?, Some(before.clone()))?;
        let seen = self.look((shadow, &tip), &rules, None)?;
        let mut comparison = Comparison {
            uncompared: seen
                .snapshot
                .skipped
                .iter()
                .map(|(path, skip)| (path.clone(), skip.to_string()))
                .collect(),
            ..Comparison::default()
        };
        let Some(old) = tip.layout else {
            return Ok(comparison);
        };
        let files = Some(seen.snapshot.files);
        let coverage = CheckpointCoverage::of(self)?;
        for difference in within(shadow, Some(old.files), files, Shelf::Files)? {
            let was_there = difference.before.is_none()
                && coverage.was_uncovered(shadow, &tip, &difference.path)?
                && !self.is_recorded(&difference.path, (before.seq, CheckpointSeq(i64::MAX)))?;
            if !was_there {
                comparison.differences.push(difference);
            }
        }
        if let Some(ignored) = old.ignored {
            self.compare_ignored(shadow, ignored, &mut comparison)?;
        }
        Ok(comparison)
    }

    /// Ignored files that the checkpoint holds; no others are looked for.
    fn compare_ignored(
        &self,
        shadow: &Shadow,
        tree: Id,
        comparison: &mut Comparison,
    ) -> Result<(), CutError> {
        let settings = self.site.settings()?;
        let rules = self.rules();
        let mut capture = Capture::new(shadow, &self.site.worktree, &settings, &rules)?;
        for (path, before) in shadow.leaves(tree)? {
            let after = match capture.take(&path, None)? {
                Captured::Is(seen) => seen.state.entry().map(|entry| TreeLeaf {
                    mode: entry.mode,
                    // Git has no form for what it ignores: its bytes count.
                    id: seen.state.bytes().unwrap_or(entry.id),
                }),
                Captured::Skipped(skip) => {
                    comparison.uncompared.push((path, skip.to_string()));
                    continue;
                }
            };
            if after != Some(before) {
                comparison.differences.push(PathDifference {
                    path,
                    shelf: Shelf::Ignored,
                    before: Some(before),
                    after,
                });
            }
        }
        Ok(())
    }
}

/// The parts of a checkpoint's tree.
pub fn layout_of(shadow: &Shadow, checkpoint: &Checkpoint) -> Result<ShadowLayout, ShadowError> {
    shadow.read_layout(shadow.tree_of(commit_of(checkpoint)?)?)
}

/// The tree of the commit a checkpoint was made on.
fn base_of(shadow: &Shadow, checkpoint: &Checkpoint) -> Option<Id> {
    shadow.tree_of(checkpoint.base_commit.parse().ok()?).ok()
}

fn commit_of(checkpoint: &Checkpoint) -> Result<Id, ShadowError> {
    checkpoint
        .commit
        .parse()
        .map_err(|_| ShadowError::Format(checkpoint.commit.clone()))
}

fn within(
    shadow: &Shadow,
    old: Option<Id>,
    new: Option<Id>,
    shelf: Shelf,
) -> Result<Vec<PathDifference>, ShadowError> {
    let deltas = shadow.diff(old, new)?.into_iter();
    Ok(deltas
        .map(|delta| PathDifference {
            path: delta.path,
            shelf,
            before: delta.before,
            after: delta.after,
        })
        .collect())
}
