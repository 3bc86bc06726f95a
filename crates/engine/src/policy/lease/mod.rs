//! One writer per file: whoever writes first holds it, the next one is told who has it and gets a place in line.
//!
//! It never waits, and never takes away what somebody wrote.

mod aftermath;
mod arrival;
mod bulk;
mod cycle;
mod deciding;
mod judging;
mod lending;
pub mod message;
pub mod overlap;
mod waiting;

pub use arrival::OthersFiles;
pub use judging::LeaseObstacle;
pub use waiting::{QueueStanding, waiting};

use crate::event::{Event, EventKind};
use crate::facts::Facts;
use crate::lease::left::only_builds;
use crate::lease::wanted::{ReadingContext, wanted};
use crate::policy::{Asking, Policy};
use crate::question::Question;
use crate::settings::{Mode, Settings};
use crate::verdict::Judgement;
use aftermath::Ended;
use deciding::Deciding;

/// See the module.
pub struct LeasePolicy;

impl Policy for LeasePolicy {
    fn name(&self) -> &'static str {
        "lease"
    }

    fn mode(&self, settings: &Settings) -> Mode {
        settings.lease.mode
    }

    fn concerns(&self, event: &Event, facts: &Facts) -> bool {
        let is_about_files = matches!(
            event.kind,
            EventKind::ToolBefore { .. }
                | EventKind::ToolAfter { .. }
                | EventKind::ToolFailed { .. }
                | EventKind::AgentStart
        );
        is_about_files && facts.lease.is_some()
    }

    fn questions(&self, event: &Event, known: &Asking<'_>) -> Vec<Question> {
        files(event, known)
    }

    fn judge(&self, event: &Event, facts: &Facts) -> Judgement {
        let Some(lease) = &facts.lease else {
            return Judgement::silent();
        };
        let settings = &facts.settings.lease;
        let me = lease.me.named(&facts.label);
        match &event.kind {
            EventKind::AgentStart => arrival::told(lease, &facts.label),
            EventKind::ToolAfter { .. } => aftermath::judged(settings, lease, &me, ended(event, false)),
            EventKind::ToolFailed { .. } => aftermath::judged(settings, lease, &me, ended(event, true)),
            EventKind::ToolBefore { .. } => Deciding::new(settings, lease, &facts.label).judged(),
            _ => Judgement::silent(),
        }
    }
}

/// How the call of an event ended, and whether it only built or tested something.
fn ended(event: &Event, failed: bool) -> Ended {
    Ended {
        failed,
        builds: only_builds(event),
    }
}

/// Asks for the files that a call writes; again only if more became known of what it writes.
pub(super) fn files(event: &Event, known: &Asking<'_>) -> Vec<Question> {
    let EventKind::ToolBefore { call } = &event.kind else {
        return Vec::new();
    };
    let facts = known.answers.guard.as_deref();
    // What an alias stands for is known only once the guard has asked for it.
    let is_news = facts.is_some_and(|facts| facts.known_aliases().next().is_some());
    if !known.is_first && !is_news {
        return Vec::new();
    }
    let reading = ReadingContext {
        wrappers: known.settings.guard.user_wrappers(),
        facts,
    };
    let wanted = wanted(call, event.cwd.as_deref(), &known.settings.lease, &reading);
    if wanted.is_nothing() {
        return Vec::new();
    }
    vec![Question::Files(wanted)]
}

#[cfg(test)]
mod tests;
