//! Finds the paths of a working tree that differ from the commit checked out. Git does the looking; it takes no lock,
//! writes nothing, and enters no ignored folder, submodule or nested repository.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use crate::object::{Id, TreeLeaf};
use crate::path::{PathFault, RepoPath};
use crate::run::{Git, GitError, Limits};
use crate::status::{StatusChange, StatusRecord, records};
use crate::worktree::GitWorktree;

const STATUS: [&str; 8] = [
    "status",
    "--porcelain=v2",
    "--branch",
    "--no-ahead-behind",
    "-z",
    "--untracked-files=all",
    "--no-renames",
    "--ignore-submodules=dirty",
];
/// About two million names.
const MOST_BYTES: usize = 256 * 1024 * 1024;
/// A generous line of a status, to end an endless one before it is all there.
const LINE_BYTES: usize = 512;

/// What a scan looks at.
#[derive(Debug, Clone, Copy)]
pub enum Ground<'site> {
    /// A working tree of git's.
    Repository,
    /// A folder outside git. The shadow stands in for the repository; ignore files count all the same.
    Folder {
        /// The shadow repository.
        shadow: &'site Path,
        /// More files than this are not looked after.
        max_files: usize,
    },
}

/// What differs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WorktreeScan {
    /// The commit checked out; none before the first.
    pub head: Option<Id>,
    /// The branch checked out, if one is.
    pub branch: Option<Vec<u8>>,
    /// The paths that differ from it, in the index or in the working tree.
    pub dirty: BTreeMap<RepoPath, Dirty>,
    /// Names that cannot be looked after, and why.
    pub refused: Vec<(Vec<u8>, PathFault)>,
}

/// A path that differs from the commit checked out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dirty {
    /// What the commit has.
    pub head: Option<TreeLeaf>,
    /// What the index has; for an unmerged path, our side.
    pub index: Option<TreeLeaf>,
    /// What it is to git.
    pub kind: Dirt,
    /// Git takes the working tree for what the index has, though the file may be left out of a sparse checkout.
    pub is_as_staged: bool,
}

/// What a path that differs is to git.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dirt {
    /// A tracked file.
    Tracked,
    /// A file that git does not know, and is not told to ignore.
    Untracked,
    /// A file with more than one version in the index.
    Unmerged,
    /// A submodule, or what was or became one.
    Submodule,
    /// A repository inside this one that it does not know.
    Nested,
}

/// Why there is no scan.
#[derive(Debug, thiserror::Error)]
pub enum ScanError {
    /// It had not ended in time.
    #[error("the scan took longer than {} s", .0.as_secs())]
    Late(Duration),
    /// More than is looked after.
    #[error("more than {limit} files")]
    TooMany {
        /// The limit.
        limit: usize,
    },
    /// Git refused or is missing.
    #[error(transparent)]
    Git(GitError),
}

/// Asks git what differs.
pub fn scan(
    worktree: &GitWorktree,
    git: &Git,
    ground: Ground<'_>,
    time: Duration,
) -> Result<WorktreeScan, ScanError> {
    let (mut arguments, limit) = match ground {
        Ground::Repository => (Vec::new(), MOST_BYTES / LINE_BYTES),
        Ground::Folder { shadow, max_files } => (worktree.address(shadow), max_files),
    };
    arguments.extend(STATUS.map(OsString::from));
    let limits = Limits {
        time,
        bytes: limit
            .saturating_add(16)
            .saturating_mul(LINE_BYTES)
            .min(MOST_BYTES),
    };
    let text = git.run(&arguments, limits).map_err(|error| match error {
        GitError::Late => ScanError::Late(time),
        GitError::TooLong { .. } => ScanError::TooMany { limit },
        error @ (GitError::Missing | GitError::Start(_) | GitError::Failed { .. }) => ScanError::Git(error),
    })?;
    let scan = WorktreeScan::of(&text, worktree);
    match ground {
        Ground::Folder { max_files, .. } if scan.dirty.len() > max_files => {
            Err(ScanError::TooMany { limit: max_files })
        }
        Ground::Folder { .. } | Ground::Repository => Ok(scan),
    }
}

impl WorktreeScan {
    fn of(text: &[u8], worktree: &GitWorktree) -> Self {
        let mut scan = Self::default();
        for record in records(text) {
            match record {
                StatusRecord::Header {
                    name: b"branch.oid",
                    value,
                } => scan.head = std::str::from_utf8(value).ok().and_then(|id| id.parse().ok()),
                StatusRecord::Header {
                    name: b"branch.head",
                    value,
                } => scan.branch = (value != b"(detached)").then(|| value.to_vec()),
                StatusRecord::Header { .. } => {}
                StatusRecord::Changed(change) => scan.add(worktree, change.path, Dirty::changed(&change)),
                StatusRecord::Unmerged {
                    is_submodule,
                    ours,
                    path,
                } => scan.add(worktree, path, Dirty::unmerged(is_submodule, ours)),
                StatusRecord::Untracked(path) => match path.strip_suffix(b"/") {
                    Some(folder) => scan.add(worktree, folder, Dirty::unknown(Dirt::Nested)),
                    None => scan.add(worktree, path, Dirty::unknown(Dirt::Untracked)),
                },
            }
        }
        scan
    }

    /// A file taken out of the index and kept in the working tree is reported twice; the commit's side is kept.
    fn add(&mut self, worktree: &GitWorktree, name: &[u8], dirty: Dirty) {
        let path = match RepoPath::new(name) {
            Ok(path) => path,
            Err(fault) => {
                self.refused.push((name.to_vec(), fault));
                return;
            }
        };
        if worktree.hides(&path) {
            return;
        }
        self.dirty
            .entry(path)
            .and_modify(|known| {
                *known = Dirty {
                    head: known.head.or(dirty.head),
                    ..dirty
                };
            })
            .or_insert(dirty);
    }
}

impl Dirty {
    fn changed(change: &StatusChange<'_>) -> Self {
        let [_, tree] = change.letters;
        Self {
            head: change.head,
            index: change.index,
            kind: if change.is_submodule {
                Dirt::Submodule
            } else {
                Dirt::Tracked
            },
            is_as_staged: tree == b'.' && change.index.is_some(),
        }
    }

    fn unmerged(is_submodule: bool, ours: Option<TreeLeaf>) -> Self {
        Self {
            head: ours,
            index: ours,
            kind: if is_submodule {
                Dirt::Submodule
            } else {
                Dirt::Unmerged
            },
            is_as_staged: false,
        }
    }

    fn unknown(kind: Dirt) -> Self {
        Self {
            head: None,
            index: None,
            kind,
            is_as_staged: false,
        }
    }
}

#[cfg(test)]
mod tests;
