//! Delivers texts owed to an actor, once, with the next reply that can carry them. Never wakes an agent that is done. What the
//! person is owed about it is shown to them beside.

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
        !facts.owed_to_person.is_empty() || event.can.context == Context::Heard && !facts.owed.is_empty()
    }

    fn judge(&self, event: &Event, facts: &Facts) -> Judgement {
        let shown = facts.owed_to_person.iter();
        let shown =
            shown.map(|notice| Advice::to_person(notice.text.clone(), vec![Effect::Delivered(notice.id)]));
        let heard = event.can.context == Context::Heard;
        let told = facts.owed.iter().filter(|_| heard);
        let told = told.map(|notice| Advice {
            audience: Audience::Actor,
            text: notice.text.clone(),
            on_delivery: vec![Effect::Delivered(notice.id)],
            if_cut: IfCut::StaysOwed,
        });
        Verdict::Advise(told.chain(shown).collect()).into()
    }
}

#[cfg(test)]
mod tests;
