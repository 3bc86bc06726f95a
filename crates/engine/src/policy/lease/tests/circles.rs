//! Actors that wait for each other.

use super::judged;
use crate::effect::{Audience, Effect};
use crate::id::LeaseId;
use crate::lease::{EndReason, LeaseEffect, LeaseFacts, LeaseKind, TargetFacts, WaitEdge};
use crate::round::Round;
use crate::testing::lease::*;

fn deadlock(lease: i64) -> LeaseEffect {
    LeaseEffect::End {
        lease: LeaseId(lease),
        reason: EndReason::Deadlock,
    }
}

/// `f.rs` is held by the fixer; these wait.
fn wanting_f(waits: Vec<WaitEdge>) -> LeaseFacts {
    LeaseFacts {
        waits,
        ..writing(vec![taken("f.rs", fixer())])
    }
}

fn told(round: &Round) -> Vec<(i64, String)> {
    let tells = changes(round).into_iter().filter_map(|change| match change {
        LeaseEffect::Tell { actor, text, .. } => Some((actor.0, text)),
        _ => None,
    });
    tells.collect()
}

fn person_told(round: &Round) -> Vec<&str> {
    let owed = round.effects.iter().filter_map(|effect| match effect {
        Effect::Owe(owed) if owed.audience == Audience::Person => Some(owed.text.as_str()),
        _ => None,
    });
    owed.collect()
}

