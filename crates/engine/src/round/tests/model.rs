//! The rules of combination, said a second time over whole lists, and compared with the round on random ones.

use super::scripted::{self, Answer, Scripted, answering, command_sent, mark};
use crate::decision::Outcome;
use crate::effect::{Audience, Effect};
use crate::event::{Abilities, Context, Event};
use crate::facts::Facts;
use crate::round::Round;
use crate::settings::{Mode, Profile, Settings};
use crate::testing::{NOW, command, object, prompt, stop};
use crate::text::utf16_len;
use crate::tool::InputPatch;
use crate::verdict::{Advice, IfCut, Judgement, Verdict};
use proptest::prelude::*;
use serde_json::{Value, json};

const NAMES: [&str; 6] = ["p0", "p1", "p2", "p3", "p4", "p5"];

#[derive(Debug, Clone, Copy, PartialEq)]
enum Says {
    Silent,
    Advise { length: usize, is_owed: bool },
    Rewrite,
    Ask,
    Deny,
    Hold,
    Panic,
}

#[derive(Debug, Clone, Copy)]
struct Script {
    says: Says,
    mode: Mode,
    is_safety: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Subject {
    Command,
    Prompt,
    Stop,
}

#[derive(Debug, Clone)]
struct Case {
    scripts: Vec<Script>,
    subject: Subject,
    can: Abilities,
    profile: Profile,
    budget: u32,
}

/// What a policy's answer comes to under its mode and the event's abilities.
#[derive(Debug, Clone, PartialEq)]
enum Comes {
    Nothing,
    Text(String),
    Rewrites,
    Asks(String),
    Denies(String),
}

impl Case {
    fn speaks(&self) -> bool {
        self.profile != Profile::Observe
    }

    fn comes(&self, index: usize) -> Comes {
        let script = self.scripts[index];
        let enforces = script.mode == Mode::Enforce;
        let (says, reason) = match script.says {
            Says::Panic if script.is_safety && enforces => {
                let says = if self.can.ask { Says::Ask } else { Says::Deny };
                (says, failure(says))
            }
            says => (says, reason(index, says)),
        };
        match says {
            _ if script.mode == Mode::Off || !self.speaks() => Comes::Nothing,
            Says::Silent | Says::Panic => Comes::Nothing,
            Says::Advise { .. } => Comes::Text(reason),
            Says::Rewrite if enforces && self.can.rewrite && self.subject == Subject::Command => {
                Comes::Rewrites
            }
            Says::Ask if enforces && self.can.ask => Comes::Asks(reason),
            Says::Deny | Says::Hold if enforces && self.can.block => Comes::Denies(reason),
            Says::Rewrite | Says::Ask | Says::Deny | Says::Hold => {
                Comes::Text(format!("Not enforced, only advised: {reason}"))
            }
        }
    }

    /// The first policy that really denies.
    fn stopping(&self) -> Option<usize> {
        (0..self.scripts.len()).find(|index| matches!(self.comes(*index), Comes::Denies(_)))
    }

    /// Policies that are only heard out behind the hold of a call: all up to the first that denies it.
    fn heard_out(&self) -> Vec<usize> {
        let hold = self
            .stopping()
            .filter(|index| self.subject == Subject::Command && self.scripts[*index].says == Says::Hold);
        let Some(hold) = hold else { return Vec::new() };
        let enforcing: Vec<usize> = (hold + 1..self.scripts.len())
            .filter(|index| self.scripts[*index].mode == Mode::Enforce)
            .collect();
        let denies = |index: &usize| self.scripts[*index].says == Says::Deny;
        let end = enforcing
            .iter()
            .position(denies)
            .map_or(enforcing.len(), |place| place + 1);
        enforcing[..end].to_vec()
    }

    /// Policies that are reached: all up to the first that really denies, and the one a hold gives way to.
    fn reached(&self) -> Vec<usize> {
        let end = self.stopping().map_or(self.scripts.len(), |index| index + 1);
        let stronger = self.heard_out().last().copied();
        (0..end)
            .filter(|index| self.scripts[*index].mode != Mode::Off)
            .chain(stronger.filter(|index| self.scripts[*index].says == Says::Deny))
            .collect()
    }

    fn outcome(&self) -> Outcome {
        let mut asks = Vec::new();
        for index in self.reached().into_iter().rev() {
            match self.comes(index) {
                Comes::Denies(reason) => {
                    return Outcome::Deny {
                        reason,
                        keeps_prompt: self.scripts[index].says == Says::Hold,
                    };
                }
                Comes::Asks(reason) => asks.push(reason),
                Comes::Nothing | Comes::Text(_) | Comes::Rewrites => {}
            }
        }
        if asks.is_empty() {
            return Outcome::Pass;
        }
        Outcome::Ask {
            reason: asks.into_iter().rev().collect::<Vec<_>>().join("\n"),
        }
    }

    fn is_denied(&self) -> bool {
        matches!(self.outcome(), Outcome::Deny { .. })
    }

