//! The order in which changes are made, and whether they can be made together at all.

use std::collections::BTreeMap;

use super::PathChange;
use crate::object::{EntryMode, PathState};
use crate::path::RepoPath;

/// What happens on disk to get from one state to the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiskStep {
    /// Nothing: the bytes and their mode are the same, only the stored form differs.
    Nothing,
    /// The exec bit is set or taken.
    Mode,
    /// What is there goes, and nothing comes.
    Delete,
    /// Content comes, over what is there or where nothing was.
    Put,
}

impl PathChange {
    /// What has to happen on disk.
    pub fn deed(&self) -> DiskStep {
        let mode = |state: &PathState| state.entry().map(|entry| entry.mode);
        let is_file = |state: &PathState| matches!(mode(state), Some(EntryMode::File | EntryMode::Exec));
        match self.to {
            PathState::Absent if self.from == PathState::Absent => DiskStep::Nothing,
            PathState::Absent => DiskStep::Delete,
            PathState::Present { .. } if self.from.bytes() != self.to.bytes() => DiskStep::Put,
            PathState::Present { .. } if mode(&self.from) == mode(&self.to) => DiskStep::Nothing,
            PathState::Present { .. } if is_file(&self.from) && is_file(&self.to) => DiskStep::Mode,
            PathState::Present { .. } => DiskStep::Put,
        }
    }

    /// The same change backwards.
    #[must_use]
    pub fn reversed(&self) -> Self {
        Self {
            path: self.path.clone(),
            from: self.to,
            to: self.from,
        }
    }
}

/// Deletions first, innermost first, so that what replaces a folder finds it empty; then the rest, outermost first.
///
/// Gives back the path that makes it impossible: named twice, a repository, or below another that will be a file.
pub fn ordered(changes: Vec<PathChange>) -> Result<Vec<PathChange>, RepoPath> {
    let mut by_path: BTreeMap<RepoPath, PathChange> = BTreeMap::new();
    for change in changes {
        let is_commit =
            |state: &PathState| state.entry().is_some_and(|entry| entry.mode == EntryMode::Commit);
        if is_commit(&change.from) || is_commit(&change.to) {
            return Err(change.path);
        }
        if let Some(twice) = by_path.insert(change.path.clone(), change) {
            return Err(twice.path);
        }
    }
    for change in by_path.values().filter(|change| change.to != PathState::Absent) {
        let is_file = |folder: &RepoPath| {
            by_path
                .get(folder)
                .is_some_and(|above| above.to != PathState::Absent)
        };
        if ancestors(&change.path).any(|folder| is_file(&folder)) {
            return Err(change.path.clone());
        }
    }
    let changes = by_path
        .into_values()
        .filter(|change| change.deed() != DiskStep::Nothing);
    let (mut gone, kept): (Vec<_>, Vec<_>) = changes.partition(|change| change.to == PathState::Absent);
    gone.reverse();
    gone.extend(kept);
    Ok(gone)
}

/// The folders a path is in, innermost first.
pub fn ancestors(path: &RepoPath) -> impl Iterator<Item = RepoPath> + use<> {
    std::iter::successors(path.parent(), RepoPath::parent)
}

#[cfg(test)]
mod tests;
