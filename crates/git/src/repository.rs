//! What a guard wants to know of the repository a folder belongs to. From files; git itself only where they do not say.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::deadline::Deadline;
use crate::head;
use crate::operation::{self, GitOperation};
use crate::place::{Place, PlaceGap};
use crate::run::{Git, GitEnvironment, Limits};
use crate::small_file;

/// Longer than any path or ref a file of git's names.
const LIMIT: u64 = 4096;
/// Repositories have a handful of worktrees; one with more is told of in part.
const MOST_WORKTREES: usize = 64;
/// More branches are not told one by one.
const MOST_BRANCHES: usize = 512;
/// About ten thousand packed refs.
const PACKED_LIMIT: u64 = 1024 * 1024;
/// Folders within folders of branch names.
const DEEPEST: usize = 8;

/// A repository, as seen from one folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repository {
    /// The root of this worktree; the git directory where there is none.
    pub root: PathBuf,
    /// The git directory all worktrees share.
    pub common_dir: PathBuf,
    /// The git directory of this worktree.
    pub git_dir: PathBuf,
    /// The main worktree.
    pub main_worktree: PathBuf,
    /// The roots of all worktrees that exist, the main one first.
    pub worktrees: Vec<PathBuf>,
    /// The branch; `None` where none is checked out.
    pub branch: Option<String>,
    /// The remote's default branch, as it was when it was cloned or last asked.
    pub default_branch: Option<String>,
    /// Local branches, by name, as far as they are few.
    pub branches: Vec<String>,
    /// What git is in the middle of.
    pub operation: Option<GitOperation>,
    /// It has no worktree.
    pub is_bare: bool,
}

/// The repository at a place; nothing outside git.
pub fn read(place: &Place, environment: &GitEnvironment, budget: Duration) -> Option<Repository> {
    let deadline = Deadline::after(budget);
    let (git_dir, common_dir) = (place.git_dir.clone()?, place.common_dir.clone()?);
    let is_bare = matches!(place.reason, Some(PlaceGap::Bare(_)));
    let root = place.worktree.clone().unwrap_or_else(|| git_dir.clone());
    let main_worktree = place.project.root.clone();
    Some(Repository {
        branch: head::read(place, environment, deadline.remaining())
            .branch()
            .map(str::to_owned),
        operation: operation::in_progress(place, environment, deadline.remaining()),
        default_branch: default_branch(&common_dir, environment, deadline),
        branches: branches(&common_dir),
        worktrees: worktrees(&common_dir, (!is_bare).then_some(&main_worktree)),
        main_worktree,
        root,
        common_dir,
        git_dir,
        is_bare,
    })
}

/// The main worktree and those that were added beside it, as far as they are still there.
fn worktrees(common_dir: &Path, main: Option<&PathBuf>) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = main.into_iter().cloned().collect();
    let Ok(entries) = fs_err::read_dir(common_dir.join("worktrees")) else {
        return found;
    };
    let mut linked: Vec<PathBuf> = entries
        .flatten()
        .take(MOST_WORKTREES)
        .filter_map(|entry| {
            let named = small_file::read(&entry.path().join("gitdir"), LIMIT).ok()?;
            let dot_git = entry.path().join(OsStr::from_bytes(named.trim_ascii_end()));
            fs_err::symlink_metadata(&dot_git).ok()?;
            fs_err::canonicalize(dot_git.parent()?).ok()
        })
        .collect();
    linked.sort();
    for root in linked {
        if !found.contains(&root) {
            found.push(root);
        }
    }
    found
}

/// What `refs/remotes/<remote>/HEAD` names: `origin`'s, else the first remote's.
fn default_branch(common_dir: &Path, environment: &GitEnvironment, deadline: Deadline) -> Option<String> {
    if common_dir.join("reftable").is_dir() {
        let git = Git::new(common_dir, environment);
        let limits = Limits::within(deadline.remaining());
        let told = git
            .run(&["symbolic-ref", "--quiet", "refs/remotes/origin/HEAD"], limits)
            .ok()?;
        return named_branch(&told, "origin");
    }
    let remotes = common_dir.join("refs").join("remotes");
    let mut names: Vec<String> = fs_err::read_dir(&remotes)
        .ok()?
        .flatten()
        .take(MOST_WORKTREES)
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    names.sort_by_key(|name| (name != "origin", name.clone()));
    names.iter().find_map(|remote| {
        let head = small_file::read(&remotes.join(remote).join("HEAD"), LIMIT).ok()?;
        named_branch(head.strip_prefix(b"ref:")?, remote)
    })
}

fn named_branch(target: &[u8], remote: &str) -> Option<String> {
    let target = std::str::from_utf8(target.trim_ascii()).ok()?;
    let branch = target
        .strip_prefix("refs/remotes/")?
        .strip_prefix(remote)?
        .strip_prefix('/')?;
    (!branch.is_empty()).then(|| branch.to_owned())
}

/// Local branches, loose and packed.
fn branches(common_dir: &Path) -> Vec<String> {
    let mut found = BTreeSet::new();
    loose(&common_dir.join("refs").join("heads"), "", DEEPEST, &mut found);
    packed(&common_dir.join("packed-refs"), &mut found);
    found.into_iter().collect()
}

fn loose(folder: &Path, prefix: &str, depth: usize, found: &mut BTreeSet<String>) {
    let Ok(entries) = fs_err::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten().take(MOST_BRANCHES) {
        if found.len() >= MOST_BRANCHES {
            return;
        }
        let Ok(name) = entry.file_name().into_string() else {
            continue;
        };
        let whole = format!("{prefix}{name}");
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && depth > 0 => {
                loose(&entry.path(), &format!("{whole}/"), depth - 1, found);
            }
            Ok(kind) if kind.is_file() && !is_lock(&name) => {
                found.insert(whole);
            }
            Ok(_) | Err(_) => {}
        }
    }
}

/// Git writes a ref beside its place first.
fn is_lock(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|end| end == "lock")
}

fn packed(path: &Path, found: &mut BTreeSet<String>) {
    let Ok(file) = small_file::open(path) else {
        return;
    };
    let lines = BufReader::new(file.take(PACKED_LIMIT)).split(b'\n');
    for line in lines.map_while(Result::ok) {
        if found.len() >= MOST_BRANCHES {
            return;
        }
        let name = std::str::from_utf8(&line)
            .ok()
            .and_then(|line| line.split_once(' ')?.1.strip_prefix("refs/heads/"));
        if let Some(name) = name {
            found.insert(name.trim_end().to_owned());
        }
    }
}

#[cfg(test)]
mod tests;
