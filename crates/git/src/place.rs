//! Says which project and which worktree a folder belongs to. Starts no process and runs nothing of the repository's.

use std::io;
use std::path::{Component, Path, PathBuf};

use crate::discovery::{self, DiscoveredRepository, RepositorySearch};

/// The file that makes a folder outside git a project.
const MARKER: &str = "toprope.toml";
/// What the kernel takes as a path; a longer one cannot be a folder.
const LONGEST_PATH: usize = 4096;

/// Where a folder belongs. All paths are real: without symbolic links, absolute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The root of git's working tree. Absent outside git, in a bare repository and inside a git directory.
    pub worktree: Option<PathBuf>,
    /// The directory all worktrees of the repository share.
    pub common_dir: Option<PathBuf>,
    /// This worktree's own git directory: the common one, or one below it.
    pub git_dir: Option<PathBuf>,
    /// The project.
    pub project: ProjectKey,
    /// Why less is known than could be.
    pub reason: Option<PlaceGap>,
}

impl Place {
    /// Whether both are in the same working tree of git's.
    pub fn shares_worktree(&self, other: &Self) -> bool {
        let same = |one: &Option<PathBuf>, other: &Option<PathBuf>| match (one, other) {
            (Some(one), Some(other)) => one.as_os_str() == other.as_os_str(),
            _ => false,
        };
        same(&self.worktree, &other.worktree) && same(&self.git_dir, &other.git_dir)
    }
}

/// A project and what tells it from others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectKey {
    /// Its identity: the git common directory, or the folder.
    pub key: PathBuf,
    /// The folder a person would call the project: the main worktree, or the folder.
    pub root: PathBuf,
    /// What made it a project.
    pub kind: PlaceKind,
}

/// What makes a folder a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlaceKind {
    /// A git repository; all its worktrees are one project.
    Git,
    /// The nearest folder with a `toprope.toml`.
    Marker,
    /// Nothing but the folder itself.
    Folder,
}

/// Why a place is known less well than it could be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlaceGap {
    /// A relative path says nothing to a process that lives elsewhere.
    #[error("`{}` is not an absolute path", .0.display())]
    NotAbsolute(PathBuf),
    /// The folder was deleted, or something else is in its place.
    #[error("`{}` is no longer there", .0.display())]
    Gone(PathBuf),
    /// A symbolic link loop, missing permission, or an impossible name.
    #[error("`{}` cannot be reached", .0.display())]
    Unreachable(PathBuf),
    /// A repository without a working tree.
    #[error("`{}` is a bare repository", .0.display())]
    Bare(PathBuf),
    /// The folder is part of git's own files.
    #[error("`{}` is a git directory, not a working tree", .0.display())]
    InsideGitDir(PathBuf),
    /// A `.git` file that leads nowhere.
    #[error("`{}` {fault}", .path.display())]
    BrokenGitFile {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        fault: GitFileFault,
    },
    /// A `.git` that is neither a repository nor a file that names one.
    #[error("`{}` is not a repository", .0.display())]
    NotARepository(PathBuf),
}

impl PlaceGap {
    /// A short, stable name for records.
    pub fn name(&self) -> &'static str {
        match self {
            Self::NotAbsolute(_) => "cwd-not-absolute",
            Self::Gone(_) => "cwd-gone",
            Self::Unreachable(_) => "cwd-unreachable",
            Self::Bare(_) => "bare-repository",
            Self::InsideGitDir(_) => "inside-git-dir",
            Self::BrokenGitFile { .. } => "broken-git-file",
            Self::NotARepository(_) => "not-a-repository",
        }
    }
}

/// What is wrong with a `.git` file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum GitFileFault {
    /// No repository needs that many bytes to be named.
    #[error("is too long for a `.git` file")]
    TooLong,
    /// It cannot be read.
    #[error("cannot be read")]
    Unreadable,
    /// It does not say `gitdir: <path>`.
    #[error("names no git directory")]
    NamesNothing,
    /// What it names is not a git directory.
    #[error("names a git directory that is not there")]
    LeadsNowhere,
}

