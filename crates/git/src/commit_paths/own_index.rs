//! An index of our own: what `HEAD` has, with the given paths laid over it. Their content is put where the commit
//! will need it, in the person's own repository.

use std::collections::{BTreeMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};

use super::workshop::Workshop;
use super::{CommitRefusal, CommitRequest, NotMade, QUESTION};
use crate::commit_facts::id;
use crate::object::{EntryMode, Id, TreeLeaf};
use crate::path::RepoPath;
use crate::run::{Git, GitError, Limits};

/// Where an index differs from a commit, and what it has there. Without that: several sides of a conflict.
pub type IndexDifference = BTreeMap<RepoPath, Option<Option<TreeLeaf>>>;

/// The index a commit is made from.
pub struct OwnIndex {
    pub path: PathBuf,
    pub tree: Id,
    /// Whether that is another tree than `HEAD`'s.
    pub differs: bool,
}

impl OwnIndex {
    pub fn build(
        workshop: &Workshop,
        git: &Git,
        request: &CommitRequest<'_>,
        head: Id,
    ) -> Result<Self, NotMade> {
        let path = workshop.file("commit-index");
        // Starting from the person's own saves reading every file again, since it knows their time stamps.
        match fs_err::copy(workshop.index(), &path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
            Ok(_) | Err(_) => {}
        }
        let head = head.to_string();
        within(git, &path, &["read-tree", "--reset", &head], Vec::new())?;
        write_missing(git, request)?;
        lay_over(git, &path, request.entries)?;
        let tree = answer(&within(git, &path, &["write-tree"], Vec::new())?)?;
        let before = tree_of(git, &head)?;
        let differs = tree != before;
        if differs && is_empty(git, &path)? {
            return Err(CommitRefusal::EmptyTree.into());
        }
        Ok(Self { path, tree, differs })
    }
}

/// Sets these paths in an index. What goes is taken out first: a folder may make room for a file.
pub fn lay_over(
    git: &Git,
    index: &Path,
    entries: &BTreeMap<RepoPath, Option<TreeLeaf>>,
) -> Result<(), NotMade> {
    let gone = entries.iter().filter(|(_, entry)| entry.is_none());
    let there = entries.iter().filter(|(_, entry)| entry.is_some());
    let nothing = |example: Option<Id>| match example.map(|id| id.to_string().len()) {
        Some(length) => "0".repeat(length),
        None => "0".repeat(40),
    };
    let zeros = nothing(entries.values().flatten().next().map(|entry| entry.id));
    let mut input = Vec::new();
    for (path, entry) in gone.chain(there) {
        let head = match entry {
            Some(entry) => format!("{} {}\t", entry.mode.octal(), entry.id),
            None => format!("0 {zeros}\t"),
        };
        input.extend(head.as_bytes());
        input.extend(path.as_bytes());
        input.push(0);
    }
    within(git, index, &["update-index", "-z", "--index-info"], input)?;
    Ok(())
}

/// Where an index differs from a commit; the person's, if none of ours is named.
pub fn staged(git: &Git, commit: Id, index: Option<&Path>) -> Result<IndexDifference, NotMade> {
    let commit = commit.to_string();
    let arguments = [
        "diff-index",
        "--cached",
        "--raw",
        "-z",
        "--no-abbrev",
        "--no-renames",
        "--ita-invisible-in-index",
        &commit,
        "--",
    ];
    let text = git.run_with_index(&arguments, index, Vec::new(), Limits::within(QUESTION))?;
    let mut staged = IndexDifference::new();
    let mut pieces = text.split(|byte| *byte == 0);
    while let (Some(meta), Some(path)) = (pieces.next(), pieces.next()) {
        let Ok(path) = RepoPath::new(path) else { continue };
        let is_conflict = meta.last() == Some(&b'U');
        let found = (!is_conflict).then(|| entry(meta));
        // A path in conflict comes twice.
        let kept = staged.entry(path).or_insert(found);
        if is_conflict {
            *kept = None;
        }
    }
    Ok(staged)
}

/// The new side of `:<mode> <mode> <id> <id> <letter>`.
fn entry(meta: &[u8]) -> Option<TreeLeaf> {
    let text = std::str::from_utf8(meta).ok()?;
    let mut words = text.split(' ').skip(1);
    let mode = EntryMode::parse(words.next()?)?;
    let id = id(words.nth(1)?.as_bytes())?;
    Some(TreeLeaf { mode, id })
}

/// Writes the contents the person's repository lacks.
fn write_missing(git: &Git, request: &CommitRequest<'_>) -> Result<(), NotMade> {
    let blobs: HashSet<Id> = request
        .entries
        .values()
        .flatten()
        .filter(|entry| entry.mode != EntryMode::Commit)
        .map(|entry| entry.id)
        .collect();
    let list: String = blobs
        .iter()
        .map(|id| format!("{id}\n"))
        .collect::<Vec<_>>()
        .concat();
    let known = git.feed(
        &["cat-file", "--batch-check=%(objectname)"],
        list.into_bytes(),
        Limits::within(QUESTION),
    )?;
    // What is missing is said in two words.
    let known: HashSet<Id> = known.split(|byte| *byte == b'\n').filter_map(id).collect();
    for blob in blobs.difference(&known) {
        let content = (request.content)(*blob)?;
        let written = git.feed(
            &["hash-object", "-w", "--no-filters", "-t", "blob", "--stdin"],
            content,
            Limits::within(QUESTION),
        )?;
        if answer(&written)? != *blob {
            return Err(NotMade::Damaged(*blob));
        }
    }
    Ok(())
}

fn is_empty(git: &Git, index: &Path) -> Result<bool, NotMade> {
    let listing = git.run_with_index(
        &["ls-files", "--cached", "-z"],
        Some(index),
        Vec::new(),
        Limits {
            time: QUESTION,
            bytes: 64 * 1024,
        },
    );
    match listing {
        Ok(names) => Ok(names.is_empty()),
        Err(GitError::TooLong { .. }) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

fn tree_of(git: &Git, commit: &str) -> Result<Id, NotMade> {
    let name = format!("{commit}^{{tree}}");
    answer(&git.run(&["rev-parse", "--verify", &name], Limits::within(QUESTION))?)
}

fn within(git: &Git, index: &Path, arguments: &[&str], input: Vec<u8>) -> Result<Vec<u8>, GitError> {
    git.run_with_index(arguments, Some(index), input, Limits::within(QUESTION))
}

fn answer(text: &[u8]) -> Result<Id, NotMade> {
    id(text.trim_ascii()).ok_or(NotMade::NoWorktree)
}
