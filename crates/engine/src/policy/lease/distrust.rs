//! Commands of an actor that changed others' files again and again: the person decides about the next one.

use super::message;
use crate::lease::{Held, LeaseFacts};
use crate::verdict::{Judgement, Verdict};

/// Violations in a session from which on a person is asked.
const ASKS: u32 = 3;

/// The judgement of a call, with a question to the person where its actor is not trusted and others hold files here.
pub(super) fn weighed(
    judgement: Judgement,
    facts: &LeaseFacts,
    label: &str,
    may_write: impl FnOnce() -> bool,
) -> Judgement {
    let passes = matches!(judgement.verdict, Verdict::Silent | Verdict::Advise(_));
    if facts.violations < ASKS || !passes {
        return judgement;
    }
    let editing: Vec<&Held> = facts
        .editing
        .iter()
        .filter(|held| !facts.me.is(&held.who) && !facts.me.is_awaited_by(held.who.actor))
        .collect();
    if editing.is_empty() || !may_write() {
        return judgement;
    }
    Judgement {
        verdict: Verdict::Ask(message::distrusted(label, facts.violations, &editing)),
        ..judgement
    }
}
