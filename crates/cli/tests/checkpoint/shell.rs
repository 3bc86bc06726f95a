//! What commands change: found by a look at the worktree, or told by the client, and put down to whoever ran them.

use crate::oracle::{assert_sound, changes, files_tree, tree_as_git_adds};
use crate::world;
use serde_json::json;
use testkit::World;

fn prepared() -> World {
    let world = world();
    for name in ["changed.txt", "removed.txt", "moved.txt"] {
        world.write(name, "before\n");
    }
    world.git(&["add", "."]);
    world.git(&["commit", "-qm", "second"]);
    world
}

const COMMAND: &str =
    "echo new > new.txt; echo after > changed.txt; rm removed.txt; mkdir d; mv moved.txt d/";

#[test]
fn a_command_that_says_nothing_of_its_files_leaves_them_all_the_same() {
    let world = prepared();
    let agent = world.agent("s1");
    agent.is_asked("Go").ok();
    let call = agent.shell(COMMAND);
    world.settled();
    let expected = [
        "modified changed.txt shell",
        "added d/moved.txt shell",
        "deleted moved.txt shell",
        "added new.txt shell",
        "deleted removed.txt shell",
    ];
    assert_eq!(changes(&world, "kind = 'step'"), expected);
    assert_eq!(
        world
            .database()
            .rows("SELECT DISTINCT tool_use_id FROM checkpoint_files"),
        [call.id]
    );
    agent.stops().ok();
    world.settled();
    assert_eq!(
        files_tree(&world, "kind = 'turn'"),
        tree_as_git_adds(&world, &world.repo())
    );
    assert_sound(&world);
}

#[test]
fn files_that_the_client_tells_of_are_the_calls_by_name() {
    let world = prepared();
    let agent = world.agent("s1");
    agent.is_asked("Go").ok();
    let call = agent.is_about_to_run(COMMAND);
    call.does_run();
    let files: Vec<_> = [
        "changed.txt",
        "new.txt",
        "removed.txt",
        "moved.txt",
        "d/moved.txt",
    ]
    .iter()
    .map(|name| world.repo().join(name))
    .collect();
    call.ends(&json!({ "stdout": "", "interrupted": false, "bashEditDiff": { "changedFiles": files } }))
        .ok();
    call.ends_step().ok();
    agent.stops().ok();
    world.settled();
    assert_eq!(
        changes(&world, "kind = 'step'"),
        [
            "modified changed.txt tool",
            "added d/moved.txt tool",
            "deleted moved.txt tool",
            "added new.txt tool",
            "deleted removed.txt tool",
        ]
    );
    assert_sound(&world);
}

#[test]
fn what_a_list_of_files_left_out_is_found_at_the_end_of_the_turn() {
    let world = prepared();
    let agent = world.agent("s1");
    agent.is_asked("Go").ok();
    let call = agent.is_about_to_run(COMMAND);
    call.does_run();
    let response = json!({
        "stdout": "", "interrupted": false,
        "bashEditDiff": { "changedFiles": [world.repo().join("new.txt")], "moreFiles": 4 }
    });
    call.ends(&response).ok();
    call.ends_step().ok();
    agent.stops().ok();
    world.settled();
    assert_eq!(
        changes(&world, "kind IN ('step', 'turn')"),
        [
            "modified changed.txt shell",
            "added d/moved.txt shell",
            "deleted moved.txt shell",
            "added new.txt tool",
            "deleted removed.txt shell",
        ]
    );
    assert_eq!(
        files_tree(&world, "kind = 'turn'"),
        tree_as_git_adds(&world, &world.repo())
    );
}

#[test]
fn a_command_that_failed_may_have_written() {
    let world = prepared();
    let agent = world.agent("s1");
    agent.is_asked("Go").ok();
    let call = agent.is_about_to_run("echo new > new.txt; false");
    call.does_run();
    call.fails("exit 1").ok();
    call.ends_step().ok();
    agent.stops().ok();
    world.settled();
    assert_eq!(changes(&world, "kind = 'step'"), ["added new.txt shell"]);
}

#[test]
fn a_command_that_runs_on_after_its_answer_counts_until_the_end_of_the_turn_and_is_a_server_then() {
    let world = prepared();
    let agent = world.agent("s1");
    agent.is_asked("Go").ok();
    let call = agent.call(
        "Bash",
        &json!({ "command": "serve", "run_in_background": true, "description": "run" }),
    );
    call.begins().ok();
    call.ends(&json!({ "stdout": "", "backgroundTaskId": "b1", "bashEditDiff": { "changedFiles": [] } }))
        .ok();
    world.write("built.txt", "x\n");
    call.ends_step().ok();
    agent.stops().ok();
    world.settled();
    world.write("served.txt", "x\n");
    agent.is_asked("And?").ok();
    world.settled();
    assert_eq!(
        changes(&world, "kind <> 'baseline'"),
        ["added built.txt shell", "added served.txt outside"]
    );
}

