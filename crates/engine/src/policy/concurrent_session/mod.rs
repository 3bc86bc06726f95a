//! Tells a person who prompts that another session has uncommitted work in the same worktree. Says it once.

mod message;

use crate::effect::Effect;
use crate::event::{Event, EventKind, PromptOrigin};
use crate::facts::{Facts, PendingWork};
use crate::id::ClientSessionId;
use crate::policy::{Asking, Policy};
use crate::question::Question;
use crate::settings::{Mode, Settings};
use crate::verdict::{Advice, Judgement, Verdict};

/// The rule under which a warning is remembered.
pub const RULE: &str = "checkpoints.concurrent";

/// See the module.
pub struct ConcurrentSession;

/// What tells two warnings of one session apart: whose work it was, and on which commit.
pub fn key(other: &ClientSessionId, head: &str) -> String {
    format!("{other} {head}")
}

impl Policy for ConcurrentSession {
    fn name(&self) -> &'static str {
        "concurrent_session"
    }

    fn mode(&self, settings: &Settings) -> Mode {
        if settings.checkpoints.enabled {
            settings.checkpoints.concurrent
        } else {
            Mode::Off
        }
    }

    fn concerns(&self, event: &Event, facts: &Facts) -> bool {
        let is_the_persons = matches!(
            event.kind,
            EventKind::Prompt {
                origin: PromptOrigin::Person,
                ..
            }
        );
        is_the_persons && facts.pending_elsewhere.iter().any(|work| !work.warned)
    }

    fn questions(&self, event: &Event, known: &Asking<'_>) -> Vec<Question> {
        match event.kind {
            EventKind::Prompt {
                origin: PromptOrigin::Person,
                ..
            } if known.is_first => vec![Question::Uncommitted],
            _ => Vec::new(),
        }
    }

    fn judge(&self, event: &Event, facts: &Facts) -> Judgement {
        let news: Vec<&PendingWork> = facts
            .pending_elsewhere
            .iter()
            .filter(|work| !work.warned)
            .collect();
        let warned = news
            .iter()
            .map(|work| Effect::Warn {
                rule: RULE.into(),
                key: key(&work.session, &work.head),
            })
            .collect();
        let text = message::told(&news, facts.now);
        let holds = self.mode(&facts.settings) == Mode::Enforce && event.can.block;
        let verdict = if !facts.attended {
            // Nobody could send it again; the model at least should know.
            Verdict::Advise(vec![Advice::new(text, RULE)])
        } else if holds {
            Verdict::Hold(message::held(&text))
        } else {
            Verdict::Advise(vec![Advice::to_person(text, Vec::new())])
        };
        Judgement {
            verdict,
            always: warned,
            granted: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests;
