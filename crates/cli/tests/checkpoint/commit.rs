//! A commit leads to the turn its content comes from, as soon as somebody asks.

use crate::conversation::{Conversation, ids};
use crate::world;
use serde_json::{Value, json};
use testkit::World;

fn sh(world: &World, script: &str) {
    let mut command = world.person("sh");
    command.args(["-ec", script]);
    testkit::run(command, b"").ok();
}

/// The plain list, newest first: point, kind and how many commits stand beside it.
fn listed(world: &World) -> Vec<String> {
    let listed = world.toprope(&["checkpoint", "list", "--json"]).json().unwrap();
    let rows = listed["checkpoints"].as_array().unwrap().iter();
    rows.map(|row| {
        let commits = row["commits"].as_array().unwrap().len();
        format!(
            "{} {} {commits}",
            row["point"].as_str().unwrap_or("-"),
            row["kind"].as_str().unwrap()
        )
    })
    .collect()
}

/// What is known of a commit: the turn with its prompt, its last words and its conversation.
#[track_caller]
fn of_commit(world: &World, revision: &str) -> (Value, Value, Vec<String>) {
    let at = format!("commit:{revision}");
    let shown = world
        .toprope(&["checkpoint", "show", &at, "--json"])
        .json()
        .unwrap();
    let said = world.toprope(&["checkpoint", "show", &at, "--transcript"]).ok();
    (
        json!([shown["point"], shown["prompts"]]),
        shown["summary"].clone(),
        ids(&said),
    )
}

/// Two turns: the first writes two files, the second changes one of them and makes another.
fn two_turns(world: &World) {
    let talk = Conversation::begin(world, "s1");
    let main = talk.asked("p1", "First");
    main.writes("one.txt", "1\n");
    world.settled();
    main.writes("two.txt", "1\n");
    talk.writes("p1", "First", 1);
    talk.stops("p1");
    let main = talk.asked("p2", "Second");
    main.writes("two.txt", "2\n");
    world.settled();
    main.writes("three.txt", "2\n");
    talk.writes("p2", "Second", 2);
    talk.stops("p2");
}

#[test]
fn a_commit_is_linked_whoever_asks_first_with_or_without_a_daemon_or_a_client() {
    let commands: [&[&str]; 6] = [
        &["checkpoint", "list"],
        &["checkpoint", "show", "@"],
        &["why", "one.txt"],
        &["log"],
        &["resume", "main"],
        &["checkpoint", "list", "--all"],
    ];
    for daemon in ["auto", "never"] {
        let world = world();
        let world = if daemon == "never" {
            world.with("TOPROPE_DAEMON", "never")
        } else {
            world
        };
        let agent = world.agent("s1");
        agent.starts().ok();
        for (number, command) in commands.iter().enumerate() {
            agent.is_asked(&format!("Turn {number}")).ok();
            agent.writes("one.txt", &format!("{number}\n"));
            agent.stops().ok();
            // Everything an agent did is known; then it may be gone.
            world.toprope(&["checkpoint", "list"]).ok();
            if number % 2 == 1 {
                agent.leaves().ok();
                world.toprope(&["checkpoint", "list"]).ok();
            }
            sh(&world, &format!("git add -A; git commit -qm {number}"));
            world.toprope(command);
            let head = world.git(&["rev-parse", "HEAD"]);
            let turns = world.database().rows(&format!(
                "SELECT turn FROM commit_links JOIN checkpoints ON checkpoints.id = checkpoint_id
                 WHERE commit_links.commit_id = '{}'",
                head.trim()
            ));
            assert_eq!(turns, [(number + 1).to_string()], "{daemon}: {command:?}");
        }
    }
}

