//! A session that ends without a word: closed when its process is gone, and not a moment earlier.
// Lets helpers fail as loudly as the tests they help.
#![cfg(test)]

use serde_json::json;
use std::process::Child;
use testkit::{World, eventually, process, run};

fn world() -> World {
    World::new(env!("CARGO_BIN_EXE_toprope"))
}

/// An agent's process beside the world's own.
struct Client(Child);

impl Client {
    fn start(world: &World) -> Self {
        Self(world.another_client())
    }

    fn asks(&self, world: &World, session: &str) {
        let payload = world
            .agent(session)
            .payload("UserPromptSubmit", &json!({ "prompt": "hello" }));
        let mut hook = world.command(&["hook", "claude-code"]);
        hook.env("CLAUDE_PID", self.0.id().to_string());
        run(hook, payload.to_string().as_bytes()).ok();
    }

    /// Killed and collected: nothing of it is left.
    fn kill(mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

fn open_sessions(world: &World) -> Vec<String> {
    world
        .database()
        .rows("SELECT client_session_id FROM sessions WHERE ended_at IS NULL ORDER BY id")
}

fn wait_until_open(world: &World, wanted: &[&str]) {
    eventually("the dead sessions are closed", || {
        (open_sessions(world) == wanted).then_some(())
    });
}

#[test]
fn a_session_whose_process_is_killed_is_closed_and_the_others_stay() {
    let world = world();
    let (doomed, other) = (Client::start(&world), Client::start(&world));
    doomed.asks(&world, "doomed");
    other.asks(&world, "other");
    assert_eq!(open_sessions(&world), ["doomed", "other"]);
    doomed.kill();
    wait_until_open(&world, &["other"]);
    let ended = world
        .database()
        .rows("SELECT end_reason FROM sessions WHERE ended_at IS NOT NULL");
    assert_eq!(ended, ["process_gone"]);
    assert_eq!(world.daemon().unwrap()["agents"], 1);
    other.kill();
    wait_until_open(&world, &[]);
}

#[test]
fn what_it_left_open_is_closed_with_it() {
    let mut world = world();
    let agent = world.agent("s1");
    agent.is_asked("do it");
    agent.runs("t1", "make");
    agent.subagent("a1", "Explore").runs("t2", "make");
    world.restart_client();
    wait_until_open(&world, &[]);
    assert_eq!(
        world
            .database()
            .number("SELECT count(*) FROM calls WHERE closed_at IS NULL"),
        0
    );
    assert_eq!(
        world
            .database()
            .number("SELECT count(*) FROM turns WHERE closed_at IS NULL"),
        0
    );
    assert_eq!(
        world
            .database()
            .number("SELECT count(*) FROM actors WHERE state = 'live'"),
        0
    );
}

#[test]
fn a_process_that_ended_while_there_was_no_daemon_is_noticed_by_the_next_one() {
    let world = world();
    let client = Client::start(&world);
    client.asks(&world, "s1");
    process::kill(world.daemons()[0]);
    client.kill();
    world.start_daemon(&[]);
    wait_until_open(&world, &[]);
}

#[test]
fn without_a_daemon_the_status_notices() {
    let world = world().with("TOPROPE_DAEMON", "never");
    let client = Client::start(&world);
    client.asks(&world, "s1");
    let agents = || {
        world.toprope(&["status", "--json"]).json().unwrap()["projects"][0]["agents"]
            .as_array()
            .unwrap()
            .len()
    };
    assert_eq!(agents(), 1);
    client.kill();
    assert_eq!(agents(), 0);
    assert_eq!(open_sessions(&world), Vec::<String>::new());
    assert!(world.daemons().is_empty());
}

#[test]
fn an_agent_that_comes_back_in_a_new_process_is_open_again() {
    let mut world = world();
    world.agent("s1").is_asked("one");
    world.restart_client();
    wait_until_open(&world, &[]);
    world.agent("s1").is_asked("two");
    assert_eq!(open_sessions(&world), ["s1"]);
}

#[test]
fn a_daemon_that_is_asked_to_stop_leaves_cleanly_and_keeps_sessions_open() {
    let world = world();
    world.agent("s1").is_asked("one");
    let daemon = world.daemons()[0];
    process::terminate(daemon);
    eventually("the daemon leaves", || world.daemons().is_empty().then_some(()));
    let left: Vec<String> = fs_err::read_dir(world.state())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.contains(".sock"))
        .collect();
    assert_eq!(left, Vec::<String>::new(), "no socket is left behind");
    assert_eq!(open_sessions(&world), ["s1"]);
    world.agent("s1").is_asked("two");
    assert_eq!(world.daemons().len(), 1, "the next hook starts another");
}
