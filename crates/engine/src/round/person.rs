//! The one line a person reads in their client of what was done to a call: once for an event, whoever said it.

use crate::effect::{Audience, Effect, Owed};
use crate::event::{Event, EventKind};
use crate::id::EventSeq;
use crate::policy::guard::redact;
use crate::text::one_line;

/// Under which kind a line is owed that the client would not show now.
pub const KIND: &str = "told";
/// Most characters of what a policy said.
const LONGEST: usize = 300;

/// What is said of a call that a policy stopped without a line of its own: the first sentence of its reason.
pub(super) fn stopped(event: &Event, reason: &str) -> Option<String> {
    let EventKind::ToolBefore { call } = &event.kind else {
        // A refused prompt shows its reason to whoever typed it.
        return None;
    };
    let first = reason.lines().next().unwrap_or_default();
    let first = redact::text(&one_line(first, LONGEST));
    Some(format!("Toprope stopped {}: {first}", one_line(call.tool(), 60)))
}

/// How a line reaches the person.
pub enum Line {
    /// The client shows it beside this answer.
    Shown(String),
    /// The client shows nothing of what an agent in the background is told: it is owed.
    Owed(Owed),
}

impl Line {
    /// The way of a line about this event.
    pub fn of(text: String, event: &Event, seq: Option<EventSeq>, label: &str) -> Self {
        if event.actor.agent.is_none() {
            return Self::Shown(text);
        }
        let key = seq.map_or_else(|| text.clone(), |seq| seq.to_string());
        Self::Owed(Owed {
            audience: Audience::Person,
            kind: KIND.to_owned(),
            key,
            text: format!("{label}: {text}"),
        })
    }
}

/// Takes the line a policy gave out of what it leaves behind.
pub(super) fn take(effects: &mut Vec<Effect>) -> Option<String> {
    let mut line = None;
    effects.retain(|effect| match effect {
        Effect::TellPerson(text) => {
            line = Some(text.clone());
            false
        }
        _ => true,
    });
    line
}
