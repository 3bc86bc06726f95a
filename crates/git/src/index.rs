//! What the index has. Its file is read here; git is asked only where that file is of a kind that is not.

mod stages;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;

use gix::bstr::BStr;
use gix::index::State;
use gix::index::decode::Options;

use crate::object::{EntryMode, Id, TreeLeaf};
use crate::path::RepoPath;
use crate::run::{Git, GitError, Limits};
use crate::shadow::ObjectFormat;
use crate::small_file;
use crate::worktree::GitWorktree;

/// Reading it is quick; longer than this and something is wrong.
const TIME: Duration = Duration::from_secs(10);

/// About ten million files.
const LARGEST: u64 = 1024 * 1024 * 1024;

/// The index of one working tree at one moment.
pub struct GitIndex {
    read: Option<State>,
    git: Git,
}

/// What changes when the index does: git writes it anew, under its name, whenever anything in it changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexStamp(Option<(u64, u64, i64, i64, i64, i64)>);

impl IndexStamp {
    /// The stamp of a working tree's index as it is now.
    pub fn of(worktree: &GitWorktree) -> Self {
        let file = worktree.git_dir.as_ref().map(|folder| folder.join("index"));
        Self(file.and_then(|file| {
            let found = fs_err::symlink_metadata(file).ok()?;
            let times = (
                found.mtime(),
                found.mtime_nsec(),
                found.ctime(),
                found.ctime_nsec(),
            );
            Some((found.ino(), found.size(), times.0, times.1, times.2, times.3))
        }))
    }
}

impl GitIndex {
    /// The index as it is now; outside git, and before anything was added, it has nothing.
    pub fn read(worktree: &GitWorktree, format: ObjectFormat, git: &Git) -> Self {
        let file = worktree.git_dir.as_ref().map(|folder| folder.join("index"));
        let read = match file {
            Some(file) => decode(&file, format),
            None => Some(State::new(format.kind())),
        };
        Self {
            read,
            git: git.clone(),
        }
    }

    /// Every path that it has; nothing where its file is of a kind that is not read here.
    pub fn paths(&self) -> Option<impl Iterator<Item = RepoPath>> {
        let state = self.read.as_ref().filter(|state| !state.is_sparse())?;
        let paths = state.entries().iter().map(|entry| entry.path(state).to_vec());
        Some(paths.filter_map(|path| RepoPath::new(path).ok()))
    }

    /// The entry of a path; of an unmerged one, our side.
    pub fn entry(&self, path: &RepoPath) -> Result<Option<TreeLeaf>, GitError> {
        // A sparse index has folders in the place of what is in them.
        match self.read.as_ref().filter(|state| !state.is_sparse()) {
            Some(state) => Ok(state.entry_by_path(BStr::new(path.as_bytes())).and_then(entry_of)),
            None => told_entry(&self.git, path),
        }
    }
}

/// The paths of which the index has more than one version.
pub fn unmerged(
    worktree: &GitWorktree,
    format: ObjectFormat,
    git: &Git,
) -> Result<BTreeSet<RepoPath>, GitError> {
    let Some(folder) = &worktree.git_dir else {
        return Ok(BTreeSet::new());
    };
    let bytes = match small_file::read(&folder.join("index"), LARGEST) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeSet::new()),
        read => read.ok(),
    };
    match bytes.and_then(|bytes| stages::unmerged(&bytes, format.kind().len_in_bytes())) {
        Some(names) => Ok(names
            .into_iter()
            .filter_map(|name| RepoPath::new(name).ok())
            .collect()),
        None => told_unmerged(git),
    }
}

/// Nothing where it cannot be read here.
fn decode(file: &Path, format: ObjectFormat) -> Option<State> {
    match fs_err::symlink_metadata(file) {
        // A pipe under this name would keep the reader waiting.
        Ok(found) if !found.is_file() => return None,
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Some(State::new(format.kind())),
        Err(_) => return None,
    }
    let options = Options {
        thread_limit: Some(1),
        ..Options::default()
    };
    // Git itself looks at the checksum; what it would refuse cannot be checked out or committed from either.
    let read = gix::index::File::at(file, format.kind(), true, options).ok()?;
    Some(State::from(read))
}

fn entry_of(entry: &gix::index::Entry) -> Option<TreeLeaf> {
    Some(TreeLeaf {
        mode: EntryMode::parse(&format!("{:o}", entry.mode.bits()))?,
        id: Id(entry.id),
    })
}

fn told_entry(git: &Git, path: &RepoPath) -> Result<Option<TreeLeaf>, GitError> {
    let mut arguments: Vec<OsString> = ["--literal-pathspecs", "ls-files", "--stage", "-z", "--"]
        .map(OsString::from)
        .to_vec();
    arguments.push(OsString::from_vec(path.as_bytes().to_vec()));
    let told = git.run(&arguments, Limits::within(TIME))?;
    let lines = told.split(|byte| *byte == 0).filter_map(parse);
    Ok(lines
        .filter(|line| line.name == path.as_bytes() && matches!(line.stage, 0 | 2))
        .map(|line| line.entry)
        .next())
}

fn told_unmerged(git: &Git) -> Result<BTreeSet<RepoPath>, GitError> {
    let told = git.run(&["ls-files", "--unmerged", "-z"], Limits::within(TIME))?;
    let lines = told.split(|byte| *byte == 0).filter_map(parse);
    Ok(lines.filter_map(|line| RepoPath::new(line.name).ok()).collect())
}

/// One line of what git tells.
struct IndexLine<'text> {
    stage: u8,
    entry: TreeLeaf,
    name: &'text [u8],
}

/// `<mode> <id> <stage>\t<name>`
fn parse(line: &[u8]) -> Option<IndexLine<'_>> {
    let at = line.iter().position(|byte| *byte == b'\t')?;
    let facts = std::str::from_utf8(line.get(..at)?).ok()?;
    let mut facts = facts.split(' ');
    Some(IndexLine {
        entry: TreeLeaf {
            mode: EntryMode::parse(facts.next()?)?,
            id: facts.next()?.parse().ok()?,
        },
        stage: facts.next()?.parse().ok()?,
        name: line.get(at + 1..)?,
    })
}

#[cfg(test)]
mod tests;
