//! Says at which paths nothing is left to commit: the worktree agrees with `HEAD`, and the stash holds no more of it.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;

use crate::commit_facts::id;
use crate::deadline::Deadline;
use crate::object::{EntryMode, Id, TreeLeaf};
use crate::path::RepoPath;
use crate::run::{Git, GitError, Limits};

/// So many paths fit into one command line, whatever their length.
const CHUNK: usize = 100;
/// More paths than these are taken as not settled.
const MOST: usize = 2_000;
/// Older entries of the stash are nobody's work of today.
const STASHES: &str = "--max-count=10";

/// Those of the paths that are settled. With each comes what the session left there.
pub fn settled(
    git: &Git,
    worktree: &Path,
    left: &BTreeMap<RepoPath, Option<TreeLeaf>>,
    budget: Duration,
) -> Result<HashSet<RepoPath>, GitError> {
    let deadline = Deadline::after(budget);
    let paths: Vec<&RepoPath> = left.keys().take(MOST).collect();
    let mut settled = HashSet::new();
    if paths.is_empty() {
        return Ok(settled);
    }
    let stashes = stashes(git, deadline)?;
    for chunk in paths.chunks(CHUNK) {
        let differing = differing(git, chunk, deadline)?;
        let committed = leaves(git, "HEAD", chunk, deadline)?;
        let put_away = stashed(git, &stashes, chunk, left, deadline)?;
        for path in chunk {
            // Git does not compare what it does not know.
            let is_unknown = !committed.contains_key(*path);
            let is_there = || fs_err::symlink_metadata(worktree.join(path.to_path())).is_ok();
            let differs = differing.contains(*path) || (is_unknown && is_there());
            if !differs && !put_away.contains(path) {
                settled.insert((*path).clone());
            }
        }
    }
    Ok(settled)
}

fn differing(git: &Git, paths: &[&RepoPath], deadline: Deadline) -> Result<HashSet<RepoPath>, GitError> {
    let question = [
        "--literal-pathspecs",
        "diff",
        "--name-only",
        "-z",
        "--no-renames",
        "--no-ext-diff",
        "--no-textconv",
        "--ignore-submodules=dirty",
        "HEAD",
    ];
    let text = git.run(&with_paths(&question, paths), limits(deadline))?;
    let names = text.split(|byte| *byte == 0);
    Ok(names.filter_map(|name| RepoPath::new(name).ok()).collect())
}

/// What a commit has at these paths.
fn leaves(
    git: &Git,
    commit: &str,
    paths: &[&RepoPath],
    deadline: Deadline,
) -> Result<HashMap<RepoPath, TreeLeaf>, GitError> {
    let question = [
        "--literal-pathspecs",
        "ls-tree",
        "-r",
        "-z",
        "--full-tree",
        commit,
    ];
    let text = git.run(&with_paths(&question, paths), limits(deadline))?;
    Ok(text.split(|byte| *byte == 0).filter_map(leaf).collect())
}

/// `<mode> <type> <id>\t<path>`.
fn leaf(record: &[u8]) -> Option<(RepoPath, TreeLeaf)> {
    let mut halves = record.splitn(2, |byte| *byte == b'\t');
    let mut words = halves.next()?.split(|byte| *byte == b' ');
    let mode = EntryMode::parse(std::str::from_utf8(words.next()?).ok()?)?;
    let id = id(words.nth(1)?)?;
    Some((RepoPath::new(halves.next()?).ok()?, TreeLeaf { mode, id }))
}

/// The commits of the stash that hold files: each entry's own, and the one for what git did not know.
fn stashes(git: &Git, deadline: Deadline) -> Result<Vec<Id>, GitError> {
    let question = [
        "log",
        "--walk-reflogs",
        STASHES,
        "--format=%H %P",
        "refs/stash",
        "--",
    ];
    let text = match git.run(&question, limits(deadline)) {
        Err(GitError::Failed { .. }) => return Ok(Vec::new()),
        other => other?,
    };
    let mut commits = Vec::new();
    for line in text.split(|byte| *byte == b'\n') {
        let ids: Vec<Id> = line.split(|byte| *byte == b' ').filter_map(id).collect();
        commits.extend(ids.first());
        commits.extend(ids.get(3));
    }
    Ok(commits)
}

fn stashed<'paths>(
    git: &Git,
    stashes: &[Id],
    paths: &[&'paths RepoPath],
    left: &BTreeMap<RepoPath, Option<TreeLeaf>>,
    deadline: Deadline,
) -> Result<HashSet<&'paths RepoPath>, GitError> {
    let mut found = HashSet::new();
    for stash in stashes {
        let held = leaves(git, &stash.to_string(), paths, deadline)?;
        let is_theirs = |path: &RepoPath| {
            held.contains_key(path) && held.get(path) == left.get(path).and_then(Option::as_ref)
        };
        found.extend(paths.iter().copied().filter(|path| is_theirs(path)));
    }
    Ok(found)
}

fn with_paths(question: &[&str], paths: &[&RepoPath]) -> Vec<OsString> {
    let words = question.iter().map(OsString::from);
    let names = paths
        .iter()
        .map(|path| OsStr::from_bytes(path.as_bytes()).to_owned());
    words.chain([OsString::from("--")]).chain(names).collect()
}

fn limits(deadline: Deadline) -> Limits {
    Limits::within(deadline.remaining())
}

#[cfg(test)]
mod tests;
