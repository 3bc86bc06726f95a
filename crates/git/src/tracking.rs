//! Which of a few paths git knows, and which it is told to ignore: two questions, asked at once, for all paths together.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::deadline::{Deadline, DeadlineTask};
use crate::object::{EntryMode, TreeLeaf};
use crate::path::RepoPath;
use crate::run::{Git, GitEnvironment, GitError, Limits};
use crate::status::StatusRecord;

/// A folder whose entries are all ignored is ignored itself, as far as so few entries say it.
const MOST_ENTRIES: usize = 32;
/// About twenty thousand tracked files below the paths that were asked for.
const LISTING: usize = 1024 * 1024;

/// What git says of some paths; `None` where it did not say it in time.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tracking {
    /// Git knows these, or a file below them.
    pub tracked: Option<BTreeSet<RepoPath>>,
    /// Git is told to ignore these, or all there is below them.
    pub ignored: Option<BTreeSet<RepoPath>>,
}

/// What git says of paths below the root of a worktree.
pub fn tracking(root: &Path, paths: &[RepoPath], environment: &GitEnvironment, time: Duration) -> Tracking {
    if paths.is_empty() {
        return Tracking {
            tracked: Some(BTreeSet::new()),
            ignored: Some(BTreeSet::new()),
        };
    }
    let deadline = Deadline::after(time);
    let listing = {
        let (git, paths) = (Git::new(root, environment), paths.to_vec());
        DeadlineTask::start(move || tracked(&git, &paths, deadline.remaining()))
    };
    let ignored = ignored(root, paths, environment, deadline.remaining());
    Tracking {
        tracked: listing.finish(deadline).and_then(Result::ok),
        ignored: ignored.ok(),
    }
}

/// Which of these paths below the root of a worktree git knows; `None` where it did not say so in time.
pub fn known_of(
    root: &Path,
    paths: &[RepoPath],
    environment: &GitEnvironment,
    time: Duration,
) -> Option<BTreeSet<RepoPath>> {
    tracked(&Git::new(root, environment), paths, time).ok()
}

/// A path that differs from the last commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedPath {
    /// From the root of the worktree.
    pub path: RepoPath,
    /// Git knows it.
    pub is_known: bool,
    /// The index differs from the last commit there.
    pub is_in_index: bool,
    /// No file is there any more.
    pub is_gone: bool,
}

/// Which of these paths differ from the last commit, or are unknown to git; `None` where it did not say so in time.
pub fn changed_of(
    root: &Path,
    paths: &[RepoPath],
    environment: &GitEnvironment,
    time: Duration,
) -> Option<Vec<ChangedPath>> {
    if paths.is_empty() {
        return Some(Vec::new());
    }
    let git = Git::new(root, environment);
    let options = [
        "--literal-pathspecs",
        "status",
        "--porcelain=v2",
        "-z",
        "--untracked-files=all",
        "--no-renames",
        "--ignore-submodules=dirty",
        "--",
    ];
    let mut arguments: Vec<&OsStr> = options.map(OsStr::new).to_vec();
    arguments.extend(paths.iter().map(|path| OsStr::from_bytes(path.as_bytes())));
    let listed = git.run(&arguments, Limits { time, bytes: LISTING }).ok()?;
    Some(crate::status::records(&listed).filter_map(changed).collect())
}

/// The files at or below these paths that git takes for those of the last commit, and what that has there; `None` where one
/// that is there differs, is unknown to git and not ignored, or is marked so that git does not look at it, and where git
/// did not say it in time. The bytes on the disk may still be others: filters have their say before git compares.
pub fn committed_of(
    root: &Path,
    paths: &[RepoPath],
    environment: &GitEnvironment,
    time: Duration,
) -> Option<BTreeMap<RepoPath, TreeLeaf>> {
    let deadline = Deadline::after(time);
    let listing = {
        let (git, paths) = (Git::new(root, environment), paths.to_vec());
        DeadlineTask::start(move || unmarked(&git, &paths, deadline.remaining()))
    };
    let changed = changed_of(root, paths, environment, deadline.remaining())?;
    if changed.iter().any(|changed| !changed.is_gone) {
        return None;
    }
    listing.finish(deadline).flatten()
}

