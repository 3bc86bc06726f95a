//! One round: every policy is asked in order, and their verdicts become one decision.
//!
//! The first denial ends the round; one that is only a hold gives way to a denial behind it. A rewrite replaces the event for the policies after it. Advice adds up until the
//! reply is full; the rest stays owed. A policy that panics is silenced for this event and the others still decide.

use crate::decision::{Decision, Outcome};
use crate::effect::{Audience, Effect};
use crate::event::{Context, Event, EventKind};
use crate::facts::Facts;
use crate::id::{EventSeq, ToolUseId};
use crate::policy::{FailureClass, Policy};
use crate::settings::{Mode, Profile};
use crate::tool::{InputPatch, ToolInput};
use crate::verdict::{Advice, Judgement, Verdict, VerdictKind};
use context::{ContextItem, ContextReason, ContextTiming};
use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

mod context;
pub mod person;

/// The answer to one event, and everything to remember about how it came about.
#[derive(Debug, Clone, PartialEq)]
pub struct Round {
    /// What the agent gets.
    pub decision: Decision,
    /// What changes in the store.
    pub effects: Vec<Effect>,
    /// What every policy that had something to say said.
    pub verdicts: Vec<VerdictRecord>,
    /// Policies that could not judge.
    pub degraded: Vec<DegradedPolicy>,
}

/// One policy's part in a round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerdictRecord {
    /// Which policy.
    pub policy: &'static str,
    /// What it said.
    pub verdict: VerdictKind,
    /// Why.
    pub reason: String,
    /// Whether it took effect as meant; `observe`, `advise`, a later denial and the event's own limits can prevent it.
    pub applied: bool,
    /// How long it took, by the clock of the [`RoundWatch`].
    pub took_us: u64,
}

/// A policy that could not judge this event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DegradedPolicy {
    /// Which policy.
    pub policy: &'static str,
    /// What happened to it.
    pub cause: FailureCause,
}

/// Why a policy could not judge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FailureCause {
    /// It panicked with this message.
    Panicked(String),
    /// It did not come back in time.
    Overran,
}

/// Lets another thread see which policy is being asked, and skips those it found stuck.
#[derive(Debug)]
pub struct RoundWatch {
    asking: AtomicUsize,
    overran: Vec<&'static str>,
    clock: Clock,
}

/// Microseconds since some moment: the engine has no clock of its own.
pub type Clock = fn() -> u64;

impl Default for RoundWatch {
    fn default() -> Self {
        Self::skipping(Vec::new(), || 0)
    }
}

impl RoundWatch {
    /// A watch that skips these policies because they overran before.
    pub fn skipping(overran: Vec<&'static str>, clock: Clock) -> Self {
        Self {
            asking: AtomicUsize::new(0),
            overran,
            clock,
        }
    }

    /// The index in the policy list that is being asked now.
    pub fn asking(&self) -> usize {
        self.asking.load(Ordering::Relaxed)
    }

    /// The policies that are skipped.
    pub fn overran(&self) -> &[&'static str] {
        &self.overran
    }
}

/// Asks every policy in order and combines what they say.
pub fn decide(policies: &[&dyn Policy], event: &Event, facts: &Facts, watch: &RoundWatch) -> Round {
    let mut round = Combining::new(event, facts);
    for (index, policy) in policies.iter().enumerate() {
        watch.asking.store(index, Ordering::Relaxed);
        let mode = policy.mode(&facts.settings);
        if mode == Mode::Off {
            continue;
        }
        let began = (watch.clock)();
        if watch.overran.contains(&policy.name()) {
            round.degrade(*policy, mode, FailureCause::Overran);
        } else {
            match ask(*policy, &round.event, facts) {
                Ok(judgement) => round.take(policy.name(), mode, judgement),
                Err(message) => round.degrade(*policy, mode, FailureCause::Panicked(message)),
            }
        }
        round.timed((watch.clock)().saturating_sub(began));
        if round.is_denied() {
            let rest = policies.get(index + 1..).unwrap_or_default();
            round.give_way(rest, watch);
            break;
        }
    }
    round.finish()
}

fn ask(policy: &dyn Policy, event: &Event, facts: &Facts) -> Result<Judgement, String> {
    let asked = catch_unwind(AssertUnwindSafe(|| {
        if policy.concerns(event, facts) {
            policy.judge(event, facts)
        } else {
            Judgement::silent()
        }
    }));
    asked.map_err(|payload| {
        payload
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| payload.downcast_ref::<String>().cloned())
            .unwrap_or_else(|| "panicked without a message".to_owned())
    })
}

struct Combining<'a> {
    event: Cow<'a, Event>,
    facts: &'a Facts,
    speaks: bool,
    outcome: Outcome,
    input: Option<ToolInput>,
    pieces: Vec<ContextItem>,
    /// What the person reads of it.
    line: Option<String>,
    always: Vec<Effect>,
    granted: Vec<Effect>,
    verdicts: Vec<VerdictRecord>,
    timed: usize,
    degraded: Vec<DegradedPolicy>,
}

