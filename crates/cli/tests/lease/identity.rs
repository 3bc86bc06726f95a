//! Who acts, where clients say it badly or not at all.

use crate::{OTHER, SESSION, denied, siblings, world};
use serde_json::json;
use testkit::{Agent, World};

const SAID: &str = "This client does not tell subagents apart: files are protected between sessions only. Update the client.";

/// The main thread of a session in the middle of a turn.
fn main_of<'a>(world: &'a World, session: &str) -> Agent<'a> {
    let main = world.agent(session);
    main.starts().ok();
    main.is_asked("Go on.").ok();
    main
}

#[test]
fn an_agent_that_was_never_announced_holds_what_it_writes() {
    let world = world();
    let main = main_of(&world, SESSION);
    let ghost = main.subagent("a9999999999999999", "ghost");
    ghost.writes("src/parser.rs", "two\n");
    let denial = denied(&main, "src/parser.rs").expect("it is the other's");
    assert!(denial.contains("being edited by ghost@a999"), "{denial}");
    let announced = world
        .database()
        .rows("SELECT announced FROM actors WHERE agent_id <> ''");
    assert_eq!(announced, ["0"]);
}

#[test]
fn a_client_that_names_no_agents_is_told_once_what_that_means() {
    let world = world();
    let main = main_of(&world, SESSION);
    main.writes("src/parser.rs", "two\n");
    let stopped = || main.sends("SubagentStop", &json!({ "stop_hook_active": false }));
    assert_eq!(stopped().stdout, "", "it would wake the agent up again");
    assert_eq!(main.is_asked("And now?").context(), SAID);
    assert_eq!(stopped().stdout, "");
    assert_eq!(main.is_asked("And now?").context(), "", "it is said once");
    let helper = main.subagent("a1111111111111111", "fixer");
    assert_eq!(denied(&helper, "src/parser.rs"), None, "they count as one");
    let other = main_of(&world, OTHER);
    assert!(
        denied(&other, "src/parser.rs").is_some(),
        "another session does not"
    );
    let stops = world
        .database()
        .rows("SELECT outcome FROM events WHERE event = 'SubagentStop'");
    assert_eq!(stops.len(), 2, "the log is complete");
}

#[test]
fn where_files_are_not_leased_nobody_is_told_how_far_that_goes() {
    let world = world();
    world.write("toprope.toml", "[lease]\nmode = \"off\"\n");
    let main = main_of(&world, SESSION);
    main.sends("SubagentStop", &json!({ "stop_hook_active": false }))
        .ok();
    assert_eq!(main.is_asked("And now?").context(), "");
}

#[test]
fn ids_that_only_begin_alike_or_hold_control_characters_are_actors_of_their_own() {
    let world = world();
    let main = main_of(&world, SESSION);
    let long = "x".repeat(9_999);
    let one = main.subagent(&format!("{long}x"), "fixer");
    one.writes("src/parser.rs", "two\n");
    for id in [format!("{long}y"), "q\u{1b}[2Jb".to_owned(), "q\nb".to_owned()] {
        let denial = denied(&main.subagent(&id, "fixer"), "src/parser.rs").expect("another holds it");
        assert!(
            denial.starts_with("src/parser.rs is being edited by fixer@"),
            "{denial}"
        );
    }
    assert_eq!(denied(&one, "src/parser.rs"), None, "its own file");
    let rows = "SELECT agent_id || ' ' || label FROM actors WHERE agent_id <> '' ORDER BY id";
    let rows = world.database().rows(rows);
    assert_eq!(rows.len(), 4);
    for row in &rows {
        let (id, label) = row.split_once(' ').expect("two columns");
        assert!(
            id.len() == 64 && id.bytes().all(|byte| byte.is_ascii_hexdigit()),
            "{row}"
        );
        assert_eq!(label, format!("fixer@{}", &id[..4]));
    }
}

#[test]
fn a_call_without_a_session_is_counted_and_leases_nothing() {
    let world = world();
    let [one, two] = siblings(&world);
    let input = json!({ "file_path": world.repo().join("src/parser.rs"), "content": "two\n" });
    let mut payload = one.payload(
        "PreToolUse",
        &json!({ "tool_name": "Write", "tool_input": input, "tool_use_id": "toolu_1" }),
    );
    payload.as_object_mut().expect("an object").remove("session_id");
    let answer = world.hook(payload.to_string().as_bytes());
    assert_eq!((answer.code, answer.stdout.as_str()), (Some(0), ""));
    assert_eq!(
        world.database().rows("SELECT path FROM leases"),
        Vec::<String>::new()
    );
    assert_eq!(denied(&two, "src/parser.rs"), None);
    let counted = "SELECT count FROM counters WHERE name = 'event without a session'";
    assert_eq!(world.database().rows(counted), ["1"]);
    // What another holds is not held against it either: nobody could be told who waits.
    assert_eq!(world.hook(payload.to_string().as_bytes()).denial(), None);
}
