//! One round: every policy is asked in order, and their verdicts become one decision.
//!
//! The first denial ends the round. A rewrite replaces the event for the policies after it. Advice adds up until the
//! reply is full. A policy that panics is silenced for this event and the rest still decide.

use crate::decision::{Decision, Outcome};
use crate::effect::{Audience, Effect, Owed};
use crate::event::{Context, Event, EventKind};
use crate::facts::Facts;
use crate::policy::{Class, Policy};
use crate::settings::{Mode, Profile};
use crate::text::utf16_len;
use crate::tool::{InputPatch, ToolInput};
use crate::verdict::{Advice, IfCut, Judgement, Verdict, VerdictKind};
use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

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
    pub degraded: Vec<Degraded>,
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
    /// Whether the agent was told; `observe`, `advise` and the event's own limits can prevent it.
    pub applied: bool,
}

/// A policy that could not judge this event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Degraded {
    /// Which policy.
    pub policy: &'static str,
    /// What happened to it.
    pub cause: Cause,
}

/// Why a policy could not judge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cause {
    /// It panicked with this message.
    Panicked(String),
    /// It did not come back in time.
    Overran,
}

/// Lets another thread see which policy is being asked, and skips those it found stuck.
#[derive(Debug, Default)]
pub struct Watch {
    asking: AtomicUsize,
    overran: Vec<&'static str>,
}

impl Watch {
    /// A watch that skips these policies because they overran before.
    pub fn skipping(overran: Vec<&'static str>) -> Self {
        Self {
            asking: AtomicUsize::new(0),
            overran,
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
pub fn decide(policies: &[&dyn Policy], event: &Event, facts: &Facts, watch: &Watch) -> Round {
    let mut round = Combining::new(event, facts);
    for (index, policy) in policies.iter().enumerate() {
        watch.asking.store(index, Ordering::Relaxed);
        let mode = policy.mode(&facts.settings);
        if mode == Mode::Off || !policy.concerns(&round.event) {
            continue;
        }
        if watch.overran.contains(&policy.name()) {
            round.degrade(*policy, Cause::Overran);
        } else {
            match ask(*policy, &round.event, facts) {
                Ok(judgement) => round.take(policy.name(), mode, judgement),
                Err(message) => round.degrade(*policy, Cause::Panicked(message)),
            }
        }
        if round.is_denied() {
            break;
        }
    }
    round.finish()
}

fn ask(policy: &dyn Policy, event: &Event, facts: &Facts) -> Result<Judgement, String> {
    catch_unwind(AssertUnwindSafe(|| policy.judge(event, facts))).map_err(|payload| {
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
    advice: Vec<(&'static str, Advice)>,
    always: Vec<Effect>,
    granted: Vec<Effect>,
    verdicts: Vec<VerdictRecord>,
    degraded: Vec<Degraded>,
}

impl<'a> Combining<'a> {
    fn new(event: &'a Event, facts: &'a Facts) -> Self {
        Self {
            event: Cow::Borrowed(event),
            facts,
            speaks: facts.settings.profile != Profile::Observe,
            outcome: Outcome::Pass,
            input: None,
            advice: Vec::new(),
            always: Vec::new(),
            granted: Vec::new(),
            verdicts: Vec::new(),
            degraded: Vec::new(),
        }
    }

    fn is_denied(&self) -> bool {
        matches!(self.outcome, Outcome::Deny { .. })
    }

    fn take(&mut self, policy: &'static str, mode: Mode, judgement: Judgement) {
        let kind = judgement.verdict.kind();
        let reason = judgement.verdict.reason();
        if self.speaks {
            self.always.extend(judgement.always);
            self.granted.extend(judgement.granted);
        }
        let applied = self.speaks && self.apply(policy, mode, judgement.verdict);
        if kind != VerdictKind::Silent {
            self.verdicts.push(VerdictRecord {
                policy,
                verdict: kind,
                reason,
                applied,
            });
        }
    }

    /// Whether the agent will see this verdict as it was meant.
    fn apply(&mut self, policy: &'static str, mode: Mode, verdict: Verdict) -> bool {
        let can = self.event.can;
        match verdict {
            Verdict::Silent => false,
            Verdict::Advise(pieces) => {
                let heard = can.context != Context::No;
                if heard {
                    self.advice
                        .extend(pieces.into_iter().map(|piece| (policy, piece)));
                }
                heard
            }
            Verdict::Rewrite { patch, reason } => {
                if mode == Mode::Enforce && can.rewrite && self.rewrite(&patch) {
                    self.advice.push((policy, Advice::new(reason, "rewrite")));
                    return true;
                }
                self.only_say(policy, reason)
            }
            Verdict::Ask(reason) if mode == Mode::Enforce && can.ask => {
                if self.outcome == Outcome::Pass {
                    self.outcome = Outcome::Ask { reason };
                }
                true
            }
            Verdict::Deny(reason) if mode == Mode::Enforce && can.block => {
                self.outcome = Outcome::Deny { reason };
                true
            }
            Verdict::Ask(reason) | Verdict::Deny(reason) => self.only_say(policy, reason),
        }
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

    /// What a policy may not do, it may still say, where saying it does not wake an agent that is done.
    fn only_say(&mut self, policy: &'static str, reason: String) -> bool {
        if self.event.can.context == Context::Heard {
            self.advice.push((policy, Advice::new(reason, "instead")));
        }
        false
    }

    fn degrade(&mut self, policy: &dyn Policy, cause: Cause) {
        self.degraded.push(Degraded {
            policy: policy.name(),
            cause,
        });
        let stops = policy.class() == Class::Safety && policy.mode(&self.facts.settings) == Mode::Enforce;
        if !stops || !self.speaks {
            return;
        }
        let reason = format!(
            "Toprope could not judge this: its `{}` check failed. Ask the user; `toprope doctor` says more.",
            policy.name()
        );
        let verdict = if self.event.can.ask {
            Verdict::Ask(reason)
        } else {
            Verdict::Deny(reason)
        };
        self.take(policy.name(), Mode::Enforce, verdict.into());
    }

    fn finish(self) -> Round {
        let denied = self.is_denied();
        let mut effects = self.always;
        if !denied {
            effects.extend(self.granted);
        }
        let budget = usize::try_from(self.facts.settings.context.budget).unwrap_or(usize::MAX);
        let (context, of_advice) = within(budget, self.advice);
        effects.extend(of_advice);
        let input = if denied { None } else { self.input };
        let decision = Decision {
            outcome: self.outcome,
            input,
            context,
            person: Vec::new(),
        };
        Round {
            decision,
            effects,
            verdicts: self.verdicts,
            degraded: self.degraded,
        }
    }
}

/// The texts that fit the reply, and what follows from sending them or not.
fn within(budget: usize, advice: Vec<(&'static str, Advice)>) -> (Vec<String>, Vec<Effect>) {
    const SEPARATOR: usize = 2;
    let mut context = Vec::new();
    let mut effects = Vec::new();
    let mut used = 0;
    for (policy, piece) in advice {
        let cost = utf16_len(&piece.text) + SEPARATOR;
        if used + cost <= budget {
            used += cost;
            context.push(piece.text);
            effects.extend(piece.on_delivery);
        } else if let IfCut::Owe { key } = piece.if_cut {
            let owed = Owed {
                audience: Audience::Actor,
                kind: policy.to_owned(),
                key,
                text: piece.text,
            };
            effects.push(Effect::Owe(owed));
        }
    }
    (context, effects)
}

#[cfg(test)]
mod tests;
