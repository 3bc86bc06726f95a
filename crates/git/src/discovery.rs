//! Finds the repository above a folder the way git does, from files alone.
//!
//! Where git would stop with an error (a broken `.git` file) the search ends with a reason; where git would look
//! further up (an empty `.git` folder, a dangling link) it does so too. `GIT_DIR` and its kin are not looked at.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::config::GitConfig;
use crate::place::{GitFileFault, PlaceGap};
use crate::small_file;

/// Enough for the longest path the kernel takes, and for any honest `HEAD`.
const LIMIT: u64 = 4096;

/// A repository as seen from one folder.
#[derive(Debug)]
pub struct DiscoveredRepository {
    pub git_dir: PathBuf,
    pub common_dir: PathBuf,
    pub worktree: Option<PathBuf>,
    pub root: PathBuf,
    pub reason: Option<PlaceGap>,
}

/// What the way up to the root came across.
#[derive(Debug)]
pub enum RepositorySearch {
    Found(DiscoveredRepository),
    Nothing(Option<PlaceGap>),
}

/// Looks for a repository in a real folder and its ancestors, not beyond the folder's file system.
pub fn search(start: &Path) -> RepositorySearch {
    let mut strange = None;
    let mut device = None;
    for folder in start.ancestors() {
        let Ok(metadata) = fs_err::metadata(folder) else {
            break;
        };
        if *device.get_or_insert(metadata.dev()) != metadata.dev() {
            break;
        }
        match DotGit::of(folder) {
            DotGit::Directory(directory) => return RepositorySearch::Found(checked_out(folder, directory)),
            DotGit::Broken(reason) => return RepositorySearch::Nothing(Some(reason)),
            DotGit::Strange(path) => {
                strange.get_or_insert(PlaceGap::NotARepository(path));
            }
            DotGit::Absent => {}
        }
        if let Some(directory) = GitDir::at(folder) {
            return RepositorySearch::Found(without_worktree(directory));
        }
    }
    RepositorySearch::Nothing(strange)
}

/// What a folder holds under the name `.git`.
enum DotGit {
    Absent,
    Directory(GitDir),
    Strange(PathBuf),
    Broken(PlaceGap),
}

impl DotGit {
    fn of(folder: &Path) -> Self {
        let path = folder.join(".git");
        match fs_err::metadata(&path) {
            Ok(metadata) if metadata.is_file() => match named_by(&path) {
                Ok(directory) => Self::Directory(directory),
                Err(fault) => Self::Broken(PlaceGap::BrokenGitFile { path, fault }),
            },
            Ok(_) => GitDir::at(&path).map_or(Self::Strange(path), Self::Directory),
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                ) =>
            {
                Self::Absent
            }
            Err(_) => Self::Strange(path),
        }
    }
}

/// The git directory a `.git` file names. Relative names start at the file's folder.
fn named_by(file: &Path) -> Result<GitDir, GitFileFault> {
    let content = small_file::read(file, LIMIT).map_err(|error| match error.kind() {
        io::ErrorKind::FileTooLarge => GitFileFault::TooLong,
        _ => GitFileFault::Unreadable,
    })?;
    let name = content.strip_prefix(b"gitdir: ").map(line).unwrap_or_default();
    if name.is_empty() {
        return Err(GitFileFault::NamesNothing);
    }
    let folder = file.parent().unwrap_or(Path::new("/"));
    GitDir::at(&folder.join(OsStr::from_bytes(name))).ok_or(GitFileFault::LeadsNowhere)
}

/// A directory that git would accept as its own, with the one it shares with other worktrees.
struct GitDir {
    own: PathBuf,
    common: PathBuf,
}

