//! Delivers texts owed to an actor, once, with the next reply that can carry them. Never wakes an agent that is done.

use crate::effect::{Audience, Effect};
use crate::event::{Context, Event};
use crate::facts::Facts;
use crate::policy::Policy;
use crate::settings::{Mode, Profile, Settings};
use crate::verdict::{Advice, IfCut, Judgement, Verdict};

/// See the module.
pub struct Notices;

impl Policy for Notices {
    fn name(&self) -> &'static str {
        "notices"
    }

    fn mode(&self, settings: &Settings) -> Mode {
        if settings.profile == Profile::Observe {
            Mode::Off
        } else {
            Mode::Advise
        }
    }

    fn concerns(&self, event: &Event, facts: &Facts) -> bool {
        event.can.context == Context::Heard && !facts.owed.is_empty()
    }

    fn judge(&self, _event: &Event, facts: &Facts) -> Judgement {
        let pieces = facts.owed.iter().map(|notice| Advice {
            audience: Audience::Actor,
            text: notice.text.clone(),
            on_delivery: vec![Effect::Delivered(notice.id)],
            if_cut: IfCut::StaysOwed,
        });
        Verdict::Advise(pieces.collect()).into()
    }
}

#[cfg(test)]
mod tests;