/// The files git knows at or below these paths; `None` if it is told to take one of them for unchanged.
fn unmarked(git: &Git, paths: &[RepoPath], time: Duration) -> Option<BTreeMap<RepoPath, TreeLeaf>> {
    let options = ["--literal-pathspecs", "ls-files", "-z", "-v", "--stage", "--"];
    let mut arguments: Vec<&OsStr> = options.map(OsStr::new).to_vec();
    arguments.extend(paths.iter().map(|path| OsStr::from_bytes(path.as_bytes())));
    let listed = git.run(&arguments, Limits { time, bytes: LISTING }).ok()?;
    let lines = listed.split(|byte| *byte == 0).filter(|line| !line.is_empty());
    lines.map(|line| staged(line.strip_prefix(b"H ")?)).collect()
}

/// A path of the index that is not in conflict.
fn staged(line: &[u8]) -> Option<(RepoPath, TreeLeaf)> {
    let tab = line.iter().position(|byte| *byte == b'\t')?;
    let (entry, path) = line.split_at_checked(tab)?;
    let mut words = std::str::from_utf8(entry).ok()?.split(' ');
    let mode = EntryMode::parse(words.next()?)?;
    let id = words.next()?.parse().ok()?;
    let is_settled = words.next()? == "0";
    let path = RepoPath::new(path.strip_prefix(b"\t")?).ok()?;
    is_settled.then_some((path, TreeLeaf { mode, id }))
}

fn changed(record: StatusRecord<'_>) -> Option<ChangedPath> {
    let (path, is_known, [index, worktree]) = match record {
        StatusRecord::Changed(change) => (change.path, true, change.letters),
        StatusRecord::Unmerged { path, .. } => (path, true, *b".."),
        StatusRecord::Untracked(path) => (path, false, *b".."),
        StatusRecord::Header { .. } => return None,
    };
    Some(ChangedPath {
        path: RepoPath::new(path).ok()?,
        is_known,
        is_in_index: index != b'.',
        is_gone: worktree == b'D' || index == b'D' && worktree == b'.',
    })
}

fn tracked(git: &Git, paths: &[RepoPath], time: Duration) -> Result<BTreeSet<RepoPath>, GitError> {
    let mut arguments: Vec<Vec<u8>> = ["--literal-pathspecs", "ls-files", "-z", "--cached", "--"]
        .iter()
        .map(|word| word.as_bytes().to_vec())
        .collect();
    arguments.extend(paths.iter().map(|path| path.as_bytes().to_vec()));
    let arguments: Vec<&OsStr> = arguments
        .iter()
        .map(|word| OsStr::from_bytes(word.as_slice()))
        .collect();
    match git.run(&arguments, Limits { time, bytes: LISTING }) {
        Ok(listed) => Ok(holding(paths, &listed)),
        // So much is tracked below them that which one it is makes no difference.
        Err(GitError::TooLong { .. }) => Ok(paths.iter().cloned().collect()),
        Err(error) => Err(error),
    }
}

/// The paths that are listed, or have something listed below them.
fn holding(paths: &[RepoPath], listed: &[u8]) -> BTreeSet<RepoPath> {
    let listed: BTreeSet<&[u8]> = listed.split(|byte| *byte == 0).collect();
    let holds = |path: &&RepoPath| {
        let folder = [path.as_bytes(), b"/"].concat();
        listed.contains(path.as_bytes())
            || listed
                .range(folder.as_slice()..)
                .next()
                .is_some_and(|next| next.starts_with(&folder))
    };
    paths.iter().filter(holds).cloned().collect()
}

