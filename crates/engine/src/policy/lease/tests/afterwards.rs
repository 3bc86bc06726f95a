//! What a call left behind.

use crate::effect::{Audience, Effect};
use crate::event::{Event, EventKind};
use crate::lease::{Held, Known, LastChange, LeaseEffect, Means, Seen, TargetFacts};
use crate::policy::lease::Lease;
use crate::round::{Round, Watch, decide};
use crate::testing::lease::{
    fixer, free, held, key, knowing, myself, offer, reservation, reviewer, taken, writing,
};
use crate::testing::{call, event};
use serde_json::{Value, json};

fn ran(command: &str) -> Event {
    event(EventKind::ToolAfter {
        call: call("Bash", json!({ "command": command })),
        response: Value::Null,
        duration_ms: None,
        spawned: None,
        changed: None,
        todo: None,
    })
}

fn failed(command: &str) -> Event {
    event(EventKind::ToolFailed {
        call: call("Bash", json!({ "command": command })),
        error: "Exit code 1".to_owned(),
        interrupted: false,
        duration_ms: None,
    })
}

fn round(event: &Event, targets: Vec<TargetFacts>) -> Round {
    decide(&[&Lease], event, &knowing(writing(targets)), &Watch::default())
}

fn by_shell(mut facts: TargetFacts) -> TargetFacts {
    facts.target.means = Means::Shell;
    facts.target.content = Known::Hash("now".to_owned());
    facts
}

fn changes(round: &Round) -> Vec<LeaseEffect> {
    round
        .effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Lease(change) => Some(change.clone()),
            _ => None,
        })
        .collect()
}

#[test]
fn a_write_under_the_own_lease_is_counted() {
    let mine = held("src/a.rs", myself());
    let lease = mine.lease;
    let facts = TargetFacts {
        held: Some(mine),
        ..by_shell(free("src/a.rs"))
    };
    assert_eq!(
        changes(&round(&ran("make"), vec![facts])),
        [LeaseEffect::Wrote { lease }]
    );
}

#[test]
fn a_free_file_that_was_written_is_taken() {
    let round = round(&ran("make"), vec![by_shell(free("src/a.rs"))]);
    assert_eq!(
        changes(&round),
        [LeaseEffect::TakeWritten {
            key: key("src/a.rs"),
            means: Means::Shell,
        }]
    );
    assert!(round.decision.is_silent());
}

#[test]
fn a_written_file_that_is_promised_to_another_or_reserved_is_not_taken() {
    let promised = |to| TargetFacts {
        offered: Some(offer(to)),
        ..by_shell(free("src/a.rs"))
    };
    assert_eq!(changes(&round(&ran("make"), vec![promised(fixer())])), []);
    assert_eq!(changes(&round(&ran("make"), vec![promised(myself())])).len(), 1);
    let reserved = TargetFacts {
        reserved: vec![reservation("src/**", fixer(), "")],
        ..by_shell(free("src/a.rs"))
    };
    assert_eq!(changes(&round(&ran("make"), vec![reserved])), []);
}

#[test]
fn who_writes_under_anothers_hands_is_told_and_so_are_the_holder_and_the_person() {
    let round = round(&ran("python3 fix.py"), vec![by_shell(taken("src/a.rs", fixer()))]);
    insta::assert_snapshot!(
        round.decision.context_text().unwrap(),
        @r#"Your command changed src/a.rs, which general-purpose@a3f2 ("fix parser") is editing. Do not touch it again."#
    );
    let told: Vec<String> = changes(&round)
        .into_iter()
        .filter_map(|change| match change {
            LeaseEffect::Tell { actor, text, .. } => Some(format!("{}: {text}", actor.0)),
            _ => None,
        })
        .collect();
    insta::assert_snapshot!(
        told.join("\n"),
        @"2: src/a.rs was changed under you by a command of main@7c1e. Your version is kept (`toprope why src/a.rs` shows how to restore it). Read it again."
    );
    let owed: Vec<&str> = round
        .effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Owe(owed) if owed.audience == Audience::Person => Some(owed.text.as_str()),
            _ => None,
        })
        .collect();
    insta::assert_snapshot!(
        owed.join("\n"),
        @r#"A command of main@7c1e changed src/a.rs, which general-purpose@a3f2 ("fix parser") is editing. The version before it is kept (`toprope why src/a.rs` shows how to restore it)."#
    );
}

#[test]
fn what_the_holder_wrote_meanwhile_is_not_the_commands_doing() {
    let facts = TargetFacts {
        last_change: LastChange::Of {
            who: fixer(),
            ago_ms: 10,
        },
        ..by_shell(taken("src/a.rs", fixer()))
    };
    let round = round(&ran("make"), vec![facts]);
    assert!(round.decision.is_silent());
    assert_eq!(changes(&round), []);
}

#[test]
fn what_the_holder_is_writing_right_now_is_not_the_commands_doing() {
    let at_work = Held {
        open_call: true,
        background: false,
        ..held("src/a.rs", fixer())
    };
    let facts = TargetFacts {
        held: Some(at_work),
        last_change: LastChange::Outside { formatter: None },
        ..by_shell(free("src/a.rs"))
    };
    for event in [ran("make"), failed("make")] {
        let round = round(&event, vec![facts.clone()]);
        assert!(round.decision.is_silent());
        assert_eq!(changes(&round), []);
    }
}

#[test]
fn a_failed_command_answers_for_what_nobody_else_explains() {
    let facts = TargetFacts {
        last_change: LastChange::Outside { formatter: None },
        ..by_shell(taken("src/a.rs", reviewer()))
    };
    assert!(!round(&failed("python3 fix.py"), vec![facts]).decision.is_silent());
}

#[test]
fn a_failed_command_does_not_answer_for_a_file_that_is_as_it_was() {
    let seen = Seen {
        content: Known::Hash("now".to_owned()),
        stamp: None,
        at_ms: 1,
    };
    let facts = TargetFacts {
        seen: Some(seen),
        ..by_shell(taken("src/a.rs", reviewer()))
    };
    assert!(round(&failed("false"), vec![facts]).decision.is_silent());
}

#[test]
fn a_command_does_not_take_again_what_its_actor_left_in_a_file_before() {
    let mine = TargetFacts {
        last_change: LastChange::Mine,
        ..by_shell(free("src/a.rs"))
    };
    assert_eq!(changes(&round(&ran("make"), vec![mine.clone()])), []);
    let seen = Seen {
        content: Known::Hash("other".to_owned()),
        stamp: None,
        at_ms: 1,
    };
    let put_back = TargetFacts {
        seen: Some(seen),
        ..mine
    };
    assert_eq!(changes(&round(&ran("make"), vec![put_back])).len(), 1);
}

#[test]
fn what_a_background_command_of_another_may_have_done_is_told_and_held_against_nobody() {
    let facts = TargetFacts {
        background: vec![reviewer()],
        ..by_shell(taken("src/a.rs", fixer()))
    };
    let judged = round(&ran("make"), vec![facts.clone()]);
    insta::assert_snapshot!(judged.decision.context.join("\n"), @r#"Your command or a background command of reviewer@a91c changed src/a.rs, which general-purpose@a3f2 ("fix parser") is editing. Do not touch it again."#);
    assert!(!changes(&judged).contains(&LeaseEffect::Violated));
    let own = TargetFacts {
        background: vec![myself()],
        ..facts
    };
    let judged = round(&ran("make"), vec![own]);
    assert!(
        changes(&judged).contains(&LeaseEffect::Violated),
        "it is its own either way"
    );
}
