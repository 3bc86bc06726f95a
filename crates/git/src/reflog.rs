//! Follows where `HEAD` of a worktree went since it was last looked at. Never writes, and reads no more than a bound.
//!
//! The reflog is the witness. Where there is none, or it does not reach back to the last look, the commits between
//! then and now stand in for it: they say what came, though not how.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

use crate::commit_facts;
use crate::deadline::Deadline;
use crate::head::{self, Head};
use crate::object::Id;
use crate::place::Place;
use crate::run::{Git, GitEnvironment, GitError, Limits};
use crate::small_file;

mod entry;

pub use entry::ReflogEntry;

/// As many commits stand in for a reflog.
pub const LONGEST_WALK: usize = 500;
/// About a hundred thousand movements.
const LONGEST_READ: u64 = 16 * 1024 * 1024;
/// Longer than any line git writes there.
const LONGEST_LINE: u64 = 64 * 1024;
/// More movements between two looks than anybody makes.
const MOST_MOVES: usize = 10_000;

/// How `HEAD` came to be elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MoveCause {
    /// A commit was made.
    Commit,
    /// A commit took the place of the one before.
    Amend,
    /// Commits were made anew on another base, or left for that.
    Rebase,
    /// The branch was put elsewhere.
    Reset,
    /// Another branch or commit was checked out.
    Checkout,
    /// A commit was made from one that exists.
    CherryPick,
    /// A commit was made that takes one back.
    Revert,
    /// Another line of commits was joined.
    Merge,
    /// Commits came from elsewhere, or were there already: a pull, a fast-forward.
    Pull,
    /// Something else, or nobody said.
    Other,
}

impl MoveCause {
    /// Whether whoever made it wrote the commit as well. Otherwise the files it changed are git's doing.
    pub fn is_authored(self) -> bool {
        match self {
            Self::Commit | Self::Amend | Self::CherryPick | Self::Revert | Self::Merge => true,
            Self::Rebase | Self::Reset | Self::Checkout | Self::Pull | Self::Other => false,
        }
    }
}

/// One movement of `HEAD`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeadMovement {
    /// Where it was; nothing before the first commit.
    pub from: Option<Id>,
    /// Where it went.
    pub to: Id,
    /// How.
    pub what: MoveCause,
}

/// How far `HEAD` was followed. Its text is for keeping, and says nothing to others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position {
    /// Where the last entry ends, in bytes.
    offset: u64,
    /// Of that entry's bytes: a reflog that was rewritten has another one there.
    mark: u64,
    /// Where `HEAD` was.
    head: Option<Id>,
}

impl Position {
    /// Where `HEAD` is known to have been at a commit, and nothing else is.
    pub fn at(head: Id) -> Self {
        Self {
            offset: 0,
            mark: 0,
            head: Some(head),
        }
    }

    /// Whether this entry is the last that was seen; without a mark, one that led to where `HEAD` was.
    fn is_after(&self, entry: &ReflogEntry) -> bool {
        match self.mark {
            0 => Some(entry.moved.to) == self.head,
            mark => entry.mark == mark,
        }
    }

    /// Where `HEAD` was when it was last looked at.
    pub fn head(&self) -> Option<Id> {
        self.head
    }
}

/// What happened since the last look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReflogNews {
    /// The movements, oldest first.
    pub moves: Vec<HeadMovement>,
    /// From where to go on.
    pub position: Position,
    /// Whether every movement is known; otherwise commits stand in for some.
    pub is_complete: bool,
}

/// The movements since a position, or none and the position to begin at. Without an end in sight, a walk over
/// commits stops at the first that `is_known`.
pub fn follow(
    place: &Place,
    environment: &GitEnvironment,
    since: Option<&Position>,
    is_known: &dyn Fn(Id) -> bool,
    budget: Duration,
) -> Result<ReflogNews, GitError> {
    let deadline = Deadline::after(budget);
    let head = head::read(place, environment, deadline.remaining());
    let log = Reflog {
        place,
        environment,
        deadline,
    };
    let Some(since) = since else {
        let (offset, mark) = log.end()?;
        let position = Position {
            offset,
            mark,
            head: commit_of(&head),
        };
        return Ok(ReflogNews {
            moves: Vec::new(),
            position,
            is_complete: true,
        });
    };
    let seen = log.since(since)?;
    let mut moves = seen.moves;
    let reached = moves.last().map_or(since.head, |moved| Some(moved.to));
    // An unreadable `HEAD` is no sign that anything moved.
    let now = commit_of(&head).or(reached);
    let mut is_complete = seen.is_complete;
    if let Some(now) = now.filter(|now| Some(*now) != reached) {
        is_complete = false;
        moves.extend(log.walk(now, reached, is_known)?);
    }
    let surplus = moves.len().saturating_sub(MOST_MOVES);
    moves.drain(..surplus);
    Ok(ReflogNews {
        moves,
        position: Position {
            offset: seen.offset,
            mark: seen.mark,
            head: now,
        },
        is_complete: is_complete && surplus == 0,
    })
}

