//! Policies that say what a test tells them, and remember what they were asked.

use crate::effect::Effect;
use crate::event::Event;
use crate::facts::Facts;
use crate::id::NoticeId;
use crate::policy::{FailureClass, Policy};
use crate::round::{Round, RoundWatch, decide};
use crate::settings::{Mode, Settings};
use crate::tool::{Action, InputPatch, ToolCall};
use crate::verdict::{Advice, Judgement, Verdict};
use std::sync::{Mutex, MutexGuard};

/// A policy that enforces one prepared answer.
#[derive(Debug)]
pub struct Scripted {
    name: &'static str,
    class: FailureClass,
    mode: Mode,
    answer: Answer,
    seen: Mutex<Vec<String>>,
}

/// How a scripted policy answers.
#[derive(Debug, Clone)]
pub enum Answer {
    /// It judges.
    Judges(Judgement),
    /// It panics while it judges.
    Panics,
    /// It panics while it is asked whether the event concerns it.
    PanicsAtOnce,
    /// The event does not concern it.
    NotConcerned,
}

/// A policy that gives this verdict.
pub fn saying(name: &'static str, verdict: Verdict) -> Scripted {
    answering(name, Answer::Judges(verdict.into()))
}

/// A policy that answers like this.
pub fn answering(name: &'static str, answer: Answer) -> Scripted {
    Scripted {
        name,
        class: FailureClass::Convenience,
        mode: Mode::Enforce,
        answer,
        seen: Mutex::default(),
    }
}

impl Scripted {
    /// Under these settings it goes this far.
    pub fn in_mode(mut self, mode: Mode) -> Self {
        self.mode = mode;
        self
    }

    /// Its silence could hurt.
    pub fn for_safety(mut self) -> Self {
        self.class = FailureClass::Safety;
        self
    }

    /// It leaves `mark(always)` behind whatever happens, and `mark(granted)` unless the round is denied.
    pub fn leaving(mut self, always: i64, granted: i64) -> Self {
        if let Answer::Judges(judgement) = &mut self.answer {
            judgement.always.push(mark(always));
            judgement.granted.push(mark(granted));
        }
        self
    }

    /// What it was asked about, in order.
    pub fn seen(&self) -> Vec<String> {
        self.seen_list().clone()
    }

    fn seen_list(&self) -> MutexGuard<'_, Vec<String>> {
        self.seen.lock().expect("no test panics while it holds the list")
    }
}

impl Policy for Scripted {
    fn name(&self) -> &'static str {
        self.name
    }

    fn class(&self) -> FailureClass {
        self.class
    }

    fn mode(&self, _settings: &Settings) -> Mode {
        self.mode
    }

    fn concerns(&self, _event: &Event, _facts: &Facts) -> bool {
        match self.answer {
            Answer::Judges(_) | Answer::Panics => true,
            Answer::PanicsAtOnce => panic!("{} fell over at once", self.name),
            Answer::NotConcerned => false,
        }
    }

    fn judge(&self, event: &Event, _facts: &Facts) -> Judgement {
        self.seen_list().push(subject(event));
        match &self.answer {
            Answer::Judges(judgement) => judgement.clone(),
            _ => panic!("{} fell over", self.name),
        }
    }
}

/// What the event is about: the command that would run, or nothing.
fn subject(event: &Event) -> String {
    match event.kind.call().map(ToolCall::action) {
        Some(Action::RunCommand { command, .. }) => command.clone(),
        _ => String::new(),
    }
}

/// An effect that can be told from others.
pub fn mark(number: i64) -> Effect {
    Effect::Delivered(NoticeId(number))
}

/// A denial.
pub fn deny(reason: &str) -> Verdict {
    Verdict::Deny(reason.to_owned())
}

/// A question to the person.
pub fn ask(reason: &str) -> Verdict {
    Verdict::Ask(reason.to_owned())
}

/// One piece of advice.
pub fn advise(text: &str) -> Verdict {
    Verdict::Advise(vec![Advice::new(text, "key")])
}

/// Another command instead.
pub fn rewrite(command: &str) -> Verdict {
    Verdict::Rewrite {
        patch: InputPatch::default().set("command", command),
        reason: format!("it runs as `{command}`"),
    }
}

/// The round of these policies.
pub fn round(policies: &[Scripted], event: &Event, facts: &Facts) -> Round {
    watched(policies, event, facts, &RoundWatch::default())
}

/// The round of these policies under this watch.
pub fn watched(policies: &[Scripted], event: &Event, facts: &Facts, watch: &RoundWatch) -> Round {
    let list: Vec<&dyn Policy> = policies.iter().map(|policy| -> &dyn Policy { policy }).collect();
    decide(&list, event, facts, watch)
}

/// The command the round sends instead of the original.
pub fn command_sent(round: &Round) -> Option<&str> {
    round.decision.input.as_ref()?.get("command")?.as_str()
}

/// What became owed in this round.
pub fn owed(round: &Round) -> Vec<&str> {
    round
        .effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Owe(owed) => Some(owed.text.as_str()),
            _ => None,
        })
        .collect()
}
