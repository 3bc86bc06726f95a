//! When files become free: turns, agents, sessions, processes and interrupts.

use crate::{OTHER, SESSION, denied, siblings, world};
use serde_json::json;
use std::time::{Duration, Instant};
use testkit::{Agent, World, eventually};

fn main_thread<'a>(world: &'a World, session: &str) -> Agent<'a> {
    let agent = world.agent(session);
    agent.starts().ok();
    agent.is_asked("Go on.").ok();
    agent
}

/// What is held, by label and path.
fn held(world: &World) -> Vec<String> {
    let list = world.toprope(&["lease", "list", "--json"]).ok();
    let list: serde_json::Value = serde_json::from_str(&list).expect("a list");
    let leases = list["leases"].as_array().expect("leases").clone();
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    leases
        .iter()
        .map(|lease| format!("{} {}", text(&lease["actor"]["label"]), text(&lease["path"])))
        .collect()
}

#[test]
fn an_agent_that_nobody_announced_has_a_lease_of_its_own() {
    let world = world();
    let main = main_thread(&world, SESSION);
    let unknown = main.subagent("a9999999999999999", "");
    unknown.writes("src/parser.rs", "two\n");
    let denial = denied(&main, "src/parser.rs").expect("it is held");
    assert!(denial.contains("is being edited by agent@a999"), "{denial}");
}

#[test]
fn the_clients_own_helper_ends_nothing() {
    let world = world();
    let [one, two] = siblings(&world);
    one.writes("src/parser.rs", "two\n");
    two.subagent("acompact00000000a", "").ends().ok();
    assert!(denied(&two, "src/parser.rs").is_some());
}

#[test]
fn the_main_threads_stop_does_not_free_what_its_background_agent_holds() {
    let world = world();
    let main = main_thread(&world, SESSION);
    let child = main.subagent("a1111111111111111", "fixer");
    child.begins().ok();
    child.writes("src/parser.rs", "two\n");
    main.writes("src/lexer.rs", "two\n");
    main.sends(
        "Stop",
        &json!({
            "stop_hook_active": false, "last_assistant_message": "done", "session_crons": [],
            "background_tasks": [{ "id": "a1111111111111111", "type": "subagent", "status": "running" }]
        }),
    )
    .ok();
    let other = main_thread(&world, OTHER);
    assert!(denied(&other, "src/parser.rs").is_some());
    assert_eq!(denied(&other, "src/lexer.rs"), None);
    child.ends().ok();
    assert_eq!(denied(&other, "src/parser.rs"), None);
}

#[test]
fn a_main_thread_may_keep_its_files_past_its_turn() {
    let world = world();
    world.write("toprope.toml", "[lease]\nuntil = \"session\"\n");
    let one = main_thread(&world, SESSION);
    one.writes("src/parser.rs", "two\n");
    one.stops().ok();
    let two = main_thread(&world, OTHER);
    assert!(denied(&two, "src/parser.rs").is_some());
    one.leaves().ok();
    assert_eq!(denied(&two, "src/parser.rs"), None);
}

#[test]
fn an_interrupted_write_is_freed_by_the_next_prompt_and_a_written_file_is_not() {
    let world = world();
    let one = main_thread(&world, SESSION);
    one.writes("src/lexer.rs", "two\n");
    one.is_about_to_write("src/parser.rs", "two\n");
    let two = main_thread(&world, OTHER);
    assert!(denied(&two, "src/parser.rs").is_some());
    one.is_asked("Something else.").ok();
    assert_eq!(denied(&two, "src/parser.rs"), None);
}

#[test]
fn what_an_interrupted_command_wrote_is_held_to_the_turns_end_and_the_rest_is_free() {
    let world = world();
    let one = main_thread(&world, SESSION);
    one.is_about_to_run("echo half > src/lexer.rs; sleep 9; echo late > src/parser.rs");
    world.write("src/lexer.rs", "half\n");
    one.is_asked("Something else.").ok();
    let two = main_thread(&world, OTHER);
    assert!(denied(&two, "src/lexer.rs").is_some());
    assert_eq!(denied(&two, "src/parser.rs"), None);
    one.stops().ok();
    assert_eq!(denied(&two, "src/lexer.rs"), None);
}

#[test]
fn a_write_whose_report_comes_after_its_session_stopped_is_counted_once() {
    let world = world();
    let main = main_thread(&world, SESSION);
    let spawn = json!({
        "subagent_type": "fixer", "description": "fix parser", "prompt": "p", "run_in_background": true
    });
    main.before("toolu_spawn", "Agent", &spawn).ok();
    let child = main.subagent("a1111111111111111", "fixer");
    child.begins().ok();
    let write = child.is_about_to_write("src/parser.rs", "two\n");
    let began = Instant::now();
    eventually("the next event is a later one", || {
        (began.elapsed() > Duration::from_millis(5)).then_some(())
    });
    write.does_write("two\n");
    main.is_asked("Something else.").ok();
    write.ends(&json!({})).ok();
    let counted = world.database().rows("SELECT writes FROM leases");
    assert_eq!(counted, ["1"]);
}

