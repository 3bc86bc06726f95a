//! Names skills that fit a prompt. Never more than three, never one twice in a session.

mod front_matter;
mod message;
mod skill;
mod suggestion;

pub use front_matter::MOST_BYTES;
pub use skill::{Skill, SkillFault};
pub use suggestion::{Catalogue, MOST_SKILLS, Suggestion, fitting};

use crate::effect::Effect;
use crate::event::{Event, EventKind, PromptOrigin};
use crate::facts::Facts;
use crate::policy::Policy;
use crate::settings::{Mode, Settings};
use crate::verdict::{Advice, Judgement, Verdict};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Most skills named at once.
pub const MOST_SHOWN: usize = 3;

/// What is known of skills where a prompt is sent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SkillFacts {
    /// The skills there are, with the words that call them to mind.
    pub catalogue: Arc<Catalogue>,
    /// Those that were suggested in this session.
    pub suggested: BTreeSet<String>,
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
        let shown: Vec<Suggestion> = fitting(prompt, &known.catalogue)
            .into_iter()
            .filter(|suggestion| !known.suggested.contains(&suggestion.name))
            .take(MOST_SHOWN)
            .collect();
        if shown.is_empty() {
            return Judgement::silent();
        }
        let remembered = shown.iter().map(|suggestion| Effect::Suggested {
            skill: suggestion.name.clone(),
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

#[cfg(test)]
mod tests;
