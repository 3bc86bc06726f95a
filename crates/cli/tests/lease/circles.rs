//! Agents that wait for each other.

use crate::{SESSION, denied, world};
use serde_json::json;
use testkit::{Agent, World};

/// Two agents with a task each; the first holds `src/parser.rs` and waits for `src/lexer.rs`, which the second holds.
fn in_each_others_way(world: &World) -> [Agent<'_>; 2] {
    let main = world.agent(SESSION);
    main.starts().ok();
    main.is_asked("Go on.").ok();
    let agents = [
        ("a1111111111111111", "fixer", "fix parser"),
        ("a2222222222222222", "reviewer", "review lexer"),
    ];
    let agents = agents.map(|(id, kind, task)| {
        let input = json!({
            "description": task, "prompt": "x", "subagent_type": kind, "run_in_background": false
        });
        main.before(&format!("toolu_{kind}"), "Agent", &input).ok();
        let agent = main.subagent(id, kind);
        agent.begins().ok();
        agent
    });
    agents[0].writes("src/parser.rs", "two\n");
    agents[1].writes("src/lexer.rs", "two\n");
    assert!(denied(&agents[0], "src/lexer.rs").is_some());
    agents
}

/// What an agent is told with its next call.
fn told(agent: &Agent<'_>) -> String {
    let input = json!({ "file_path": agent.folder().join("toprope.toml") });
    agent.call("Read", &input).begins().context()
}

#[test]
fn whoever_closes_a_circle_is_told_and_so_are_the_others_with_their_next_call() {
    let world = world();
    let [one, two] = in_each_others_way(&world);
    let denial = denied(&two, "src/parser.rs").expect("it is held");
    insta::assert_snapshot!(denial, @r#"You hold src/lexer.rs, which fixer@a111 ("fix parser") waits for, and you want src/parser.rs, which fixer@a111 ("fix parser") holds. Nobody can go on. Finish src/lexer.rs and run `toprope lease release src/lexer.rs`, then wait for src/parser.rs."#);
    insta::assert_snapshot!(told(&one), @r#"You hold src/parser.rs, which reviewer@a222 ("review lexer") waits for, and you want src/lexer.rs, which reviewer@a222 ("review lexer") holds. Nobody can go on. Finish src/parser.rs and run `toprope lease release src/parser.rs`, then wait for src/lexer.rs."#);
    assert_eq!(told(&one), "");
}

#[test]
fn nobody_is_told_of_a_circle_that_is_open_again() {
    let world = world();
    let [one, two] = in_each_others_way(&world);
    assert!(denied(&two, "src/parser.rs").is_some());
    two.ends().ok();
    let told = told(&one);
    assert!(told.contains("src/lexer.rs is yours"), "{told}");
    assert!(!told.contains("Nobody can go on"), "{told}");
}

#[test]
fn a_circle_takes_no_file_from_whoever_is_writing_it() {
    let world = world();
    let [one, two] = in_each_others_way(&world);
    world.write("src/other.rs", "one\n");
    world.git(&["add", "src/other.rs"]);
    let call = two.is_about_to_run("sed -i s/one/two/ src/other.rs && cargo test");
    world.write("src/other.rs", "two\n");
    assert!(denied(&two, "src/parser.rs").is_some());
    let denial = denied(&one, "src/other.rs").unwrap_or_default();
    assert!(denial.starts_with("You hold src/parser.rs, which "), "{denial}");
    call.ends(&json!({ "stdout": "", "stderr": "", "interrupted": false }))
        .ok();
    assert!(denied(&one, "src/other.rs").is_some());
}
