//! Which paths differ between a checkpoint and the worktree, whoever changed them.

use super::error::RewindError;
use crate::checkpoint::cutter::{CutBase, Cutter};
use git::path::RepoPath;
use git::shadow::{ShadowError, ShadowLayout};
use std::collections::BTreeSet;

/// A checkpoint's parts, and the worktree they are compared with.
pub(super) struct Differing<'a> {
    pub cutter: Cutter<'a>,
    pub ground: &'a CutBase<'a>,
    pub layout: &'a ShadowLayout,
}

impl Differing<'_> {
    /// Every path that may differ: whether it does, its content tells.
    pub fn all(&self) -> Result<BTreeSet<RepoPath>, RewindError> {
        let dirty = self.dirty()?;
        let mut paths = self.committed(&dirty)?;
        paths.extend(dirty);
        paths.extend(self.ignored()?);
        Ok(paths)
    }

    /// Every path that differs from the commit checked out.
    pub fn dirty(&self) -> Result<BTreeSet<RepoPath>, RewindError> {
        match &self.ground.seen {
            Some(seen) => Ok(seen.snapshot.paths().cloned().collect()),
            None => Ok(self.cutter.scan()?.dirty.into_keys().collect()),
        }
    }

    /// Every path that is as the commit checked out has it, and another in the checkpoint.
    pub fn committed(&self, dirty: &BTreeSet<RepoPath>) -> Result<BTreeSet<RepoPath>, RewindError> {
        let moved = self
            .ground
            .shadow
            .diff(Some(self.layout.files), self.ground.base)?;
        let paths = moved.into_iter().map(|delta| delta.path);
        Ok(paths
            .filter(|path| !dirty.contains(path) && !self.is_left_out(path))
            .collect())
    }

    /// The paths that the checkpoint keeps although git ignores them.
    pub fn ignored(&self) -> Result<Vec<RepoPath>, ShadowError> {
        match self.layout.ignored {
            Some(tree) => {
                let leaves = self.ground.shadow.leaves(tree)?;
                Ok(leaves.into_iter().map(|(path, _)| path).collect())
            }
            None => Ok(Vec::new()),
        }
    }

    /// Whether the commit checked out has a path.
    pub fn is_tracked(&self, path: &RepoPath) -> bool {
        let base = self.ground.base;
        base.is_some_and(|base| matches!(self.ground.shadow.entry(base, path), Ok(Some(_))))
    }

    /// Whether git takes a path for unchanged although nothing is there: it is left out of a sparse checkout.
    fn is_left_out(&self, path: &RepoPath) -> bool {
        let root = &self.cutter.site.worktree.root;
        self.is_tracked(path) && fs_err::symlink_metadata(root.join(path.to_path())).is_err()
    }
}
