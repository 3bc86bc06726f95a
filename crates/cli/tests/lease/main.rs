//! One writer per file, end to end: the real binary, its hook, real git.
// Lets helpers fail as loudly as the tests they help.
#![cfg(test)]

mod arrival;
mod commands;
mod contenders;
mod family;
mod keys;
mod lives;
mod token;
mod tools;
mod trouble;

use testkit::{Agent, World};

/// The client's session.
const SESSION: &str = "ab31c0de-0000-4000-8000-000000000001";
/// Another one.
const OTHER: &str = "cd42c0de-0000-4000-8000-000000000002";

/// A world with a file in it that git knows.
fn world() -> World {
    let world = World::new(env!("CARGO_BIN_EXE_toprope")).with("TOPROPE_DAEMON", "never");
    world.write("src/parser.rs", "one\n");
    world.write("src/lexer.rs", "one\n");
    world.git(&["add", "."]);
    world.git(&["commit", "-qm", "files"]);
    world.git(&["checkout", "-q", "-b", "feature-x"]);
    world
}

/// Two subagents of one session that were announced, its main thread in the middle of a turn.
fn siblings(world: &World) -> [Agent<'_>; 2] {
    let main = world.agent(SESSION);
    main.starts().ok();
    main.is_asked("Go on.").ok();
    let agents = [("a1111111111111111", "fixer"), ("a2222222222222222", "reviewer")];
    agents.map(|(id, kind)| {
        let agent = main.subagent(id, kind);
        agent.begins().ok();
        agent
    })
}

/// The agent wants to edit a file; its denial, if it gets one.
fn denied(agent: &Agent<'_>, path: &str) -> Option<String> {
    let file = agent.folder().join(path);
    let input = serde_json::json!({ "file_path": file, "old_string": "a", "new_string": "b" });
    agent.call("Edit", &input).begins().denial()
}
