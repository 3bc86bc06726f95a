//! A file in other hands for a while: who gets it back.

use crate::leases::{self, TakeResult};
use crate::stage::{Stage, Who, main_of};
use engine::event::SpawnResult;

const ONE: &str = "a1110000000000001";

/// A main thread that wrote a file and waits for an agent that borrows it.
fn lent() -> (Stage, Who, Who) {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    let child = main.agent(ONE, "x");
    stage.prompts(&main, "go");
    stage.writes(&main, "toolu_1", "a.rs");
    stage.spawns(&main, "toolu_2", "x", false);
    stage.agent_starts(&child);
    let TakeResult::Held(lease) = stage.edits(&child, "toolu_3", "a.rs") else {
        panic!("it was free");
    };
    let sent = stage.calls(&child, "Edit", "toolu_3", serde_json::json!({}));
    let taking = stage.taking(&sent);
    stage.write(|db| leases::lend(db, lease.id, &taking));
    (stage, main, child)
}

#[test]
fn a_lent_file_is_the_borrowers_alone() {
    let (mut stage, main, child) = lent();
    assert_eq!(stage.held(), ["a.rs x@a111 from main@7c1e 1"]);
    assert!(matches!(
        stage.edits(&main, "toolu_4", "a.rs"),
        TakeResult::Held(_)
    ));
    assert!(matches!(
        stage.edits(&child, "toolu_5", "a.rs"),
        TakeResult::Again(_)
    ));
}

#[test]
fn it_goes_back_when_the_borrower_ends() {
    let (mut stage, main, child) = lent();
    stage.returns(&child, "toolu_3");
    stage.agent_stops(&child);
    assert_eq!(stage.held(), ["a.rs main@7c1e 2"]);
    stage.answered(&main, "toolu_2", ONE, SpawnResult::Completed);
    stage.stops(&main);
    assert_eq!(stage.over(), ["a.rs main@7c1e turn_end"]);
}

#[test]
fn it_becomes_the_borrowers_own_when_the_owner_ends_first() {
    let (mut stage, main, _) = lent();
    stage.ends(&main, "clear");
    assert_eq!(stage.held(), ["a.rs x@a111 1"]);
}

#[test]
fn a_session_that_ends_leaves_it_to_neither() {
    let (mut stage, main, _) = lent();
    stage.ends(&main, "other");
    assert_eq!(stage.held(), Vec::<String>::new());
}

#[test]
fn a_silent_borrower_gives_it_back() {
    let (mut stage, _, child) = lent();
    stage.returns(&child, "toolu_3");
    stage.pass(11 * 60_000);
    stage.settles("a.rs");
    assert_eq!(
        stage.held(),
        ["a.rs main@7c1e 2"],
        "the owner waits in an open call"
    );
}
