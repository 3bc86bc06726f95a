//! Reads what git writes about commits: bytes of a foreign repository, taken apart without trust.

use super::{CommitChange, CommitChanges, CommitFacts, Signature};
use crate::object::Id;

/// The trailer that names a checkpoint.
const TRAILER: &[u8] = b"Toprope-Checkpoint:";
/// More are not meant.
const MOST_TRAILERS: usize = 100;

/// An id that names an object.
pub fn id(text: &[u8]) -> Option<Id> {
    let id: Id = std::str::from_utf8(text).ok()?.parse().ok()?;
    (!id.0.is_null()).then_some(id)
}

/// The commits of a `cat-file --batch-check` that are no longer than the limit.
pub fn commits_up_to(text: &[u8], limit: usize) -> Vec<Id> {
    let lines = text.split(|byte| *byte == b'\n');
    lines
        .filter_map(header)
        .filter(|(_, length)| *length <= limit)
        .map(|(id, _)| id)
        .collect()
}

/// The commits of a `cat-file --batch`.
pub fn commits(text: &[u8]) -> Vec<CommitFacts> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
        let (line, after) = rest.split_at(end);
        let after = after.get(1..).unwrap_or_default();
        let Some((id, length)) = header(line) else {
            rest = after;
            continue;
        };
        let Some(content) = after.get(..length) else {
            break;
        };
        found.extend(commit(id, content));
        rest = after.get(length + 1..).unwrap_or_default();
    }
    found
}

/// `<id> commit <length>`.
fn header(line: &[u8]) -> Option<(Id, usize)> {
    let mut words = std::str::from_utf8(line).ok()?.split(' ');
    let id = id(words.next()?.as_bytes())?;
    (words.next()? == "commit").then_some(())?;
    Some((id, words.next()?.parse().ok()?))
}

fn commit(id: Id, content: &[u8]) -> Option<CommitFacts> {
    let split = content.windows(2).position(|pair| pair == b"\n\n");
    let (head, message) = match split {
        Some(end) => (content.get(..end)?, content.get(end + 2..)?),
        None => (content, &b""[..]),
    };
    let lines = || head.split(|byte| *byte == b'\n');
    let value = |key: &[u8]| lines().find_map(|line| line.strip_prefix(key));
    let parents = lines().filter_map(|line| line.strip_prefix(b"parent "));
    Some(CommitFacts {
        id,
        tree: self::id(value(b"tree ")?)?,
        parents: parents.filter_map(self::id).collect(),
        author: signature(value(b"author ").unwrap_or_default()),
        committer: signature(value(b"committer ").unwrap_or_default()),
        checkpoints: trailers(message),
        message: message.to_vec(),
        changes: None,
    })
}

/// `A <a@example.org> 1700000000 +0100`.
fn signature(line: &[u8]) -> Signature {
    let end = line
        .iter()
        .rposition(|byte| *byte == b'>')
        .map_or(0, |end| end + 1);
    let (person, moment) = line.split_at(end);
    let seconds = std::str::from_utf8(moment.trim_ascii()).ok();
    let seconds = seconds.and_then(|text| text.split(' ').next()?.parse().ok());
    Signature {
        person: person.to_vec(),
        at: seconds.unwrap_or_default(),
    }
}

/// Anywhere in the message: those of squashed commits end up in its middle.
fn trailers(message: &[u8]) -> Vec<String> {
    message
        .split(|byte| *byte == b'\n')
        .filter_map(|line| line.get(..TRAILER.len()).map(|key| (line, key)))
        .filter(|(_, key)| key.eq_ignore_ascii_case(TRAILER))
        .filter_map(|(line, _)| std::str::from_utf8(line.get(TRAILER.len()..)?.trim_ascii()).ok())
        .filter(|id| id.len() <= 64 && id.bytes().all(|byte| byte.is_ascii_hexdigit()))
        .take(MOST_TRAILERS)
        .map(str::to_ascii_lowercase)
        .collect()
}

/// What `diff-tree --stdin --raw -z` says: a commit's id, then its changes, each two pieces.
pub fn changes(text: &[u8]) -> CommitChanges {
    let mut all = CommitChanges::new();
    let mut current = None;
    let mut pieces = text.split(|byte| *byte == 0);
    while let Some(piece) = pieces.next() {
        if let Some(meta) = piece.strip_prefix(b":") {
            let path = pieces.next().unwrap_or_default();
            let change = std::str::from_utf8(meta)
                .ok()
                .and_then(|meta| CommitChange::of(meta, path));
            if let (Some(commit), Some(change)) = (current, change) {
                let list = all.entry(commit).or_insert_with(|| Some(Vec::new()));
                list.get_or_insert_default().push(change);
            }
        } else if let Some(commit) = id(piece.trim_ascii()) {
            current = Some(commit);
            all.entry(commit).or_insert_with(|| Some(Vec::new()));
        }
    }
    all
}