/// The newest movements the reflog tells of, oldest first, with their moments.
pub fn moves(
    place: &Place,
    environment: &GitEnvironment,
    budget: Duration,
) -> Result<Vec<ReflogEntry>, GitError> {
    let log = Reflog {
        place,
        environment,
        deadline: Deadline::after(budget),
    };
    if log.is_in_tables() {
        let mut entries = log.ask_git(MOST_MOVES)?;
        entries.reverse();
        return Ok(entries);
    }
    let Some((mut file, length)) = log.file() else {
        return Ok(Vec::new());
    };
    let start = length.saturating_sub(LONGEST_READ);
    let text = piece(&mut file, start, length).unwrap_or_default();
    Ok(entry::parse(complete(&text)).collect())
}

fn commit_of(head: &Head) -> Option<Id> {
    head.commit().and_then(|commit| commit.parse().ok())
}

/// What a reflog says of the time since a position.
struct ReflogSince {
    moves: Vec<HeadMovement>,
    offset: u64,
    mark: u64,
    is_complete: bool,
}

struct Reflog<'look> {
    place: &'look Place,
    environment: &'look GitEnvironment,
    deadline: Deadline,
}

impl Reflog<'_> {
    /// Where the last entry ends, and its mark.
    fn end(&self) -> Result<(u64, u64), GitError> {
        if self.is_in_tables() {
            let entries = self.ask_git(1)?;
            return Ok((0, entries.first().map_or(0, |entry| entry.mark)));
        }
        let Some((mut file, length)) = self.file() else {
            return Ok((0, 0));
        };
        let start = length.saturating_sub(LONGEST_LINE);
        let text = piece(&mut file, start, length).unwrap_or_default();
        let whole = complete(&text);
        Ok((start + length_of(whole), entry::last_mark(whole)))
    }

    fn since(&self, position: &Position) -> Result<ReflogSince, GitError> {
        if self.is_in_tables() {
            return self.since_in_tables(position);
        }
        let Some((mut file, length)) = self.file() else {
            return Ok(ReflogSince::nothing());
        };
        if position.offset > 0 && length >= position.offset && continues(&mut file, position) {
            if length - position.offset <= LONGEST_READ {
                return Ok(read_on(&mut file, position, length));
            }
        } else if position.offset == 0 && position.head.is_none() && length <= LONGEST_READ {
            // There was neither a reflog nor a commit: this one tells everything.
            return Ok(read_on(&mut file, position, length));
        }
        Ok(found_again(&mut file, position, length))
    }

    fn since_in_tables(&self, position: &Position) -> Result<ReflogSince, GitError> {
        let mut entries = self.ask_git(MOST_MOVES)?;
        let newest = entries.first().map_or(0, |entry| entry.mark);
        let known = entries.iter().position(|entry| position.is_after(entry));
        let is_complete = known.is_some() || position.head.is_none();
        if let Some(known) = known {
            entries.truncate(known);
        } else if position.head.is_some() {
            entries.clear();
        }
        entries.reverse();
        Ok(ReflogSince {
            moves: entries.into_iter().map(|entry| entry.moved).collect(),
            offset: 0,
            mark: newest,
            is_complete,
        })
    }

    fn file(&self) -> Option<(File, u64)> {
        let path = self.place.git_dir.as_ref()?.join("logs").join("HEAD");
        let file = small_file::open(&path).ok()?;
        let length = file.metadata().ok()?.len();
        Some((file, length))
    }

    fn is_in_tables(&self) -> bool {
        let common = self.place.common_dir.as_deref();
        common.is_some_and(|common: &Path| common.join("reftable").is_dir())
    }

    /// The newest entries, newest first, from git itself. A branch without commits has none.
    fn ask_git(&self, most: usize) -> Result<Vec<ReflogEntry>, GitError> {
        // One more than asked for, since an entry learns from the one before where it came from.
        let count = format!("--max-count={}", most.saturating_add(1));
        let arguments = [
            "log",
            "--walk-reflogs",
            "--date=unix",
            "--format=%H %gd %gs",
            "-z",
            &count,
            "HEAD",
            "--",
        ];
        match self.git().run(&arguments, self.limits()) {
            Ok(text) => Ok(entry::from_git(&text, most)),
            Err(GitError::Failed { .. }) => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    /// The commits that came since, on the line of first parents, as movements nobody described.
    fn walk(
        &self,
        now: Id,
        then: Option<Id>,
        is_known: &dyn Fn(Id) -> bool,
    ) -> Result<Vec<HeadMovement>, GitError> {
        let count = format!("--max-count={LONGEST_WALK}");
        let now = now.to_string();
        let mut arguments = vec!["rev-list", "--first-parent", "--parents", &count, &now];
        let excluded = then.map(|then| format!("^{then}"));
        arguments.extend(excluded.as_deref());
        let text = match self.git().run(&arguments, self.limits()) {
            // The commit of then may be gone from the repository.
            Err(GitError::Failed { .. }) if excluded.is_some() => {
                arguments.pop();
                self.git().run(&arguments, self.limits())?
            }
            other => other?,
        };
        let mut moves = Vec::new();
        for line in text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            let mut ids = line.split(|byte| *byte == b' ').map(commit_facts::id);
            let Some(to) = ids.next().flatten().filter(|to| !is_known(*to)) else {
                break;
            };
            moves.push(HeadMovement {
                from: ids.next().flatten(),
                to,
                what: MoveCause::Other,
            });
        }
        moves.reverse();
        Ok(moves)
    }

    fn git(&self) -> Git {
        let folder = self.place.worktree.as_ref().or(self.place.git_dir.as_ref());
        Git::new(folder.unwrap_or(&self.place.project.root), self.environment)
    }

    fn limits(&self) -> Limits {
        Limits::within(self.deadline.remaining())
    }
}

