//! `toprope` without a word: help for a person, silence for a client that runs its hooks without their arguments.
// Lets helpers fail as loudly as the tests they help.
#![cfg(test)]

use std::io::Write;
use std::process::Stdio;
use testkit::{World, run};

fn world() -> World {
    World::new(env!("CARGO_BIN_EXE_toprope"))
}

#[test]
fn an_event_on_stdin_is_answered_with_silence_and_success() {
    let world = world();
    for event in [
        r#"{"sessionId":"c1","toolName":"bash","toolArgs":"{\"command\":\"ls\"}"}"#.to_owned(),
        " \n\t{}".to_owned(),
        format!(r#"{{"toolArgs":"{}"}}"#, "a".repeat(3_000_000)),
    ] {
        let output = run(world.command(&[]), event.as_bytes());

        assert_eq!(output.code, Some(0), "{}", output.whole());
        assert_eq!(output.stdout, "");
        assert_eq!(output.stderr, "");
    }
    assert!(!world.state().exists(), "it is no event of ours");
}

#[test]
fn an_event_on_a_stdin_that_stays_open_is_answered_all_the_same() {
    let world = world();
    let mut command = world.command(&[]);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(br#"{"toolName":"bash"}"#).unwrap();

    let status = child.wait().unwrap();

    assert!(status.success());
    drop(stdin);
}

#[test]
fn without_an_event_it_is_wrong_use_and_shows_help() {
    let world = world();
    for input in ["", "\n", "help me", "[1]"] {
        let output = run(world.command(&[]), input.as_bytes());

        assert_eq!(output.code, Some(2), "{input}: {}", output.whole());
        assert!(output.stderr.contains("Usage: toprope"), "{}", output.whole());
    }
}

#[test]
fn a_stdin_that_says_nothing_keeps_nobody_waiting() {
    let world = world();
    let mut command = world.command(&[]);
    let mut child = command
        .stdin(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let stdin = child.stdin.take();

    let status = child.wait().unwrap();

    assert_eq!(status.code(), Some(2));
    drop(stdin);
}
