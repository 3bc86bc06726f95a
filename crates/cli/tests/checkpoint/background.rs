//! What a turn left in the background belongs to that turn, whenever it reports: only a person opens a turn.

use crate::conversation::{Conversation, ids};
use crate::oracle::assert_sound;
use crate::world;
use serde_json::json;
use testkit::{Agent, Call, World};

/// How the client reports on a task that a call launched.
fn report(task: &str, call: &str) -> String {
    format!(
        "<task-notification>\n<task-id>{task}</task-id>\n<tool-use-id>{call}</tool-use-id>\n\
         <status>completed</status>\n<summary>done</summary>\n</task-notification>"
    )
}

/// Launches a subagent in the background.
fn launches<'a>(agent: &Agent<'a>, id: &str) -> (Call<'a>, Agent<'a>) {
    let call = agent.call(
        "Agent",
        &json!({ "description": "late work", "prompt": "Go", "subagent_type": "Explore" }),
    );
    call.begins().ok();
    let helper = agent.subagent(id, "Explore");
    helper.begins().ok();
    call.ends(&json!({ "isAsync": true, "status": "async_launched", "agentId": id }))
        .ok();
    call.ends_step().ok();
    (call, helper)
}

/// Runs a command in the background, which goes on.
fn sends_to_background<'a>(agent: &Agent<'a>, task: &str) -> Call<'a> {
    let input = json!({ "command": "sleep 9", "description": "run", "run_in_background": true });
    let call = agent.call("Bash", &input);
    call.begins().ok();
    call.ends(&json!({ "stdout": "", "stderr": "", "backgroundTaskId": task }))
        .ok();
    call.ends_step().ok();
    call
}

/// The points of the plain list with their labels, newest first.
fn listed(world: &World, arguments: &[&str]) -> Vec<String> {
    let all: Vec<&str> = ["checkpoint", "list", "--json"]
        .iter()
        .chain(arguments)
        .copied()
        .collect();
    let listed = world.toprope(&all).json().unwrap();
    let rows = listed["checkpoints"].as_array().unwrap().iter();
    rows.map(|row| {
        let files = &row["files"];
        format!(
            "{} {} +{} {}",
            row["point"].as_str().unwrap(),
            row["kind"].as_str().unwrap(),
            files["added"],
            row["label"].as_str().unwrap()
        )
    })
    .collect()
}

/// Turns with their state, and the tokens written for each.
fn turns(world: &World) -> Vec<String> {
    world.database().rows(
        "SELECT 't' || number || ' ' || state || ' ' || prompt || ' ' || COALESCE((SELECT SUM(output) FROM usage
             WHERE usage.session_id = turns.actor_id AND usage.turn = turns.number), 0)
         FROM turns ORDER BY number",
    )
}