impl GitDir {
    fn at(path: &Path) -> Option<Self> {
        if !has_head(path) {
            return None;
        }
        let own = fs_err::canonicalize(path).ok()?;
        let common = match small_file::read(&own.join("commondir"), LIMIT) {
            Ok(name) => fs_err::canonicalize(own.join(OsStr::from_bytes(line(&name)))).ok()?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => own.clone(),
            Err(_) => return None,
        };
        let is_complete = ["objects", "refs"]
            .iter()
            .all(|name| is_folder(&common.join(name)));
        is_complete.then_some(Self { own, common })
    }

    fn is_linked(&self) -> bool {
        self.own != self.common
    }
}

/// `HEAD` names a ref or a commit; old repositories have a symbolic link, which may dangle.
fn has_head(directory: &Path) -> bool {
    let head = directory.join("HEAD");
    match small_file::read(&head, LIMIT) {
        Ok(content) => names_ref(&content) || is_object_id(line(&content)),
        Err(_) => fs_err::read_link(&head).is_ok_and(|target| target.starts_with("refs")),
    }
}

fn names_ref(content: &[u8]) -> bool {
    let target = content.strip_prefix(b"ref:").map(<[u8]>::trim_ascii_start);
    target.is_some_and(|target| target.starts_with(b"refs/"))
}

/// A SHA-1 or SHA-256 name in full.
pub fn is_object_id(text: &[u8]) -> bool {
    matches!(text.len(), 40 | 64) && text.iter().all(u8::is_ascii_hexdigit)
}

/// A worktree found by its `.git`. A linked one is where it is; the main one may be said to be elsewhere.
fn checked_out(folder: &Path, directory: GitDir) -> DiscoveredRepository {
    let config = GitConfig::read(&directory.common);
    if directory.is_linked() {
        return DiscoveredRepository {
            root: main_root(&directory.common, &config),
            worktree: Some(folder.to_path_buf()),
            git_dir: directory.own,
            common_dir: directory.common,
            reason: None,
        };
    }
    if config.bare == Some(true) {
        return without_worktree(directory);
    }
    let worktree = elsewhere(&directory.common, &config).unwrap_or_else(|| folder.to_path_buf());
    DiscoveredRepository {
        root: worktree.clone(),
        worktree: Some(worktree),
        git_dir: directory.own,
        common_dir: directory.common,
        reason: None,
    }
}

/// A bare repository, or a folder among git's own files.
fn without_worktree(directory: GitDir) -> DiscoveredRepository {
    let config = GitConfig::read(&directory.common);
    let is_bare = config.bare.unwrap_or_else(|| !is_named_git(&directory.common));
    let reason = if is_bare {
        PlaceGap::Bare(directory.common.clone())
    } else {
        PlaceGap::InsideGitDir(directory.own.clone())
    };
    DiscoveredRepository {
        root: main_root(&directory.common, &config),
        worktree: None,
        git_dir: directory.own,
        common_dir: directory.common,
        reason: Some(reason),
    }
}

/// The main worktree, or the repository itself where none can be known.
fn main_root(common: &Path, config: &GitConfig) -> PathBuf {
    if config.bare == Some(true) {
        return common.to_path_buf();
    }
    let beside = common.parent().filter(|_| is_named_git(common));
    elsewhere(common, config).unwrap_or_else(|| beside.unwrap_or(common).to_path_buf())
}

fn elsewhere(common: &Path, config: &GitConfig) -> Option<PathBuf> {
    let named = common.join(config.worktree.as_ref()?);
    fs_err::canonicalize(named).ok().filter(|path| is_folder(path))
}

fn is_named_git(directory: &Path) -> bool {
    directory.file_name() == Some(OsStr::new(".git"))
}

fn is_folder(path: &Path) -> bool {
    fs_err::metadata(path).is_ok_and(|metadata| metadata.is_dir())
}

/// The content without its line ends, as git reads these files: blanks are part of a name.
fn line(content: &[u8]) -> &[u8] {
    let mut text = content;
    while let Some(rest) = text.strip_suffix(b"\n").or_else(|| text.strip_suffix(b"\r")) {
        text = rest;
    }
    text
}
