//! A turn: its baseline, its steps and its end, with exactly what changed in it.

use crate::oracle::{assert_sound, changes, files_tree, git, kinds, line, tree_as_git_adds};
use crate::world;
use serde_json::json;

#[test]
fn three_edits_and_a_stop_leave_one_turn_with_exactly_these_files() {
    let world = world();
    world.write("kept.txt", "kept\n");
    world.git(&["add", "."]);
    world.git(&["commit", "-qm", "second"]);
    let agent = world.agent("s1");
    agent.starts().ok();
    agent.is_asked("Build the thing").ok();
    // One after the other: steps that wait become one.
    for (path, content) in [
        ("a.txt", "two\n"),
        ("src/b.rs", "fn b() {}\n"),
        ("src/deep/c.rs", "fn c() {}\n"),
    ] {
        agent.writes(path, content);
        world.settled();
    }
    agent.stops().ok();
    world.settled();
    assert_eq!(
        line(&world),
        [
            "baseline t1 (nothing was changed yet)",
            "step t1 Edit a.txt",
            "step t1 Edit src/b.rs",
            "step t1 Edit src/deep/c.rs",
            "turn t1 Build the thing",
        ]
    );
    assert_eq!(
        world
            .database()
            .rows("SELECT added, modified, deleted FROM checkpoints WHERE kind = 'turn'"),
        ["2|1|0"]
    );
    let rows = "SELECT change, path, before_id, after_id, origin FROM checkpoint_files ORDER BY path";
    let id = |content: &str| {
        world.write("../content", content);
        world
            .git(&["hash-object", "--no-filters", "../content"])
            .trim()
            .to_owned()
    };
    assert_eq!(
        world.database().rows(rows),
        [
            format!("modified|a.txt|{}|{}|tool", id("one\n"), id("two\n")),
            format!("added|src/b.rs||{}|tool", id("fn b() {}\n")),
            format!("added|src/deep/c.rs||{}|tool", id("fn c() {}\n")),
        ]
    );
    assert_eq!(
        files_tree(&world, "kind = 'turn'"),
        tree_as_git_adds(&world, &world.repo())
    );
    assert_sound(&world);
}

#[test]
fn each_step_is_the_state_it_ended_in() {
    let world = world();
    let agent = world.agent("s1");
    agent.is_asked("Go on").ok();
    let mut trees = Vec::new();
    for content in ["two\n", "three\n", "four\n"] {
        agent.writes("a.txt", content);
        trees.push(tree_as_git_adds(&world, &world.repo()));
        world.settled();
    }
    agent.stops().ok();
    world.settled();
    let rows = "SELECT files_tree FROM checkpoints WHERE kind = 'step' ORDER BY seq";
    assert_eq!(world.database().rows(rows), trees);
    assert_sound(&world);
}

#[test]
fn a_turn_without_changes_makes_no_commit_and_still_has_an_address() {
    let world = world();
    let agent = world.agent("s1");
    agent.is_asked("First").ok();
    agent.writes("a.txt", "two\n");
    agent.stops().ok();
    world.settled();
    let commits = git(&world, &["rev-list", "--all", "--count"]);
    agent.is_asked("What does it do?").ok();
    agent
        .call("Read", &json!({ "file_path": world.repo().join("a.txt") }))
        .begins()
        .ok();
    agent.stops().ok();
    world.settled();
    assert_eq!(git(&world, &["rev-list", "--all", "--count"]), commits);
    assert_eq!(kinds(&world), ["baseline", "step", "turn"]);
    let turns = "SELECT number, state, prompt, turns.checkpoint_id = checkpoints.id FROM turns
        JOIN checkpoints ON kind = 'turn' ORDER BY number";
    assert_eq!(
        world.database().rows(turns),
        ["1|done|First|1", "2|done|What does it do?|1"]
    );
}

#[test]
fn turns_without_changes_add_nothing_to_the_shadow() {
    let world = world();
    let agent = world.agent("s1");
    agent.is_asked("First").ok();
    agent.writes("a.txt", "two\n");
    agent.stops().ok();
    world.settled();
    let objects = git(&world, &["count-objects", "-v"]);
    for turn in 0..50 {
        agent.is_asked(&format!("Question {turn}")).ok();
        agent.stops().ok();
    }
    world.settled();
    assert_eq!(git(&world, &["count-objects", "-v"]), objects);
}

#[test]
fn the_same_event_twice_leaves_one_checkpoint() {
    let world = world();
    let agent = world.agent("s1");
    agent.is_asked("Go").ok();
    let call = agent.is_about_to_write("a.txt", "two\n");
    call.begins().ok();
    call.does_write("two\n");
    for _ in 0..2 {
        call.ends(&json!({})).ok();
    }
    // What the person types between two deliveries of one event is not the call's.
    world.settled();
    for _ in 0..2 {
        call.ends_step().ok();
        world.settled();
    }
    for _ in 0..2 {
        agent.stops().ok();
        world.settled();
    }
    assert_eq!(kinds(&world), ["baseline", "step", "turn"]);
    assert_eq!(
        world.database().number("SELECT count(*) FROM checkpoint_files"),
        1
    );
    assert_sound(&world);
}

