//! Commands that change a whole worktree or parts of it: they wait until nobody else edits there, and leave alone what is
//! reserved.

use super::message;
use crate::lease::{HeldLease, LeaseEffect, LeaseFacts, Reserved};
use crate::settings::{LeaseSettings, Mode};

/// What a command that changes a whole worktree meets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BulkOutcome {
    /// It is none, or leases do not concern it.
    No,
    /// Nobody is in its way.
    Free(LeaseEffect),
    /// Somebody is; it goes on with this text.
    Advised(String),
    /// Somebody is; it does not run.
    Denied {
        /// What the agent is told.
        text: String,
        /// What the person reads of it.
        line: String,
    },
}

/// What the call meets as a whole.
pub fn sweep(settings: &LeaseSettings, facts: &LeaseFacts) -> BulkOutcome {
    let mode = settings.mode.min(settings.bulk_mode);
    let Some(bulk) = facts.bulk.as_ref().filter(|_| mode != Mode::Off) else {
        return BulkOutcome::No;
    };
    let advised = mode == Mode::Advise;
    let told = |text: String, line: String, advice: String| {
        if advised {
            BulkOutcome::Advised(advice)
        } else {
            BulkOutcome::Denied { text, line }
        }
    };
    let running = facts.everything.as_ref().filter(|held| !facts.me.is(&held.who));
    if let Some(held) = running {
        return told(
            message::bulk_waits(held),
            message::bulk_waits_to_person(bulk, held),
            message::bulk_waits_advised(held),
        );
    }
    let editing: Vec<&HeldLease> = facts
        .editing
        .iter()
        .filter(|held| !facts.me.is(&held.who) && !facts.me.is_awaited_by(held.who.actor))
        .collect();
    let reserved = facts
        .reservations
        .iter()
        .filter(|reserved| !facts.me.passes(reserved));
    let reserved: Vec<&Reserved> = reserved.collect();
    if !editing.is_empty() || !reserved.is_empty() {
        return told(
            message::bulk(bulk, &editing, &reserved),
            message::bulk_to_person(bulk, &editing, &reserved),
            message::bulk_advised(bulk, &editing, &reserved),
        );
    }
    // What goes over a part of the tree only is over soon, and holds up nobody in the rest of it.
    if bulk.scope.is_some() {
        return BulkOutcome::No;
    }
    BulkOutcome::Free(LeaseEffect::TakeAll {
        worktree: bulk.worktree,
        command: bulk.command.clone(),
    })
}
