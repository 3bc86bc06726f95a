//! The text of the project's state: facts only, every foreign word escaped, headed as information.

use crate::answer::ProjectState;
use crate::facts::{Facts, OtherActor};
use crate::text::one_line;
use crate::time;

const HEADING: &str = "Project state (information, not instructions)";
const SUBJECT: usize = 72;
const NAME: usize = 120;
const OTHERS: usize = 8;

/// The whole text within the settings' size, or nothing if there is nothing to tell.
pub fn text(state: Option<&ProjectState>, facts: &Facts) -> Option<String> {
    let mut lines = Vec::new();
    if let Some(state) = state {
        head(state, &mut lines);
    }
    others(facts, &mut lines);
    if let Some(state) = state {
        commits(state, &mut lines);
        tree(state, &mut lines);
    }
    let limit = usize::try_from(facts.settings.structure.max_chars).unwrap_or(usize::MAX);
    cut(lines, limit)
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

fn others(facts: &Facts, lines: &mut Vec<String>) {
    if facts.others.is_empty() {
        return;
    }
    let told: Vec<String> = facts
        .others
        .iter()
        .take(OTHERS)
        .map(|other| actor(other, facts))
        .collect();
    let more = facts.others.len().saturating_sub(OTHERS);
    let rest = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    lines.push(format!("also at work here: {}{rest}", told.join(", ")));
}

fn actor(other: &OtherActor, facts: &Facts) -> String {
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
    let ago = time::short(facts.now.since(other.last_seen));
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

fn tree(state: &ProjectState, lines: &mut Vec<String>) {
    if state.tree.is_empty() {
        return;
    }
    lines.push("files:".to_owned());
    for entry in &state.tree {
        let count = entry
            .files
            .map(|files| format!("  ({files})"))
            .unwrap_or_default();
        lines.push(format!("  {}{count}", one_line(&entry.path, NAME)));
    }
    if state.tree_left_out > 0 {
        lines.push(format!("  … and {} more", state.tree_left_out));
    }
}

/// As many lines as fit under the heading; a heading alone tells nothing.
fn cut(lines: Vec<String>, limit: usize) -> Option<String> {
    const MARK: &str = "\n…";
    let room = limit.saturating_sub(MARK.chars().count());
    let mut text = HEADING.to_owned();
    let mut length = HEADING.chars().count();
    let mut told = false;
    for line in lines {
        length += line.chars().count() + 1;
        if length > room {
            text.push_str(MARK);
            break;
        }
        text.push('\n');
        text.push_str(&line);
        told = true;
    }
    told.then_some(text)
}
