//! How a journal is spelled: lines of words, every value in one way only.

use std::fmt::Write;

use gix::hash::{Kind, hasher};

use super::{Fate, FolderNote, Journal, JournalFault, JournalId, Modes, StagePlace};
use crate::object::{EntryMode, Id, PathState, TreeLeaf};
use crate::path::RepoPath;
use crate::restore::PathChange;

const VERSION: &str = "toprope-restore 1";

/// Everything before the checksum.
pub fn body(journal: &Journal) -> Vec<u8> {
    let mut text = format!("{VERSION}\nid {}\n", journal.id);
    let stage = match journal.stage {
        StagePlace::Beside => "beside",
        StagePlace::Inside => "inside",
    };
    let modes = match journal.modes {
        Modes::Kept => "kept",
        Modes::Ignored => "ignored",
    };
    let worktree = escaped(&journal.worktree);
    // Writing to a string cannot fail, here and below.
    let _ = write!(text, "worktree ={worktree}\nstage {stage}\nmodes {modes}\n");
    for change in &journal.changes {
        let (from, to) = (spelled(&change.from), spelled(&change.to));
        let path = escaped(change.path.as_bytes());
        let _ = writeln!(text, "change {from} {to} {path}");
    }
    for folder in &journal.folders {
        let fate = match folder.fate {
            Fate::Made => "made",
            Fate::Emptied => "emptied",
        };
        let path = escaped(folder.path.as_bytes());
        let _ = writeln!(text, "folder {fate} {:o} {path}", folder.bits);
    }
    text.into_bytes()
}

/// A line that vouches for all bytes before it.
pub fn seal(word: &str, before: &[u8]) -> Result<Vec<u8>, JournalFault> {
    let mut sum = hasher(Kind::Sha256);
    sum.update(word.as_bytes());
    sum.update(before);
    let sum = sum.try_finalize().map_err(|_| JournalFault::Checksum)?;
    Ok(format!("{word} {sum}\n").into_bytes())
}

/// The journal these bytes spell, if they do. Whether they are vouched for is asked elsewhere.
pub fn parse(bytes: &[u8]) -> Result<Journal, JournalFault> {
    let text = str::from_utf8(bytes).map_err(|_| JournalFault::Version)?;
    let mut lines = text.lines().enumerate();
    if lines.next().map(|(_, line)| line) != Some(VERSION) {
        return Err(JournalFault::Version);
    }
    let mut parts = JournalLines::default();
    for (number, line) in lines {
        if line.starts_with("end ") {
            return parts.journal().ok_or(JournalFault::Line(number + 1));
        }
        parts.take(line).ok_or(JournalFault::Line(number + 1))?;
    }
    Err(JournalFault::Checksum)
}

/// What the lines so far said.
#[derive(Default)]
struct JournalLines {
    id: Option<JournalId>,
    worktree: Option<Vec<u8>>,
    stage: Option<StagePlace>,
    modes: Option<Modes>,
    changes: Vec<PathChange>,
    folders: Vec<FolderNote>,
}

impl JournalLines {
    fn take(&mut self, line: &str) -> Option<()> {
        let (word, rest) = line.split_once(' ')?;
        match word {
            "id" => self.id = Some(JournalId::new(rest).ok()?),
            "worktree" => self.worktree = Some(unescaped(rest.strip_prefix('=')?)?),
            "stage" => self.stage = Some(stage(rest)?),
            "modes" => self.modes = Some(modes(rest)?),
            "change" => self.changes.push(change(rest)?),
            "folder" => self.folders.push(folder(rest)?),
            _ => return None,
        }
        Some(())
    }

    fn journal(self) -> Option<Journal> {
        Some(Journal {
            id: self.id?,
            worktree: self.worktree?,
            stage: self.stage?,
            modes: self.modes?,
            changes: self.changes,
            folders: self.folders,
        })
    }
}

fn stage(word: &str) -> Option<StagePlace> {
    match word {
        "beside" => Some(StagePlace::Beside),
        "inside" => Some(StagePlace::Inside),
        _ => None,
    }
}

fn modes(word: &str) -> Option<Modes> {
    match word {
        "kept" => Some(Modes::Kept),
        "ignored" => Some(Modes::Ignored),
        _ => None,
    }
}

fn change(rest: &str) -> Option<PathChange> {
    let mut words = rest.splitn(3, ' ');
    Some(PathChange {
        from: state(words.next()?)?,
        to: state(words.next()?)?,
        path: path(words.next()?)?,
    })
}

fn folder(rest: &str) -> Option<FolderNote> {
    let mut words = rest.splitn(3, ' ');
    let fate = match words.next()? {
        "made" => Fate::Made,
        "emptied" => Fate::Emptied,
        _ => return None,
    };
    let bits = u32::from_str_radix(words.next()?, 8).ok()?;
    (bits <= 0o777).then_some(())?;
    Some(FolderNote {
        fate,
        bits,
        path: path(words.next()?)?,
    })
}

fn path(word: &str) -> Option<RepoPath> {
    RepoPath::new(unescaped(word)?).ok()
}

/// `-`, or mode and id, or mode, id and the id of the worktree's bytes.
fn spelled(state: &PathState) -> String {
    match state {
        PathState::Absent => "-".to_owned(),
        PathState::Present { entry, raw: None } => format!("{}:{}", entry.mode.octal(), entry.id),
        PathState::Present {
            entry,
            raw: Some(raw),
        } => format!("{}:{}:{raw}", entry.mode.octal(), entry.id),
    }
}

fn state(word: &str) -> Option<PathState> {
    if word == "-" {
        return Some(PathState::Absent);
    }
    let mut words = word.split(':');
    let mode = EntryMode::parse(words.next()?)?;
    let id: Id = words.next()?.parse().ok()?;
    let raw = match words.next() {
        Some(raw) => Some(raw.parse().ok()?),
        None => None,
    };
    words.next().is_none().then_some(PathState::Present {
        entry: TreeLeaf { mode, id },
        raw,
    })
}

/// Printable ASCII but `%`; every other byte as `%` and two digits.
fn escaped(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for byte in bytes {
        if byte.is_ascii_graphic() && *byte != b'%' {
            text.push(char::from(*byte));
        } else {
            let _ = write!(text, "%{byte:02x}");
        }
    }
    text
}

fn unescaped(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digit = |byte: u8| {
                char::from(byte)
                    .to_digit(16)
                    .and_then(|digit| u8::try_from(digit).ok())
            };
            let (high, low) = (digit(rest.next()?)?, digit(rest.next()?)?);
            bytes.push(high * 16 + low);
        } else {
            bytes.push(byte);
        }
    }
    Some(bytes)
}
