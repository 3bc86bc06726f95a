//! Says whether git is in the middle of something in a worktree: a rebase, a merge, a bisection.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use crate::deadline::Deadline;
use crate::place::Place;
use crate::run::{Git, GitEnvironment, Limits};
use crate::small_file;

/// More than enough to see what the first step of a sequence is.
const LIMIT: u64 = 1024 * 1024;

/// What git is in the middle of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GitOperation {
    /// `git rebase`.
    Rebase,
    /// `git am`.
    Am,
    /// `git merge`.
    Merge,
    /// `git cherry-pick`.
    CherryPick,
    /// `git revert`.
    Revert,
    /// `git bisect`.
    Bisect,
}

impl fmt::Display for GitOperation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Rebase => "rebase",
            Self::Am => "am",
            Self::Merge => "merge",
            Self::CherryPick => "cherry-pick",
            Self::Revert => "revert",
            Self::Bisect => "bisect",
        })
    }
}

/// What is in progress; of several, the outermost. Asks git, within the budget, only where files do not say.
pub fn in_progress(place: &Place, environment: &GitEnvironment, budget: Duration) -> Option<GitOperation> {
    let git_dir = place.git_dir.as_deref()?;
    from_files(git_dir).or_else(|| {
        let tables = place.common_dir.as_ref()?.join("reftable");
        let folder = place.worktree.as_ref()?;
        let git = Git::new(folder, environment);
        tables.is_dir().then(|| from_refs(&git, budget)).flatten()
    })
}

fn from_files(git_dir: &Path) -> Option<GitOperation> {
    let has = |name: &str| fs_err::symlink_metadata(git_dir.join(name)).is_ok();
    if has("rebase-merge") {
        return Some(GitOperation::Rebase);
    }
    if has("rebase-apply") {
        let is_am = has("rebase-apply/applying");
        return Some(if is_am {
            GitOperation::Am
        } else {
            GitOperation::Rebase
        });
    }
    let marks = [
        ("MERGE_HEAD", GitOperation::Merge),
        ("CHERRY_PICK_HEAD", GitOperation::CherryPick),
        ("REVERT_HEAD", GitOperation::Revert),
    ];
    let marked = marks
        .into_iter()
        .find(|(name, _)| has(name))
        .map(|(_, operation)| operation);
    marked
        .or_else(|| sequence(git_dir))
        .or_else(|| has("BISECT_LOG").then_some(GitOperation::Bisect))
}

/// Between two commits of a sequence only its list of steps is there.
fn sequence(git_dir: &Path) -> Option<GitOperation> {
    let todo = git_dir.join("sequencer").join("todo");
    fs_err::symlink_metadata(&todo).ok()?;
    let steps = small_file::read(&todo, LIMIT).unwrap_or_default();
    let is_revert = steps.trim_ascii_start().starts_with(b"revert");
    Some(if is_revert {
        GitOperation::Revert
    } else {
        GitOperation::CherryPick
    })
}

/// Where refs are kept in tables, these two are among them.
fn from_refs(git: &Git, budget: Duration) -> Option<GitOperation> {
    let deadline = Deadline::after(budget);
    let names = [
        ("CHERRY_PICK_HEAD", GitOperation::CherryPick),
        ("REVERT_HEAD", GitOperation::Revert),
    ];
    let exists = |name: &str| {
        let limits = Limits::within(deadline.remaining());
        git.run(&["rev-parse", "--quiet", "--verify", name], limits)
            .is_ok()
    };
    names
        .into_iter()
        .find(|(name, _)| exists(name))
        .map(|(_, operation)| operation)
}

#[cfg(test)]
mod tests;
