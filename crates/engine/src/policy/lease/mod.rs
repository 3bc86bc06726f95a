//! One writer per file: whoever writes first holds it, the next one is told who has it and gets a place in line.
//!
//! It never waits, and never takes away what somebody wrote.

mod aftermath;
mod arrival;
mod bulk;
mod cycle;
mod distrust;
mod judging;
mod lending;
pub mod message;
mod waiting;

pub use arrival::Taken;
pub use judging::Obstacle;
pub use waiting::{Waiting, waiting};

use crate::effect::{Audience, Effect, Owed};
use crate::event::{Event, EventKind};
use crate::facts::Facts;
use crate::lease::cover::Cover;
use crate::lease::left::only_reads;
use crate::lease::wanted::wanted;
use crate::lease::{LeaseEffect, LeaseFacts, TargetFacts, Who, notice};
use crate::policy::{Asking, Policy};
use crate::question::Question;
use crate::settings::{LeaseSettings, Mode, Settings};
use crate::tool::{Action, ToolCall};
use crate::verdict::{Advice, Judgement, Verdict};
use bulk::Sweep;
use cycle::Cycle;
use judging::Standing;

/// Tickets of one actor; who waits for more stands in no line.
const MOST_TICKETS: usize = 200;
/// From this denial within a minute on, the text is short.
const INSISTS: u32 = 3;
/// From this one on, the person is told.
const TELLS_PERSON: u32 = 6;

/// See the module.
pub struct Lease;

impl Policy for Lease {
    fn name(&self) -> &'static str {
        "lease"
    }

    fn mode(&self, settings: &Settings) -> Mode {
        settings.lease.mode
    }

    fn concerns(&self, event: &Event, facts: &Facts) -> bool {
        let is_about_files = matches!(
            event.kind,
            EventKind::ToolBefore { .. }
                | EventKind::ToolAfter { .. }
                | EventKind::ToolFailed { .. }
                | EventKind::AgentStart
        );
        is_about_files && facts.lease.is_some()
    }

    fn questions(&self, event: &Event, known: &Asking<'_>) -> Vec<Question> {
        files(event, known)
    }

    fn judge(&self, event: &Event, facts: &Facts) -> Judgement {
        let Some(lease) = &facts.lease else {
            return Judgement::silent();
        };
        let settings = &facts.settings.lease;
        let me = Who {
            actor: lease.me.actor,
            label: facts.label.clone(),
            description: None,
            is_person: false,
            in_my_session: true,
        };
        match &event.kind {
            EventKind::AgentStart => arrival::told(lease, &facts.label),
            EventKind::ToolAfter { .. } => aftermath::judged(settings, lease, &me, false),
            EventKind::ToolFailed { .. } => aftermath::judged(settings, lease, &me, true),
            EventKind::ToolBefore { call } => {
                let judgement = Deciding::new(settings, lease, &facts.label).judged();
                distrust::weighed(judgement, lease, &facts.label, || may_write(call, event))
            }
            _ => Judgement::silent(),
        }
    }
}

/// Whether the call is a command that may change something.
fn may_write(call: &ToolCall, event: &Event) -> bool {
    match call.action() {
        Action::RunCommand { command, .. } => !only_reads(command, event),
        Action::WriteFile { .. }
        | Action::EditFile { .. }
        | Action::ReadFile { .. }
        | Action::SpawnAgent { .. }
        | Action::Other
        | Action::Unknown => false,
    }
}

/// Asks for the files that a call writes, once.
pub(super) fn files(event: &Event, known: &Asking<'_>) -> Vec<Question> {
    let EventKind::ToolBefore { call } = &event.kind else {
        return Vec::new();
    };
    if known.answers.lease.is_some() {
        return Vec::new();
    }
    let wanted = wanted(call, event.cwd.as_deref(), &known.settings.lease);
    if wanted.is_nothing() {
        return Vec::new();
    }
    vec![Question::Files(wanted)]
}

/// One file and what is in its way.
type Conflict<'a> = (&'a TargetFacts, Obstacle<'a>);

struct Deciding<'a> {
    settings: &'a LeaseSettings,
    facts: &'a LeaseFacts,
    label: &'a str,
    advice: Vec<Advice>,
    granted: Vec<Effect>,
    denied: Vec<Conflict<'a>>,
}

impl<'a> Deciding<'a> {
    fn new(settings: &'a LeaseSettings, facts: &'a LeaseFacts, label: &'a str) -> Self {
        Self {
            settings,
            facts,
            label,
            advice: Vec::new(),
            granted: Vec::new(),
            denied: Vec::new(),
        }
    }

    fn judged(mut self) -> Judgement {
        match bulk::sweep(self.settings, self.facts) {
            Sweep::No => {}
            Sweep::Free(effect) => self.granted.push(Effect::Lease(effect)),
            Sweep::Advised(text) => self.advise(text, "bulk".to_owned()),
            Sweep::Denied(text) => return Verdict::Deny(self.signed(text)).into(),
        }
        // Patterns were checked when the settings were read.
        let Ok(cover) = Cover::new(&self.settings.include, &self.settings.exclude) else {
            return Judgement::silent();
        };
        for target in &self.facts.targets {
            match judging::mode_of(self.settings, &cover, target) {
                Mode::Off => {}
                mode @ (Mode::Advise | Mode::Enforce) => self.weigh(target, mode),
            }
        }
        if self.denied.is_empty() {
            self.granted()
        } else {
            self.denied()
        }
    }

