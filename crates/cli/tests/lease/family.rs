//! Who started whom decides who may borrow.

use crate::{SESSION, denied, world};
use serde_json::json;
use testkit::Agent;

/// Main waits for two agents of one kind, started at once; their ids, and what the client notes down about them.
fn waits_for_two<'a>(main: &Agent<'a>, notes: bool) -> [Agent<'a>; 2] {
    let children = [
        ("a1111111111111111", "toolu_one"),
        ("a2222222222222222", "toolu_two"),
    ];
    for (_, call) in children {
        let input = json!({
            "description": call, "prompt": "x", "subagent_type": "fixer", "run_in_background": false
        });
        main.before(call, "Agent", &input).ok();
    }
    children.map(|(id, call)| {
        let agent = main.subagent(id, "fixer");
        agent.begins().ok();
        if notes {
            note(main, id, call);
        }
        agent
    })
}

/// What the client notes down about an agent it started.
fn note(main: &Agent<'_>, id: &str, call: &str) {
    let folder = main.transcript().join("subagents");
    fs_err::create_dir_all(&folder).expect("a folder for notes");
    let note = json!({ "agentType": "fixer", "toolUseId": call, "spawnDepth": 1 });
    fs_err::write(folder.join(format!("agent-{id}.meta.json")), note.to_string()).expect("a note");
}

#[test]
fn a_note_that_is_there_when_an_agent_starts_says_which_call_started_it() {
    let world = world();
    let main = world.agent(SESSION);
    main.starts().ok();
    main.is_asked("Go on.").ok();
    for call in ["toolu_one", "toolu_two"] {
        let input = json!({ "description": call, "prompt": "x", "subagent_type": "fixer" });
        main.before(call, "Agent", &input).ok();
    }
    let child = main.subagent("a1111111111111111", "fixer");
    note(&main, "a1111111111111111", "toolu_two");
    child.begins().ok();
    let spawned = world
        .database()
        .rows("SELECT spawn_call FROM actors WHERE agent_id <> ''");
    assert_eq!(spawned, ["toolu_two"]);
}

#[test]
fn children_started_at_once_borrow_from_the_parent_that_waits_one_after_the_other() {
    let world = world();
    let main = world.agent(SESSION);
    main.starts().ok();
    main.is_asked("Go on.").ok();
    main.writes("src/parser.rs", "two\n");
    let [one, two] = waits_for_two(&main, true);
    assert_eq!(denied(&one, "src/parser.rs"), None);
    let denial = denied(&two, "src/parser.rs").expect("it is lent to the other");
    assert!(denial.contains("fixer@a111 (\"toolu_one\")"), "{denial}");
}

#[test]
fn a_child_whose_parent_is_not_settled_borrows_nothing() {
    let world = world();
    let main = world.agent(SESSION);
    main.starts().ok();
    main.is_asked("Go on.").ok();
    main.writes("src/parser.rs", "two\n");
    let [one, _] = waits_for_two(&main, false);
    let denial = denied(&one, "src/parser.rs").expect("it is main's");
    assert!(denial.contains("main@ab31"), "{denial}");
}

#[test]
fn who_runs_beside_borrows_nothing_while_the_parent_waits_for_another() {
    let world = world();
    let main = world.agent(SESSION);
    main.starts().ok();
    main.is_asked("Go on.").ok();
    main.writes("src/parser.rs", "two\n");
    let beside = json!({ "description": "beside", "prompt": "x", "subagent_type": "watcher", "run_in_background": true });
    main.before("toolu_beside", "Agent", &beside).ok();
    let background = main.subagent("a1111111111111111", "watcher");
    background.begins().ok();
    let launched = json!({ "status": "async_launched", "agentId": "a1111111111111111" });
    main.after("toolu_beside", "Agent", &beside, &launched).ok();
    let awaited = json!({ "description": "awaited", "prompt": "x", "subagent_type": "fixer", "run_in_background": false });
    main.before("toolu_awaited", "Agent", &awaited).ok();
    let foreground = main.subagent("a2222222222222222", "fixer");
    foreground.begins().ok();
    let denial = denied(&background, "src/parser.rs").expect("main waits for another");
    assert!(denial.contains("main@ab31"), "{denial}");
    assert_eq!(denied(&foreground, "src/parser.rs"), None);
}