impl<'a> Combining<'a> {
    fn new(event: &'a Event, facts: &'a Facts) -> Self {
        Self {
            event: Cow::Borrowed(event),
            facts,
            speaks: facts.settings.profile != Profile::Observe,
            outcome: Outcome::Pass,
            input: None,
            pieces: Vec::new(),
            line: None,
            always: Vec::new(),
            granted: Vec::new(),
            verdicts: Vec::new(),
            timed: 0,
            degraded: Vec::new(),
        }
    }

    fn is_denied(&self) -> bool {
        matches!(self.outcome, Outcome::Deny { .. })
    }

    fn take(&mut self, policy: &'static str, mode: Mode, mut judgement: Judgement) {
        let kind = judgement.verdict.kind();
        let reason = judgement.verdict.reason();
        let line = person::take(&mut judgement.always);
        if self.speaks {
            self.always.extend(judgement.always);
            self.granted.extend(judgement.granted);
        }
        let applied = self.speaks && self.apply(policy, mode, judgement.verdict);
        match kind {
            VerdictKind::Deny if applied => {
                self.line = line.or_else(|| person::stopped(&self.event, &reason));
            }
            VerdictKind::Rewrite if applied => self.line = line,
            VerdictKind::Silent
            | VerdictKind::Advise
            | VerdictKind::Ask
            | VerdictKind::Rewrite
            | VerdictKind::Deny => {}
        }
        if kind != VerdictKind::Silent {
            self.verdicts.push(VerdictRecord {
                policy,
                verdict: kind,
                reason,
                applied,
                took_us: 0,
            });
        }
    }

    /// What the policy just asked took, if it had something to say.
    fn timed(&mut self, took_us: u64) {
        for record in self.verdicts.iter_mut().skip(self.timed) {
            record.took_us = took_us;
        }
        self.timed = self.verdicts.len();
    }

    /// Whether the agent will see this verdict as it was meant.
    fn apply(&mut self, policy: &'static str, mode: Mode, verdict: Verdict) -> bool {
        let can = self.event.can;
        let enforced = mode == Mode::Enforce;
        match verdict {
            Verdict::Silent => false,
            Verdict::Advise(advice) => {
                let reaches_someone = advice
                    .iter()
                    .any(|piece| piece.audience == Audience::Person || can.context != Context::No);
                for piece in advice {
                    self.say(policy, ContextReason::Advice, piece);
                }
                reaches_someone
            }
            Verdict::Rewrite { patch, reason } if enforced && can.rewrite && self.rewrite(&patch) => {
                let key = self.event.tool_use_id().map_or("", ToolUseId::as_str);
                let note = Advice::new(reason, format!("rewrite {key}"));
                self.say(policy, ContextReason::Rewrite, note);
                true
            }
            Verdict::AskRewritten { patch, reason, note }
                if enforced && can.ask && can.rewrite && self.rewrite(&patch) =>
            {
                let key = self.event.tool_use_id().map_or("", ToolUseId::as_str);
                let note = Advice::new(note, format!("rewrite {key}"));
                self.say(policy, ContextReason::Rewrite, note);
                self.ask_person(reason);
                true
            }
            Verdict::Ask(reason) if enforced && can.ask => {
                self.ask_person(reason);
                true
            }
            Verdict::Deny(reason) if enforced && can.block => {
                self.deny(reason, false);
                true
            }
            Verdict::Hold(reason) if enforced && can.block => {
                self.deny(reason, true);
                true
            }
            Verdict::Rewrite { reason, .. }
            | Verdict::Ask(reason)
            | Verdict::AskRewritten { reason, .. }
            | Verdict::Deny(reason)
            | Verdict::Hold(reason) => {
                let text = format!("Not enforced, only advised: {reason}");
                self.say(policy, ContextReason::Instead, Advice::new(text, "instead"));
                false
            }
        }
    }

    fn deny(&mut self, reason: String, keeps_prompt: bool) {
        self.outcome = Outcome::Deny { reason, keeps_prompt };
    }

    /// A hold says that a second try passes. Where a policy behind it denies the call, that denial is said in its place, and
    /// the hold leaves nothing behind; what the others say of a call that does not run is not needed.
    fn give_way(&mut self, rest: &[&dyn Policy], watch: &RoundWatch) {
        let is_hold = matches!(
            self.outcome,
            Outcome::Deny {
                keeps_prompt: true,
                ..
            }
        );
        let is_call = matches!(self.event.kind, EventKind::ToolBefore { .. });
        if !is_hold || !is_call {
            return;
        }
        for policy in rest {
            let mode = policy.mode(&self.facts.settings);
            if mode != Mode::Enforce || watch.overran.contains(&policy.name()) {
                continue;
            }
            let Ok(judgement) = ask(*policy, &self.event, self.facts) else {
                continue;
            };
            if matches!(judgement.verdict, Verdict::Deny(_)) {
                self.always.retain(|effect| !matches!(effect, Effect::Strike(_)));
                for record in &mut self.verdicts {
                    record.applied &= record.verdict != VerdictKind::Deny;
                }
                self.take(policy.name(), mode, judgement);
                return;
            }
        }
    }

