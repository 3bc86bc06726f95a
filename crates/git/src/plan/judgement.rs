//! The table of a rewind, for one path: what is already right, then the conflicts, then what is done.

use super::Planned;
use super::facts::{PathAuthor, PathFacts, PathHistory, PathObstacle, PlanScope, RecordedState};
use super::verdict::{ConflictReason, KeepsYourEdit, LeftReason, PathVerdict};
use crate::object::{EntryMode, PathState};

/// Decides about a path, given what stands in its way, without and with force.
pub fn planned(
    facts: &PathFacts,
    stands: Option<&PathObstacle>,
    stands_forced: Option<&PathObstacle>,
    scope: PlanScope,
) -> Planned {
    Planned {
        path: facts.path.clone(),
        now: facts.now,
        verdict: verdict(facts, stands, scope),
        forced: forced(facts, stands_forced, scope),
        wanted: goal(facts),
    }
}

fn verdict(facts: &PathFacts, stands: Option<&PathObstacle>, scope: PlanScope) -> PathVerdict {
    if let Some(settled) = settled(facts, stands, scope) {
        return settled;
    }
    if let Some(reason) = blocked(facts, stands).or_else(|| disputed(facts)) {
        return PathVerdict::Conflict(reason);
    }
    done(facts)
}

/// The verdict that does not ask who else was there.
fn forced(facts: &PathFacts, stands: Option<&PathObstacle>, scope: PlanScope) -> PathVerdict {
    let unforced = verdict(facts, stands, scope);
    let PathVerdict::Conflict(_) = unforced else {
        return unforced;
    };
    let lasting = stands.filter(|obstacle| **obstacle != PathObstacle::Unmerged);
    match (blocked(facts, lasting), scope) {
        (Some(reason), _) => PathVerdict::Conflict(reason),
        (None, PlanScope::Some) => done(facts),
        // Whoever made it: all means what the target had, and nothing else.
        (None, PlanScope::All) => match target(facts) {
            Some(PathState::Absent) => PathVerdict::Delete,
            Some(to) => put(facts.now, to, None),
            None => unforced,
        },
    }
}

/// What needs no second look: nothing to do, or nobody's business.
fn settled(facts: &PathFacts, stands: Option<&PathObstacle>, scope: PlanScope) -> Option<PathVerdict> {
    let now = Some(facts.now);
    if now == target(facts) {
        return Some(PathVerdict::Nothing);
    }
    if now == goal(facts) {
        // Nothing of the scope's is left in it; what others did before the scope is, and stays.
        return Some(PathVerdict::Leave(left_to(facts.history.first())));
    }
    let is_repository = |state: PathState| state.entry().is_some_and(|entry| entry.mode == EntryMode::Commit);
    let ends = [now, target(facts), goal(facts)];
    if ends.into_iter().flatten().any(is_repository) {
        return Some(PathVerdict::Leave(LeftReason::Repository));
    }
    if facts.history.iter().any(|passage| passage.by.touches_scope()) {
        return None;
    }
    let last = facts.history.last();
    Some(match scope {
        PlanScope::Some => PathVerdict::Leave(left_to(last)),
        PlanScope::All => {
            let who = last.map(|last| ConflictReason::ChangedBy(last.by.who().to_owned()));
            let reason = blocked(facts, stands).or(who);
            PathVerdict::Conflict(reason.unwrap_or(ConflictReason::EditedSince))
        }
    })
}

/// Why what somebody else did stays.
fn left_to(passage: Option<&PathHistory>) -> LeftReason {
    match passage.map(|passage| &passage.by) {
        Some(PathAuthor::Other(label) | PathAuthor::Scope(label)) => LeftReason::Other(label.clone()),
        Some(PathAuthor::Outside | PathAuthor::Doubt(_) | PathAuthor::Shared { .. }) | None => {
            LeftReason::Outside
        }
    }
}

/// The conflicts that no force lifts: there is no way to write it, or nothing to write.
fn blocked(facts: &PathFacts, stands: Option<&PathObstacle>) -> Option<ConflictReason> {
    if let Some(obstacle) = stands {
        return Some(ConflictReason::Obstacle(obstacle.clone()));
    }
    match &facts.target {
        RecordedState::NotCaptured(reason) => Some(ConflictReason::NotInTheCheckpoint(reason.clone())),
        RecordedState::State(_) => None,
    }
}

