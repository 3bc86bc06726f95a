//! Remembers what an actor came to know of files: what it is about to read, and what it wrote.

use super::super::effects::Source;
use crate::pipeline::Subjected;
use crate::pipeline::whereabouts::of_place;
use engine::decision::Outcome;
use engine::event::EventKind;
use engine::facts::Facts;
use engine::lease::left::is_own_change;
use engine::lease::{Target, TargetFacts};
use engine::round::Round;
use store::StoreError;
use store::life::Now;
use store::table::seen::{self, Look, Way};

/// Notes what this event shows the actor of files. What it was known to know before is in `known`.
pub fn see(
    source: &Source<'_>,
    subject: &Subjected,
    known: &Facts,
    round: &Round,
    now: &Now,
) -> Result<(), StoreError> {
    let failed = match &subject.event.kind {
        EventKind::ToolBefore { .. } => return read(source, subject, round, now),
        EventKind::ToolAfter { .. } => false,
        EventKind::ToolFailed { .. } => true,
        _ => return Ok(()),
    };
    let Some(lease) = known.lease.as_deref() else {
        return Ok(());
    };
    let written = |facts: &&TargetFacts| is_own_change(facts, &lease.me, failed);
    for facts in lease.targets.iter().filter(written) {
        note(source, &facts.target, Way::Wrote, now)?;
    }
    Ok(())
}

/// A change while it reads counts as one it has not seen: the content is that of before.
fn read(source: &Source<'_>, subject: &Subjected, round: &Round, now: &Now) -> Result<(), StoreError> {
    let answers = subject.answers.lease.as_deref();
    let Some(target) = answers.and_then(|answers| answers.read.as_deref()) else {
        return Ok(());
    };
    let is_denied = matches!(round.decision.outcome, Outcome::Deny { .. });
    if is_denied || !target.exists {
        return Ok(());
    }
    let mut target = target.clone();
    if let Some(root) = &target.root {
        let place = git::place::find(root);
        target.key.worktree = of_place(source.db, &place, now.moment.at)?.worktree;
    }
    note(source, &target, Way::Read, now)
}

fn note(source: &Source<'_>, target: &Target, way: Way, now: &Now) -> Result<(), StoreError> {
    seen::note(
        source.db,
        &Look {
            actor: source.actor,
            key: &target.key,
            content: &target.content,
            stamp: target.stamp,
            way,
            event: source.event,
            at: now.moment,
        },
    )
}
