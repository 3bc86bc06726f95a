//! What is counted because it should not happen. Other counters are the daemon's own bookkeeping and nobody's trouble.

use daemon::checkpoint::rewind::recover;
use daemon::checkpoint::{disagreement, reading, worker};
use daemon::transcript::account;
use engine::text::one_line;
use engine::time;
use store::table::counters::Counter;

/// Trouble older than a day is history.
pub const RECENT_MS: u64 = 24 * 60 * 60 * 1000;
const LONGEST_SHOWN: usize = 160;

/// A kind of trouble, and the words for it.
pub struct ErrorCounter {
    /// The counter's name.
    pub name: &'static str,
    /// There is none of it.
    pub none: &'static str,
    /// What goes after a one.
    pub one: &'static str,
    /// What goes after another number.
    pub more: &'static str,
    /// Where to look.
    pub hint: &'static str,
}

impl ErrorCounter {
    /// How often it was met, when last, and with which words.
    pub fn told(&self, counter: &Counter, ago_ms: u64) -> String {
        let what = if counter.count == 1 { self.one } else { self.more };
        let last = one_line(counter.last_text.as_deref().unwrap_or_default(), LONGEST_SHOWN);
        let ago = time::short(ago_ms);
        format!("{} {what}, the last {ago} ago: {last}", counter.count)
    }
}

/// All of it, in the order it is shown.
pub const TROUBLES: [ErrorCounter; 3] = [
    ErrorCounter {
        name: "degraded",
        none: "no policy failed",
        one: "decision went without a policy that failed",
        more: "decisions went without a policy that failed",
        hint: "toprope log --events",
    },
    ErrorCounter {
        name: "unreadable",
        none: "every event could be read",
        one: "event could not be read",
        more: "events could not be read",
        hint: "toprope log --events --event unreadable --raw",
    },
    ErrorCounter {
        name: "unknown event",
        none: "every event is one we know",
        one: "event is one we do not know",
        more: "events are ones we do not know",
        hint: "toprope log --events",
    },
];

/// How much a kind of trouble matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// It is good to know.
    Told,
    /// Something is missing.
    Warned,
    /// Something does not work.
    Failed,
}

/// That of checkpoints; told only where there is some.
pub const CHECKPOINT_TROUBLES: [(ErrorCounter, Severity); 7] = [
    (
        ErrorCounter {
            name: worker::FAILED,
            none: "",
            one: "piece of work for checkpoints failed",
            more: "pieces of work for checkpoints failed",
            hint: "df -h . && ls -ld .git/toprope",
        },
        Severity::Failed,
    ),
    (
        ErrorCounter {
            name: recover::FAILED,
            none: "",
            one: "rewind that was cut short could not be looked at",
            more: "times a rewind that was cut short could not be looked at",
            hint: "toprope undo --list",
        },
        Severity::Failed,
    ),
    (
        ErrorCounter {
            name: reading::REFUSED,
            none: "",
            one: "transcript was not read",
            more: "times a transcript was not read",
            hint: "toprope log --events",
        },
        Severity::Warned,
    ),
    (
        ErrorCounter {
            name: account::UNREADABLE,
            none: "",
            one: "line of a transcript could not be read",
            more: "lines of transcripts could not be read",
            hint: "toprope usage",
        },
        Severity::Warned,
    ),
    (
        ErrorCounter {
            name: account::WITHOUT_USAGE,
            none: "",
            one: "message of a model says nothing of its usage",
            more: "messages of models say nothing of their usage",
            hint: "toprope usage",
        },
        Severity::Told,
    ),
    (
        ErrorCounter {
            name: disagreement::DISAGREED,
            none: "",
            one: "time a call said something else of a file than was found",
            more: "times a call said something else of a file than was found",
            hint: "toprope checkpoint list --steps",
        },
        Severity::Told,
    ),
    (
        ErrorCounter {
            name: worker::TOO_MANY,
            none: "",
            one: "time a folder without git had more files than are kept",
            more: "times a folder without git had more files than are kept",
            hint: "toprope config",
        },
        Severity::Told,
    ),
];

/// Whether a counter of this name counts trouble.
pub fn is_trouble(counter: &str) -> bool {
    let others = CHECKPOINT_TROUBLES
        .iter()
        .filter(|(_, level)| *level != Severity::Told)
        .map(|(trouble, _)| trouble);
    TROUBLES
        .iter()
        .chain(others)
        .any(|trouble| trouble.name == counter)
}
