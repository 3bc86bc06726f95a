//! What a call left behind, once it ran: whose writes these are, and whether they overlap with somebody's editing.

use super::judging::{LeaseStanding, mode_of, standing};
use super::overlap::Overlap;
use crate::effect::{Audience, Effect, Owed};
use crate::lease::cover::LeaseCover;
use crate::lease::left::is_own_change;
use crate::lease::{ActorLabel, HeldLease, LeaseEffect, LeaseFacts, TargetFacts, notice};
use crate::settings::{LeaseSettings, Mode};
use crate::verdict::{Advice, Judgement, Verdict};

/// Files a command changed that are taken for its actor; of more than that only the event tells.
const MOST_TAKEN: usize = 500;

/// How a call ended.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ended {
    /// It failed, perhaps half way.
    pub(super) failed: bool,
    /// It was a command that only builds or tests.
    pub(super) builds: bool,
}

/// Judges what was found after a call of `me`.
pub(super) fn judged(
    settings: &LeaseSettings,
    facts: &LeaseFacts,
    me: &ActorLabel,
    ended: Ended,
) -> Judgement {
    // Patterns were checked when the settings were read.
    let Ok(cover) = LeaseCover::new(&settings.include, &settings.exclude) else {
        return Judgement::silent();
    };
    let mut always = Vec::new();
    let mut advice = Vec::new();
    let found = facts
        .targets
        .iter()
        .filter(|target| mode_of(settings, &cover, target) != Mode::Off)
        .filter(|target| is_own_change(target, &facts.me, ended.failed));
    let found: Vec<&TargetFacts> = found.collect();
    let takes = found.len() <= MOST_TAKEN;
    for target in found {
        match target.held.as_ref().filter(|held| !held.is_everything()) {
            // What is held for the call alone ends with it.
            Some(held) if facts.me.is(&held.who) && held.call_only => {}
            Some(held) if facts.me.is(&held.who) => {
                always.push(Effect::Lease(LeaseEffect::Wrote { lease: held.lease }));
            }
            // What builds and tests touch on the way is nobody's doing: the holder finds it stale when it writes next.
            Some(_) if ended.builds && target.target.incidental => {}
            Some(held) => overlapped(target, held, me, &mut always, &mut advice),
            // A lease comes from a certain write alone.
            None if target.target.incidental || !takes => {}
            // What is promised to another or reserved stays theirs; the writer only knows what is in it.
            None if standing(&facts.me, target) != LeaseStanding::Free => {}
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

/// Tells the writer, the holder and the person, once for each lease: nobody is refused anything for the past.
fn overlapped(
    facts: &TargetFacts,
    held: &HeldLease,
    me: &ActorLabel,
    always: &mut Vec<Effect>,
    advice: &mut Vec<Advice>,
) {
    if facts.told_overlap {
        return;
    }
    let (path, key) = (&facts.target.shown, held.overlap_key());
    let overlap = Overlap {
        path,
        writer: me,
        holder: &held.who,
    };
    advice.push(Advice::new(overlap.to_writer(), format!("overlap {path}")));
    always.push(Effect::Lease(LeaseEffect::Told {
        kind: notice::OVERLAP,
        key: key.clone(),
    }));
    always.push(Effect::Lease(LeaseEffect::Tell {
        actor: held.who.actor,
        kind: notice::OVERLAP,
        key: key.clone(),
        text: overlap.to_holder(),
    }));
    always.push(Effect::Owe(Owed {
        audience: Audience::Person,
        kind: notice::PERSON.to_owned(),
        key: format!("overlap {key}"),
        text: overlap.to_person(),
    }));
}
