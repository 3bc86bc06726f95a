//! What a commit is and what it changes, for many commits by a constant number of calls of git.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use crate::deadline::Deadline;
use crate::object::{EntryMode, Id, TreeLeaf};
use crate::path::RepoPath;
use crate::reflog::{HeadMovement, LONGEST_WALK, MoveCause};
use crate::run::{Git, GitError, Limits};

mod raw;

pub(crate) use raw::id;

/// What a commit object may have; a longer message is not read.
const LONGEST_COMMIT: usize = 1024 * 1024;
/// About a hundred thousand changed paths, in all commits of one question.
const LONGEST_LIST: usize = 16 * 1024 * 1024;
/// Movements that bring a line of commits with them are looked into this many times.
const MOST_WALKS: usize = 50;

/// What a commit is and what it changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitFacts {
    /// The commit.
    pub id: Id,
    /// Its tree.
    pub tree: Id,
    /// Its parents, the first one first.
    pub parents: Vec<Id>,
    /// Who wrote the change.
    pub author: Signature,
    /// Who made the commit.
    pub committer: Signature,
    /// The message, as bytes.
    pub message: Vec<u8>,
    /// What every trailer `Toprope-Checkpoint` in the message says.
    pub checkpoints: Vec<String>,
    /// What it changes against its first parent. Nothing where that is more than can be read.
    pub changes: Option<Vec<CommitChange>>,
}

/// Who, and when.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Signature {
    /// Name and address, as bytes: `A <a@example.org>`.
    pub person: Vec<u8>,
    /// Seconds since 1970.
    pub at: i64,
}

/// What a commit does to one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitChange {
    /// The path.
    pub path: RepoPath,
    /// What was there.
    pub before: Option<TreeLeaf>,
    /// What is there now.
    pub after: Option<TreeLeaf>,
}

/// The facts of these commits, in this order. What is no commit of this repository is left out.
pub fn read(git: &Git, commits: &[Id], budget: Duration) -> Result<Vec<CommitFacts>, GitError> {
    if commits.is_empty() {
        return Ok(Vec::new());
    }
    let deadline = Deadline::after(budget);
    let mut found = objects(git, commits, deadline)?;
    let mut changes = changes(git, &found, deadline)?;
    for facts in &mut found {
        facts.changes = changes.remove(&facts.id).unwrap_or_default();
    }
    Ok(found)
}

/// The commits each movement brought, oldest first: usually the one it ends at, else those on the line of first
/// parents that were not there before, at most 500 in all. Checking out brings none.
pub fn brought(git: &Git, moves: &[HeadMovement], budget: Duration) -> Result<Vec<Vec<Id>>, GitError> {
    let deadline = Deadline::after(budget);
    let ends: Vec<Id> = moves.iter().map(|moved| moved.to).collect();
    let parents: HashMap<Id, Vec<Id>> = objects(git, &ends, deadline)?
        .into_iter()
        .map(|facts| (facts.id, facts.parents))
        .collect();
    let mut left = LONGEST_WALK;
    let mut walks = MOST_WALKS;
    let mut lists = vec![Vec::new(); moves.len()];
    // The newest first: if not all can be had, it is the oldest that are missed.
    for (moved, list) in moves.iter().zip(&mut lists).rev() {
        let Some(parents) = parents.get(&moved.to) else {
            continue;
        };
        let follows = parents.first() == moved.from.as_ref();
        *list = match moved.what {
            MoveCause::Checkout => continue,
            MoveCause::Commit | MoveCause::Amend | MoveCause::CherryPick | MoveCause::Revert => {
                vec![moved.to]
            }
            MoveCause::Rebase | MoveCause::Reset | MoveCause::Merge | MoveCause::Pull | MoveCause::Other
                if follows =>
            {
                vec![moved.to]
            }
            MoveCause::Rebase | MoveCause::Reset | MoveCause::Merge | MoveCause::Pull | MoveCause::Other => {
                if walks == 0 || left == 0 || moved.from == Some(moved.to) {
                    continue;
                }
                walks -= 1;
                line(git, moved, left, deadline)?
            }
        };
        left = left.saturating_sub(list.len());
    }
    Ok(lists)
}

/// Which of these commits no branch, tag or other ref holds any more, nor `HEAD`.
pub fn abandoned(git: &Git, commits: &[Id], budget: Duration) -> Result<Vec<Id>, GitError> {
    if commits.is_empty() {
        return Ok(Vec::new());
    }
    let deadline = Deadline::after(budget);
    let known: Vec<Id> = objects(git, commits, deadline)?
        .into_iter()
        .map(|facts| facts.id)
        .collect();
    // What keeps a commit for us, or in the stash, keeps it for nobody else.
    let arguments = [
        "rev-list",
        "--ignore-missing",
        "--stdin",
        "--exclude=refs/toprope/*",
        "--exclude=refs/stash",
        "--not",
        "--all",
    ];
    let text = git.feed(&arguments, lines(&known), limits(deadline, LONGEST_LIST))?;
    let gone: HashSet<Id> = text.split(|byte| *byte == b'\n').filter_map(id).collect();
    // A commit that is no longer in the repository is held by nobody.
    Ok(commits
        .iter()
        .copied()
        .filter(|commit| gone.contains(commit) || !known.contains(commit))
        .collect())
}

