//! Remembers what an actor came to know of files: what it is about to read, and what it wrote.

use super::super::effects::EventScope;
use crate::pipeline::AgentEvent;
use crate::pipeline::place_rows::of_place;
use engine::decision::Outcome;
use engine::event::EventKind;
use engine::facts::Facts;
use engine::lease::left::is_own_change;
use engine::lease::{FileChangeKind, FileTarget, TargetFacts};
use engine::policy::stale_write::overlooks;
use engine::round::Round;
use store::StoreError;
use store::life::LeaseMoment;
use store::table::seen::{self, KnowledgeSource, Look};

/// Notes what this event shows the actor of files. What it was known to know before is in `known`.
pub fn see(
    source: &EventScope<'_>,
    subject: &AgentEvent,
    known: &Facts,
    round: &Round,
    now: &LeaseMoment,
) -> Result<(), StoreError> {
    let failed = match &subject.event.kind {
        EventKind::ToolBefore { .. } => {
            if matches!(round.decision.outcome, Outcome::Deny { .. }) {
                return Ok(());
            }
            fall_behind(source, known, now)?;
            return read(source, subject, now);
        }
        EventKind::ToolAfter { .. } => {
            // What was shown only if all of a chain ran.
            read(source, subject, now)?;
            false
        }
        EventKind::ToolFailed { .. } => true,
        _ => return Ok(()),
    };
    let Some(lease) = known.lease.as_deref() else {
        return Ok(());
    };
    let written = |facts: &&TargetFacts| is_own_change(facts, &lease.me, failed);
    for facts in lease.targets.iter().filter(written) {
        let way = KnowledgeSource::Wrote {
            by: facts.target.means,
            whole: facts.target.how == FileChangeKind::Overwrite,
        };
        note(source, &facts.target, way, now)?;
    }
    Ok(())
}

/// Editing is not reading: who changes a file on top of what it has not seen does not know it afterwards either.
fn fall_behind(source: &EventScope<'_>, known: &Facts, now: &LeaseMoment) -> Result<(), StoreError> {
    let Some(lease) = known.lease.as_deref() else {
        return Ok(());
    };
    for facts in lease.targets.iter().filter(|facts| overlooks(&lease.me, facts)) {
        seen::fall_behind(
            source.db,
            &look(source, &facts.target, KnowledgeSource::Found, now),
        )?;
    }
    Ok(())
}

/// A change while it reads counts as one it has not seen: the content is that of before.
fn read(source: &EventScope<'_>, subject: &AgentEvent, now: &LeaseMoment) -> Result<(), StoreError> {
    let Some(answers) = subject.answers.lease.as_deref() else {
        return Ok(());
    };
    for target in answers.read.iter().filter(|target| target.exists) {
        note(source, &placed(source, target, now)?, KnowledgeSource::Read, now)?;
    }
    for target in answers.glimpsed.iter().filter(|target| target.exists) {
        glimpse(source, &placed(source, target, now)?, now)?;
    }
    Ok(())
}

/// Who saw a part of a file does not know the rest: no change that was made there counts as seen. But whoever never saw it
/// begins to know it, so that what changes from now on is news. What another agent wrote there is still unread.
fn glimpse(source: &EventScope<'_>, target: &FileTarget, now: &LeaseMoment) -> Result<(), StoreError> {
    let by_another = |change: &seen::LastWrite| change.actor != source.actor;
    if seen::of(source.db, source.actor, &target.key)?.is_some()
        || seen::last_change(source.db, &target.key)?
            .as_ref()
            .is_some_and(by_another)
    {
        return Ok(());
    }
    note(source, target, KnowledgeSource::Found, now)
}

/// The file with the row of its worktree.
fn placed(source: &EventScope<'_>, target: &FileTarget, now: &LeaseMoment) -> Result<FileTarget, StoreError> {
    let mut target = target.clone();
    if let Some(root) = &target.root {
        let place = git::place::find(root);
        target.key.worktree = of_place(source.db, &place, now.moment.at)?.worktree;
    }
    Ok(target)
}

fn note(
    source: &EventScope<'_>,
    target: &FileTarget,
    way: KnowledgeSource,
    now: &LeaseMoment,
) -> Result<(), StoreError> {
    seen::note(source.db, &look(source, target, way, now))
}

fn look<'a>(
    source: &EventScope<'_>,
    target: &'a FileTarget,
    way: KnowledgeSource,
    now: &LeaseMoment,
) -> Look<'a> {
    Look {
        actor: source.actor,
        key: &target.key,
        content: &target.content,
        stamp: target.stamp,
        way,
        event: source.event,
        at: now.moment,
    }
}
