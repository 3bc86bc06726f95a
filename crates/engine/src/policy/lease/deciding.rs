//! What becomes of a call that writes: every file is granted, or none and each has its line.

use super::bulk::{self, BulkOutcome};
use super::cycle::{self, Cycle};
use super::judging::{self, LeaseObstacle, LeaseStanding};
use super::message;
use crate::effect::{Audience, Effect, Owed};
use crate::lease::cover::LeaseCover;
use crate::lease::{LeaseEffect, LeaseFacts, TargetFacts, notice};
use crate::settings::{LeaseSettings, Mode};
use crate::verdict::{Advice, Judgement, Verdict};

/// Tickets of one actor; who waits for more stands in no line.
const MOST_TICKETS: usize = 200;
/// From this denial within a minute on, the text is short.
const INSISTS: u32 = 3;
/// From this one on, the person is told.
const TELLS_PERSON: u32 = 6;

/// One file and what is in its way.
type LeaseConflict<'a> = (&'a TargetFacts, LeaseObstacle<'a>);

/// One call: what it may write, what it is told, what is in its way.
pub(super) struct Deciding<'a> {
    settings: &'a LeaseSettings,
    facts: &'a LeaseFacts,
    label: &'a str,
    advice: Vec<Advice>,
    granted: Vec<Effect>,
    denied: Vec<LeaseConflict<'a>>,
}

impl<'a> Deciding<'a> {
    /// A call of the actor with this label, nothing weighed yet.
    pub(super) fn new(settings: &'a LeaseSettings, facts: &'a LeaseFacts, label: &'a str) -> Self {
        Self {
            settings,
            facts,
            label,
            advice: Vec::new(),
            granted: Vec::new(),
            denied: Vec::new(),
        }
    }

    /// What becomes of the call: all of it or nothing.
    pub(super) fn judged(mut self) -> Judgement {
        match bulk::sweep(self.settings, self.facts) {
            BulkOutcome::No => {}
            BulkOutcome::Free(effect) => self.granted.push(Effect::Lease(effect)),
            BulkOutcome::Advised(text) => self.advise(text, "bulk".to_owned()),
            BulkOutcome::Denied { text, line } => {
                return Judgement {
                    verdict: Verdict::Deny(self.signed(text)),
                    always: vec![Effect::TellPerson(line)],
                    granted: Vec::new(),
                };
            }
        }
        if let Some(commit) = self
            .facts
            .commit
            .as_ref()
            .filter(|commit| !commit.others.is_empty())
        {
            self.advise(message::commit(commit), "commit".to_owned());
        }
        // Patterns were checked when the settings were read.
        let Ok(cover) = LeaseCover::new(&self.settings.include, &self.settings.exclude) else {
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
            LeaseStanding::Holds(held) => LeaseEffect::Touch {
                lease: held.lease,
                background: facts.target.background,
            },
            LeaseStanding::Borrows(held) => LeaseEffect::Lend { lease: held.lease },
            LeaseStanding::Free if facts.target.folder => return,
            LeaseStanding::Free => {
                self.inform(facts);
                LeaseEffect::Take {
                    key: facts.target.key.clone(),
                    means: facts.target.means,
                    background: facts.target.background,
                    call_only: facts.target.untracked && !facts.target.background,
                }
            }
            LeaseStanding::Stopped(obstacle) if mode == Mode::Enforce => {
                return self.denied.push((facts, obstacle));
            }
            LeaseStanding::Stopped(obstacle) => {
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
            (Some(cycle), Some(wait)) => {
                always.extend(cycle::broken(wait, &self.facts.me));
                if cycle.is_wanted(wait) && self.place(facts) == Some(1) {
                    message::freed(&facts.target.shown, &wait.held_by)
                } else {
                    self.text(first)
                }
            }
            (None, _) => self.text(first),
        };
        if let Some(others) = self.denied.get(1..).filter(|others| !others.is_empty()) {
            text = format!("{text} {}", message::also(others));
        }
        always.push(Effect::TellPerson(message::to_person(facts, obstacle)));
        always.extend(self.insistence(first));
        always.extend(self.awaited(first).filter(|_| is_new));
        Judgement {
            verdict: Verdict::Deny(self.signed(text)),
            always,
            granted: Vec::new(),
        }
    }

    fn text(&self, (facts, obstacle): LeaseConflict<'_>) -> String {
        let attempt = facts.my_denials.saturating_add(1);
        if attempt >= INSISTS && obstacle.has_line() {
            message::insisting(facts, obstacle, attempt)
        } else {
            message::denied(&self.facts.me, facts, obstacle, self.place(facts))
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
            .filter(|(facts, obstacle)| {
                obstacle.has_line() && !facts.target.folder && self.place(facts).is_some()
            })
            .map(|(facts, _)| {
                Effect::Lease(LeaseEffect::Queue {
                    key: facts.target.key.clone(),
                    shown: facts.target.shown.clone(),
                })
            })
            .collect()
    }

    /// The person's answer is what everybody waits for.
    fn awaited(&self, (facts, obstacle): LeaseConflict<'_>) -> Option<Effect> {
        let LeaseObstacle::Held(held) = obstacle else {
            return None;
        };
        held.permission.filter(|permission| permission.is_open)?;
        let path = &facts.target.shown;
        Some(Effect::Owe(Owed {
            audience: Audience::Person,
            kind: notice::PERSON.to_owned(),
            key: format!("awaited {}", held.lease.0),
            text: message::awaits_person(held, path, self.label),
        }))
    }

    /// An agent that asks again and again is stuck; the person may know why.
    fn insistence(&self, (facts, obstacle): LeaseConflict<'_>) -> Option<Effect> {
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
