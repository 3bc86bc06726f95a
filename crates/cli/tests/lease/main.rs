//! One writer per file, end to end: the real binary, its hook, real git.
// Lets helpers fail as loudly as the tests they help.
#![cfg(test)]

mod arrival;
mod background;
mod breaking;
mod certain;
mod circles;
mod commands;
mod commit;
mod contenders;
mod crash;
mod day;
mod family;
mod formatters;
mod help;
mod identity;
mod keys;
mod list;
mod lives;
mod merging;
mod release;
mod reminders;
mod reserve;
mod stale;
mod token;
mod tools;
mod trouble;
mod wait;
mod why;

use std::process::Command;
use testkit::{Agent, Output, World, run, skip};

const TOPROPE: &str = env!("CARGO_BIN_EXE_toprope");

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

/// The token the hook gives to a command that an agent is about to run.
fn token_of(agent: &Agent<'_>, line: &str) -> String {
    let call = agent.call("Bash", &serde_json::json!({ "command": line }));
    let answer = call.begins();
    assert_eq!(answer.denial(), None, "{line}");
    let answer = answer.json().expect("it is signed");
    let signed = &answer["hookSpecificOutput"]["updatedInput"]["command"];
    let mut words = text(signed).split(' ').skip_while(|word| *word != "--as");
    words.nth(1).expect("a token").to_owned()
}

/// A command of ours as an agent runs it, in a call of its own. Not started yet.
fn command_of(world: &World, agent: &Agent<'_>, arguments: &[&str]) -> Command {
    let token = token_of(agent, &format!("toprope {}", arguments.join(" ")));
    let (words, rest) = arguments.split_at(2);
    let mut command = world.command(&[words, &["--as", &token], rest].concat());
    command.env("CLAUDECODE", "1");
    command
}

/// The same, to its end.
fn runs(world: &World, agent: &Agent<'_>, arguments: &[&str]) -> Output {
    run(command_of(world, agent, arguments), b"")
}

/// A command of ours in an agent's shell, with nothing that says whose it is.
fn runs_unnamed(world: &World, arguments: &[&str]) -> Output {
    let mut command = world.command(arguments);
    command.env("CLAUDECODE", "1");
    run(command, b"")
}

/// Runs a command line in a terminal of its own, with this typed into it; `None` where no terminal can be had.
fn in_a_terminal(world: &World, line: &str, typed: &str) -> Option<Output> {
    if Command::new("script").arg("--version").output().is_err() {
        skip("lease-terminal", "there is no `script`");
        return None;
    }
    let mut command = world.person("script");
    command.args(["-qec", line, "/dev/null"]);
    Some(run(command, typed.as_bytes()))
}

/// What the list shows, one line per file: its path and who has it.
fn listed(world: &World) -> Vec<String> {
    let data = world
        .toprope(&["lease", "list", "--json"])
        .json()
        .expect("a list");
    let lines = |name: &str, how: &str| -> Vec<String> {
        let entries = data[name].as_array().cloned().unwrap_or_default();
        let line = |entry: &serde_json::Value| {
            let waiting = entry["waiting"].as_array().map_or(0, Vec::len);
            let (path, label) = (&entry["path"], &entry["actor"]["label"]);
            format!("{} {how} {}, {waiting} waiting", text(path), text(label))
        };
        entries.iter().map(line).collect()
    };
    [lines("leases", "of"), lines("promises", "promised to")].concat()
}

fn text(value: &serde_json::Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn settled(world: &World, text: &str) -> String {
    let root = world.root().canonicalize().expect("a world");
    text.replace(&*root.to_string_lossy(), "[world]")
        .replace(&*world.root().to_string_lossy(), "[world]")
}

macro_rules! assert_shown {
    ($world:expr, $output:expr, @$snapshot:literal) => {
        let shown = crate::settled(&$world, &$output.whole());
        let filters = vec![
            (r"\b\d s\b", "[n] s"),
            (r"commit [0-9a-f]{7,}", "commit [commit]"),
            (r"\d{4}-\d\d-\d\dT[0-9:.]+Z", "[when]"),
            (r"\d\d:\d\d:\d\d", "[clock]"),
            (r"\b[0-9a-f]{12}\b", "[checkpoint]"),
        ];
        insta::with_settings!({ filters => filters }, {
            insta::assert_snapshot!(shown, @$snapshot);
        });
    };
}
use assert_shown;

/// The session's main thread holds `src/lexer.rs` and waits for an agent that it started, which borrows it.
fn lent(world: &World) -> [Agent<'_>; 2] {
    let main = world.agent(SESSION);
    main.starts().ok();
    main.is_asked("Go on.").ok();
    main.writes("src/lexer.rs", "two\n");
    let input = serde_json::json!({
        "subagent_type": "tester", "description": "run tests", "prompt": "p", "run_in_background": false
    });
    main.before("toolu_spawn", "Agent", &input).ok();
    let child = main.subagent("a3333333333333333", "tester");
    child.begins().ok();
    let path = world.repo().join("src/lexer.rs");
    child
        .before("toolu_read", "Read", &serde_json::json!({ "file_path": path }))
        .ok();
    child.writes("src/lexer.rs", "three\n");
    [main, child]
}