#[test]
fn the_turn_that_launched_an_agent_has_one_row_with_all_its_work_and_tokens() {
    let world = world();
    let talk = Conversation::begin(&world, "s1");
    let main = talk.asked("p1", "First");
    main.writes("a.txt", "two\n");
    talk.writes("p1", "First", 10);
    talk.stops("p1");

    let main = talk.asked("p2", "Delegate it");
    main.writes("own.txt", "own\n");
    world.settled();
    let (call, helper) = launches(&main, "a1111111111111111");
    world.settled();
    talk.writes("p2", "Delegate it", 20);
    talk.stops("p2");
    helper.writes("late.txt", "late\n");
    world.settled();
    helper.ends().ok();
    world.settled();
    let told = report("a1111111111111111", &call.id);
    let main = talk.asked("n1", &told);
    main.writes("after.txt", "after\n");
    talk.writes("n1", &told, 300);
    talk.stops("n1");

    let main = talk.asked("p3", "Third");
    main.writes("third.txt", "3\n");
    talk.writes("p3", "Third", 4000);
    talk.stops("p3");

    assert_eq!(
        turns(&world),
        [
            "t1 done First 10",
            "t2 done Delegate it 320",
            "t3 done Third 4000"
        ]
    );
    assert_eq!(
        listed(&world, &[]),
        [
            "t3 turn +1 Third",
            "t2 turn +3 Delegate it",
            "t2.4 agent-stop +1 Finished: late work",
            "t2.2 agent-start +0 Starting: late work",
            "t1 turn +0 First",
            "start baseline +0 (nothing was changed yet)",
        ]
    );
    let shown = world
        .toprope(&["checkpoint", "show", "t2", "--json"])
        .json()
        .unwrap();
    assert_eq!(shown["prompts"], json!(["Delegate it"]));
    assert_eq!(shown["usage"]["main"]["output"], 320);
    let said = world.toprope(&["checkpoint", "show", "t2", "--transcript"]).ok();
    assert_eq!(
        ids(&said),
        [
            "p1-u", "p1-a", "p1-s", "p2-u", "p2-a", "p2-s", "n1-u", "n1-a", "n1-s"
        ]
    );
    // The tree when the turn ended, the agent's late work included.
    world.toprope(&["rewind", "t2", "--yes"]).ok();
    assert!(world.repo().join("after.txt").exists() && world.repo().join("late.txt").exists());
    assert!(!world.repo().join("third.txt").exists());
    world.toprope(&["rewind", "t1", "--yes"]).ok();
    assert!(!world.repo().join("own.txt").exists() && !world.repo().join("late.txt").exists());
    assert_sound(&world);
}

#[test]
fn a_report_in_the_middle_of_a_turn_splits_nothing() {
    let world = world();
    let talk = Conversation::begin(&world, "s1");
    let main = talk.asked("p1", "First");
    let call = sends_to_background(&main, "b1");
    main.writes("a.txt", "two\n");
    world.settled();
    // It has the id of the prompt that runs, and no stop came before it.
    main.is_asked(&report("b1", &call.id)).ok();
    main.writes("b.txt", "b\n");
    talk.writes("p1", "First", 10);
    talk.stops("p1");
    let main = talk.asked("p2", "Second");
    main.writes("c.txt", "c\n");
    talk.stops("p2");
    assert_eq!(turns(&world), ["t1 done First 10", "t2 done Second 0"]);
    assert_eq!(
        listed(&world, &[]),
        [
            "t2 turn +1 Second",
            "t1 turn +1 First",
            "start baseline +0 (nothing was changed yet)"
        ]
    );
}

#[test]
fn a_report_during_a_later_turn_leaves_that_turn_as_it_is() {
    let world = world();
    let talk = Conversation::begin(&world, "s1");
    let main = talk.asked("p1", "First");
    let call = sends_to_background(&main, "b1");
    talk.stops("p1");
    let main = talk.asked("p2", "Second");
    main.writes("b.txt", "b\n");
    main.is_asked(&report("b1", &call.id)).ok();
    main.writes("c.txt", "c\n");
    talk.writes("p2", "Second", 7);
    talk.stops("p2");
    assert_eq!(turns(&world), ["t1 done First 0", "t2 done Second 7"]);
    assert_eq!(listed(&world, &[])[0], "t2 turn +2 Second");
}

#[test]
fn a_turn_that_goes_on_behind_a_later_one_keeps_its_end() {
    let world = world();
    let talk = Conversation::begin(&world, "s1");
    let main = talk.asked("p1", "First");
    main.writes("one.txt", "1\n");
    let call = sends_to_background(&main, "b1");
    talk.writes("p1", "First", 1);
    talk.stops("p1");
    let main = talk.asked("p2", "Second");
    main.writes("two.txt", "2\n");
    talk.writes("p2", "Second", 20);
    talk.stops("p2");
    let told = report("b1", &call.id);
    let main = talk.asked("n1", &told);
    main.writes("late.txt", "late\n");
    talk.writes("n1", &told, 300);
    talk.stops("n1");
    assert_eq!(turns(&world), ["t1 done First 301", "t2 done Second 20"]);
    assert_eq!(
        listed(&world, &[]),
        [
            "t1.3 turn +2 First",
            "t2 turn +1 Second",
            "t1 turn +1 First",
            "start baseline +0 (nothing was changed yet)"
        ]
    );
    let said = |point: &str| ids(&world.toprope(&["checkpoint", "show", point, "--transcript"]).ok());
    assert_eq!(said("t1"), ["p1-u", "p1-a", "p1-s"]);
    assert_eq!(said("t2").last().unwrap(), "p2-s");
    world.toprope(&["rewind", "t1", "--yes"]).ok();
    let has = |name: &str| world.repo().join(name).exists();
    assert!(has("one.txt") && !has("two.txt") && !has("late.txt"));
}

