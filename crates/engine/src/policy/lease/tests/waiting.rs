//! Whoever waits for a file without writing it.

use super::super::{LeaseObstacle, QueueStanding, waiting};
use crate::effect::Effect;
use crate::id::LeaseId;
use crate::lease::{EndReason, LeaseEffect, LeaseFacts, TargetFacts};
use crate::settings::{LeaseSettings, Mode};
use crate::testing::facts;
use crate::testing::lease::*;

fn standard() -> LeaseSettings {
    facts().settings.lease.clone()
}

fn stands(lease: &LeaseFacts) -> QueueStanding<'_> {
    waiting(&standard(), lease, "main@7c1e")
}

#[test]
fn a_free_file_is_free_and_ones_own_is_had() {
    assert_eq!(stands(&writing(vec![free("f.rs")])), QueueStanding::Free);
    assert_eq!(
        stands(&writing(vec![taken("f.rs", myself())])),
        QueueStanding::Has
    );
    let promised = |who| {
        writing(vec![TargetFacts {
            offered: Some(offer(who)),
            ..free("f.rs")
        }])
    };
    assert_eq!(stands(&promised(myself())), QueueStanding::Free);
    let others = promised(reviewer());
    let QueueStanding::Stopped { obstacle, .. } = stands(&others) else {
        panic!("it is promised");
    };
    assert!(matches!(obstacle, LeaseObstacle::Offered(_)));
}

#[test]
fn a_file_that_would_be_lent_is_had() {
    let lease = LeaseFacts {
        me: me(&[(2, true)]),
        ..writing(vec![taken("f.rs", fixer())])
    };
    assert_eq!(stands(&lease), QueueStanding::Has);
}

#[test]
fn what_leases_do_not_concern_needs_no_waiting() {
    let held = writing(vec![taken("f.rs", fixer())]);
    let off = LeaseSettings {
        mode: Mode::Off,
        ..standard()
    };
    assert_eq!(waiting(&off, &held, "main@7c1e"), QueueStanding::Unconcerned);
    let inner = writing(vec![taken(".git/config", fixer())]);
    assert_eq!(stands(&inner), QueueStanding::Unconcerned);
}

#[test]
fn waiting_closes_circles_like_writing_does() {
    let circle = |is_unused| LeaseFacts {
        waits: vec![crate::lease::WaitEdge {
            is_unused,
            ..wait(fixer(), "g.rs", myself())
        }],
        ..writing(vec![taken("f.rs", fixer())])
    };
    let written = circle(false);
    let QueueStanding::Stopped {
        circle: text,
        effects,
        ..
    } = stands(&written)
    else {
        panic!("it is held");
    };
    assert!(text.unwrap().starts_with("You hold g.rs, which "));
    assert_eq!(
        effects.len(),
        2,
        "the other one and the person are told: {effects:?}"
    );
    let unwritten = circle(true);
    let QueueStanding::Stopped {
        circle: text,
        effects,
        ..
    } = stands(&unwritten)
    else {
        panic!("it is held");
    };
    let ends = Effect::Lease(LeaseEffect::End {
        lease: LeaseId(41),
        reason: EndReason::Deadlock,
    });
    assert_eq!((text, effects), (None, vec![ends]));
}

#[test]
fn whoever_is_in_line_closes_no_circle_again() {
    let lease = LeaseFacts {
        waits: vec![wait(fixer(), "g.rs", myself())],
        ..writing(vec![TargetFacts {
            waiting: vec![myself()],
            ..taken("f.rs", fixer())
        }])
    };
    let QueueStanding::Stopped { circle, effects, .. } = stands(&lease) else {
        panic!("it is held");
    };
    assert_eq!((circle, effects), (None, vec![]));
}