#[test]
fn what_an_interrupted_agent_left_half_written_is_told_to_the_next_writer() {
    let world = world();
    let main = main_thread(&world, SESSION);
    let spawn = json!({
        "subagent_type": "fixer", "description": "fix parser", "prompt": "p", "run_in_background": false
    });
    main.before("toolu_spawn", "Agent", &spawn).ok();
    let child = main.subagent("a1111111111111111", "fixer");
    child.begins().ok();
    child
        .is_about_to_write("src/parser.rs", "half\n")
        .does_write("half\n");
    main.is_asked("Something else.").ok();
    let input =
        json!({ "file_path": world.repo().join("src/parser.rs"), "old_string": "a", "new_string": "b" });
    let taken = main.call("Edit", &input).begins();
    assert_eq!(taken.denial(), None);
    let told = taken.context();
    assert!(
        told.contains("fixer@a111 (\"fix parser\") stopped in the middle of src/parser.rs"),
        "{told}"
    );
}

#[test]
fn what_holds_the_same_as_before_was_not_written_by_an_interrupted_call() {
    let world = world();
    let one = main_thread(&world, SESSION);
    one.is_about_to_write("src/parser.rs", "two\n");
    // Another time on the file, and the same content.
    world.write("src/parser.rs", "one\n");
    one.is_asked("Something else.").ok();
    let two = main_thread(&world, OTHER);
    assert_eq!(denied(&two, "src/parser.rs"), None);
}

#[test]
fn a_result_that_comes_late_takes_the_file_again() {
    let world = world();
    let one = main_thread(&world, SESSION);
    let call = one.is_about_to_write("src/parser.rs", "two\n");
    one.is_asked("Something else.").ok();
    call.does_write("two\n");
    call.ends(&json!({ "type": "update" })).ok();
    let two = main_thread(&world, OTHER);
    assert!(denied(&two, "src/parser.rs").is_some());
}

#[test]
fn a_refused_permission_leaves_nothing_behind() {
    let world = world();
    let [one, two] = siblings(&world);
    let call = one.is_about_to_write("src/parser.rs", "two\n");
    let file = world.repo().join("src/parser.rs");
    let input = json!({ "file_path": file, "content": "two\n" });
    one.sends(
        "PermissionDenied",
        &json!({ "tool_name": "Write", "tool_input": input, "tool_use_id": call.id, "reason": "no" }),
    )
    .ok();
    assert_eq!(denied(&two, "src/parser.rs"), None);
}

#[test]
fn three_wait_in_order_and_one_that_ended_is_skipped() {
    let world = world();
    let [one, two] = siblings(&world);
    let (three, four) = (main_thread(&world, OTHER), world.agent(SESSION));
    one.writes("src/parser.rs", "two\n");
    for agent in [&two, &three, &four] {
        assert!(denied(agent, "src/parser.rs").is_some());
    }
    two.ends().ok();
    one.ends().ok();
    let denial = denied(&four, "src/parser.rs").expect("another is first");
    assert!(denial.contains("promised to main@cd42"), "{denial}");
    assert_eq!(denied(&three, "src/parser.rs"), None);
}

#[test]
fn clearing_a_conversation_ends_its_main_threads_leases_alone() {
    let world = world();
    let main = main_thread(&world, SESSION);
    let child = main.subagent("a1111111111111111", "fixer");
    child.begins().ok();
    child.writes("src/parser.rs", "two\n");
    main.writes("src/lexer.rs", "two\n");
    main.sends("SessionEnd", &json!({ "reason": "clear" })).ok();
    let two = main_thread(&world, OTHER);
    assert!(denied(&two, "src/parser.rs").is_some());
    assert_eq!(denied(&two, "src/lexer.rs"), None);
}

#[test]
fn a_revived_agent_gets_its_file_back_only_if_nobody_took_it() {
    let world = world();
    let [one, two] = siblings(&world);
    one.writes("src/parser.rs", "two\n");
    one.ends().ok();
    two.reads("src/parser.rs");
    two.writes("src/parser.rs", "three\n");
    one.begins().ok();
    assert!(denied(&one, "src/parser.rs").is_some());
}

#[test]
fn locking_changes_no_byte_no_time_and_no_index() {
    let world = world();
    let [one, two] = siblings(&world);
    let file = world.repo().join("src/parser.rs");
    let index = world.repo().join(".git/index");
    let state = || {
        let time = |path: &std::path::Path| {
            fs_err::metadata(path)
                .expect("a file")
                .modified()
                .expect("a time")
        };
        (
            world.read("src/parser.rs"),
            time(&file),
            fs_err::read(&index).expect("an index"),
            world.git(&["status", "--porcelain"]),
        )
    };
    world.git(&["status"]);
    let before = state();
    let call = one.is_about_to_write("src/parser.rs", "two\n");
    assert!(denied(&two, "src/parser.rs").is_some());
    call.fails("refused").ok();
    one.ends().ok();
    two.ends().ok();
    assert_eq!(state(), before);
}

#[test]
fn a_list_agrees_with_decisions() {
    let world = world();
    let [one, _] = siblings(&world);
    assert_eq!(held(&world), Vec::<String>::new());
    one.writes("src/parser.rs", "two\n");
    assert_eq!(held(&world), ["fixer@a111 src/parser.rs"]);
    one.ends().ok();
    assert_eq!(held(&world), Vec::<String>::new());
}
