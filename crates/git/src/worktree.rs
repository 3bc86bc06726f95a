//! One working tree: where its files are, what git calls it, and which folders below it are nobody's work.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::path::RepoPath;
use crate::place::{Place, PlaceKind};

/// How the name of a folder begins in which a restore gets its files ready, where it has to be in the root itself.
pub(crate) const STAGE: &str = ".toprope-stage-";

/// A working tree of git's, or a folder outside git that is a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitWorktree {
    /// Its root, as a real path.
    pub root: PathBuf,
    /// Its own git directory; none outside git.
    pub git_dir: Option<PathBuf>,
    /// The directory all worktrees of the repository share; none outside git.
    pub common_dir: Option<PathBuf>,
    /// The name git has for it; empty for the main one and outside git.
    pub name: Vec<u8>,
    /// Folders of git and of Toprope that lie below the root, relative to it.
    hidden: Vec<Vec<u8>>,
}

impl GitWorktree {
    /// The working tree of a place; none in a bare repository or inside a git directory.
    pub fn of(place: &Place) -> Option<Self> {
        let (root, name) = Self::named(place)?;
        let worktree = Self {
            root: root.to_path_buf(),
            git_dir: place.git_dir.clone(),
            common_dir: place.common_dir.clone(),
            name: name.to_vec(),
            hidden: Vec::new(),
        };
        let git = [&place.git_dir, &place.common_dir];
        Some(
            git.into_iter()
                .flatten()
                .fold(worktree, |worktree, folder| worktree.hiding(folder)),
        )
    }

    /// The root and the name of the working tree of a place, for those who need no more.
    pub fn named(place: &Place) -> Option<(&Path, &[u8])> {
        let root = match place.project.kind {
            PlaceKind::Git => place.worktree.as_deref()?,
            PlaceKind::Marker | PlaceKind::Folder => &place.project.root,
        };
        let name = match (&place.git_dir, &place.common_dir) {
            (Some(own), Some(common)) if own.as_os_str() != common.as_os_str() => own.file_name(),
            _ => None,
        };
        Some((root, name.map(OsStrExt::as_bytes).unwrap_or_default()))
    }

    /// The same, without what lies in this folder: Toprope's own files are never somebody's work.
    #[must_use]
    pub fn hiding(mut self, folder: &Path) -> Self {
        if let Ok(below) = folder.strip_prefix(&self.root)
            && !below.as_os_str().is_empty()
        {
            self.hidden.push(below.as_os_str().as_bytes().to_vec());
        }
        self
    }

    /// Whether a path lies in a folder that is nobody's work.
    pub fn hides(&self, path: &RepoPath) -> bool {
        if path.as_bytes().starts_with(STAGE.as_bytes()) {
            return true;
        }
        self.hidden.iter().any(|folder| {
            path.as_bytes()
                .strip_prefix(folder.as_slice())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
        })
    }

    /// Whether git knows this folder as a working tree.
    pub fn is_in_git(&self) -> bool {
        self.git_dir.is_some()
    }

    /// What git must be told before a command. Outside git the shadow stands in for the repository.
    pub fn address(&self, shadow: &Path) -> Vec<OsString> {
        if self.is_in_git() {
            return Vec::new();
        }
        let option = |name: &str, path: &Path| {
            let mut option = OsString::from(name);
            option.push(path);
            option
        };
        vec![option("--git-dir=", shadow), option("--work-tree=", &self.root)]
    }
}

#[cfg(test)]
mod tests;
