//! What flows down from ancestors: leases of those who wait, and reservations.

use super::{denied, judged};
use crate::id::{ActorId, LeaseId};
use crate::lease::{HeldLease, LeaseEffect, LeaseFacts, TargetFacts};
use crate::round::Round;
use crate::testing::lease::*;

const LEND: LeaseEffect = LeaseEffect::Lend { lease: LeaseId(52) };

/// A file of the main thread (12), asked for by an actor with these ancestors.
fn of_main(ancestors: &[(i64, bool)], change: fn(&mut HeldLease)) -> Round {
    let mut held = held("src/lexer.rs", agent(12, "main@7c1e", ""));
    change(&mut held);
    judged(LeaseFacts {
        me: me(ancestors),
        ..writing(vec![TargetFacts {
            held: Some(held),
            ..free("src/lexer.rs")
        }])
    })
}

#[test]
fn a_child_in_the_foreground_borrows_and_one_in_the_background_is_denied() {
    let foreground = of_main(&[(12, true)], |_| {});
    assert!(foreground.decision.is_silent());
    assert_eq!(changes(&foreground), [LEND]);
    let background = of_main(&[(12, false)], |_| {});
    assert!(denial(&background).is_some());
}

#[test]
fn a_second_child_is_denied_and_told_of_the_first() {
    let text = denied(LeaseFacts {
        me: me(&[(12, true)]),
        ..writing(vec![TargetFacts {
            held: Some(HeldLease {
                who: agent(13, "tester@a0d4", "run tests"),
                lent_to: Some(ActorId(13)),
                ..held("src/lexer.rs", agent(12, "main@7c1e", ""))
            }),
            ..free("src/lexer.rs")
        }])
    });
    assert!(
        text.starts_with("src/lexer.rs is being edited by tester@a0d4 (\"run tests\")"),
        "{text}"
    );
}

#[test]
fn a_grandchild_borrows_through_two_that_wait_and_not_when_one_runs() {
    assert_eq!(changes(&of_main(&[(11, true), (12, true)], |_| {})), [LEND]);
    assert!(denial(&of_main(&[(11, false), (12, true)], |_| {})).is_some());
    assert!(denial(&of_main(&[(11, true), (12, false)], |_| {})).is_some());
}

#[test]
fn what_a_parent_borrowed_is_passed_on_while_it_waits() {
    let lent = |held: &mut HeldLease| {
        held.who = agent(11, "coder@a1b2", "");
        held.lent_to = Some(ActorId(11));
    };
    assert_eq!(changes(&of_main(&[(11, true), (12, true)], lent)), [LEND]);
    assert!(denial(&of_main(&[(11, false), (12, true)], lent)).is_some());
}

#[test]
fn a_cousin_and_an_actor_of_an_unsettled_parent_borrow_nothing() {
    assert!(denial(&of_main(&[(14, true)], |_| {})).is_some());
    assert!(denial(&of_main(&[], |_| {})).is_some());
}

#[test]
fn nothing_is_lent_while_a_call_of_its_owner_writes_it() {
    assert!(denial(&of_main(&[(12, true)], |held| held.open_call = true)).is_some());
}

/// A file below a reservation of actor 12.
fn reserved(ancestors: &[(i64, bool)]) -> Round {
    judged(LeaseFacts {
        me: me(ancestors),
        ..writing(vec![TargetFacts {
            reserved: vec![reservation("src/**", agent(12, "main@7c1e", ""), "")],
            ..free("src/lexer.rs")
        }])
    })
}

#[test]
fn a_reservation_lets_descendants_through_even_running_ones_and_keeps_out_others() {
    for ancestors in [&[(12, false)][..], &[(11, false), (12, true)]] {
        assert_eq!(changes(&reserved(ancestors)), [take("src/lexer.rs")]);
    }
    assert!(denial(&reserved(&[])).is_some());
    assert!(denial(&reserved(&[(13, true)])).is_some());
}

#[test]
fn a_persons_reservation_keeps_out_every_agent_and_nobody_waits_for_it() {
    let round = judged(LeaseFacts {
        me: me(&[(12, true)]),
        ..writing(vec![TargetFacts {
            reserved: vec![reservation("docs/**", person(), "release notes")],
            ..free("docs/a.md")
        }])
    });
    assert!(denial(&round).is_some());
    assert_eq!(changes(&round), []);
}

#[test]
fn ones_own_reservation_and_lease_are_no_obstacle() {
    let round = judged(writing(vec![TargetFacts {
        reserved: vec![reservation("docs/**", myself(), "")],
        ..free("docs/a.md")
    }]));
    assert_eq!(changes(&round), [take("docs/a.md")]);
}