fn line(git: &Git, moved: &HeadMovement, most: usize, deadline: Deadline) -> Result<Vec<Id>, GitError> {
    let count = format!("--max-count={most}");
    let to = moved.to.to_string();
    let mut arguments = vec!["rev-list", "--first-parent", &count, &to];
    let from = moved.from.map(|from| format!("^{from}"));
    arguments.extend(from.as_deref());
    match git.run(&arguments, limits(deadline, LONGEST_LIST)) {
        Ok(text) => {
            let mut ids: Vec<Id> = text.split(|byte| *byte == b'\n').filter_map(id).collect();
            ids.reverse();
            Ok(ids)
        }
        // Where it came from is gone: then nothing says what is new.
        Err(GitError::Failed { .. }) => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// The commit objects, without what they change.
fn objects(git: &Git, commits: &[Id], deadline: Deadline) -> Result<Vec<CommitFacts>, GitError> {
    let check = ["cat-file", "--batch-check", "--buffer"];
    let text = git.feed(&check, lines(commits), limits(deadline, LONGEST_LIST))?;
    let readable: Vec<Id> = raw::commits_up_to(&text, LONGEST_COMMIT);
    let limit = LONGEST_COMMIT.saturating_mul(readable.len().clamp(1, 64));
    let batch = ["cat-file", "--batch", "--buffer"];
    let text = git.feed(&batch, lines(&readable), limits(deadline, limit))?;
    Ok(raw::commits(&text))
}

type CommitChanges = HashMap<Id, Option<Vec<CommitChange>>>;

fn changes(git: &Git, commits: &[CommitFacts], deadline: Deadline) -> Result<CommitChanges, GitError> {
    match list(git, commits, deadline) {
        Ok(changes) => Ok(changes),
        // One of them is too much: each for itself, then.
        Err(GitError::TooLong { .. }) if commits.len() > 1 => {
            let mut all = CommitChanges::new();
            for commit in commits {
                match list(git, std::slice::from_ref(commit), deadline) {
                    Ok(changes) => all.extend(changes),
                    Err(GitError::TooLong { .. }) => drop(all.insert(commit.id, None)),
                    Err(error) => return Err(error),
                }
            }
            Ok(all)
        }
        Err(GitError::TooLong { .. }) => Ok(commits.iter().map(|commit| (commit.id, None)).collect()),
        Err(error) => Err(error),
    }
}

fn list(git: &Git, commits: &[CommitFacts], deadline: Deadline) -> Result<CommitChanges, GitError> {
    let arguments = [
        "diff-tree",
        "--stdin",
        "-r",
        "-z",
        "--no-renames",
        "--root",
        "--raw",
        "--no-abbrev",
        "--always",
    ];
    let text = git.feed(
        &arguments,
        with_first_parent(commits),
        limits(deadline, LONGEST_LIST),
    )?;
    Ok(raw::changes(&text))
}

/// Names each commit with the one parent it is to be compared with.
pub(crate) fn with_first_parent(commits: &[CommitFacts]) -> Vec<u8> {
    let line = |commit: &CommitFacts| match commit.parents.first() {
        Some(parent) => format!("{} {parent}\n", commit.id),
        None => format!("{}\n", commit.id),
    };
    commits.iter().map(line).collect::<String>().into_bytes()
}

fn lines(ids: &[Id]) -> Vec<u8> {
    let line = |id: &Id| format!("{id}\n");
    ids.iter().map(line).collect::<String>().into_bytes()
}

fn limits(deadline: Deadline, bytes: usize) -> Limits {
    Limits {
        time: deadline.remaining(),
        bytes,
    }
}

impl CommitChange {
    fn of(meta: &str, path: &[u8]) -> Option<Self> {
        let mut words = meta.split(' ');
        let (old, new) = (words.next()?, words.next()?);
        let (before, after) = (words.next()?, words.next()?);
        let entry = |mode: &str, name: &str| {
            Some(TreeLeaf {
                mode: EntryMode::parse(mode)?,
                id: id(name.as_bytes())?,
            })
        };
        Some(Self {
            path: RepoPath::new(path).ok()?,
            before: entry(old, before),
            after: entry(new, after),
        })
    }
}

#[cfg(test)]
mod tests;