#[test]
fn a_circle_of_two_is_found_when_it_closes_and_written_leases_stay() {
    let round = judged(wanting_f(vec![wait(fixer(), "g.rs", myself())]));
    insta::assert_snapshot!(denial(&round).unwrap(), @r#"You hold g.rs, which general-purpose@a3f2 ("fix parser") waits for, and you want f.rs, which general-purpose@a3f2 ("fix parser") holds. Nobody can go on. Finish g.rs and run `toprope lease release g.rs`, then wait for f.rs."#);
    assert_eq!(
        changes(&round)[0],
        queue("f.rs"),
        "whoever releases first is served"
    );
    assert!(
        !changes(&round)
            .iter()
            .any(|change| matches!(change, LeaseEffect::End { .. }))
    );
    let [(2, mirrored)] = &told(&round)[..] else {
        panic!("{:?}", told(&round));
    };
    insta::assert_snapshot!(mirrored, @"You hold f.rs, which main@7c1e waits for, and you want g.rs, which main@7c1e holds. Nobody can go on. Finish f.rs and run `toprope lease release f.rs`, then wait for g.rs.");
    insta::assert_snapshot!(person_told(&round).join("\n"), @r#"Agents wait for each other, and nobody can go on: main@7c1e waits for f.rs (general-purpose@a3f2 "fix parser"), general-purpose@a3f2 "fix parser" waits for g.rs (main@7c1e). `toprope lease list` shows who holds what."#);
}

#[test]
fn a_circle_of_three_names_who_waits_and_who_holds() {
    let round = judged(wanting_f(vec![
        wait(fixer(), "h.rs", reviewer()),
        wait(reviewer(), "g.rs", myself()),
    ]));
    insta::assert_snapshot!(denial(&round).unwrap(), @r#"You hold g.rs, which reviewer@a91c waits for, and you want f.rs, which general-purpose@a3f2 ("fix parser") holds. Nobody can go on. Finish g.rs and run `toprope lease release g.rs`, then wait for f.rs."#);
    let told = told(&round);
    assert_eq!(told.iter().map(|(actor, _)| *actor).collect::<Vec<_>>(), [2, 3]);
    insta::assert_snapshot!(told[0].1, @"You hold f.rs, which main@7c1e waits for, and you want h.rs, which reviewer@a91c holds. Nobody can go on. Finish f.rs and run `toprope lease release f.rs`, then wait for h.rs.");
    insta::assert_snapshot!(told[1].1, @r#"You hold h.rs, which general-purpose@a3f2 ("fix parser") waits for, and you want g.rs, which main@7c1e holds. Nobody can go on. Finish h.rs and run `toprope lease release h.rs`, then wait for g.rs."#);
}

#[test]
fn the_others_are_told_the_task_of_whoever_closed_the_circle() {
    let me = agent(1, "main@7c1e", "write lexer");
    let mut facts = wanting_f(vec![wait(fixer(), "g.rs", me.clone())]);
    facts.me.description = me.description;
    insta::assert_snapshot!(told(&judged(facts))[0].1, @r#"You hold f.rs, which main@7c1e ("write lexer") waits for, and you want g.rs, which main@7c1e ("write lexer") holds. Nobody can go on. Finish f.rs and run `toprope lease release f.rs`, then wait for g.rs."#);
}

#[test]
fn a_reservation_in_the_circle_is_ended_before_anything_else() {
    let mut unwritten = wait(fixer(), "h.rs", reviewer());
    unwritten.is_unused = true;
    let mut reserved = wait(reviewer(), "g.rs", myself());
    reserved.kind = LeaseKind::Reserve;
    reserved.lease = LeaseId(77);
    let round = judged(wanting_f(vec![unwritten, reserved]));
    assert_eq!(
        changes(&round),
        [queue("f.rs"), deadlock(77)],
        "whose it is needs no notice"
    );
    assert!(denial(&round).unwrap().starts_with("f.rs is being edited by"));
    assert_eq!(person_told(&round), Vec::<&str>::new());
}

#[test]
fn an_unused_lease_is_ended_where_there_is_no_reservation() {
    let mut unwritten = wait(fixer(), "g.rs", myself());
    unwritten.is_unused = true;
    unwritten.lease = LeaseId(78);
    let round = judged(wanting_f(vec![unwritten]));
    assert_eq!(changes(&round), [queue("f.rs"), deadlock(78)]);
}

#[test]
fn the_wanted_reservation_itself_may_be_what_ends() {
    let round = judged(LeaseFacts {
        waits: vec![wait(fixer(), "g.rs", myself())],
        ..writing(vec![TargetFacts {
            reserved: vec![reservation("*.rs", fixer(), "")],
            ..free("f.rs")
        }])
    });
    assert_eq!(changes(&round)[..2], [queue("f.rs"), deadlock(62)]);
    insta::assert_snapshot!(denial(&round).unwrap(), @r#"f.rs was kept by general-purpose@a3f2 ("fix parser"), who waits for you in turn. It is promised to you now. Nothing was written. Read it again, then write."#);
    let [(2, owner)] = &told(&round)[..] else {
        panic!("{:?}", told(&round));
    };
    insta::assert_snapshot!(owner, @"You no longer keep f.rs: you and main@7c1e waited for each other, and nothing of yours was in it. Ask again before you edit.");
}

#[test]
fn who_is_not_the_next_in_line_is_not_promised_what_was_let_go() {
    let round = judged(LeaseFacts {
        waits: vec![wait(fixer(), "g.rs", myself())],
        ..writing(vec![TargetFacts {
            reserved: vec![reservation("*.rs", fixer(), "")],
            waiting: vec![reviewer()],
            ..free("f.rs")
        }])
    });
    assert!(denial(&round).unwrap().contains("You are 2nd in line"));
}

#[test]
fn waiting_without_a_circle_is_no_circle() {
    let round = judged(wanting_f(vec![
        wait(fixer(), "h.rs", reviewer()),
        wait(reviewer(), "k.rs", agent(9, "tester@a0d4", "")),
        wait(agent(10, "docs@a000", ""), "g.rs", myself()),
    ]));
    assert!(denial(&round).unwrap().starts_with("f.rs is being edited by"));
    assert_eq!(changes(&round), [queue("f.rs")]);
}

#[test]
fn a_circle_among_others_does_not_keep_the_search_going() {
    let round = judged(wanting_f(vec![
        wait(fixer(), "h.rs", reviewer()),
        wait(reviewer(), "k.rs", fixer()),
    ]));
    assert!(denial(&round).unwrap().starts_with("f.rs is being edited by"));
}

#[test]
fn the_others_are_told_once_and_the_one_that_asks_every_time() {
    let mut facts = wanting_f(vec![wait(fixer(), "g.rs", myself())]);
    facts.targets[0].waiting = vec![myself()];
    let round = judged(facts);
    assert!(denial(&round).unwrap().starts_with("You hold g.rs"));
    assert_eq!(told(&round), []);
    assert_eq!(person_told(&round), Vec::<&str>::new());
}

#[test]
fn a_promised_file_closes_no_circle() {
    let round = judged(LeaseFacts {
        waits: vec![wait(fixer(), "g.rs", myself())],
        ..writing(vec![TargetFacts {
            offered: Some(offer(fixer())),
            ..free("f.rs")
        }])
    });
    assert!(denial(&round).unwrap().starts_with("f.rs is free but promised"));
}
