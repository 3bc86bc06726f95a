//! Who waits, who is promised a file, and who asks too often.

use super::{denied, judged};
use crate::effect::{Audience, Effect};
use crate::lease::TargetFacts;
use crate::testing::lease::*;

fn promised(to: crate::lease::ActorLabel) -> TargetFacts {
    TargetFacts {
        offered: Some(offer(to.clone())),
        waiting: vec![to, agent(9, "tester@a0d4", "")],
        ..free("src/parser.rs")
    }
}

#[test]
fn a_promised_file_is_only_for_whom_it_is_promised_to() {
    let other = judged(writing(vec![promised(reviewer())]));
    assert!(denial(&other).is_some());
    assert_eq!(changes(&other), [queue("src/parser.rs")]);
    let head = judged(writing(vec![promised(myself())]));
    assert!(head.decision.is_silent());
    assert_eq!(changes(&head), [take("src/parser.rs")]);
}

#[test]
fn who_waits_already_keeps_its_place() {
    let text = denied(writing(vec![TargetFacts {
        waiting: vec![myself(), reviewer()],
        ..taken("src/parser.rs", fixer())
    }]));
    assert!(text.contains("You are 1st in line."), "{text}");
    let new = denied(writing(vec![TargetFacts {
        waiting: vec![agent(9, "tester@a0d4", ""), reviewer()],
        ..taken("src/parser.rs", fixer())
    }]));
    assert!(new.contains("You are 3rd in line."), "{new}");
}

fn asking_again(denials: u32) -> TargetFacts {
    TargetFacts {
        my_denials: denials,
        first_denial_ms: 41_000,
        waiting: vec![myself()],
        ..taken("src/parser.rs", fixer())
    }
}

#[test]
fn the_third_denial_within_a_minute_is_short_and_the_sixth_reaches_the_person() {
    assert!(denied(writing(vec![asking_again(1)])).contains("in line"));
    assert!(denied(writing(vec![asking_again(2)])).starts_with("Stop retrying src/parser.rs"));
    let owed = |denials| {
        let round = judged(writing(vec![asking_again(denials)]));
        let mut texts = round.effects.into_iter().filter_map(|effect| match effect {
            Effect::Owe(owed) if owed.audience == Audience::Person => Some(owed.text),
            _ => None,
        });
        texts.next()
    };
    assert_eq!(owed(4), None);
    insta::assert_snapshot!(owed(5).unwrap(), @r#"main@7c1e asked for src/parser.rs 6 times in 41 s; general-purpose@a3f2 ("fix parser") has it."#);
    assert!(owed(6).unwrap().contains("7 times"));
}

#[test]
fn even_who_asks_too_often_keeps_its_place() {
    let round = judged(writing(vec![asking_again(7)]));
    assert_eq!(changes(&round), [queue("src/parser.rs")]);
}

#[test]
fn who_waits_for_two_hundred_files_stands_in_no_line_for_one_more() {
    let mut lease = writing(vec![taken("src/parser.rs", fixer())]);
    lease.my_tickets = 200;
    let round = judged(lease);
    assert_eq!(changes(&round), []);
    insta::assert_snapshot!(denial(&round).unwrap(), @r#"src/parser.rs is being edited by general-purpose@a3f2 ("fix parser") for 3 min, last write 12 s ago. Nothing was written. You wait for too many files to stand in line for one more: finish those first."#);
}
