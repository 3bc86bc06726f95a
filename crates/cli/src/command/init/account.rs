//! What an installation has to say about a settings file: what changed, what stands beside it, what to look after.

use super::block::Block;
use super::entries::{Entries, Invocation};
use super::site::Site;
use crate::install::apply::{Installed, Note};
use crate::install::plan::Plan;
use crate::install::target::Target;
use engine::text::one_line;

/// Foreign hooks that are listed by name; of more only the number is told.
const LISTED: usize = 5;
const LONGEST_SHOWN: usize = 100;

/// Whether a change was made, or only worked out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tense {
    /// It was made.
    Done,
    /// It would be made.
    Would,
}

/// What became of the settings file, in one line.
pub fn changes(plan: &Plan, before: &Entries, tense: Tense) -> String {
    let (add, repair, keep) = match tense {
        Tense::Done => ("added", "repaired", "kept"),
        Tense::Would => ("would add", "would repair", "keep"),
    };
    let mut parts = Vec::new();
    if plan.is_already_installed() {
        parts.push(format!(
            "already installed, {}",
            counted(before.events.len(), "event")
        ));
    }
    if !plan.added.is_empty() {
        parts.push(format!(
            "{add} {} (exec form)",
            counted(plan.added.len(), "event")
        ));
    }
    if !plan.repaired.is_empty() {
        parts.push(format!("{repair} {}", counted(plan.repaired.len(), "event")));
    }
    if !plan.foreign.is_empty() {
        parts.push(format!("{keep} {} of yours", counted(plan.foreign.len(), "hook")));
    }
    parts.join(", ")
}

/// How the old entries started us, where that differs from now.
pub fn replaced(before: &Entries, now: &Invocation) -> Option<String> {
    let old: Vec<String> = before
        .invocations
        .iter()
        .filter(|old| *old != now)
        .map(|old| format!("`{old}`"))
        .collect();
    (!old.is_empty()).then(|| format!("its entries ran {} before, now `{now}`", old.join(", ")))
}

/// Lists the hooks of others: they run beside ours, in parallel.
pub fn list_foreign(plan: &Plan, block: &mut Block) {
    for hook in plan.foreign.iter().take(LISTED) {
        block.say(
            "beside",
            format!(
                "{}: {}",
                one_line(&hook.event, 40),
                one_line(&hook.command, LONGEST_SHOWN)
            ),
        );
    }
    let more = plan.foreign.len().saturating_sub(LISTED);
    if more > 0 {
        block.say("beside", format!("and {more} more"));
    }
}

/// Tells what the person should look after.
pub fn list_notes(site: &Site<'_>, installed: &Installed, block: &mut Block) {
    let file = site.shown(&installed.file);
    for note in &installed.notes {
        block.say("note", match note {
            Note::NotIgnored => {
                format!("git sees {file}; to keep it out: `echo {file} >> \"$(git rev-parse --git-path info/exclude)\"`")
            }
            Note::HooksDisabled => format!("{file} says `disableAllHooks`: no hook runs until that is gone"),
        });
    }
}

/// Other settings files that start us in another way: the client would run both for every event.
pub fn doubled<'all>(
    all: &'all [(Target, Entries)],
    target: &Target,
    now: &Invocation,
) -> Vec<&'all (Target, Entries)> {
    let differs = |entries: &Entries| entries.invocations.iter().any(|other| other != now);
    all.iter()
        .filter(|(other, entries)| other.file != target.file && differs(entries))
        .collect()
}

/// A number of things.
pub fn counted(count: usize, thing: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {thing}{plural}")
}
