//! Answers as the event's own text tells it: `rehearse:deny`, `rehearse:rewrite echo safe`, `rehearse:panic`.
//!
//! Test builds only (feature `rehearsal`): it lets the real client and the daemon be shown every kind of verdict.

use crate::effect::{Audience, Effect, Owed};
use crate::event::{Event, EventKind};
use crate::facts::Facts;
use crate::policy::Policy;
use crate::settings::{Mode, Settings};
use crate::tool::{Action, InputPatch};
use crate::verdict::{Advice, Judgement, Verdict};

/// See the module.
pub struct Rehearsal;

const MARK: &str = "rehearse:";

impl Policy for Rehearsal {
    fn name(&self) -> &'static str {
        "rehearsal"
    }

    fn mode(&self, _settings: &Settings) -> Mode {
        Mode::Enforce
    }

    fn concerns(&self, event: &Event, _facts: &Facts) -> bool {
        line(event).is_some()
    }

    fn judge(&self, event: &Event, _facts: &Facts) -> Judgement {
        let Some(line) = line(event) else {
            return Judgement::silent();
        };
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "deny" => Verdict::Deny(format!("rehearsed denial: {rest}")).into(),
            "ask" => Verdict::Ask(format!("rehearsed question: {rest}")).into(),
            "advise" => {
                Verdict::Advise(vec![Advice::new(format!("rehearsed advice: {rest}"), "line")]).into()
            }
            "rewrite" => Verdict::Rewrite {
                patch: InputPatch::default().set("command", rest),
                reason: format!("rehearsed rewrite: the command that runs is `{rest}`"),
            }
            .into(),
            "owe" => Judgement {
                verdict: Verdict::Silent,
                always: vec![Effect::Owe(Owed {
                    audience: Audience::Actor,
                    kind: "rehearsal".to_owned(),
                    key: rest.to_owned(),
                    text: format!("rehearsed notice: {rest}"),
                })],
                granted: Vec::new(),
            },
            #[expect(clippy::panic, reason = "this is the panic that containment is tested with")]
            "panic" => panic!("rehearsed panic"),
            "loop" => loop {
                std::hint::spin_loop();
            },
            _ => Judgement::silent(),
        }
    }
}

/// What follows the mark in the event's own text, up to the end of that line.
fn line(event: &Event) -> Option<&str> {
    let text = match &event.kind {
        EventKind::ToolBefore { call } => match call.action() {
            Action::RunCommand { command, .. } => command.as_str(),
            _ => return None,
        },
        EventKind::AgentStop {
            last_message: Some(text),
            already_continued: false,
            ..
        }
        | EventKind::Prompt { text, .. }
        | EventKind::TurnEnd {
            last_message: Some(text),
            already_continued: false,
            ..
        } => text.as_str(),
        _ => return None,
    };
    let (_, rest) = text.split_once(MARK)?;
    rest.lines().next()
}

#[cfg(test)]
mod tests;
