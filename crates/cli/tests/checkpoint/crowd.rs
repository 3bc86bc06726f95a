//! Many at once in one worktree: every checkpoint is on the line, in one order, and none is lost.

use crate::oracle::{assert_sound, git, kinds};
use crate::world;
use std::process::Stdio;
use std::thread;
use testkit::World;

const CROWD: usize = 32;

/// The checkpoints on the worktree's line, by their commits.
fn on_line(world: &World) -> usize {
    let tip = git(world, &["for-each-ref", "--format=%(objectname)"]);
    let format = "--format=%(trailers:key=Toprope-Kind,valueonly,separator=%x2C)";
    let kinds = git(world, &["log", format, &tip]);
    kinds.lines().filter(|kind| *kind != "seal").count()
}

#[test]
fn thirty_two_processes_that_make_a_checkpoint_each_are_all_on_the_line() {
    let world = world();
    let children: Vec<_> = (0..CROWD)
        .map(|number| {
            let mut command = world.command(&[
                "checkpoint",
                "create",
                "-m",
                &format!("number {number}"),
                "--json",
            ]);
            command
                .stdin(Stdio::null())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped());
            command.spawn().unwrap()
        })
        .collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    assert_eq!(on_line(&world), CROWD);
    assert_eq!(
        world
            .database()
            .number("SELECT count(DISTINCT label) FROM checkpoints WHERE kind = 'manual'"),
        i64::try_from(CROWD).unwrap()
    );
    assert_sound(&world);
}

/// A session that writes one file of its own and runs one command.
fn session(world: &World, number: usize) {
    let agent = world.agent(&format!("s{number}"));
    agent.is_asked(&format!("Task {number}")).ok();
    agent.writes(&format!("file-{number}.txt"), &format!("{number}\n"));
    agent.stops().ok();
}

#[track_caller]
fn assert_each_has_its_own(world: &World) {
    let rows = world.database().rows(
        "SELECT CAST(path AS TEXT), origin, client_session_id FROM checkpoint_files
         JOIN actors ON actors.id = checkpoint_files.session_id ORDER BY path",
    );
    let mut expected: Vec<String> = (0..CROWD)
        .map(|number| format!("file-{number}.txt|tool|s{number}"))
        .collect();
    expected.sort();
    assert_eq!(rows, expected);
    let of_kind = |wanted: &str| kinds(world).iter().filter(|kind| *kind == wanted).count();
    assert_eq!((of_kind("baseline"), of_kind("turn")), (CROWD, CROWD));
    assert_eq!(on_line(world), kinds(world).len());
    assert_eq!(
        world
            .database()
            .rows("SELECT DISTINCT state FROM jobs WHERE kind = 'checkpoint'"),
        ["done"]
    );
    assert_sound(world);
}

#[test]
fn thirty_two_sessions_at_once_have_their_own_files_each() {
    let world = world();
    world.start_daemon(&[]);
    thread::scope(|scope| {
        for number in 0..CROWD {
            let world = &world;
            scope.spawn(move || session(world, number));
        }
    });
    world.settled();
    assert_each_has_its_own(&world);
}

#[test]
fn with_and_without_a_daemon_at_once_it_is_one_line() {
    let world = world();
    world.start_daemon(&[]);
    thread::scope(|scope| {
        for number in 0..8 {
            let world = &world;
            scope.spawn(move || {
                for call in 0..4 {
                    let payload = world.agent(&format!("s{number}"));
                    let path = format!("file-{number}-{call}.txt");
                    let hook = |event: &str, fields: serde_json::Value| {
                        let mut hook = world.command(&["hook", "claude-code"]);
                        if number % 2 == 0 {
                            hook.env("TOPROPE_DAEMON", "never");
                        }
                        testkit::run(hook, payload.payload(event, &fields).to_string().as_bytes()).ok();
                    };
                    let input = serde_json::json!({
                        "tool_name": "Write", "tool_use_id": format!("t{number}-{call}"),
                        "tool_input": { "file_path": world.repo().join(&path), "content": "x" }
                    });
                    hook("UserPromptSubmit", serde_json::json!({ "prompt": "Go" }));
                    hook("PreToolUse", input.clone());
                    world.write(&path, &format!("{number} {call}\n"));
                    let mut after = input;
                    after["tool_response"] = serde_json::json!({});
                    hook("PostToolUse", after);
                    hook("Stop", serde_json::json!({ "stop_hook_active": false }));
                }
            });
        }
    });
    // Whoever comes next does what is left.
    world.agent("s0").starts().ok();
    world.settled();
    let origins = "SELECT count(DISTINCT path), count(*) FROM checkpoint_files WHERE origin = 'tool' AND change = 'added'";
    assert_eq!(world.database().rows(origins), ["32|32"]);
    assert_eq!(on_line(&world), kinds(&world).len());
    assert_sound(&world);
}
