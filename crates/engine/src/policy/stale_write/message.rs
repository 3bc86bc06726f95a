//! What is said to a writer whose picture of a file is out of date.

use super::staleness::{ChangedBy, Unseen};
use crate::lease::FileChangeKind;
use crate::text::one_line;
use crate::time::short;

/// A denial.
pub fn denied(path: &str, how: FileChangeKind, unseen: Unseen) -> String {
    let changed = changed(path, unseen);
    match how {
        FileChangeKind::Overwrite => format!(
            "{changed} Your version would undo that. Nothing was written. Read it {}then write.",
            again(unseen)
        ),
        FileChangeKind::Change => format!(
            "{changed} Nothing was written. Read it {}then edit.",
            again(unseen)
        ),
        FileChangeKind::Remove => format!(
            "{changed} Nothing was removed. Read it {}then decide.",
            again(unseen)
        ),
    }
}

/// The line the person reads of it.
pub fn to_person(path: &str, how: FileChangeKind, unseen: Unseen) -> String {
    let stopped = match how {
        FileChangeKind::Overwrite => "a write",
        FileChangeKind::Change => "an edit",
        FileChangeKind::Remove => "a removal",
    };
    let by = match unseen.by {
        ChangedBy::Of { who, .. } => format!(" by {}", who.name()),
        ChangedBy::Outside { .. } => String::new(),
    };
    format!("Toprope stopped {stopped}: {path} changed{by}, and the agent has not read that yet.")
}

/// The same where the call goes on.
pub fn advised(path: &str, how: FileChangeKind, unseen: Unseen) -> String {
    let by = by(unseen.by);
    let changed = match (how, unseen.was_seen) {
        (FileChangeKind::Change | FileChangeKind::Remove, true) => {
            format!("{path} changed after you last read it, {by}.")
        }
        (FileChangeKind::Overwrite, _) | (_, false) => changed(path, unseen),
    };
    match how {
        FileChangeKind::Overwrite => format!("{changed} Your version undoes that."),
        FileChangeKind::Change => {
            format!("{changed} Your edit applies to the new text; read it again before you write more.")
        }
        FileChangeKind::Remove => format!("{changed} It goes with that change in it."),
    }
}

fn changed(path: &str, unseen: Unseen) -> String {
    let ago = match unseen.by {
        ChangedBy::Of { ago_ms, .. } => format!(", {} ago", short(ago_ms)),
        ChangedBy::Outside { .. } => String::new(),
    };
    let by = by(unseen.by);
    if unseen.was_seen {
        format!("{path} changed after you last read it: {by}{ago}.")
    } else {
        format!("{path} was written {by}{ago}, and you have not read it.")
    }
}

fn again(unseen: Unseen) -> &'static str {
    if unseen.was_seen { "again, " } else { "first, " }
}

fn by(by: ChangedBy) -> String {
    match by {
        ChangedBy::Of { who, .. } => format!("by {}", who.shown()),
        ChangedBy::Outside { formatter: None } => "by something outside the agents".to_owned(),
        ChangedBy::Outside {
            formatter: Some(formatter),
        } => format!("by the formatter `{}`", one_line(formatter, 40)),
    }
}