    /// The command as the policy at `index` sees it.
    fn command_before(&self, index: usize) -> String {
        let rewriter = (0..index)
            .rev()
            .filter(|earlier| self.reached().contains(earlier))
            .find(|earlier| self.comes(*earlier) == Comes::Rewrites);
        match (self.subject, rewriter) {
            (Subject::Command, Some(earlier)) => rewritten(earlier),
            (Subject::Command, None) => "original".to_owned(),
            (Subject::Prompt | Subject::Stop, _) => String::new(),
        }
    }

    fn effects(&self) -> Vec<Effect> {
        let speaking = self
            .reached()
            .into_iter()
            .filter(|index| self.speaks() && self.scripts[*index].says != Says::Panic);
        let marks = |of: fn(usize) -> Effect| speaking.clone().map(of).collect::<Vec<_>>();
        let mut expected = marks(always);
        if !self.is_denied() {
            expected.extend(marks(granted));
        }
        expected
    }

    /// Every text that must reach the agent now or later.
    fn texts(&self) -> Vec<String> {
        let texts = self
            .reached()
            .into_iter()
            .filter_map(|index| match self.comes(index) {
                Comes::Text(text) => Some(text),
                Comes::Rewrites if !self.is_denied() => Some(reason(index, Says::Rewrite)),
                Comes::Nothing | Comes::Rewrites | Comes::Asks(_) | Comes::Denies(_) => None,
            });
        texts.collect()
    }
}

fn reason(index: usize, says: Says) -> String {
    match says {
        Says::Advise { length, .. } => format!("advice {index} {}", "é😀".repeat(length)),
        other => format!("reason {index} to {other:?}"),
    }
}

fn failure(says: Says) -> String {
    let way_on = match says {
        Says::Ask => "Ask the user",
        _ => "Go on with other work, or stop and say what you need",
    };
    format!("Toprope could not judge this command (internal error). {way_on}; `toprope doctor` says more.")
}

fn rewritten(index: usize) -> String {
    format!("command {index}")
}

fn numbered(kind: i64, index: usize) -> Effect {
    mark(kind * 100 + i64::try_from(index).unwrap())
}

fn always(index: usize) -> Effect {
    numbered(1, index)
}

fn granted(index: usize) -> Effect {
    numbered(2, index)
}

fn delivered(index: usize) -> Effect {
    numbered(3, index)
}

fn judgement(index: usize, says: Says) -> Judgement {
    let text = reason(index, says);
    let verdict = match says {
        Says::Silent | Says::Panic => Verdict::Silent,
        Says::Advise { is_owed, .. } => Verdict::Advise(vec![Advice {
            audience: Audience::Actor,
            text,
            on_delivery: vec![delivered(index)],
            if_cut: if is_owed {
                IfCut::StaysOwed
            } else {
                IfCut::Owe {
                    key: "key".to_owned(),
                }
            },
        }]),
        Says::Rewrite => Verdict::Rewrite {
            patch: InputPatch::default().set("command", rewritten(index)),
            reason: text,
        },
        Says::Ask => Verdict::Ask(text),
        Says::Deny => Verdict::Deny(text),
        Says::Hold => Verdict::Hold(text),
    };
    Judgement {
        verdict,
        always: vec![always(index)],
        granted: vec![granted(index)],
    }
}

fn policies(case: &Case) -> Vec<Scripted> {
    let policy = |(index, script): (usize, &Script)| {
        let answer = match script.says {
            Says::Panic => Answer::Panics,
            says => Answer::Judges(judgement(index, says)),
        };
        let policy = answering(NAMES[index], answer).in_mode(script.mode);
        if script.is_safety {
            policy.for_safety()
        } else {
            policy
        }
    };
    case.scripts.iter().enumerate().map(policy).collect()
}

fn event(case: &Case) -> Event {
    let mut event = match case.subject {
        Subject::Command => command("original"),
        Subject::Prompt => prompt("hello"),
        Subject::Stop => stop(),
    };
    event.can = case.can;
    event
}

fn play(case: &Case) -> (Vec<Scripted>, Round) {
    let mut settings = Settings::of(case.profile);
    settings.context.budget = case.budget;
    let policies = policies(case);
    let round = scripted::round(&policies, &event(case), &Facts::empty(NOW, settings));
    (policies, round)
}

fn a_script() -> impl Strategy<Value = Script> {
    let says = prop_oneof![
        Just(Says::Silent),
        (0_usize..12, any::<bool>()).prop_map(|(length, is_owed)| Says::Advise { length, is_owed }),
        Just(Says::Rewrite),
        Just(Says::Ask),
        Just(Says::Deny),
        Just(Says::Hold),
        Just(Says::Panic),
    ];
    let mode = prop_oneof![1 => Just(Mode::Off), 2 => Just(Mode::Advise), 5 => Just(Mode::Enforce)];
    (says, mode, any::<bool>()).prop_map(|(says, mode, is_safety)| Script {
        says,
        mode,
        is_safety,
    })
}

fn a_case() -> impl Strategy<Value = Case> {
    let context = prop_oneof![Just(Context::No), Just(Context::Heard), Just(Context::Wakes)];
    let can =
        (any::<bool>(), any::<bool>(), any::<bool>(), context).prop_map(|(block, ask, rewrite, context)| {
            Abilities {
                block,
                ask,
                rewrite,
                context,
            }
        });
    let subject = prop_oneof![Just(Subject::Command), Just(Subject::Prompt), Just(Subject::Stop)];
    let profile =
        prop_oneof![1 => Just(Profile::Observe), 3 => Just(Profile::Standard), 1 => Just(Profile::Strict)];
    (
        proptest::collection::vec(a_script(), 0..=NAMES.len()),
        subject,
        can,
        profile,
        170_u32..400,
    )
        .prop_map(|(scripts, subject, can, profile, budget)| Case {
            scripts,
            subject,
            can,
            profile,
            budget,
        })
}

/// Effects that are neither deliveries nor debts of text.
fn without_texts(round: &Round) -> Vec<Effect> {
    let of_text: Vec<Effect> = (0..NAMES.len()).map(delivered).collect();
    let keep = |effect: &&Effect| !matches!(effect, Effect::Owe(_)) && !of_text.contains(effect);
    round.effects.iter().filter(keep).cloned().collect()
}

proptest! {
    #[test]
    fn verdicts_combine_by_the_rules_in_every_order(case in a_case()) {
        let (policies, round) = play(&case);
        for (index, policy) in policies.iter().enumerate() {
            let is_asked = case.reached().contains(&index) || case.heard_out().contains(&index);
            let expected = if is_asked { vec![case.command_before(index)] } else { vec![] };
            prop_assert_eq!(policy.seen(), expected);
        }
        let rewrites = !case.is_denied() && case.reached().iter().any(|index| case.comes(*index) == Comes::Rewrites);
        let sent = rewrites.then(|| case.command_before(case.scripts.len()));
        prop_assert_eq!(command_sent(&round), sent.as_deref());
        prop_assert_eq!(&round.decision.outcome, &case.outcome());
        prop_assert_eq!(without_texts(&round), case.effects());
    }

    #[test]
    fn every_panic_is_marked_and_nothing_else_is(case in a_case()) {
        let (_, round) = play(&case);
        let panicking: Vec<&str> = case.reached().into_iter()
            .filter(|index| case.scripts[*index].says == Says::Panic)
            .map(|index| NAMES[index])
            .collect();
        let marked: Vec<&str> = round.degraded.iter().map(|degraded| degraded.policy).collect();
        prop_assert_eq!(marked, panicking);
    }

    #[test]
    fn no_text_is_lost_and_the_reply_keeps_to_its_budget(case in a_case()) {
        let (_, round) = play(&case);
        let reply = round.decision.context_text().unwrap_or_default();
        prop_assert!(utf16_len(&reply) <= usize::try_from(case.budget).unwrap());
        let mut owed = scripted::owed(&round);
        let mut sent = round.decision.context.iter();
        for text in case.texts() {
            let is_sent = sent.as_slice().first() == Some(&text);
            if is_sent {
                sent.next();
            }
            let stays = (0..case.scripts.len()).any(|index| {
                matches!(case.scripts[index].says, Says::Advise { is_owed: true, .. })
                    && text == reason(index, case.scripts[index].says)
                    && !round.effects.contains(&delivered(index))
            });
            // Two policies may say the same: each owes its own.
            let later = owed.iter().position(|owed| *owed == text).filter(|_| !is_sent);
            if let Some(later) = later {
                owed.remove(later);
            }
            let places = [is_sent, later.is_some(), stays];
            prop_assert_eq!(places.iter().filter(|place| **place).count(), 1, "{} is in {:?}", text, places);
        }
        prop_assert_eq!(sent.next(), None);
        let texts = case.texts();
        prop_assert!(!owed.iter().any(|owed| texts.iter().any(|text| text == owed)), "owed twice: {owed:?}");
    }

    #[test]
    fn a_rewrite_never_drops_a_key_nor_moves_one(
        original in proptest::collection::vec(("[a-z]{1,4}", any::<i32>()), 0..8),
        patch in proptest::collection::vec(("[a-z]{1,4}", any::<i32>()), 0..8),
    ) {
        let mut input = object(json!({}));
        for (key, value) in original {
            input.insert(key, value.into());
        }
        let whole = patch.iter().fold(InputPatch::default(), |patch, (key, value)| patch.set(key, *value)).applied_to(&input);
        let before: Vec<&String> = input.keys().collect();
        let after: Vec<&String> = whole.keys().take(before.len()).collect();
        prop_assert_eq!(before, after);
        for (key, value) in &whole {
            let patched = patch.iter().rev().find(|(name, _)| name == key).map(|(_, value)| Value::from(*value));
            prop_assert_eq!(Some(value), patched.as_ref().or_else(|| input.get(key)));
        }
    }
}