/// The project and worktree of a folder. Costs a few system calls per level of depth.
pub fn find(cwd: &Path) -> Place {
    let standpoint = match Standpoint::of(cwd) {
        Ok(standpoint) => standpoint,
        Err(reason) => return Place::folder(cwd.to_path_buf(), Some(reason)),
    };
    match discovery::search(&standpoint.existing) {
        RepositorySearch::Found(repository) => Place::repository(repository, standpoint.reason),
        RepositorySearch::Nothing(reason) => standpoint.outside_git(reason),
    }
}

impl Place {
    fn repository(repository: DiscoveredRepository, reason: Option<PlaceGap>) -> Self {
        Self {
            project: ProjectKey {
                key: repository.common_dir.clone(),
                root: repository.root,
                kind: PlaceKind::Git,
            },
            worktree: repository.worktree,
            common_dir: Some(repository.common_dir),
            git_dir: Some(repository.git_dir),
            reason: reason.or(repository.reason),
        }
    }

    fn folder(folder: PathBuf, reason: Option<PlaceGap>) -> Self {
        Self::plain(folder, PlaceKind::Folder, reason)
    }

    fn plain(folder: PathBuf, kind: PlaceKind, reason: Option<PlaceGap>) -> Self {
        Self {
            worktree: None,
            common_dir: None,
            git_dir: None,
            project: ProjectKey {
                key: folder.clone(),
                root: folder,
                kind,
            },
            reason,
        }
    }
}

/// Where the search begins.
struct Standpoint {
    /// The folder itself, or its nearest ancestor that exists.
    existing: PathBuf,
    /// The folder as it was named, real as far as it exists: a deleted folder stays the project it was.
    named: PathBuf,
    reason: Option<PlaceGap>,
}

impl Standpoint {
    fn of(cwd: &Path) -> Result<Self, PlaceGap> {
        if !cwd.is_absolute() {
            return Err(PlaceGap::NotAbsolute(cwd.to_path_buf()));
        }
        if cwd.as_os_str().len() > LONGEST_PATH {
            return Err(PlaceGap::Unreachable(cwd.to_path_buf()));
        }
        let mut reason = None;
        for ancestor in cwd.ancestors() {
            match real_folder(ancestor) {
                Ok(existing) => {
                    let named = descend(&existing, cwd.strip_prefix(ancestor).unwrap_or(Path::new("")));
                    return Ok(Self {
                        existing,
                        named,
                        reason,
                    });
                }
                Err(error) => {
                    reason.get_or_insert_with(|| degraded_by(&error, cwd));
                }
            }
        }
        Err(PlaceGap::Unreachable(cwd.to_path_buf()))
    }

    fn outside_git(self, reason: Option<PlaceGap>) -> Place {
        let reason = self.reason.or(reason);
        let marked = self
            .existing
            .ancestors()
            .find(|folder| fs_err::metadata(folder.join(MARKER)).is_ok_and(|metadata| metadata.is_file()));
        match marked {
            Some(folder) => Place::plain(folder.to_path_buf(), PlaceKind::Marker, reason),
            None => Place::folder(self.named, reason),
        }
    }
}

fn real_folder(path: &Path) -> io::Result<PathBuf> {
    let real = fs_err::canonicalize(path)?;
    if fs_err::metadata(&real)?.is_dir() {
        Ok(real)
    } else {
        Err(io::ErrorKind::NotADirectory.into())
    }
}

fn degraded_by(error: &io::Error, cwd: &Path) -> PlaceGap {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => PlaceGap::Gone(cwd.to_path_buf()),
        _ => PlaceGap::Unreachable(cwd.to_path_buf()),
    }
}

/// Below what does not exist there are no links: `..` goes back by name.
fn descend(existing: &Path, missing: &Path) -> PathBuf {
    let mut path = existing.to_path_buf();
    for component in missing.components() {
        match component {
            Component::ParentDir => {
                path.pop();
            }
            Component::Normal(name) => path.push(name),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    path
}

#[cfg(test)]
mod tests;
