//! Tells a starting session what the project looks like and who else is at work in it. Never blocks anything.

use crate::effect::{Effect, JobKind, NewJob};
use crate::event::{Event, EventKind, StartSource};
use crate::facts::Facts;
use crate::policy::lease::OthersFiles;
use crate::policy::{Asking, Policy};
use crate::question::Question;
use crate::settings::{Mode, Settings};
use crate::verdict::{Advice, Judgement, Verdict};

mod page;

pub use page::{Company, text};

/// See the module.
pub struct Structure;

impl Policy for Structure {
    fn name(&self) -> &'static str {
        "structure"
    }

    fn mode(&self, settings: &Settings) -> Mode {
        settings.structure.mode.min(Mode::Advise)
    }

    fn concerns(&self, event: &Event, _facts: &Facts) -> bool {
        matches!(event.kind, EventKind::SessionStart { .. })
    }

    fn questions(&self, event: &Event, known: &Asking<'_>) -> Vec<Question> {
        match (&event.kind, &event.cwd) {
            (EventKind::SessionStart { source, .. }, Some(cwd)) if tells_structure(source) => {
                vec![Question::ProjectState {
                    cwd: cwd.clone(),
                    timeout_ms: u64::from(known.settings.structure.timeout_ms),
                }]
            }
            _ => Vec::new(),
        }
    }

    fn judge(&self, event: &Event, facts: &Facts) -> Judgement {
        let known = Asking {
            settings: &facts.settings,
            answers: &facts.answers,
            is_first: true,
        };
        let asked = !self.questions(event, &known).is_empty();
        let state = facts.answers.project_state.as_ref().filter(|_| asked);
        let is_late = asked && state.is_none_or(|state| !state.late.is_empty());
        let limit = usize::try_from(facts.settings.structure.max_chars).unwrap_or(usize::MAX);
        let company = Company {
            others: &facts.others,
            taken: facts.lease.as_deref().map(OthersFiles::from),
        };
        let verdict = match text(state, &company, facts.now, limit) {
            Some(text) => Verdict::Advise(vec![Advice::new(text, "structure")]),
            None => Verdict::Silent,
        };
        Judgement {
            verdict,
            always: is_late.then(|| capture(event)).into_iter().collect(),
            granted: Vec::new(),
        }
    }
}

/// What came too late for this reply is stored afterwards, once per session.
fn capture(event: &Event) -> Effect {
    Effect::Job(NewJob {
        kind: JobKind::CaptureStructure,
        key: event.actor.session.to_string(),
    })
}

/// A window that goes on with an older conversation has seen the structure; who else is here may have changed.
fn tells_structure(source: &StartSource) -> bool {
    match source {
        StartSource::Startup | StartSource::Clear | StartSource::Fork | StartSource::Other(_) => true,
        StartSource::Resume | StartSource::Compact => false,
    }
}

#[cfg(test)]
mod tests;
