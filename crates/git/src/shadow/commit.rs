//! Commits: the ones we write, and what we need to know of any.

use gix::ObjectId;
use gix::objs::Kind;

use super::{Shadow, ShadowError};
use crate::object::Id;

/// Who made something, as git has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitAuthor {
    /// A name.
    pub name: Vec<u8>,
    /// An address.
    pub email: Vec<u8>,
}

impl CommitAuthor {
    /// Toprope itself: every checkpoint's committer, and its author where the user has set no name.
    pub fn toprope() -> Self {
        Self {
            name: b"Toprope".to_vec(),
            email: b"toprope@localhost".to_vec(),
        }
    }
}

/// A commit to be written.
#[derive(Debug, Clone, Copy)]
pub struct NewCommit<'a> {
    /// Its tree.
    pub tree: Id,
    /// The commit before it on its line.
    pub parent: Option<Id>,
    /// Subject, body and trailers.
    pub message: &'a [u8],
    /// The user, or Toprope.
    pub author: &'a CommitAuthor,
    /// When, in milliseconds since 1970. Git keeps seconds.
    pub at_ms: i64,
}

/// A commit that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// Its tree.
    pub tree: Id,
    /// The commits before it.
    pub parents: Vec<Id>,
    /// Who made the content.
    pub author: CommitAuthor,
    /// When it was committed, in milliseconds since 1970.
    pub at_ms: i64,
    /// Subject, body and trailers.
    pub message: Vec<u8>,
}

impl Shadow {
    /// Writes a commit, never signed. No ref moves.
    pub fn commit(&self, new: &NewCommit<'_>) -> Result<Id, ShadowError> {
        for id in [Some(new.tree), new.parent].into_iter().flatten() {
            if !self.objects.knows(id) {
                return Err(ShadowError::Missing(id));
            }
        }
        let seconds = new.at_ms.max(0) / 1000;
        let mut bytes = format!("tree {}\n", new.tree).into_bytes();
        if let Some(parent) = new.parent {
            bytes.extend(format!("parent {parent}\n").into_bytes());
        }
        sign(&mut bytes, "author", new.author, seconds);
        sign(&mut bytes, "committer", &CommitAuthor::toprope(), seconds);
        bytes.push(b'\n');
        bytes.extend(new.message.iter().filter(|byte| **byte != 0));
        if bytes.last() != Some(&b'\n') {
            bytes.push(b'\n');
        }
        self.objects.write(Kind::Commit, &bytes)
    }

    /// A commit of ours or of the user's.
    pub fn read_commit(&self, id: Id) -> Result<Commit, ShadowError> {
        let record = self.objects.record(id, Kind::Commit)?;
        parse(&record.bytes, id.0.kind()).ok_or(ShadowError::Malformed {
            id,
            fault: "it is not a commit git would write",
        })
    }

    /// The tree of a commit.
    pub fn tree_of(&self, commit: Id) -> Result<Id, ShadowError> {
        self.read_commit(commit).map(|commit| commit.tree)
    }
}

fn sign(out: &mut Vec<u8>, role: &str, person: &CommitAuthor, seconds: i64) {
    out.extend_from_slice(role.as_bytes());
    out.push(b' ');
    let name = clean(&person.name);
    if name.is_empty() {
        out.extend_from_slice(b"Toprope");
    } else {
        out.extend_from_slice(&name);
    }
    out.extend_from_slice(b" <");
    out.extend(clean(&person.email));
    out.extend(format!("> {seconds} +0000\n").into_bytes());
}

/// A name without what would end it early.
fn clean(text: &[u8]) -> Vec<u8> {
    let kept = text
        .iter()
        .filter(|byte| !matches!(byte, b'<' | b'>' | b'\n' | b'\r' | 0));
    let kept: Vec<u8> = kept.copied().collect();
    kept.trim_ascii().to_vec()
}

fn parse(bytes: &[u8], kind: gix::hash::Kind) -> Option<Commit> {
    let mut tree = None;
    let mut parents = Vec::new();
    let mut author = None;
    let mut at_ms = 0;
    let mut rest = bytes;
    loop {
        let end = rest.iter().position(|byte| *byte == b'\n')?;
        let (line, tail) = rest.split_at_checked(end)?;
        rest = tail.get(1..)?;
        if line.is_empty() {
            break;
        }
        // A header that goes on in the next line begins it with a space.
        let (key, value) = line.split_at_checked(line.iter().position(|byte| *byte == b' ')?)?;
        let value = value.get(1..)?;
        match key {
            b"tree" if tree.is_none() => tree = Some(object(value, kind)?),
            b"parent" => parents.push(object(value, kind)?),
            b"author" if author.is_none() => author = Some(person(value)),
            b"committer" => at_ms = seconds(value).saturating_mul(1000),
            _ => {}
        }
    }
    Some(Commit {
        tree: tree?,
        parents,
        author: author?,
        at_ms,
        message: rest.to_vec(),
    })
}

fn object(hex: &[u8], kind: gix::hash::Kind) -> Option<Id> {
    ObjectId::from_hex(hex)
        .ok()
        .filter(|id| id.kind() == kind)
        .map(Id)
}

fn person(value: &[u8]) -> CommitAuthor {
    let open = value.iter().position(|byte| *byte == b'<').unwrap_or(value.len());
    let (name, rest) = value.split_at_checked(open).unwrap_or((value, b""));
    let rest = rest.get(1..).unwrap_or_default();
    let close = rest.iter().position(|byte| *byte == b'>').unwrap_or(rest.len());
    CommitAuthor {
        name: name.trim_ascii().to_vec(),
        email: rest.get(..close).unwrap_or_default().to_vec(),
    }
}

/// The time after the address; zero if there is none that can be read.
fn seconds(value: &[u8]) -> i64 {
    let after = value.rsplit(|byte| *byte == b'>').next().unwrap_or_default();
    let digits = after
        .trim_ascii()
        .split(|byte| *byte == b' ')
        .next()
        .unwrap_or_default();
    std::str::from_utf8(digits)
        .ok()
        .and_then(|digits| digits.parse().ok())
        .unwrap_or(0)
}