fn ignored(
    root: &Path,
    paths: &[RepoPath],
    environment: &GitEnvironment,
    time: Duration,
) -> Result<BTreeSet<RepoPath>, GitError> {
    let entries: Vec<(RepoPath, Vec<RepoPath>)> = paths
        .iter()
        .map(|path| (path.clone(), entries(root, path)))
        .collect();
    let mut names = Vec::new();
    for path in entries
        .iter()
        .flat_map(|(path, below)| below.iter().chain([path]))
    {
        names.extend_from_slice(path.as_bytes());
        names.push(0);
        // What is not there may be meant as a folder, and some rules are about folders only.
        if fs_err::symlink_metadata(root.join(path.to_path())).is_err() {
            names.extend_from_slice(&as_folder(path));
            names.push(0);
        }
    }
    let git = Git::new(root, environment);
    let told = match git.feed(&["check-ignore", "-z", "--stdin"], names, Limits::within(time)) {
        Ok(told) => told,
        // This is how it says that none is.
        Err(GitError::Failed { code: Some(1), .. }) => Vec::new(),
        Err(error) => return Err(error),
    };
    let told: BTreeSet<&[u8]> = told.split(|byte| *byte == 0).collect();
    let is_told =
        |path: &RepoPath| told.contains(path.as_bytes()) || told.contains(as_folder(path).as_slice());
    let is_ignored =
        |path: &RepoPath, below: &[RepoPath]| is_told(path) || !below.is_empty() && below.iter().all(is_told);
    Ok(entries
        .into_iter()
        .filter(|(path, below)| is_ignored(path, below))
        .map(|(path, _)| path)
        .collect())
}

fn as_folder(path: &RepoPath) -> Vec<u8> {
    [path.as_bytes(), b"/"].concat()
}

/// Everything at or below paths of a worktree that git is told to ignore and does not know. A folder that is ignored as a
/// whole stands for all in it. `address` leads git to a repository where the root is in none.
pub fn ignored_below(
    git: &Git,
    address: &[OsString],
    paths: &[PathBuf],
    time: Duration,
) -> Result<Vec<RepoPath>, GitError> {
    if paths.is_empty() {
        return Ok(Vec::new());
    }
    let question = [
        "--literal-pathspecs",
        "ls-files",
        "-z",
        "--others",
        "--ignored",
        "--exclude-standard",
    ];
    let named = paths.iter().map(|path| {
        if path.as_os_str().is_empty() {
            OsStr::new(".")
        } else {
            path.as_os_str()
        }
    });
    let arguments: Vec<&OsStr> = address
        .iter()
        .map(OsString::as_os_str)
        .chain(question.map(OsStr::new))
        .chain(["--directory", "--"].map(OsStr::new))
        .chain(named)
        .collect();
    let listed = git.run(&arguments, Limits { time, bytes: LISTING })?;
    Ok(listed
        .split(|byte| *byte == 0)
        .map(|path| path.strip_suffix(b"/").unwrap_or(path))
        .filter_map(|path| RepoPath::new(path).ok())
        .collect())
}

/// What is in a folder, if it is one and holds little. Tools put a rule that ignores everything into their own folder.
fn entries(root: &Path, path: &RepoPath) -> Vec<RepoPath> {
    let folder = root.join(path.to_path());
    let is_folder = fs_err::symlink_metadata(&folder).is_ok_and(|found| found.is_dir());
    let Some(found) = is_folder.then(|| fs_err::read_dir(&folder).ok()).flatten() else {
        return Vec::new();
    };
    let found: Vec<_> = found.take(MOST_ENTRIES + 1).collect();
    if found.len() > MOST_ENTRIES {
        return Vec::new();
    }
    found
        .into_iter()
        .filter_map(|entry| {
            let name = entry.ok()?.file_name();
            let name = name.as_os_str().as_bytes();
            RepoPath::new([path.as_bytes(), b"/", name].concat()).ok()
        })
        .collect()
}

#[cfg(test)]
mod tests;