    fn weigh(&mut self, facts: &'a TargetFacts, mode: Mode) {
        let effect = match judging::standing(&self.facts.me, facts) {
            Standing::Holds(held) => LeaseEffect::Touch { lease: held.lease },
            Standing::Borrows(held) => LeaseEffect::Lend { lease: held.lease },
            Standing::Free if facts.target.folder => return,
            Standing::Free => {
                self.inform(facts);
                LeaseEffect::Take {
                    key: facts.target.key.clone(),
                    means: facts.target.means,
                    background: facts.target.background,
                }
            }
            Standing::Stopped(obstacle) if mode == Mode::Enforce => {
                return self.denied.push((facts, obstacle));
            }
            Standing::Stopped(obstacle) => {
                let key = format!("overlap {}", facts.target.shown);
                return self.advise(message::advised(facts, obstacle), key);
            }
        };
        self.granted.push(Effect::Lease(effect));
    }

    /// What whoever takes a file should know.
    fn inform(&mut self, facts: &TargetFacts) {
        let path = &facts.target.shown;
        if let Some(writer) = &facts.left_behind {
            let text = message::left_behind(path, writer);
            self.advice.push(Advice::new(text, format!("left behind {path}")));
        }
        let is_news = self.settings.forecast != Mode::Off && !facts.told_elsewhere;
        if is_news && !facts.elsewhere.is_empty() {
            let mut advice = Advice::new(
                message::forecast(path, &facts.elsewhere),
                format!("forecast {path}"),
            );
            advice.on_delivery = vec![Effect::Lease(LeaseEffect::Told {
                kind: notice::FORECAST,
                key: facts.target.key.path.clone(),
            })];
            self.advice.push(advice);
        }
    }

    fn advise(&mut self, text: String, key: String) {
        let text = self.signed(text);
        self.advice.push(Advice::new(text, key));
    }

    /// An actor that nobody announced may be another's double; who reads its denials should know.
    fn signed(&self, text: String) -> String {
        if self.facts.me.announced {
            text
        } else {
            format!("{text} {}", message::UNANNOUNCED)
        }
    }

    fn granted(self) -> Judgement {
        let verdict = if self.advice.is_empty() {
            Verdict::Silent
        } else {
            Verdict::Advise(self.advice)
        };
        Judgement {
            verdict,
            always: Vec::new(),
            granted: self.granted,
        }
    }

    /// Nothing is granted; every file in the way has its line.
    fn denied(self) -> Judgement {
        let Some(first @ (facts, obstacle)) = self.denied.first().copied() else {
            return Judgement::silent();
        };
        let mut always = self.queued();
        let cycle = cycle::found(self.facts, self.label, facts, obstacle).filter(|_| obstacle.has_line());
        let is_new = !facts.waiting.iter().any(|who| self.facts.me.is(who));
        let mut text = match (&cycle, cycle.as_ref().and_then(Cycle::breakable)) {
            (Some(cycle), None) => {
                always.extend(cycle.notices().into_iter().filter(|_| is_new));
                cycle.text()
            }
            (Some(_) | None, end) => {
                always.extend(end);
                self.text(first)
            }
        };
        if let Some(others) = self.denied.get(1..).filter(|others| !others.is_empty()) {
            text = format!("{text} {}", message::also(others));
        }
        always.extend(self.insistence(first));
        Judgement {
            verdict: Verdict::Deny(self.signed(text)),
            always,
            granted: Vec::new(),
        }
    }

    fn text(&self, (facts, obstacle): Conflict<'_>) -> String {
        let attempt = facts.my_denials.saturating_add(1);
        if attempt >= INSISTS && obstacle.has_line() {
            message::insisting(facts, obstacle, attempt)
        } else {
            message::denied(facts, obstacle, self.place(facts))
        }
    }

    /// The actor's place in line, from one; `None` where it gets none.
    fn place(&self, facts: &TargetFacts) -> Option<usize> {
        let me = &self.facts.me;
        match facts.waiting.iter().position(|who| me.is(who)) {
            Some(ahead) => Some(ahead + 1),
            None if self.facts.my_tickets >= MOST_TICKETS => None,
            None => Some(facts.waiting.len() + 1),
        }
    }

    fn queued(&self) -> Vec<Effect> {
        self.denied
            .iter()
            .filter(|(facts, obstacle)| obstacle.has_line() && self.place(facts).is_some())
            .map(|(facts, _)| {
                Effect::Lease(LeaseEffect::Queue {
                    key: facts.target.key.clone(),
                    shown: facts.target.shown.clone(),
                })
            })
            .collect()
    }

    /// An agent that asks again and again is stuck; the person may know why.
    fn insistence(&self, (facts, obstacle): Conflict<'_>) -> Option<Effect> {
        let attempt = facts.my_denials.saturating_add(1);
        (attempt >= TELLS_PERSON && obstacle.has_line()).then(|| {
            Effect::Owe(Owed {
                audience: Audience::Person,
                kind: notice::PERSON.to_owned(),
                key: format!("insists {} {}", self.label, facts.target.shown),
                text: message::insisting_for_person(self.label, facts, obstacle, attempt),
            })
        })
    }
}

#[cfg(test)]
mod tests;
