//! Says what is checked out, from files. Only a repository that keeps its refs in tables needs git itself.

use std::ffi::OsStr;
use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path};
use std::time::Duration;

use crate::deadline::Deadline;
use crate::discovery::is_object_id;
use crate::place::Place;
use crate::run::{Git, GitEnvironment, GitError, Limits};
use crate::small_file;

/// Longer than any ref git writes.
const LIMIT: u64 = 4096;
/// About half a million packed refs.
const PACKED_LIMIT: u64 = 64 * 1024 * 1024;
/// As often as git follows one symbolic ref to the next.
const HOPS: usize = 5;
/// What `HEAD` says where refs are kept in tables, for readers that do not know about them.
const IN_TABLES: &[u8] = b"refs/heads/.invalid";

/// What is checked out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Head {
    /// A branch with commits.
    Branch {
        /// Its name without `refs/heads/`, lossily converted.
        name: String,
        /// The commit it points to, unless that could not be read.
        commit: Option<String>,
    },
    /// A branch that has no commit yet.
    Unborn {
        /// Its name without `refs/heads/`, lossily converted.
        name: String,
    },
    /// A commit and no branch.
    Detached {
        /// The commit.
        commit: String,
    },
    /// No repository, or one that cannot be read.
    Unknown,
}

impl Head {
    /// The branch, if one is checked out.
    pub fn branch(&self) -> Option<&str> {
        match self {
            Self::Branch { name, .. } | Self::Unborn { name } => Some(name),
            Self::Detached { .. } | Self::Unknown => None,
        }
    }

    /// The commit, if there is one and it is known.
    pub fn commit(&self) -> Option<&str> {
        match self {
            Self::Branch { commit, .. } => commit.as_deref(),
            Self::Detached { commit } => Some(commit),
            Self::Unborn { .. } | Self::Unknown => None,
        }
    }

    /// How a person would call it: the branch, or `detached at` and seven digits.
    pub fn label(&self) -> Option<String> {
        match self {
            Self::Branch { name, .. } | Self::Unborn { name } => Some(name.clone()),
            Self::Detached { commit } => Some(format!("detached at {}", commit.get(..7).unwrap_or(commit))),
            Self::Unknown => None,
        }
    }
}

/// What is checked out at a place. Asks git, within the budget, only where files do not say.
pub fn read(place: &Place, environment: &GitEnvironment, budget: Duration) -> Head {
    from_files(place).unwrap_or_else(|| from_git(place, environment, budget))
}

/// What the files say; nothing if the refs are kept in tables.
pub fn from_files(place: &Place) -> Option<Head> {
    let (Some(git_dir), Some(common_dir)) = (&place.git_dir, &place.common_dir) else {
        return Some(Head::Unknown);
    };
    let refs = Refs { git_dir, common_dir };
    match refs.file(b"HEAD") {
        RefValue::Symbolic(name) if name == IN_TABLES => None,
        RefValue::Symbolic(name) => Some(refs.branch(name)),
        RefValue::Commit(commit) => Some(Head::Detached { commit }),
        RefValue::Absent | RefValue::Unreadable => Some(Head::Unknown),
    }
}

/// What one ref says.
#[derive(Debug, PartialEq, Eq)]
enum RefValue {
    Symbolic(Vec<u8>),
    Commit(String),
    Absent,
    Unreadable,
}

struct Refs<'place> {
    git_dir: &'place Path,
    common_dir: &'place Path,
}

impl Refs<'_> {
    fn branch(&self, target: Vec<u8>) -> Head {
        let name = short(&target);
        match self.resolved(target) {
            RefValue::Commit(commit) => Head::Branch {
                name,
                commit: Some(commit),
            },
            RefValue::Absent => Head::Unborn { name },
            RefValue::Symbolic(_) | RefValue::Unreadable => Head::Branch { name, commit: None },
        }
    }

    fn resolved(&self, target: Vec<u8>) -> RefValue {
        let mut name = target;
        for _ in 0..HOPS {
            match self.entry(&name) {
                RefValue::Symbolic(next) => name = next,
                end @ (RefValue::Commit(_) | RefValue::Absent | RefValue::Unreadable) => return end,
            }
        }
        RefValue::Unreadable
    }

    fn entry(&self, name: &[u8]) -> RefValue {
        if !stays_below(name) {
            return RefValue::Unreadable;
        }
        match self.file(name) {
            RefValue::Absent => packed(&self.common_dir.join("packed-refs"), name),
            end @ (RefValue::Symbolic(_) | RefValue::Commit(_) | RefValue::Unreadable) => end,
        }
    }

    fn file(&self, name: &[u8]) -> RefValue {
        let folder = if is_per_worktree(name) {
            self.git_dir
        } else {
            self.common_dir
        };
        let path = folder.join(OsStr::from_bytes(name));
        // Old repositories have symbolic links for symbolic refs.
        if let Ok(target) = fs_err::read_link(&path)
            && target.starts_with("refs")
        {
            return RefValue::Symbolic(target.as_os_str().as_bytes().to_vec());
        }
        match small_file::read(&path, LIMIT) {
            Ok(content) => loose(&content),
            Err(error) => missing(&error, &path),
        }
    }
}

