//! Names skills that fit a prompt. Never more than three, never one twice for the same reasons.

mod catalogue;
mod front_matter;
mod index;
mod marks;
mod message;
mod scoring;
mod skill;
mod stretch;
mod words;

pub use catalogue::{Catalogue, MOST_SKILLS};
pub use front_matter::MOST_BYTES;
pub use scoring::{Fitting, Suggestion, fitting};
pub use skill::{Skill, SkillFault};

use crate::effect::Effect;
use crate::event::{Event, EventKind, PromptOrigin};
use crate::facts::Facts;
use crate::policy::Policy;
use crate::settings::{Mode, Settings};
use crate::verdict::{Advice, Judgement, Verdict};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Most skills named at once.
pub const MOST_SHOWN: usize = 3;

/// What is known of skills where a prompt is sent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SkillFacts {
    /// The skills there are, with the words that call them to mind.
    pub catalogue: Arc<Catalogue>,
    /// Those that were suggested in this session, with the highest score they had.
    pub suggested: BTreeMap<String, u32>,
}

/// See the module.
pub struct Skills;

impl Policy for Skills {
    fn name(&self) -> &'static str {
        "skills"
    }

    fn mode(&self, settings: &Settings) -> Mode {
        settings.skills.mode.min(Mode::Advise)
    }

    fn concerns(&self, event: &Event, facts: &Facts) -> bool {
        prompt(event).is_some() && facts.skills.is_some()
    }

    fn judge(&self, event: &Event, facts: &Facts) -> Judgement {
        let (Some(prompt), Some(known)) = (prompt(event), &facts.skills) else {
            return Judgement::silent();
        };
        let threshold = facts.settings.skills.threshold;
        let shown = worth_telling(fitting(prompt, &known.catalogue), threshold, &known.suggested);
        if shown.is_empty() {
            return Judgement::silent();
        }
        let remembered = shown.iter().map(|suggestion| Effect::Suggested {
            skill: suggestion.name.clone(),
            score: suggestion.score,
        });
        let mut advice = Advice::new(message::text(&shown), "skills");
        advice.on_delivery = remembered.collect();
        Verdict::Advise(vec![advice]).into()
    }
}

/// The text of a person's prompt.
fn prompt(event: &Event) -> Option<&str> {
    match &event.kind {
        EventKind::Prompt {
            text,
            origin: PromptOrigin::Person,
        } => Some(text),
        _ => None,
    }
}

/// Of everything that fits: the best few that are good enough, and better than when they were last named.
fn worth_telling(
    fitting: impl Iterator<Item = Suggestion>,
    threshold: u32,
    suggested: &BTreeMap<String, u32>,
) -> Vec<Suggestion> {
    let is_new = |suggestion: &Suggestion| {
        let before = suggested.get(&suggestion.name);
        before.is_none_or(|before| *before < suggestion.score)
    };
    fitting
        .take_while(|suggestion| suggestion.score >= threshold)
        .filter(is_new)
        .take(MOST_SHOWN)
        .collect()
}

#[cfg(test)]
mod tests;
