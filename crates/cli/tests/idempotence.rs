//! The same event twice: one row, one answer, nothing applied a second time.
// Lets helpers fail as loudly as the tests they help.
#![cfg(test)]

use daemon::client;
use daemon::environment::Environment;
use daemon::fallback::{self, Handover};
use daemon::frame::reply::{PrintedReply, ReplyFrame};
use daemon::frame::request::{Ask, Header};
use daemon::home::Home;
use serde_json::json;
use testkit::World;

fn world() -> World {
    World::new(env!("CARGO_BIN_EXE_toprope"))
}

fn header(delivery: &str) -> Header {
    Header {
        agent: "claude-code".into(),
        delivery: delivery.into(),
        parent: 1,
        ..client::plain_header(Ask::Hook)
    }
}

/// Delivers an event to the daemon under a given delivery.
fn through_the_daemon(world: &World, delivery: &str, payload: &str) -> PrintedReply {
    let stream = std::os::unix::net::UnixStream::connect(world.socket()).unwrap();
    match client::ask(stream, &header(delivery), payload.as_bytes()).unwrap() {
        ReplyFrame::Done(printed) => printed,
        other => panic!("no answer: {other:?}"),
    }
}

/// Delivers an event as a hook does that gave up on the daemon.
fn in_process(world: &World, delivery: &str, payload: &str) -> PrintedReply {
    let environment = Environment::of(&[("TOPROPE_HOME", world.state().to_str().unwrap())]);
    let home = Home::of(&environment);
    fallback::decide(
        &home,
        &environment,
        header(delivery),
        payload.as_bytes().to_vec(),
        Handover::None,
    )
    .printed
}

fn events(world: &World) -> i64 {
    world.database().number("SELECT count(*) FROM events")
}

fn prompt(world: &World, text: &str) -> String {
    world
        .agent("s1")
        .payload("UserPromptSubmit", &json!({ "prompt": text }))
        .to_string()
}

#[test]
fn one_delivery_is_answered_once_whoever_asks_again() {
    let world = world();
    world.start_daemon(&[]);
    let payload = prompt(&world, "rehearse:owe a text");
    let first = through_the_daemon(&world, "d1", &payload);
    assert_eq!(through_the_daemon(&world, "d1", &payload), first);
    assert_eq!(in_process(&world, "d1", &payload), first);
    assert_eq!(events(&world), 1);
    assert_eq!(world.database().number("SELECT count(*) FROM notices"), 1);
}

#[test]
fn what_the_hook_decided_itself_the_daemon_does_not_decide_again() {
    let world = world();
    world.start_daemon(&[]);
    let payload = prompt(&world, "rehearse:deny once");
    let first = in_process(&world, "d1", &payload);
    assert!(String::from_utf8_lossy(&first.stdout).contains("rehearsed denial: once"));
    assert_eq!(through_the_daemon(&world, "d1", &payload), first);
    assert_eq!(events(&world), 1);
}

#[test]
fn another_delivery_of_the_same_prompt_is_another_prompt() {
    let world = world();
    world.start_daemon(&[]);
    let payload = prompt(&world, "again");
    through_the_daemon(&world, "d1", &payload);
    through_the_daemon(&world, "d2", &payload);
    assert_eq!(events(&world), 2);
}

/// Two settings files that both name the hook deliver everything twice.
#[test]
fn a_call_delivered_twice_gets_the_same_answer_and_is_one_call() {
    let world = world();
    for command in [
        "rehearse:deny it",
        "rehearse:rewrite echo safe",
        "rehearse:advise care",
        "rehearse:owe a text",
        "ls",
    ] {
        let agent = world.agent(command);
        let first = agent.runs("t1", command);
        assert_eq!(agent.runs("t1", command), first, "{command}");
        let session = format!(
            "SELECT count(*) FROM events JOIN actors ON actors.id = actor_id WHERE client_session_id = '{command}'"
        );
        assert_eq!(world.database().number(&session), 1, "{command}");
    }
    assert_eq!(world.database().number("SELECT count(*) FROM notices"), 1);
    assert_eq!(world.database().number("SELECT count(*) FROM calls"), 5);
}

#[test]
fn both_ends_of_a_call_can_come_twice() {
    let world = world();
    let agent = world.agent("s1");
    let input = json!({ "command": "ls" });
    for _ in 0..2 {
        agent.before("t1", "Bash", &input);
    }
    for _ in 0..2 {
        agent.after("t1", "Bash", &input, &json!({ "stdout": "" }));
    }
    assert_eq!(
        world.database().rows("SELECT event FROM events ORDER BY seq"),
        ["PreToolUse", "PostToolUse"]
    );
}

#[test]
fn twice_at_the_same_moment_is_once() {
    let world = world();
    world.start_daemon(&[]);
    let answers: Vec<_> = std::thread::scope(|scope| {
        let hooks: Vec<_> = (0..12)
            .map(|_| scope.spawn(|| world.agent("s1").runs("t1", "rehearse:deny me")))
            .collect();
        hooks
            .into_iter()
            .map(|hook| hook.join().unwrap().denial())
            .collect()
    });
    assert_eq!(answers, vec![Some("rehearsed denial: me".to_owned()); 12]);
    assert_eq!(events(&world), 1);
}

#[test]
fn the_same_call_id_of_another_agent_is_another_call() {
    let world = world();
    let main = world.agent("s1");
    main.runs("t1", "ls");
    main.subagent("a1", "Explore").runs("t1", "ls");
    world.agent("s2").runs("t1", "ls");
    assert_eq!(events(&world), 3);
}

#[test]
fn a_call_that_comes_back_after_a_resume_is_judged_anew() {
    let mut world = world();
    assert_eq!(
        world
            .agent("s1")
            .runs("t1", "rehearse:deny before")
            .denial()
            .unwrap(),
        "rehearsed denial: before"
    );
    world.agent("s1").leaves();
    world.restart_client();
    assert_eq!(
        world
            .agent("s1")
            .runs("t1", "rehearse:deny after")
            .denial()
            .unwrap(),
        "rehearsed denial: after"
    );
    let rows = world.database().rows("SELECT event FROM events ORDER BY seq");
    assert_eq!(rows, ["PreToolUse", "SessionEnd", "PreToolUse"]);
}

#[test]
fn a_call_that_comes_back_in_another_process_is_judged_anew_though_nobody_said_goodbye() {
    let mut world = world();
    world.agent("s1").runs("t1", "ls");
    world.restart_client();
    assert_eq!(
        world
            .agent("s1")
            .runs("t1", "rehearse:deny after")
            .denial()
            .unwrap(),
        "rehearsed denial: after"
    );
    assert_eq!(events(&world), 2);
}