    /// Text for someone. What would wake an agent that is done, without a policy meaning to, is owed instead.
    fn say(&mut self, policy: &'static str, about: ContextReason, advice: Advice) {
        let now = match (advice.audience, self.event.can.context) {
            (Audience::Person, _) | (Audience::Actor, Context::Heard) => true,
            (Audience::Actor, Context::Wakes) => about == ContextReason::Advice,
            (Audience::Actor, Context::No) => false,
        };
        let when = if now {
            ContextTiming::Now
        } else {
            ContextTiming::Later
        };
        self.pieces.push(ContextItem {
            policy,
            about,
            when,
            advice,
        });
    }

    /// The person answers one question, so every reason to ask is part of it.
    fn ask_person(&mut self, reason: String) {
        self.outcome = match std::mem::take(&mut self.outcome) {
            Outcome::Pass => Outcome::Ask { reason },
            Outcome::Ask { reason: first } => Outcome::Ask {
                reason: format!("{first}\n{reason}"),
            },
            denied @ Outcome::Deny { .. } => denied,
        };
    }

    /// Replaces the call for the policies after this one; false where the event has no call to replace.
    fn rewrite(&mut self, patch: &InputPatch) -> bool {
        let (EventKind::ToolBefore { call } | EventKind::PermissionRequest { call }) =
            &mut self.event.to_mut().kind
        else {
            return false;
        };
        *call = call.patched(patch);
        self.input = Some(call.input().clone());
        true
    }

    fn degrade(&mut self, policy: &dyn Policy, mode: Mode, cause: FailureCause) {
        self.degraded.push(DegradedPolicy {
            policy: policy.name(),
            cause,
        });
        if policy.class() != FailureClass::Safety || mode != Mode::Enforce {
            return;
        }
        let guard = &self.facts.settings.guard;
        let verdict = if self.event.can.ask && guard.is_attended(self.facts.attended) {
            Verdict::Ask(unjudged(self.facts.event, "Ask the user"))
        } else {
            Verdict::Deny(unjudged(
                self.facts.event,
                "Go on with other work, or stop and say what you need",
            ))
        };
        self.take(policy.name(), mode, verdict.into());
    }

    fn finish(mut self) -> Round {
        let denied = self.is_denied();
        if denied {
            self.take_back();
        }
        let budget = usize::try_from(self.facts.settings.context.budget).unwrap_or(usize::MAX);
        let fitted = context::fit(budget, self.pieces);
        for record in &mut self.verdicts {
            let unsent = record.verdict == VerdictKind::Advise && fitted.unsent.contains(&record.policy);
            record.applied &= !unsent;
        }
        let mut effects = self.always;
        effects.extend(self.granted);
        effects.extend(fitted.effects);
        let mut person = fitted.person;
        let line = self
            .line
            .map(|line| person::Line::of(line, &self.event, self.facts.event, &self.facts.label));
        match line {
            Some(person::Line::Shown(line)) => person.insert(0, line),
            Some(person::Line::Owed(owed)) => effects.push(Effect::Owe(owed)),
            None => {}
        }
        Round {
            decision: Decision {
                outcome: self.outcome,
                input: self.input,
                context: fitted.context,
                person,
            },
            effects,
            verdicts: self.verdicts,
            degraded: self.degraded,
        }
    }

    /// After a denial nothing is granted, nothing is rewritten, and nobody is asked.
    fn take_back(&mut self) {
        self.granted.clear();
        self.input = None;
        self.pieces.retain(|piece| piece.about != ContextReason::Rewrite);
        if refusal_drops_context(&self.event.kind) {
            for piece in &mut self.pieces {
                if piece.advice.audience == Audience::Actor {
                    piece.when = ContextTiming::Later;
                }
            }
        }
        for record in &mut self.verdicts {
            record.applied &= !matches!(record.verdict, VerdictKind::Rewrite | VerdictKind::Ask);
        }
    }
}

/// What is said where a policy for safety could not judge.
fn unjudged(event: Option<EventSeq>, way_on: &str) -> String {
    match event {
        Some(event) => format!(
            "Toprope could not judge this command (internal error, event {event}). {way_on}; `toprope why {event}` says more."
        ),
        None => format!(
            "Toprope could not judge this command (internal error). {way_on}; `toprope doctor` says more."
        ),
    }
}

/// A refused prompt never reaches the model, nor does what was sent along with it.
fn refusal_drops_context(kind: &EventKind) -> bool {
    matches!(kind, EventKind::Prompt { .. } | EventKind::PromptExpansion { .. })
}

#[cfg(test)]
mod tests;
