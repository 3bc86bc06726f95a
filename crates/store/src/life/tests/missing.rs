//! Agents that vanish without a word.

use crate::life;
use crate::stage::{Stage, Who, main_of};
use engine::event::{EventKind, SpawnResult, Spawned};
use engine::id::AgentId;

const ONE: &str = "a1110000000000001";
const TWO: &str = "a2220000000000002";
const MATE: &str = "areviewer-91c0ffee00112233";

/// A main thread and an agent of it in the background that wrote a file.
fn working() -> (Stage, Who, Who) {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    let child = main.agent(ONE, "x");
    stage.prompts(&main, "go");
    stage.spawns(&main, "toolu_1", "x", true);
    stage.answered(&main, "toolu_1", ONE, SpawnResult::Launched);
    stage.agent_starts(&child);
    stage.writes(&child, "toolu_2", "a.rs");
    (stage, main, child)
}

#[test]
fn who_is_no_longer_listed_is_over_once_it_is_silent_and_not_before() {
    let (mut stage, main, child) = working();
    stage.stops_beside(&main, &[]);
    stage.pass(9_000);
    stage.settles("a.rs");
    assert_eq!(stage.state(&child), "live");
    assert_eq!(stage.held(), ["a.rs x@a111 1"]);
    stage.pass(1_000);
    stage.settles("a.rs");
    assert_eq!(stage.state(&child), "ended missing");
    assert_eq!(stage.over(), ["a.rs x@a111 interrupted"]);
}

#[test]
fn who_is_silent_already_is_over_with_the_stop_that_does_not_list_it() {
    let (mut stage, main, child) = working();
    stage.pass(10_000);
    stage.stops_beside(&main, &[]);
    assert_eq!(stage.state(&child), "ended missing");
}

#[test]
fn who_is_listed_or_works_for_one_that_is_goes_on() {
    let (mut stage, main, child) = working();
    let grandchild = main.agent(TWO, "y");
    stage.spawns(&child, "toolu_3", "y", false);
    stage.agent_starts(&grandchild);
    stage.pass(60_000);
    stage.stops_beside(&main, &[ONE]);
    assert_eq!(stage.state(&child), "live");
    assert_eq!(stage.state(&grandchild), "live");
    stage.stops_beside(&main, &[]);
    assert_eq!(stage.state(&grandchild), "ended interrupted");
}

#[test]
fn who_acts_is_there_whatever_its_client_says() {
    let (mut stage, main, child) = working();
    stage.stops_beside(&main, &[]);
    stage.writes(&child, "toolu_3", "a.rs");
    stage.pass(60_000);
    stage.settles("a.rs");
    assert_eq!(stage.state(&child), "live");
    stage.stops_beside(&main, &[ONE]);
    assert_eq!(stage.actor(&child).missing_since, None);
}

#[test]
fn the_absence_of_a_teammate_proves_nothing() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    let mate = main.agent(MATE, "reviewer");
    stage.prompts(&main, "go");
    stage.writes(&mate, "toolu_1", "a.rs");
    stage.pass(60_000);
    stage.stops_beside(&main, &[]);
    assert_eq!(stage.state(&mate), "live");
}

#[test]
fn silence_is_reached_without_a_conflict_too() {
    let (mut stage, main, child) = working();
    stage.stops_beside(&main, &[]);
    let now = stage.hour();
    assert_eq!(stage.write(|db| life::end_missing(db, &now)), 0);
    stage.pass(10_000);
    let now = stage.hour();
    assert_eq!(stage.write(|db| life::end_missing(db, &now)), 1);
    assert_eq!(stage.state(&child), "ended missing");
    assert_eq!(stage.read().spent().scanned, 0);
}

#[test]
fn who_was_thought_missing_and_turns_up_gets_its_file_back() {
    let (mut stage, main, child) = working();
    stage.pass(10_000);
    stage.stops_beside(&main, &[]);
    assert_eq!(stage.held(), Vec::<String>::new());
    stage.calls(&child, "Read", "toolu_3", serde_json::json!({}));
    assert_eq!(stage.held(), ["a.rs x@a111 1"]);
}

#[test]
fn an_agent_whose_task_was_stopped_holds_nothing() {
    let (mut stage, main, child) = working();
    let kind = EventKind::ToolAfter {
        call: crate::stage::call("TaskStop", "toolu_3", serde_json::json!({"task_id": ONE})),
        response: serde_json::Value::Null,
        duration_ms: None,
        spawned: Some(Spawned {
            agent: Some(AgentId::new(ONE)),
            result: SpawnResult::Stopped,
            worked: false,
        }),
        changed: None,
        todo: None,
    };
    stage.send(&main, "PostToolUse", kind);
    assert_eq!(stage.state(&child), "ended stopped");
    assert_eq!(stage.over(), ["a.rs x@a111 actor_end"]);
}