#[test]
fn a_commit_of_another_worktree_is_found_by_its_branch() {
    let world = world();
    let other = world.root().join("other");
    world.git(&["worktree", "add", "-q", "-b", "topic", other.to_str().unwrap()]);
    let agent = world.agent("s1").standing_in(&other);
    agent.starts().ok();
    agent.is_asked("There").ok();
    agent.writes("one.txt", "1\n");
    agent.stops().ok();
    world.agent("s2").is_asked("Here").ok();
    world.settled();
    sh(
        &world,
        &format!("cd {}; git add -A; git commit -qm there", other.display()),
    );
    let listed = world.toprope(&["resume", "topic"]);
    assert_ne!(listed.stderr, "", "{}", listed.whole());
    assert_eq!(world.database().number("SELECT count(*) FROM commit_links"), 1);
}

#[test]
fn a_commit_of_a_part_of_a_turn_stands_beside_that_turn() {
    let world = world();
    two_turns(&world);
    sh(&world, "git add one.txt; git commit -qm 'part of the first'");
    assert_eq!(listed(&world), ["t2 turn 0", "t1 turn 1", "start baseline 0"]);
    let first = json!(["t1", ["First"]]);
    assert_eq!(
        of_commit(&world, "HEAD"),
        (
            first.clone(),
            json!("done"),
            vec!["p1-u".into(), "p1-a".into(), "p1-s".into()]
        )
    );
    // A file that both turns changed is the later one's.
    sh(&world, "git add two.txt; git commit -qm 'both'");
    assert_eq!(listed(&world), ["t2 turn 1", "t1 turn 1", "start baseline 0"]);
    assert_eq!(of_commit(&world, "HEAD").0, json!(["t2", ["Second"]]));
    assert_eq!(of_commit(&world, "HEAD~1").0, first);
}

#[test]
fn a_commit_within_a_turn_stands_beside_its_end() {
    let world = world();
    let talk = Conversation::begin(&world, "s1");
    let main = talk.asked("p1", "First");
    main.writes("one.txt", "1\n");
    world.settled();
    main.shell("git add one.txt; git commit -qm one");
    world.settled();
    main.writes("two.txt", "2\n");
    talk.writes("p1", "First", 1);
    talk.stops("p1");
    assert_eq!(listed(&world), ["t1 turn 1", "start baseline 0"]);
    assert_eq!(of_commit(&world, "HEAD").1, json!("done"));
}

#[test]
fn a_commit_after_a_rewind_is_of_the_turn_that_is_left() {
    let world = world();
    two_turns(&world);
    world.toprope(&["rewind", "t1", "--yes"]).ok();
    sh(&world, "git add -A; git commit -qm 'what is left'");
    let rows = listed(&world);
    assert!(rows.contains(&"t1 turn 1".to_owned()), "{rows:?}");
    assert!(
        rows.iter().all(|row| row == "t1 turn 1" || row.ends_with(" 0")),
        "{rows:?}"
    );
    let known = of_commit(&world, "HEAD");
    assert_eq!(known.0, json!(["t1", ["First"]]));
    assert_eq!(known.1, json!("done"));
    assert_eq!(known.2, ["p1-u", "p1-a", "p1-s"]);
}

#[test]
fn a_commit_of_what_an_agent_left_after_the_stop_stands_beside_the_turn_that_launched_it() {
    let world = world();
    let talk = Conversation::begin(&world, "s1");
    let main = talk.asked("p1", "Delegate it");
    let helper = main.subagent("a1111111111111111", "Explore");
    helper.begins().ok();
    talk.stops("p1");
    helper.writes("late.txt", "late\n");
    world.settled();
    sh(&world, "git add -A; git commit -qm late");
    let known = || {
        world
            .toprope(&["checkpoint", "show", "commit:HEAD", "--json"])
            .json()
            .unwrap()
    };
    assert_eq!(known()["prompts"], json!(["Delegate it"]));
    helper.ends().ok();
    talk.asked(
        "n1",
        "<task-notification><task-id>a1111111111111111</task-id></task-notification>",
    )
    .stops()
    .ok();
    world.settled();
    assert_eq!(known()["point"], "t1");
}