#[test]
fn lines_of_a_monitor_and_hooks_that_wake_the_model_open_no_turn() {
    let world = world();
    let talk = Conversation::begin(&world, "s1");
    let main = talk.asked("p1", "Watch it");
    let call = main.call(
        "Monitor",
        &json!({ "description": "watch", "command": "tail -f log" }),
    );
    call.begins().ok();
    call.ends(&json!({ "taskId": "b1", "timeoutMs": 1000, "persistent": false }))
        .ok();
    call.ends_step().ok();
    talk.stops("p1");
    talk.asked("p2", "Second");
    talk.stops("p2");
    let line = "<task-notification>\n<task-id>b1</task-id>\n<summary>Monitor event: \"watch\"</summary>\n\
        <event><tool-use-id>toolu_none</tool-use-id></event>\n</task-notification>";
    talk.asked("n1", line).writes("seen.txt", "x\n");
    talk.stops("n1");
    talk.asked(
        "n2",
        "<task-notification>\n<summary>Stop hook feedback</summary>\n</task-notification>",
    )
    .writes("woken.txt", "x\n");
    talk.stops("n2");
    assert_eq!(turns(&world), ["t1 done Watch it 0", "t2 done Second 0"]);
    let points = world.database().rows(
        "SELECT 't' || turn || ' ' || CAST(path AS TEXT) FROM checkpoint_files JOIN checkpoints
             ON checkpoints.seq = checkpoint_seq WHERE kind = 'step' ORDER BY path",
    );
    assert_eq!(points, ["t1 seen.txt", "t2 woken.txt"]);
}

#[test]
fn a_person_who_speaks_while_a_report_is_worked_on_interrupts_that_turn() {
    let world = world();
    let talk = Conversation::begin(&world, "s1");
    let main = talk.asked("p1", "First");
    let call = sends_to_background(&main, "b1");
    talk.stops("p1");
    let main = talk.asked("n1", &report("b1", &call.id));
    main.is_about_to_write("half.txt", "half\n").does_write("half\n");
    talk.asked("p2", "Second");
    world.settled();
    assert_eq!(turns(&world), ["t1 interrupted First 0", "t2 open Second 0"]);
    assert_eq!(listed(&world, &[])[0], "t1 interrupted +1 First");
}

#[test]
fn a_turns_conversation_ends_where_the_next_prompt_begins() {
    let world = world();
    let talk = Conversation::begin(&world, "s1");
    let main = talk.asked("p1", "First");
    main.writes("a.txt", "two\n");
    talk.writes_prompt("p1", "First");
    // The end of the first turn is written with the whole second one: the next prompt follows at once.
    main.stops().ok();
    let main = talk.asked("p2", "Second");
    main.writes("b.txt", "b\n");
    talk.writes_answer("p1", 1);
    talk.writes("p2", "Second", 2);
    talk.stops("p2");
    talk.asked("p3", "Third");
    world.settled();
    let said = |point: &str| ids(&world.toprope(&["checkpoint", "show", point, "--transcript"]).ok());
    assert_eq!(said("t1"), ["p1-u", "p1-a", "p1-s"]);
    assert_eq!(said("t2"), ["p1-u", "p1-a", "p1-s", "p2-u", "p2-a", "p2-s"]);
    let shown = world
        .toprope(&["checkpoint", "show", "t1", "--json"])
        .json()
        .unwrap();
    assert_eq!(shown["transcript"]["sealed"], true);
    assert_eq!(shown["transcript"]["leaf"], "p1-s");
}