impl ReflogSince {
    fn nothing() -> Self {
        Self {
            moves: Vec::new(),
            offset: 0,
            mark: 0,
            is_complete: false,
        }
    }
}

/// Whether the entry that ends at the position is the one that was seen there.
fn continues(file: &mut File, position: &Position) -> bool {
    let start = position.offset.saturating_sub(LONGEST_LINE);
    piece(file, start, position.offset)
        .is_ok_and(|text| text.ends_with(b"\n") && entry::last_mark(&text) == position.mark)
}

fn read_on(file: &mut File, position: &Position, length: u64) -> ReflogSince {
    let text = piece(file, position.offset, length).unwrap_or_default();
    let whole = complete(&text);
    let is_new = !whole.is_empty();
    ReflogSince {
        moves: entry::parse(whole).map(|entry| entry.moved).collect(),
        offset: position.offset + length_of(whole),
        mark: if is_new {
            entry::last_mark(whole)
        } else {
            position.mark
        },
        is_complete: true,
    }
}

/// Looks for the entry of the position in a reflog that was expired or rewritten. If it is nowhere, nothing is
/// taken from there: older entries tell of commits that were judged before.
fn found_again(file: &mut File, position: &Position, length: u64) -> ReflogSince {
    let start = length.saturating_sub(LONGEST_READ);
    let text = piece(file, start, length).unwrap_or_default();
    let whole = complete(&text);
    let mut entries: Vec<ReflogEntry> = entry::parse(whole).collect();
    let known = entries.iter().rposition(|entry| position.is_after(entry));
    let moves = known.map_or_else(Vec::new, |known| entries.split_off(known + 1));
    ReflogSince {
        moves: moves.into_iter().map(|entry| entry.moved).collect(),
        offset: start + length_of(whole),
        mark: entry::last_mark(whole),
        is_complete: known.is_some(),
    }
}

fn piece(file: &mut File, start: u64, end: u64) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(start))?;
    let mut text = Vec::new();
    file.take(end.saturating_sub(start)).read_to_end(&mut text)?;
    Ok(text)
}

/// The lines that were written to their end.
fn complete(text: &[u8]) -> &[u8] {
    let end = text
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |last| last + 1);
    text.get(..end).unwrap_or_default()
}

fn length_of(text: &[u8]) -> u64 {
    u64::try_from(text.len()).unwrap_or(u64::MAX)
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{:016x}:", self.offset, self.mark)?;
        match self.head {
            Some(head) => head.fmt(f),
            None => f.write_str("-"),
        }
    }
}

/// A text that is no position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a position in a reflog")]
pub struct NotAPosition;

impl FromStr for Position {
    type Err = NotAPosition;

    fn from_str(text: &str) -> Result<Self, NotAPosition> {
        let mut parts = text.splitn(3, ':');
        let (Some(offset), Some(mark), Some(head)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(NotAPosition);
        };
        let head = match head {
            "-" => None,
            id => Some(id.parse().map_err(|_| NotAPosition)?),
        };
        Ok(Self {
            offset: offset.parse().map_err(|_| NotAPosition)?,
            mark: u64::from_str_radix(mark, 16).map_err(|_| NotAPosition)?,
            head,
        })
    }
}

#[cfg(test)]
mod tests;
