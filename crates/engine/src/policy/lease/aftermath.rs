//! What a call left behind, once it ran: whose writes these are, and whether they went over somebody's head.

use super::judging::{Standing, mode_of, standing};
use super::violation::Violation;
use crate::effect::{Audience, Effect, Owed};
use crate::lease::cover::Cover;
use crate::lease::left::is_own_change;
use crate::lease::{Held, LeaseEffect, LeaseFacts, TargetFacts, Who, notice};
use crate::settings::{LeaseSettings, Mode};
use crate::verdict::{Advice, Judgement, Verdict};

/// Files a command changed that are taken for its actor; of more than that only the event tells.
const MOST_TAKEN: usize = 500;

/// Judges what was found after a call of `me` that did what it should, or failed, perhaps half way.
pub(super) fn judged(settings: &LeaseSettings, facts: &LeaseFacts, me: &Who, failed: bool) -> Judgement {
    // Patterns were checked when the settings were read.
    let Ok(cover) = Cover::new(&settings.include, &settings.exclude) else {
        return Judgement::silent();
    };
    let mut always = Vec::new();
    let mut advice = Vec::new();
    let found = facts
        .targets
        .iter()
        .filter(|target| mode_of(settings, &cover, target) != Mode::Off)
        .filter(|target| is_own_change(target, &facts.me, failed));
    let found: Vec<&TargetFacts> = found.collect();
    let takes = found.len() <= MOST_TAKEN;
    for target in found {
        match target.held.as_ref().filter(|held| !held.is_everything()) {
            Some(held) if facts.me.is(&held.who) => {
                always.push(Effect::Lease(LeaseEffect::Wrote { lease: held.lease }));
            }
            Some(held) => violated(target, held, me, &mut always, &mut advice),
            // What is promised to another or reserved stays theirs; the writer only knows what is in it.
            None if standing(&facts.me, target) != Standing::Free => {}
            None if !takes => {}
            None => always.push(Effect::Lease(LeaseEffect::TakeWritten {
                key: target.target.key.clone(),
                means: target.target.means,
            })),
        }
    }
    let verdict = if advice.is_empty() {
        Verdict::Silent
    } else {
        Verdict::Advise(advice)
    };
    Judgement {
        verdict,
        always,
        granted: Vec::new(),
    }
}

fn violated(facts: &TargetFacts, held: &Held, me: &Who, always: &mut Vec<Effect>, advice: &mut Vec<Advice>) {
    let (path, key) = (&facts.target.shown, &facts.target.key.path);
    let others = facts.background.iter().filter(|who| who.actor != me.actor);
    let others: Vec<Who> = others.cloned().collect();
    let violation = Violation {
        path,
        writer: me,
        holder: &held.who,
        others: &others,
    };
    advice.push(Advice::new(violation.to_writer(), format!("violation {key}")));
    // What another may have done is not held against the actor.
    if others.is_empty() {
        always.push(Effect::Lease(LeaseEffect::Violated));
    }
    always.push(Effect::Lease(LeaseEffect::Tell {
        actor: held.who.actor,
        kind: notice::VIOLATION,
        key: key.clone(),
        text: violation.to_holder(),
    }));
    always.push(Effect::Owe(Owed {
        audience: Audience::Person,
        kind: notice::PERSON.to_owned(),
        key: format!("violation {key}"),
        text: violation.to_person(),
    }));
}
