//! Commands of actors that changed others' files before.

use crate::decision::Outcome;
use crate::event::Event;
use crate::lease::{Held, LeaseFacts};
use crate::policy::lease::Lease;
use crate::round::{Watch, decide};
use crate::testing::command;
use crate::testing::lease::*;

fn asked(event: &Event, violations: u32, editing: Vec<Held>) -> Option<String> {
    let facts = LeaseFacts {
        editing,
        violations,
        ..LeaseFacts::of(me(&[(12, true)]))
    };
    match decide(&[&Lease], event, &knowing(facts), &Watch::default())
        .decision
        .outcome
    {
        Outcome::Ask { reason } => Some(reason),
        Outcome::Pass => None,
        Outcome::Deny { reason, .. } => panic!("{reason}"),
    }
}

fn others() -> Vec<Held> {
    vec![held("src/parser.rs", fixer())]
}

#[test]
fn after_three_violations_a_command_that_may_write_is_the_persons_to_allow() {
    let script = command("./build.sh");
    assert_eq!(asked(&script, 2, others()), None);
    insta::assert_snapshot!(asked(&script, 3, others()).unwrap(), @r#"Commands of main@7c1e changed files of other agents 3 times in this session, and others are editing here: src/parser.rs (general-purpose@a3f2 "fix parser"). This command may change them too."#);
}

#[test]
fn what_only_reads_and_what_is_no_command_is_not_asked_about() {
    assert_eq!(asked(&command("ls -la"), 5, others()), None);
    assert_eq!(asked(&edit(), 5, others()), None);
}

#[test]
fn nobody_is_asked_where_nobody_else_holds_a_file() {
    let script = command("./build.sh");
    assert_eq!(asked(&script, 5, vec![]), None);
    assert_eq!(asked(&script, 5, vec![held("a.rs", myself())]), None);
    let waiting = agent(12, "main@7c1e", "");
    assert_eq!(asked(&script, 5, vec![held("a.rs", waiting)]), None);
}

#[test]
fn a_denial_stays_a_denial() {
    let facts = LeaseFacts {
        violations: 5,
        editing: others(),
        ..writing(vec![taken("src/parser.rs", fixer())])
    };
    let round = decide(
        &[&Lease],
        &command("./build.sh > src/parser.rs"),
        &knowing(facts),
        &Watch::default(),
    );
    assert!(denial(&round).is_some());
}
