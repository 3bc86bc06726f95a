//! The table of a rewind, for one path: what is already right, then the conflicts, then what is done.

use super::Planned;
use super::facts::{By, Known, Obstacle, Passage, PathFacts, Scope};
use super::verdict::{KeepsYourEdit, Reason, Verdict, Why};
use crate::object::{Mode, State};

/// Decides about a path, given what stands in its way, without and with force.
pub fn planned(
    facts: &PathFacts,
    stands: Option<&Obstacle>,
    stands_forced: Option<&Obstacle>,
    scope: Scope,
) -> Planned {
    Planned {
        path: facts.path.clone(),
        now: facts.now,
        verdict: verdict(facts, stands, scope),
        forced: forced(facts, stands_forced, scope),
        wanted: goal(facts),
    }
}

fn verdict(facts: &PathFacts, stands: Option<&Obstacle>, scope: Scope) -> Verdict {
    if let Some(settled) = settled(facts, stands, scope) {
        return settled;
    }
    if let Some(reason) = blocked(facts, stands).or_else(|| disputed(facts)) {
        return Verdict::Conflict(reason);
    }
    done(facts)
}

/// The verdict that does not ask who else was there.
fn forced(facts: &PathFacts, stands: Option<&Obstacle>, scope: Scope) -> Verdict {
    let unforced = verdict(facts, stands, scope);
    let Verdict::Conflict(_) = unforced else {
        return unforced;
    };
    let lasting = stands.filter(|obstacle| **obstacle != Obstacle::Unmerged);
    match (blocked(facts, lasting), scope) {
        (Some(reason), _) => Verdict::Conflict(reason),
        (None, Scope::Some) => done(facts),
        // Whoever made it: all means what the target had, and nothing else.
        (None, Scope::All) => match target(facts) {
            Some(State::Absent) => Verdict::Delete,
            Some(to) => put(facts.now, to, None),
            None => unforced,
        },
    }
}

/// What needs no second look: nothing to do, or nobody's business.
fn settled(facts: &PathFacts, stands: Option<&Obstacle>, scope: Scope) -> Option<Verdict> {
    let now = Some(facts.now);
    if now == target(facts) {
        return Some(Verdict::Nothing);
    }
    if now == goal(facts) {
        // Nothing of the scope's is left in it; what others did before the scope is, and stays.
        return Some(Verdict::Leave(left_to(facts.history.first())));
    }
    let is_repository = |state: State| state.entry().is_some_and(|entry| entry.mode == Mode::Commit);
    let ends = [now, target(facts), goal(facts)];
    if ends.into_iter().flatten().any(is_repository) {
        return Some(Verdict::Leave(Why::Repository));
    }
    if facts.history.iter().any(|passage| passage.by.touches_scope()) {
        return None;
    }
    let last = facts.history.last();
    Some(match scope {
        Scope::Some => Verdict::Leave(left_to(last)),
        Scope::All => {
            let who = last.map(|last| Reason::ChangedBy(last.by.who().to_owned()));
            let reason = blocked(facts, stands).or(who);
            Verdict::Conflict(reason.unwrap_or(Reason::EditedSince))
        }
    })
}

/// Why what somebody else did stays.
fn left_to(passage: Option<&Passage>) -> Why {
    match passage.map(|passage| &passage.by) {
        Some(By::Other(label) | By::Scope(label)) => Why::Other(label.clone()),
        Some(By::Outside | By::Doubt(_) | By::Shared { .. }) | None => Why::Outside,
    }
}

/// The conflicts that no force lifts: there is no way to write it, or nothing to write.
fn blocked(facts: &PathFacts, stands: Option<&Obstacle>) -> Option<Reason> {
    if let Some(obstacle) = stands {
        return Some(Reason::Obstacle(obstacle.clone()));
    }
    match &facts.target {
        Known::NotCaptured(reason) => Some(Reason::NotInTheCheckpoint(reason.clone())),
        Known::State(_) => None,
    }
}

/// The conflicts with somebody's work.
fn disputed(facts: &PathFacts) -> Option<Reason> {
    if let Some(why) = facts.history.iter().find_map(in_doubt) {
        return Some(Reason::MaybeYours(why.to_owned()));
    }
    let last = facts.history.last()?;
    if facts.now != last.after {
        return Some(Reason::EditedSince);
    }
    let first = first_of_scope(facts)?;
    let mut later = facts.history.iter().skip(first);
    if let Some(foreign) = later.find(|passage| !passage.by.is_scope()) {
        return Some(Reason::AlsoChangedBy(foreign.by.who().to_owned()));
    }
    if moved_by_git(facts) {
        return Some(Reason::AlsoChangedBy("git".to_owned()));
    }
    facts.leased_by.clone().map(Reason::LeasedBy)
}

/// What is done to a path that nobody disputes.
fn done(facts: &PathFacts) -> Verdict {
    let Some(goal) = goal(facts) else {
        return Verdict::Nothing;
    };
    if goal != State::Absent {
        let note = is_preceded(facts).then_some(KeepsYourEdit);
        return put(facts.now, goal, note);
    }
    let first = first_of_scope(facts).and_then(|first| facts.history.get(first));
    match first {
        Some(first) if first.added && first.before == State::Absent && may_delete(&first.by) => {
            Verdict::Delete
        }
        Some(first) if first.before != State::Absent => Verdict::Leave(Why::ExistedBefore),
        Some(first) => Verdict::Leave(Why::MadeBy(first.by.who().to_owned())),
        None => Verdict::Leave(Why::ExistedBefore),
    }
}

/// Why it is in doubt whose change it is.
fn in_doubt(passage: &Passage) -> Option<&str> {
    match &passage.by {
        By::Doubt(why) => Some(why),
        By::Scope(_) | By::Other(_) | By::Outside | By::Shared { .. } => None,
    }
}

/// Whether what they made is theirs to be taken away; what is in doubt comes this far by force alone.
fn may_delete(by: &By) -> bool {
    by.is_scope() || matches!(by, By::Doubt(_))
}

/// How a state comes to be where another is.
fn put(now: State, to: State, note: Option<KeepsYourEdit>) -> Verdict {
    match (now, to) {
        (State::Absent, _) => Verdict::Recreate { to },
        (State::Present { entry: a, raw: x }, State::Present { entry: b, raw: y })
            if a.id == b.id && x == y && is_file(a.mode) && is_file(b.mode) =>
        {
            Verdict::Mode { to }
        }
        (State::Present { .. }, _) => Verdict::Restore { to, note },
    }
}

fn is_file(mode: Mode) -> bool {
    matches!(mode, Mode::File | Mode::Exec)
}

fn target(facts: &PathFacts) -> Option<State> {
    match facts.target {
        Known::State(state) => Some(state),
        Known::NotCaptured(_) => None,
    }
}

/// What the path goes back to: never over what others did before the scope began.
fn goal(facts: &PathFacts) -> Option<State> {
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
    let breaks = |pair: &[Passage]| matches!(pair, [one, next] if one.after != next.before);
    let first = facts.history.first().map(|passage| passage.before);
    let since_target = match (target(facts), first) {
        // What the target never had may have been there all the same: ignored files are captured when they are named.
        (Some(State::Absent) | None, _) | (_, None) => false,
        (Some(target), Some(before)) => target != before,
    };
    since_target || facts.history.windows(2).any(breaks)
}
