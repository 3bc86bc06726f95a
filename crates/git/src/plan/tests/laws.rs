use super::*;
use proptest::prelude::*;

const LETTERS: [char; 7] = ['-', 'a', 'b', 'c', 'A', '@', '#'];
const ACTORS: [char; 6] = ['s', 'r', 'o', 'p', 'm', 'x'];

fn letter() -> impl Strategy<Value = char> {
    proptest::sample::select(&LETTERS[..])
}

/// Histories that mostly hang together, as recorded ones do, and sometimes do not.
fn any_facts() -> impl Strategy<Value = PathFacts> {
    let change = (proptest::sample::select(&ACTORS[..]), letter(), letter(), 0..8u8);
    let changes = proptest::collection::vec(change, 0..6);
    (letter(), changes, letter(), 0..4u8, 0..16u8).prop_map(|(target, changes, now, moves, odd)| {
        let mut known = target;
        let mut history = Vec::new();
        for (who, before, after, gap) in changes {
            let before = if gap == 0 { before } else { known };
            history.push(passage(&[who, before, after].iter().collect::<String>()));
            known = after;
        }
        let now = if moves == 0 { now } else { known };
        PathFacts {
            path: path("file"),
            target: match odd {
                0 => RecordedState::NotCaptured("too large".to_owned()),
                _ => RecordedState::State(state(target)),
            },
            history,
            now: state(now),
            obstacle: (odd == 1).then(|| PathObstacle::Link(path("dir"))),
            leased_by: (odd == 2).then(|| "session B".to_owned()),
        }
    })
}

fn any_scope() -> impl Strategy<Value = PlanScope> {
    prop_oneof![Just(PlanScope::Some), Just(PlanScope::All)]
}

/// What is there once the verdict was carried out.
fn afterwards(facts: &PathFacts, verdict: &PathVerdict) -> PathState {
    verdict.goal().unwrap_or(facts.now)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn only_what_the_scope_added_is_ever_deleted(facts in any_facts()) {
        let plan = plan_of(facts.clone(), PlanScope::Some);
        for verdict in [plan.paths[0].verdict.clone(), plan.force().paths[0].verdict.clone()] {
            if verdict == PathVerdict::Delete {
                let added = |passage: &PathHistory| passage.added && passage.by.is_scope();
                prop_assert!(facts.history.iter().any(added));
            }
        }
    }

    #[test]
    fn nothing_is_overwritten_that_nobody_recorded(facts in any_facts(), scope in any_scope()) {
        let planned = plan_of(facts.clone(), scope).paths.remove(0);
        if planned.verdict.goal().is_some() {
            let recorded = facts.history.last().map(|passage| passage.after);
            prop_assert_eq!(Some(facts.now), recorded);
        }
    }

    #[test]
    fn a_change_by_others_after_the_scopes_own_survives_unless_forced(facts in any_facts(), scope in any_scope()) {
        let planned = plan_of(facts.clone(), scope).paths.remove(0);
        let last_is_foreign = facts.history.last().is_some_and(|passage| !passage.by.is_scope());
        prop_assert!(planned.verdict.goal().is_none() || !last_is_foreign);
    }

    #[test]
    fn planning_again_after_it_was_done_finds_nothing_to_do(facts in any_facts(), scope in any_scope()) {
        let plan = plan_of(facts.clone(), scope);
        for plan in [plan.clone(), plan.clone().skip_conflicts(), plan.force()] {
            let verdict = &plan.paths[0].verdict;
            if verdict.goal().is_none() {
                continue;
            }
            let done = PathFacts { now: afterwards(&facts, verdict), ..facts.clone() };
            let again = plan_of(done, scope).paths.remove(0).verdict;
            prop_assert!(matches!(again, PathVerdict::Nothing | PathVerdict::Leave(_)), "{again:?}");
        }
    }

    #[test]
    fn what_is_done_always_changes_something_and_never_makes_a_repository(facts in any_facts(), scope in any_scope()) {
        let plan = plan_of(facts.clone(), scope);
        for planned in [&plan.paths[0], &plan.clone().force().paths[0]] {
            if let Some(goal) = planned.verdict.goal() {
                prop_assert_ne!(goal, facts.now);
                prop_assert!(goal.entry().is_none_or(|entry| entry.mode != EntryMode::Commit));
            }
        }
    }

    #[test]
    fn neither_force_nor_skipping_touches_what_a_link_leads_to(facts in any_facts(), scope in any_scope()) {
        if matches!(facts.obstacle, Some(PathObstacle::Link(_))) {
            let plan = plan_of(facts, scope);
            prop_assert_eq!(plan.clone().force().paths[0].verdict.goal(), None);
            prop_assert_eq!(plan.skip_conflicts().paths[0].verdict.goal(), None);
        }
    }
}
