//! Random worlds, decided by the policy and by a reference that spells the rules out one by one.

use super::super::LeasePolicy;
use crate::id::ActorId;
use crate::lease::{ActorLabel, Ancestor, LeaseEffect, LeaseFacts, Means, TargetFacts};
use crate::round::{RoundWatch, decide};
use crate::testing::lease::*;
use proptest::prelude::*;

/// What happens to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Fate {
    Uncovered,
    Touched,
    Lent,
    Taken,
    Stopped { queued: bool },
}

/// The rules of the specification, in its order and words.
fn fate(facts: &LeaseFacts, file: &TargetFacts) -> Fate {
    let me = &facts.me;
    let mine = |who: &ActorLabel| who.actor == ME || me.by_session && who.in_my_session;
    let above = |actor: ActorId| me.ancestors.iter().position(|ancestor| ancestor.actor == actor);
    // 1: not covered.
    let outside_by_shell = file.target.means == Means::Shell && file.target.key.worktree.is_none();
    if !file.target.leasable || outside_by_shell || file.target.key.path.starts_with(".git/") {
        return Fate::Uncovered;
    }
    // 2: held by the one who asks.
    let exact = file.held.as_ref().filter(|held| !held.is_everything());
    if exact.is_some_and(|held| mine(&held.who)) {
        return Fate::Touched;
    }
    // 3: reserved by somebody who is neither the one who asks nor above it.
    for reserved in &file.reserved {
        if !mine(&reserved.who) && above(reserved.who.actor).is_none() {
            return Fate::Stopped {
                queued: !reserved.who.is_person,
            };
        }
    }
    // 4: held by another: lent if everyone from its owner down to the parent waits and nothing is being written.
    if let Some(held) = file.held.as_ref().filter(|held| !mine(&held.who)) {
        if held.is_everything() {
            return Fate::Stopped { queued: false };
        }
        let chain_waits = above(held.owner)
            .is_some_and(|owner| me.ancestors[..=owner].iter().all(|ancestor| ancestor.blocked));
        let with_a_sibling = held.lent_to.is_some_and(|borrower| above(borrower).is_none());
        if chain_waits && !held.open_call && !with_a_sibling {
            return Fate::Lent;
        }
        return Fate::Stopped { queued: true };
    }
    // 5: promised to another.
    if file.offered.as_ref().is_some_and(|offered| !mine(&offered.who)) {
        return Fate::Stopped { queued: true };
    }
    // 6: granted.
    Fate::Taken
}

fn expected(facts: &LeaseFacts) -> (bool, Vec<LeaseEffect>) {
    let fates: Vec<Fate> = facts.targets.iter().map(|file| fate(facts, file)).collect();
    let stopped = fates.iter().any(|fate| matches!(fate, Fate::Stopped { .. }));
    let pairs = facts.targets.iter().zip(fates);
    let effects = pairs.filter_map(|(file, fate)| {
        let key = file.target.key.clone();
        let means = file.target.means;
        let lease = file.held.as_ref().map(|held| held.lease);
        match fate {
            Fate::Stopped { queued: true } => Some(LeaseEffect::Queue {
                key,
                shown: file.target.shown.clone(),
            }),
            Fate::Taken if !stopped => Some(LeaseEffect::Take {
                key,
                means,
                background: false,
                call_only: false,
            }),
            Fate::Touched if !stopped => lease.map(|lease| LeaseEffect::Touch {
                lease,
                background: false,
            }),
            Fate::Lent if !stopped => lease.map(|lease| LeaseEffect::Lend { lease }),
            Fate::Uncovered | Fate::Taken | Fate::Touched | Fate::Lent | Fate::Stopped { .. } => None,
        }
    });
    (stopped, effects.collect())
}

/// Actors 1 to 6: the one who asks, four others, and a person.
fn anyone() -> impl Strategy<Value = ActorLabel> {
    (1_i64..7, any::<bool>()).prop_map(|(actor, in_my_session)| ActorLabel {
        is_person: actor == 6,
        in_my_session: in_my_session && actor != 6,
        ..agent(actor, &format!("agent@{actor}"), "")
    })
}

fn a_file() -> impl Strategy<Value = TargetFacts> {
    let path = prop::sample::select(vec!["a.rs", "src/b.rs", ".git/config"]);
    let held_by = prop::option::of((
        anyone(),
        1_i64..6,
        prop::option::of(1_i64..6),
        any::<bool>(),
        prop::bool::weighted(0.2),
    ));
    let reserved = prop::collection::vec(anyone(), 0..2);
    let rest = (
        prop::option::of(anyone()),
        any::<bool>(),
        any::<bool>(),
        prop::bool::weighted(0.9),
    );
    (path, held_by, reserved, rest).prop_map(|(path, held_by, reserved, rest)| {
        let (offered, by_shell, outside, leasable) = rest;
        let mut file = free(path);
        file.target.leasable = leasable;
        if by_shell {
            file.target.means = Means::Shell;
        }
        if outside {
            file.target.key.worktree = None;
        }
        file.held = held_by.map(|(who, owner, lent_to, open_call, all)| {
            let mut lease = if all {
                everything("git stash", who)
            } else {
                held(path, who)
            };
            lease.owner = ActorId(owner);
            lease.lent_to = lent_to.map(ActorId);
            lease.open_call = open_call;
            lease
        });
        let patterns = reserved.into_iter().map(|who| reservation("**", who, ""));
        file.reserved = patterns.collect();
        file.offered = offered.map(offer);
        file
    })
}

fn a_world() -> impl Strategy<Value = LeaseFacts> {
    let ancestors = prop::collection::vec((2_i64..6, any::<bool>()), 0..4);
    let files = prop::collection::vec(a_file(), 1..4);
    (files, ancestors, any::<bool>()).prop_map(|(files, ancestors, by_session)| {
        let mut facts = writing(files);
        facts.me.by_session = by_session;
        for (actor, blocked) in ancestors {
            if facts
                .me
                .ancestors
                .iter()
                .all(|ancestor| ancestor.actor.0 != actor)
            {
                facts.me.ancestors.push(Ancestor {
                    actor: ActorId(actor),
                    blocked,
                });
            }
        }
        facts
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_rules_decide_as_they_are_written(facts in a_world()) {
        let (stopped, effects) = expected(&facts);
        let round = decide(&[&LeasePolicy], &edit(), &knowing(facts), &RoundWatch::default());
        prop_assert_eq!(denial(&round).is_some(), stopped);
        prop_assert_eq!(changes(&round), effects);
    }
}
