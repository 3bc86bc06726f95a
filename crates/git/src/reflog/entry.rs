//! One line of a reflog: from where, to where, and in git's own words how.

use super::{HeadMovement, MoveCause};
use crate::commit_facts::id;
use crate::object::Id;

/// One line, and a number that tells it from others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReflogEntry {
    /// What it says.
    pub moved: HeadMovement,
    /// When, in seconds since 1970.
    pub at: i64,
    /// Of its bytes: it tells the entry from others.
    pub mark: u64,
}

/// The entries of a file's text, oldest first. A line that is none is passed over.
pub fn parse(text: &[u8]) -> impl Iterator<Item = ReflogEntry> {
    lines(text).filter_map(entry)
}

/// The mark of the last line, whatever it says.
pub fn last_mark(text: &[u8]) -> u64 {
    lines(text).next_back().map_or(0, mark)
}

/// What `git log --walk-reflogs` says: id, moment and message, newest first. The oldest knows not where it came from
/// unless the reflog begins with it.
pub fn from_git(text: &[u8], most: usize) -> Vec<ReflogEntry> {
    let records: Vec<(Id, MoveCause, i64, u64)> = text
        .split(|byte| *byte == 0)
        .filter_map(|record| {
            let mut words = record.splitn(3, |byte| *byte == b' ');
            let to = words.next().and_then(id)?;
            // `HEAD@{1700000000}`
            let moment = words
                .next()
                .and_then(|name| number(name.split(|byte| *byte == b'{').nth(1)?));
            let message = words.next().unwrap_or_default();
            Some((to, what(message), moment.unwrap_or(0), mark(record)))
        })
        .collect();
    let before = records.iter().skip(1).map(|(to, ..)| Some(*to)).chain([None]);
    let entries = records
        .iter()
        .zip(before)
        .map(|((to, what, at, mark), from)| ReflogEntry {
            moved: HeadMovement {
                from,
                to: *to,
                what: *what,
            },
            at: *at,
            mark: *mark,
        });
    entries.take(most).collect()
}

fn lines(text: &[u8]) -> impl DoubleEndedIterator<Item = &[u8]> {
    text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty())
}

fn entry(line: &[u8]) -> Option<ReflogEntry> {
    let mut halves = line.splitn(2, |byte| *byte == b'\t');
    let who = halves.next()?;
    let mut words = who.split(|byte| *byte == b' ');
    let (from, to) = (words.next()?, words.next()?);
    let to = id(to)?;
    // The name may have any words; the moment and the zone are the last.
    let at = who.rsplit(|byte| *byte == b' ').nth(1).and_then(number);
    Some(ReflogEntry {
        moved: HeadMovement {
            from: id(from),
            to,
            what: what(halves.next().unwrap_or_default()),
        },
        at: at.unwrap_or(0),
        mark: mark(line),
    })
}

/// The digits a text begins with.
fn number(text: &[u8]) -> Option<i64> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    std::str::from_utf8(text.get(..digits)?).ok()?.parse().ok()
}

/// Not secret, not for hostile collisions: whoever writes a repository's reflog can write its branches as well.
fn mark(line: &[u8]) -> u64 {
    line.iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// What the first words of a message mean. They are git's, unless `GIT_REFLOG_ACTION` says otherwise.
fn what(message: &[u8]) -> MoveCause {
    let action = message.split(|byte| *byte == b':').next().unwrap_or_default();
    match action {
        b"commit" | b"commit (initial)" => return MoveCause::Commit,
        b"commit (amend)" => return MoveCause::Amend,
        b"commit (merge)" => return MoveCause::Merge,
        b"commit (cherry-pick)" => return MoveCause::CherryPick,
        _ => {}
    }
    if message.ends_with(b": Fast-forward") {
        return MoveCause::Pull;
    }
    match action.split(|byte| *byte == b' ').next().unwrap_or_default() {
        // Also `rebase -i (pick)` and, from a pull, `pull --rebase (pick)`.
        _ if action.windows(8).any(|part| part == b"--rebase") => MoveCause::Rebase,
        b"rebase" => MoveCause::Rebase,
        b"am" => MoveCause::Commit,
        b"reset" => MoveCause::Reset,
        b"checkout" => MoveCause::Checkout,
        b"cherry-pick" => MoveCause::CherryPick,
        b"revert" => MoveCause::Revert,
        b"merge" => MoveCause::Merge,
        b"pull" => MoveCause::Pull,
        _ => MoveCause::Other,
    }
}