#[test]
fn the_end_of_a_call_that_nobody_announced_is_kept_all_the_same() {
    let world = world();
    let agent = world.agent("s1");
    agent.is_asked("Go").ok();
    // Nothing holds this call back until the baseline is cut.
    world.settled();
    let call = agent.call(
        "Write",
        &json!({ "file_path": world.repo().join("b.txt"), "content": "b\n" }),
    );
    call.does_write("b\n");
    call.ends(&json!({})).ok();
    call.begins().ok();
    call.ends_step().ok();
    agent.stops().ok();
    world.settled();
    assert_eq!(changes(&world, "kind = 'step'"), ["added b.txt tool"]);
    assert_sound(&world);
}

#[test]
fn an_interrupted_turn_has_a_checkpoint_of_its_own_with_what_its_open_calls_left() {
    let world = world();
    let agent = world.agent("s1");
    agent.is_asked("First").ok();
    let write = agent.is_about_to_write("a.txt", "half\n");
    write.does_write("half\n");
    // Nothing tells of an interrupt but the next prompt.
    agent.is_asked("No, like this").ok();
    world.settled();
    assert_eq!(
        line(&world),
        ["baseline t1 (nothing was changed yet)", "interrupted t1 First"]
    );
    assert_eq!(changes(&world, "kind = 'interrupted'"), ["modified a.txt tool"]);
    agent.writes("b.txt", "b\n");
    agent.stops().ok();
    world.settled();
    assert_eq!(
        line(&world).split_off(2),
        ["step t2 Edit b.txt", "turn t2 No, like this"]
    );
    assert_eq!(
        world
            .database()
            .rows("SELECT number, state FROM turns ORDER BY number"),
        ["1|interrupted", "2|done"]
    );
    assert_sound(&world);
}

#[test]
fn what_changed_while_a_command_ran_that_was_interrupted_is_in_doubt() {
    let world = world();
    let agent = world.agent("s1");
    agent.is_asked("First").ok();
    agent.is_about_to_run("echo x > made.txt").does_run();
    agent.is_asked("Stop that").ok();
    world.settled();
    assert_eq!(changes(&world, "kind = 'interrupted'"), ["added made.txt shared"]);
    let doubts = "SELECT doubt FROM checkpoint_files WHERE session_id IS NOT NULL";
    assert_eq!(world.database().rows(doubts), ["interrupted"]);
}

#[test]
fn what_changed_while_no_call_was_open_is_nobodys_even_in_an_interrupted_turn() {
    let world = world();
    let agent = world.agent("s1");
    agent.is_asked("First").ok();
    world.settled();
    world.write("notes.md", "mine\n");
    agent.is_asked("Second").ok();
    world.settled();
    assert_eq!(changes(&world, "kind <> 'baseline'"), ["added notes.md outside"]);
}

#[test]
fn an_agents_process_that_is_gone_leaves_an_interrupted_checkpoint() {
    let mut world = world();
    world.agent("s1").is_asked("First").ok();
    world
        .agent("s1")
        .is_about_to_write("a.txt", "half\n")
        .does_write("half\n");
    world.restart_client();
    testkit::eventually("an interrupted checkpoint", || {
        kinds(&world).contains(&"interrupted".to_owned()).then_some(())
    });
    assert_eq!(changes(&world, "kind = 'interrupted'"), ["modified a.txt tool"]);
}

#[test]
fn what_was_dirty_before_the_first_prompt_is_credited_to_nobody() {
    let world = world();
    world.write("deleted.txt", "x\n");
    world.write("staged.txt", "x\n");
    world.git(&["add", "."]);
    world.git(&["commit", "-qm", "second"]);
    world.write("a.txt", "mine\n");
    world.write("untracked.txt", "mine\n");
    world.write("staged.txt", "staged\n");
    world.git(&["add", "staged.txt"]);
    world.write("staged.txt", "and more\n");
    fs_err::remove_file(world.repo().join("deleted.txt")).unwrap();
    let agent = world.agent("s1");
    agent.is_asked("Go").ok();
    agent.writes("b.txt", "b\n");
    agent.stops().ok();
    world.settled();
    assert_eq!(
        changes(&world, "kind = 'baseline'"),
        [
            "modified a.txt outside",
            "deleted deleted.txt outside",
            "modified staged.txt outside",
            "added untracked.txt outside"
        ]
    );
    assert_eq!(
        line(&world).first().unwrap(),
        "baseline t1 (3 files were already changed, 1 untracked)"
    );
    assert_eq!(changes(&world, "kind <> 'baseline'"), ["added b.txt tool"]);
    assert_eq!(
        world.database().number(
            "SELECT count(*) FROM checkpoint_files WHERE origin = 'outside' AND session_id IS NOT NULL"
        ),
        0
    );
    assert_eq!(files_tree(&world, "1"), tree_as_git_adds(&world, &world.repo()));
    assert_sound(&world);
}
