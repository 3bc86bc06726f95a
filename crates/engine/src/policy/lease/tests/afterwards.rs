//! What a call left behind.

use crate::effect::{Audience, Effect};
use crate::event::{Event, EventKind};
use crate::lease::{
    ContentIdentity, FileObservation, HeldLease, LastChange, LeaseEffect, Means, TargetFacts,
};
use crate::policy::lease::LeasePolicy;
use crate::round::{Round, RoundWatch, decide};
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
    decide(
        &[&LeasePolicy],
        event,
        &knowing(writing(targets)),
        &RoundWatch::default(),
    )
}

fn by_shell(mut facts: TargetFacts) -> TargetFacts {
    facts.target.means = Means::Shell;
    facts.target.content = ContentIdentity::Hash("now".to_owned());
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
fn a_free_file_that_a_command_names_and_wrote_is_taken() {
    let round = round(&ran("sed -i s/a/b/ src/*.rs"), vec![by_shell(free("src/a.rs"))]);
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
fn what_a_command_changed_on_the_way_is_nobodys() {
    let mut facts = by_shell(free("Cargo.lock"));
    facts.target.incidental = true;
    for command in ["cargo test", "./generate.sh"] {
        let round = round(&ran(command), vec![facts.clone()]);
        assert_eq!(changes(&round), []);
        assert!(round.decision.is_silent());
    }
}

#[test]
fn a_build_that_touches_what_another_edits_is_told_to_nobody() {
    let mut facts = by_shell(taken("snapshot.txt", fixer()));
    facts.target.incidental = true;
    let built = round(&ran("cargo test"), vec![facts.clone()]);
    assert!(built.decision.is_silent() && built.effects.is_empty());
    assert!(!round(&ran("./fix.sh"), vec![facts]).decision.is_silent());
}

#[test]
fn an_overlap_is_told_once() {
    let facts = TargetFacts {
        told_overlap: true,
        ..by_shell(taken("src/a.rs", fixer()))
    };
    let round = round(&ran("python3 fix.py"), vec![facts]);
    assert!(round.decision.is_silent() && round.effects.is_empty());
}

#[test]
fn a_log_is_held_for_its_call_alone() {
    let mut log = by_shell(free("test.log"));
    log.target.untracked = true;
    let before = decide(
        &[&LeasePolicy],
        &event(EventKind::ToolBefore {
            call: call("Bash", json!({ "command": "make > test.log" })),
        }),
        &knowing(writing(vec![log.clone()])),
        &RoundWatch::default(),
    );
    let taken = LeaseEffect::Take {
        key: key("test.log"),
        means: Means::Shell,
        background: false,
        call_only: true,
    };
    assert_eq!(changes(&before), [taken]);
    log.held = Some(HeldLease {
        call_only: true,
        ..held("test.log", myself())
    });
    assert_eq!(changes(&round(&ran("make > test.log"), vec![log])), []);
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
fn who_changes_what_another_edits_is_told_and_so_are_the_holder_and_the_person() {
    let round = round(&ran("python3 fix.py"), vec![by_shell(taken("src/a.rs", fixer()))]);
    insta::assert_snapshot!(
        round.decision.context_text().unwrap(),
        @r#"Your command changed src/a.rs, which general-purpose@a3f2 ("fix parser") is editing. Leave it to them from here."#
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
        @"2: src/a.rs was changed by a command of main@7c1e while you are editing it. Read it again. `toprope why src/a.rs` shows which versions are kept."
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
        @r#"src/a.rs was changed by a command of main@7c1e while general-purpose@a3f2 ("fix parser") is editing it. `toprope why src/a.rs` shows which versions are kept."#
    );
}

#[test]
fn what_the_holder_wrote_meanwhile_is_not_the_commands_doing() {
    let facts = TargetFacts {
        last_change: LastChange::Of {
            who: fixer(),
            ago_ms: 10,
            means: Means::Tool,
        },
        ..by_shell(taken("src/a.rs", fixer()))
    };
    let round = round(&ran("make"), vec![facts]);
    assert!(round.decision.is_silent());
    assert_eq!(changes(&round), []);
}

#[test]
fn what_the_holder_is_writing_right_now_is_not_the_commands_doing() {
    let at_work = HeldLease {
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
    let seen = FileObservation {
        content: ContentIdentity::Hash("now".to_owned()),
        stamp: None,
        at_ms: 1,
        behind: false,
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
    let seen = FileObservation {
        content: ContentIdentity::Hash("other".to_owned()),
        stamp: None,
        at_ms: 1,
        behind: false,
    };
    let put_back = TargetFacts {
        seen: Some(seen),
        ..mine
    };
    assert_eq!(changes(&round(&ran("make"), vec![put_back])).len(), 1);
}