/// Two agents run commands at the same time; whose each file is.
fn side_by_side(one: &str, two: &str) -> Vec<String> {
    let world = prepared();
    let main = world.agent("s1");
    main.is_asked("Go").ok();
    let helper = main.subagent("a3f2", "general-purpose");
    helper.begins().ok();
    world.settled();
    let one = main.is_about_to_run(one);
    let two = helper.is_about_to_run(two);
    one.does_run();
    two.does_run();
    for call in [&one, &two] {
        call.ends(&json!({ "stdout": "" })).ok();
        call.ends_step().ok();
    }
    world.settled();
    world.database().rows(
        "SELECT CAST(path AS TEXT), origin, agent_id FROM checkpoint_files LEFT JOIN actors ON actors.id = actor_id \
         ORDER BY path",
    )
}

#[test]
fn what_two_agents_may_have_done_is_shared() {
    let writes = |name: &str| format!("awk 'BEGIN {{ print 1 > \"{name}\" }}'");
    assert_eq!(
        side_by_side(&writes("one.txt"), &writes("two.txt")),
        ["one.txt|shared|", "two.txt|shared|"]
    );
}

#[test]
fn what_only_one_of_two_commands_can_write_is_that_agents() {
    assert_eq!(
        side_by_side("echo one > one.txt", "echo two > two.txt"),
        ["one.txt|shell|", "two.txt|shell|a3f2"]
    );
}

#[test]
fn what_the_person_changes_between_turns_is_nobodys() {
    let world = prepared();
    let agent = world.agent("s1");
    agent.is_asked("Go").ok();
    agent.shell("echo new > new.txt");
    agent.stops().ok();
    world.settled();
    world.write("mine.txt", "mine\n");
    world.write("changed.txt", "mine\n");
    agent.is_asked("Go on").ok();
    world.settled();
    assert_eq!(
        changes(&world, "kind = 'outside'"),
        ["modified changed.txt outside", "added mine.txt outside"]
    );
    assert_sound(&world);
}

#[test]
fn what_the_person_typed_into_a_file_before_an_agent_wrote_it_is_kept_apart() {
    let world = prepared();
    let agent = world.agent("s1");
    agent.is_asked("Go").ok();
    agent.writes("changed.txt", "agent\n");
    world.settled();
    world.write("changed.txt", "person\n");
    agent.reads("changed.txt");
    agent.writes("changed.txt", "agent again\n");
    agent.stops().ok();
    world.settled();
    assert_eq!(
        changes(&world, "kind <> 'baseline'"),
        [
            "modified changed.txt tool",
            "modified changed.txt outside",
            "modified changed.txt tool"
        ]
    );
    let blob = format!("{}:changed.txt", files_tree(&world, "kind = 'outside'"));
    assert_eq!(crate::oracle::git(&world, &["cat-file", "-p", &blob]), "person");
    assert_sound(&world);
}

#[test]
fn a_call_that_was_denied_or_never_ran_changed_nothing() {
    let world = prepared();
    let agent = world.agent("s1");
    agent.is_asked("Go").ok();
    world.settled();
    let never = agent.is_about_to_write("changed.txt", "never\n");
    let also_never = agent.is_about_to_run("rm removed.txt");
    world.write("changed.txt", "person\n");
    agent.ends_step(&[&never, &also_never]).ok();
    agent.stops().ok();
    agent.is_asked("And?").ok();
    world.settled();
    assert_eq!(
        changes(&world, "kind <> 'baseline'"),
        ["modified changed.txt outside"]
    );
}

#[test]
fn an_agents_checkout_is_no_change_of_any_file() {
    let world = prepared();
    world.git(&["checkout", "-qb", "other"]);
    world.write("changed.txt", "other\n");
    world.git(&["rm", "-q", "removed.txt"]);
    world.git(&["commit", "-qam", "other"]);
    world.git(&["checkout", "-q", "main"]);
    world.write("mine.txt", "mine\n");
    let agent = world.agent("s1");
    agent.is_asked("Go").ok();
    agent.shell("git checkout -q other; echo x > made.txt");
    agent.stops().ok();
    world.settled();
    assert_eq!(changes(&world, "kind <> 'baseline'"), ["added made.txt shell"]);
    assert_eq!(
        files_tree(&world, "kind = 'turn'"),
        tree_as_git_adds(&world, &world.repo())
    );
}
