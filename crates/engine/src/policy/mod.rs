//! The policies, in the one order they are asked. Adding one: a folder, a `mod` line, an entry in [`ORDER`].

pub mod concurrent_session;
pub mod guard;
pub mod lease;
pub mod notices;
#[cfg(feature = "rehearsal")]
pub mod rehearsal;
pub mod skills;
pub mod stale_write;
pub mod structure;

use crate::answer::Answers;
use crate::event::Event;
use crate::facts::Facts;
use crate::lease::left::left;
use crate::question::Question;
use crate::settings::{Mode, Settings};
use crate::verdict::Judgement;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Values in, values out: what one concern says about one event.
pub trait Policy: Sync {
    /// Its name in the record and in messages.
    fn name(&self) -> &'static str;

    /// What it answers for when it cannot judge.
    fn class(&self) -> FailureClass {
        FailureClass::Convenience
    }

    /// How far the settings let it go.
    fn mode(&self, settings: &Settings) -> Mode;

    /// Whether this event can concern it at all; cheap, and asked of every event.
    fn concerns(&self, event: &Event, facts: &Facts) -> bool;

    /// What it needs to know of the world before it judges. Asked again with the answers, a few times, until it asks
    /// nothing new.
    fn questions(&self, _event: &Event, _known: &Asking<'_>) -> Vec<Question> {
        Vec::new()
    }

    /// What it says.
    fn judge(&self, event: &Event, facts: &Facts) -> Judgement;
}

/// What is known while policies still ask.
#[derive(Debug, Clone, Copy)]
pub struct Asking<'a> {
    /// The settings in force for this project.
    pub settings: &'a Settings,
    /// What the world answered so far.
    pub answers: &'a Answers,
    /// Nobody was asked yet; later only what answers bring up is to be asked.
    pub is_first: bool,
}

/// What it means when a policy fails to judge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureClass {
    /// Its silence could hurt: the person is asked, or the call is denied.
    Safety,
    /// Its silence costs nothing.
    Convenience,
}

/// Asked in this order; the first denial ends the round.
pub const ORDER: &[&dyn Policy] = &[
    #[cfg(feature = "rehearsal")]
    &rehearsal::Rehearsal,
    &guard::Guard,
    &lease::LeasePolicy,
    &stale_write::StaleWrite,
    &concurrent_session::ConcurrentSession,
    &structure::Structure,
    &skills::Skills,
    &notices::Notices,
];

/// Everything the policies want to know of the world before they judge this event.
pub fn questions(policies: &[&dyn Policy], event: &Event, known: &Asking<'_>) -> Vec<Question> {
    let mut asked = Vec::new();
    for policy in policies {
        for question in asked_by(*policy, event, known) {
            if !asked.contains(&question) {
                asked.push(question);
            }
        }
    }
    // What an agent saw is kept in every profile, also where no policy would ask.
    if known.is_first {
        asked.extend(stale_write::seen(event));
        asked.extend(left(event, &known.settings.lease).map(Question::Left));
    }
    asked
}

/// A policy that panics here asks nothing and judges without answers; should it panic again, the round records it.
fn asked_by(policy: &dyn Policy, event: &Event, known: &Asking<'_>) -> Vec<Question> {
    catch_unwind(AssertUnwindSafe(|| match policy.mode(known.settings) {
        Mode::Off => Vec::new(),
        Mode::Advise | Mode::Enforce => policy.questions(event, known),
    }))
    .unwrap_or_default()
}

#[cfg(test)]
mod tests;
