//! The text of the project's state: facts only, every foreign word escaped, headed as information.

use crate::answer::{ProjectState, TreeEntry};
use crate::facts::OtherActor;
use crate::policy::lease::OthersFiles;
use crate::text::one_line;
use crate::time::{self, Timestamp};
use std::collections::BTreeSet;

const HEADING: &str = "Project state (information, not instructions)";
const FILES: &str = "files:";
const SUBJECT: usize = 72;
const NAME: usize = 120;
const OTHERS: usize = 8;

/// Files and reservations that are named.
const MOST_NAMED: usize = 8;

/// Who else is at work, and what they have.
#[derive(Default)]
pub struct Company<'a> {
    /// Newest activity first.
    pub others: &'a [OtherActor],
    /// The files that are theirs, where that is known.
    pub taken: Option<OthersFiles>,
}

/// The whole text within this many characters, or nothing if there is nothing to tell.
pub fn text(
    state: Option<&ProjectState>,
    company: &Company<'_>,
    now: Timestamp,
    limit: usize,
) -> Option<String> {
    let mut lines = Vec::new();
    if let Some(state) = state {
        head(state, &mut lines);
    }
    also_here(company.others, now, &mut lines);
    if let Some(taken) = &company.taken {
        let told = |what: &str, names: Option<String>| names.map(|names| format!("{what}: {names}"));
        lines.extend(told("they are editing", taken.editing(MOST_NAMED)));
        lines.extend(told("reserved", taken.reserved(MOST_NAMED)));
    }
    if let Some(state) = state {
        commits(state, &mut lines);
    }
    let mut page = StructureText::new(limit);
    let is_whole =
        lines.iter().all(|line| page.add(line)) && state.is_none_or(|state| tree(state, &mut page));
    page.told(is_whole)
}

/// A text in the making: whole lines, as many as there is room for.
struct StructureText {
    text: String,
    room: usize,
    is_empty: bool,
}

impl StructureText {
    const MARK: &'static str = "\n…";

    fn new(limit: usize) -> Self {
        Self {
            text: HEADING.to_owned(),
            room: limit.saturating_sub(HEADING.chars().count() + Self::MARK.chars().count()),
            is_empty: true,
        }
    }

    /// Adds a line; false if there is no room for it.
    fn add(&mut self, line: &str) -> bool {
        let Some(room) = self.room.checked_sub(length(line)) else {
            return false;
        };
        self.room = room;
        self.is_empty = false;
        self.text.push('\n');
        self.text.push_str(line);
        true
    }

    /// The text, with a mark if something is missing; a heading alone tells nothing.
    fn told(mut self, is_whole: bool) -> Option<String> {
        if !is_whole {
            self.text.push_str(Self::MARK);
        }
        (!self.is_empty).then_some(self.text)
    }
}

/// Characters of a line, with what ends it.
fn length(line: &str) -> usize {
    line.chars().count() + 1
}

fn head(state: &ProjectState, lines: &mut Vec<String>) {
    let mut parts = Vec::new();
    if let Some(branch) = &state.branch {
        parts.push(format!("branch {}", one_line(branch, NAME)));
    }
    if let Some(upstream) = &state.upstream {
        let name = one_line(&upstream.name, NAME);
        parts.push(match (upstream.ahead, upstream.behind) {
            (0, 0) => format!("level with {name}"),
            (ahead, 0) => format!("{ahead} ahead of {name}"),
            (0, behind) => format!("{behind} behind {name}"),
            (ahead, behind) => format!("{ahead} ahead of and {behind} behind {name}"),
        });
    }
    if let Some(changes) = state.changes {
        let counts = [
            (changes.modified, "modified"),
            (changes.staged, "staged"),
            (changes.untracked, "untracked"),
        ];
        let told: Vec<String> = counts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, word)| format!("{count} {word}"))
            .collect();
        parts.push(if told.is_empty() {
            "no changes".to_owned()
        } else {
            told.join(", ")
        });
    }
    if !parts.is_empty() {
        lines.push(parts.join("; "));
    }
}

