//! What is said to a writer whose picture of a file is out of date.

use super::staleness::{By, Unseen};
use crate::lease::How;
use crate::text::one_line;
use crate::time::short;

/// A denial.
pub fn denied(path: &str, how: How, unseen: Unseen) -> String {
    let changed = changed(path, unseen);
    match how {
        How::Overwrite => format!(
            "{changed} Your version would undo that. Nothing was written. Read it {}then write.",
            again(unseen)
        ),
        How::Change => format!(
            "{changed} Nothing was written. Read it {}then edit.",
            again(unseen)
        ),
        How::Remove => format!(
            "{changed} Nothing was removed. Read it {}then decide.",
            again(unseen)
        ),
    }
}

/// The line the person reads of it.
pub fn to_person(path: &str, how: How, unseen: Unseen) -> String {
    let stopped = match how {
        How::Overwrite => "a write",
        How::Change => "an edit",
        How::Remove => "a removal",
    };
    let by = match unseen.by {
        By::Of { who, .. } => format!(" by {}", who.name()),
        By::Outside { .. } => String::new(),
    };
    format!("Toprope stopped {stopped}: {path} changed{by}, and the agent has not read that yet.")
}

/// The same where the call goes on.
pub fn advised(path: &str, how: How, unseen: Unseen) -> String {
    let by = by(unseen.by);
    let changed = match (how, unseen.was_seen) {
        (How::Change | How::Remove, true) => format!("{path} changed after you last read it, {by}."),
        (How::Overwrite, _) | (_, false) => changed(path, unseen),
    };
    match how {
        How::Overwrite => format!("{changed} Your version undoes that."),
        How::Change => {
            format!("{changed} Your edit applies to the new text; read it again before you write more.")
        }
        How::Remove => format!("{changed} It goes with that change in it."),
    }
}

fn changed(path: &str, unseen: Unseen) -> String {
    let ago = match unseen.by {
        By::Of { ago_ms, .. } => format!(", {} ago", short(ago_ms)),
        By::Outside { .. } => String::new(),
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

fn by(by: By) -> String {
    match by {
        By::Of { who, .. } => format!("by {}", who.shown()),
        By::Outside { formatter: None } => "by something outside the agents".to_owned(),
        By::Outside {
            formatter: Some(formatter),
        } => format!("by the formatter `{}`", one_line(formatter, 40)),
    }
}