/// The conflicts with somebody's work.
fn disputed(facts: &PathFacts) -> Option<ConflictReason> {
    if let Some(why) = facts.history.iter().find_map(in_doubt) {
        return Some(ConflictReason::MaybeYours(why.to_owned()));
    }
    let last = facts.history.last()?;
    if facts.now != last.after {
        return Some(ConflictReason::EditedSince);
    }
    let first = first_of_scope(facts)?;
    let mut later = facts.history.iter().skip(first);
    if let Some(foreign) = later.find(|passage| !passage.by.is_scope()) {
        return Some(ConflictReason::AlsoChangedBy(foreign.by.who().to_owned()));
    }
    if moved_by_git(facts) {
        return Some(ConflictReason::AlsoChangedBy("git".to_owned()));
    }
    facts.leased_by.clone().map(ConflictReason::LeasedBy)
}

/// What is done to a path that nobody disputes.
fn done(facts: &PathFacts) -> PathVerdict {
    let Some(goal) = goal(facts) else {
        return PathVerdict::Nothing;
    };
    if goal != PathState::Absent {
        let note = is_preceded(facts).then_some(KeepsYourEdit);
        return put(facts.now, goal, note);
    }
    let first = first_of_scope(facts).and_then(|first| facts.history.get(first));
    match first {
        Some(first) if first.added && first.before == PathState::Absent && may_delete(&first.by) => {
            PathVerdict::Delete
        }
        Some(first) if first.before != PathState::Absent => PathVerdict::Leave(LeftReason::ExistedBefore),
        Some(first) => PathVerdict::Leave(LeftReason::MadeBy(first.by.who().to_owned())),
        None => PathVerdict::Leave(LeftReason::ExistedBefore),
    }
}

/// Why it is in doubt whose change it is.
fn in_doubt(passage: &PathHistory) -> Option<&str> {
    match &passage.by {
        PathAuthor::Doubt(why) => Some(why),
        PathAuthor::Scope(_) | PathAuthor::Other(_) | PathAuthor::Outside | PathAuthor::Shared { .. } => None,
    }
}

/// Whether what they made is theirs to be taken away; what is in doubt comes this far by force alone.
fn may_delete(by: &PathAuthor) -> bool {
    by.is_scope() || matches!(by, PathAuthor::Doubt(_))
}

/// How a state comes to be where another is.
fn put(now: PathState, to: PathState, note: Option<KeepsYourEdit>) -> PathVerdict {
    match (now, to) {
        (PathState::Absent, _) => PathVerdict::Recreate { to },
        (PathState::Present { entry: a, raw: x }, PathState::Present { entry: b, raw: y })
            if a.id == b.id && x == y && is_file(a.mode) && is_file(b.mode) =>
        {
            PathVerdict::Mode { to }
        }
        (PathState::Present { .. }, _) => PathVerdict::Restore { to, note },
    }
}

fn is_file(mode: EntryMode) -> bool {
    matches!(mode, EntryMode::File | EntryMode::Exec)
}

fn target(facts: &PathFacts) -> Option<PathState> {
    match facts.target {
        RecordedState::State(state) => Some(state),
        RecordedState::NotCaptured(_) => None,
    }
}

/// What the path goes back to: never over what others did before the scope began.
fn goal(facts: &PathFacts) -> Option<PathState> {
    match first_of_scope(facts) {
        Some(first) if first > 0 => facts.history.get(first).map(|passage| passage.before),
        _ => target(facts),
    }
}

fn is_preceded(facts: &PathFacts) -> bool {
    first_of_scope(facts).is_some_and(|first| first > 0)
}

fn first_of_scope(facts: &PathFacts) -> Option<usize> {
    facts
        .history
        .iter()
        .position(|passage| passage.by.touches_scope())
}

/// Whether the file is found changed where nobody changed it: then git did, by a checkout or a pull.
fn moved_by_git(facts: &PathFacts) -> bool {
    let breaks = |pair: &[PathHistory]| matches!(pair, [one, next] if one.after != next.before);
    let first = facts.history.first().map(|passage| passage.before);
    let since_target = match (target(facts), first) {
        // What the target never had may have been there all the same: ignored files are captured when they are named.
        (Some(PathState::Absent) | None, _) | (_, None) => false,
        (Some(target), Some(before)) => target != before,
    };
    since_target || facts.history.windows(2).any(breaks)
}