/// A folder in the ref's place (`refs/heads/a/b` packed beside `a` absent) is no ref, and no failure either.
fn missing(error: &io::Error, path: &Path) -> RefValue {
    let is_absent = matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    ) || fs_err::metadata(path).is_ok_and(|metadata| metadata.is_dir());
    if is_absent {
        RefValue::Absent
    } else {
        RefValue::Unreadable
    }
}

fn loose(content: &[u8]) -> RefValue {
    if let Some(target) = content.strip_prefix(b"ref:") {
        return RefValue::Symbolic(target.trim_ascii().to_vec());
    }
    let id = content.split(u8::is_ascii_whitespace).next().unwrap_or_default();
    commit(id)
}

fn commit(id: &[u8]) -> RefValue {
    if is_object_id(id) {
        RefValue::Commit(String::from_utf8_lossy(id).into_owned())
    } else {
        RefValue::Unreadable
    }
}

/// Looks a ref up in `packed-refs`, line by line, as far as the limit reaches.
fn packed(path: &Path, name: &[u8]) -> RefValue {
    let file = match small_file::open(path) {
        Ok(file) => file,
        Err(error) => return missing(&error, path),
    };
    let mut reader = BufReader::with_capacity(64 * 1024, file.take(PACKED_LIMIT));
    let mut line = Vec::new();
    let mut is_sorted = false;
    loop {
        line.clear();
        match reader.read_until(b'\n', &mut line) {
            Ok(0) if reader.get_ref().limit() == 0 => return RefValue::Unreadable,
            Ok(0) => return RefValue::Absent,
            Ok(_) => {}
            Err(_) => return RefValue::Unreadable,
        }
        if line.starts_with(b"#") {
            is_sorted |= line.trim_ascii_end().ends_with(b" sorted");
            continue;
        }
        let mut words = line.splitn(2, |&byte| byte == b' ');
        let (Some(id), Some(found)) = (words.next(), words.next()) else {
            continue;
        };
        let found = found.strip_suffix(b"\n").unwrap_or(found);
        if found == name {
            return commit(id);
        }
        if is_sorted && found > name {
            return RefValue::Absent;
        }
    }
}

/// `HEAD` and a few kinds of refs belong to one worktree; branches and tags to all.
fn is_per_worktree(name: &[u8]) -> bool {
    const OWN: [&[u8]; 3] = [b"refs/bisect/", b"refs/worktree/", b"refs/rewritten/"];
    !name.starts_with(b"refs/") || OWN.iter().any(|prefix| name.starts_with(prefix))
}

/// A ref is a file below the repository: what a hostile `HEAD` names outside of it is not opened.
fn stays_below(name: &[u8]) -> bool {
    let path = Path::new(OsStr::from_bytes(name));
    name.starts_with(b"refs/")
        && !name.contains(&0)
        && path
            .components()
            .all(|component| matches!(component, Component::Normal(_)))
}

/// Two questions, since none answers both for a branch without commits.
fn from_git(place: &Place, environment: &GitEnvironment, budget: Duration) -> Head {
    let Some(folder) = place.worktree.as_ref().or(place.git_dir.as_ref()) else {
        return Head::Unknown;
    };
    let git = Git::new(folder, environment);
    let deadline = Deadline::after(budget);
    let ask = |arguments: &[&str]| {
        let time = deadline.remaining();
        let said = git.run(arguments, Limits { time, bytes: 4096 });
        said.map(|line| line.trim_ascii_end().to_vec())
    };
    let target = ask(&["symbolic-ref", "--quiet", "HEAD"]);
    let commit = ask(&["rev-parse", "--quiet", "--verify", "HEAD^{commit}"]);
    match (target, commit.map(|id| self::commit(&id))) {
        (Ok(target), Ok(RefValue::Commit(commit))) => Head::Branch {
            name: short(&target),
            commit: Some(commit),
        },
        // Quiet verification fails with 1 for "no such commit", and otherwise for trouble.
        (Ok(target), Err(GitError::Failed { code: Some(1), .. })) => Head::Unborn { name: short(&target) },
        (Ok(target), _) => Head::Branch {
            name: short(&target),
            commit: None,
        },
        (Err(_), Ok(RefValue::Commit(commit))) => Head::Detached { commit },
        (Err(_), _) => Head::Unknown,
    }
}

/// How a branch is called.
fn short(target: &[u8]) -> String {
    let name = target.strip_prefix(b"refs/heads/").unwrap_or(target);
    String::from_utf8_lossy(name).into_owned()
}

#[cfg(test)]
mod tests;