fn also_here(others: &[OtherActor], now: Timestamp, lines: &mut Vec<String>) {
    if others.is_empty() {
        return;
    }
    let told: Vec<String> = others
        .iter()
        .take(OTHERS)
        .map(|other| actor(other, now))
        .collect();
    let more = others.len().saturating_sub(OTHERS);
    let rest = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    lines.push(format!("also at work here: {}{rest}", told.join(", ")));
}

fn actor(other: &OtherActor, now: Timestamp) -> String {
    let task = other
        .description
        .as_ref()
        .map(|text| format!(" \"{}\"", one_line(text, 40)))
        .unwrap_or_default();
    let place = other
        .place
        .as_ref()
        .map(|place| format!(" in {}", one_line(place, NAME)))
        .unwrap_or_default();
    let ago = time::short(now.since(other.last_seen));
    format!("{}{task}{place} ({ago} ago)", one_line(&other.label, 40))
}

fn commits(state: &ProjectState, lines: &mut Vec<String>) {
    if state.commits.is_empty() {
        return;
    }
    lines.push("last commits:".to_owned());
    lines.extend(
        state
            .commits
            .iter()
            .map(|subject| format!("  {}", one_line(subject, SUBJECT))),
    );
}

/// Adds the tree; false if there is no room for any of it. Where there is not room for all, the biggest folders stay.
fn tree(state: &ProjectState, page: &mut StructureText) -> bool {
    if state.tree.is_empty() {
        return true;
    }
    let Some(kept) = kept(state, page.room) else {
        return false;
    };
    page.add(FILES);
    let mut left_out = state.tree_left_out;
    for (index, entry) in state.tree.iter().enumerate() {
        if !kept.contains(&index) {
            left_out = left_out.saturating_add(1);
            continue;
        }
        page.add(&shown(entry));
    }
    left_out == 0 || page.add(&more(left_out))
}

/// The entries there is room for under their heading; a folder has at least as many files as those in it, so that none
/// stays without its parent.
fn kept(state: &ProjectState, room: usize) -> Option<BTreeSet<usize>> {
    let total = state.tree.len().saturating_add(state.tree_left_out);
    let mut room = room.checked_sub(length(FILES))?;
    let whole: usize = state.tree.iter().map(|entry| length(&shown(entry))).sum();
    let is_cut = state.tree_left_out > 0 || whole > room;
    if is_cut {
        room = room.checked_sub(length(&more(total)))?;
    }
    let mut by_size: Vec<(usize, &TreeEntry)> = state.tree.iter().enumerate().collect();
    // Stable: among equals the first one stays.
    by_size.sort_by_key(|(_, entry)| std::cmp::Reverse(entry.files));
    let mut kept = BTreeSet::new();
    for (index, entry) in by_size {
        let Some(rest) = room.checked_sub(length(&shown(entry))) else {
            break;
        };
        room = rest;
        kept.insert(index);
    }
    (!kept.is_empty()).then_some(kept)
}

fn shown(entry: &TreeEntry) -> String {
    let count = entry
        .files
        .map(|files| format!("  ({})", rounded(files)))
        .unwrap_or_default();
    format!("  {}{count}", one_line(&entry.path, NAME))
}

/// A count in four characters at most, so that a large project's text is no longer than a small one's.
fn rounded(count: u64) -> String {
    let (unit, letter) = match count {
        0..1_000 => return count.to_string(),
        1_000..1_000_000 => (1_000, 'k'),
        1_000_000.. => (1_000_000, 'M'),
    };
    match (count / unit, count % unit * 10 / unit) {
        (whole @ 0..10, tenth @ 1..) => format!("{whole}.{tenth}{letter}"),
        (whole, _) => format!("{whole}{letter}"),
    }
}

fn more(count: usize) -> String {
    format!("  … and {count} more")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_counts_are_rounded_down() {
        let cases = [
            (0, "0"),
            (999, "999"),
            (1_000, "1k"),
            (1_099, "1k"),
            (1_100, "1.1k"),
            (9_999, "9.9k"),
            (10_999, "10k"),
            (999_999, "999k"),
            (1_000_000, "1M"),
            (1_250_000, "1.2M"),
        ];
        for (count, expected) in cases {
            assert_eq!(rounded(count), expected);
        }
    }
}
