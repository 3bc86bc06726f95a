//! Killed at any moment: what was acknowledged is there, nothing is there by half, and the next hook is answered.
// Lets helpers fail as loudly as the tests they help.
#![cfg(test)]

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use store::fault::POINTS;
use testkit::{Output, World, eventually, process, run};

fn world() -> World {
    World::new(env!("CARGO_BIN_EXE_toprope"))
}

/// The points an event meets; the others belong to a migration and to a job.
const OF_EVENTS: [&str; 6] = [
    "before-begin",
    "after-begin",
    "after-insert",
    "after-effects",
    "before-commit",
    "after-commit",
];

/// A call in the hook's own process, with a fault if one is named.
fn call_alone(world: &World, call: &str, command: &str, fault: Option<&str>) -> Output {
    let input =
        serde_json::json!({ "tool_name": "Bash", "tool_input": { "command": command }, "tool_use_id": call });
    let payload = world.agent("s1").payload("PreToolUse", &input).to_string();
    let mut hook = world.command(&["hook", "claude-code"]);
    hook.env("TOPROPE_DAEMON", "never");
    if let Some(fault) = fault {
        hook.env("TOPROPE_FAULT", fault);
    }
    run(hook, payload.as_bytes())
}

/// No event without all that belongs to it, and nothing that belongs to no event.
#[track_caller]
fn assert_whole(world: &World) {
    let database = world.database();
    assert_eq!(database.damage(), Vec::<String>::new());
    for (what, sql) in [
        (
            "events without an answer",
            "SELECT seq FROM events WHERE reply_exit IS NULL OR outcome IS NULL",
        ),
        (
            "events without a payload",
            "SELECT seq FROM events WHERE seq NOT IN (SELECT event FROM payloads)",
        ),
        (
            "events without an actor or a session",
            "SELECT seq FROM events WHERE actor_id IS NULL OR session_id IS NULL",
        ),
        (
            "denials without a verdict",
            "SELECT seq FROM events WHERE outcome = 'deny' AND seq NOT IN (SELECT event FROM verdicts)",
        ),
        (
            "calls that nothing shows",
            "SELECT seq FROM events WHERE event = 'PreToolUse' AND seq NOT IN (SELECT event FROM calls)",
        ),
        (
            "calls of no event",
            "SELECT event FROM calls WHERE event NOT IN (SELECT seq FROM events)",
        ),
        (
            "jobs of no event",
            "SELECT id FROM jobs WHERE event NOT IN (SELECT seq FROM events)",
        ),
        (
            "notices delivered by no event",
            "SELECT id FROM notices WHERE delivered_event NOT IN (SELECT seq FROM events)",
        ),
        (
            "events recorded twice",
            "SELECT target FROM events GROUP BY tool_use_id, target HAVING count(*) > 1",
        ),
    ] {
        assert_eq!(database.rows(sql), Vec::<String>::new(), "{what}");
    }
}

fn rows_of(world: &World, call: &str) -> i64 {
    world.database().number(&format!(
        "SELECT count(*) FROM events WHERE tool_use_id = '{call}'"
    ))
}

#[test]
fn every_point_is_tried() {
    let others = ["migration-step", "job-taken", "job-done"];
    let tried: Vec<&str> = OF_EVENTS.into_iter().chain(others).collect();
    assert_eq!(tried, POINTS);
}

#[test]
fn a_hook_that_dies_at_any_point_of_its_event_leaves_all_of_it_or_nothing() {
    let world = world();
    call_alone(&world, "first", "ls", None).ok();
    for point in OF_EVENTS {
        for command in ["rehearse:owe a text", "rehearse:deny it", "rehearse:advise care"] {
            let call = format!("{point} {command}");
            let output = call_alone(&world, &call, command, Some(point));
            assert_eq!(output.code, None, "it died: {}", output.whole());
            assert_whole(&world);
            let kept = i64::from(point == "after-commit");
            assert_eq!(rows_of(&world, &call), kept, "{call}");
            let again = call_alone(&world, &call, command, None);
            assert_eq!((again.code, again.stderr.as_str()), (Some(0), ""), "{call}");
            assert_eq!(rows_of(&world, &call), 1, "{call}");
        }
    }
    assert_whole(&world);
}

#[test]
fn a_hook_that_dies_while_it_makes_the_database_leaves_one_that_the_next_can_make() {
    let world = world();
    let mut deaths = 0;
    while call_alone(
        &world,
        "t1",
        "ls",
        Some(&format!("migration-step:{}", deaths + 1)),
    )
    .code
    .is_none()
    {
        deaths += 1;
        assert_eq!(world.database().damage(), Vec::<String>::new());
        assert_eq!(
            world.database().number("SELECT count(*) FROM sqlite_schema"),
            0,
            "all steps or none"
        );
    }
    assert!(deaths > 10, "only {deaths} steps");
    assert_whole(&world);
    assert_eq!(rows_of(&world, "t1"), 1);
}

#[test]
fn a_hook_that_dies_between_making_the_database_and_its_event_leaves_an_empty_one() {
    let world = world();
    assert_eq!(call_alone(&world, "t1", "ls", Some("before-begin")).code, None);
    assert!(world.database().number("PRAGMA user_version") > 0);
    call_alone(&world, "t1", "ls", None).ok();
    assert_whole(&world);
    assert_eq!(rows_of(&world, "t1"), 1);
}

/// Starts a daemon that dies at a point. It may do so before anybody can talk to it.
fn start_doomed(world: &World, fault: &str) -> Option<u32> {
    let mut start = world.command(&["daemon", "start"]);
    start.env("TOPROPE_FAULT", fault);
    run(start, b"");
    world.daemons().first().copied()
}

#[test]
fn a_daemon_that_dies_at_any_point_of_an_event_costs_no_answer_and_no_event() {
    let world = world();
    call_alone(&world, "first", "ls", None).ok();
    let mut died_at_work = 0;
    for point in OF_EVENTS {
        for hit in 1..=5 {
            let doomed = start_doomed(&world, &format!("{point}:{hit}"));
            for number in 0..5 {
                let call = format!("{point}-{hit}-{number}");
                let output = world.agent("s1").runs(&call, &format!("rehearse:deny {call}"));
                assert_eq!(
                    output.denial(),
                    Some(format!("rehearsed denial: {call}")),
                    "{}",
                    output.whole()
                );
                assert_eq!(output.stderr, "", "{call}");
                assert_eq!(rows_of(&world, &call), 1, "{call}");
            }
            if let Some(doomed) = doomed {
                eventually("the daemon dies", || (!process::is_alive(doomed)).then_some(()));
                died_at_work += 1;
            }
            world.toprope(&["daemon", "stop"]).ok();
        }
        assert_whole(&world);
    }
    assert!(
        died_at_work >= 15,
        "only {died_at_work} daemons lived to see an event"
    );
}

/// Nothing but the delivery tells a prompt from the same prompt once more.
#[test]
fn a_prompt_whose_daemon_dies_over_it_is_recorded_once() {
    let world = world();
    call_alone(&world, "first", "ls", None).ok();
    for point in OF_EVENTS {
        for hit in 2..=5 {
            start_doomed(&world, &format!("{point}:{hit}"));
            for number in 0..4 {
                let text = format!("{point}-{hit}-{number}");
                let output = world.agent("s1").is_asked(&format!("rehearse:deny {text}"));
                assert_eq!(output.stderr, "", "{text}");
                let answer = output.json().unwrap();
                assert_eq!(
                    answer["reason"],
                    format!("rehearsed denial: {text}"),
                    "{}",
                    output.whole()
                );
            }
            world.toprope(&["daemon", "stop"]).ok();
        }
    }
    assert_whole(&world);
    let prompts = "SELECT count(*) FROM events WHERE event = 'UserPromptSubmit'";
    assert_eq!(world.database().number(prompts), 6 * 4 * 4);
}

#[test]
fn a_daemon_that_dies_over_many_events_at_once_costs_none_of_them() {
    let world = world();
    call_alone(&world, "first", "ls", None).ok();
    for (point, hit) in [
        ("after-effects", 7),
        ("before-commit", 4),
        ("after-commit", 4),
        ("after-insert", 5),
    ] {
        start_doomed(&world, &format!("{point}:{hit}"));
        thread::scope(|scope| {
            for number in 0..12 {
                let world = &world;
                scope.spawn(move || {
                    let call = format!("{point}-{number}");
                    let output = world
                        .agent(&format!("s{number}"))
                        .runs(&call, &format!("rehearse:deny {call}"));
                    assert_eq!(
                        output.denial(),
                        Some(format!("rehearsed denial: {call}")),
                        "{}",
                        output.whole()
                    );
                });
            }
        });
        world.toprope(&["daemon", "stop"]).ok();
        assert_whole(&world);
    }
    assert_eq!(world.database().number("SELECT count(*) FROM events"), 1 + 4 * 12);
}

#[test]
fn a_daemon_killed_again_and_again_costs_no_answer_and_no_event() {
    const SESSIONS: usize = 4;
    const CALLS: usize = 40;
    let world = world();
    let (answered, over) = (AtomicUsize::new(0), AtomicBool::new(false));
    let killed = thread::scope(|scope| {
        let killer = scope.spawn(|| {
            let mut killed = 0;
            // At uneven distances, so that it is met in all kinds of moments.
            for wait in (0..).map(|round: usize| round * 7 % 11 + 1) {
                let from = answered.load(Ordering::SeqCst);
                eventually("calls are answered", || {
                    let due = answered.load(Ordering::SeqCst) >= from + wait;
                    (due || over.load(Ordering::SeqCst)).then_some(())
                });
                if over.load(Ordering::SeqCst) {
                    break;
                }
                for daemon in world.daemons() {
                    process::kill(daemon);
                    killed += 1;
                }
            }
            killed
        });
        let sessions: Vec<_> = (0..SESSIONS)
            .map(|session| {
                let (world, answered) = (&world, &answered);
                scope.spawn(move || {
                    for call in 0..CALLS {
                        let call = format!("{session}-{call}");
                        let output = world
                            .agent(&format!("s{session}"))
                            .runs(&call, &format!("rehearse:deny {call}"));
                        assert_eq!(
                            output.denial(),
                            Some(format!("rehearsed denial: {call}")),
                            "{}",
                            output.whole()
                        );
                        assert_eq!(output.stderr, "", "{call}");
                        answered.fetch_add(1, Ordering::SeqCst);
                    }
                })
            })
            .collect();
        for session in sessions {
            session.join().unwrap();
        }
        over.store(true, Ordering::SeqCst);
        killer.join().unwrap()
    });
    assert!(killed >= 5, "only {killed} daemons were killed");
    assert_whole(&world);
    assert_eq!(world.database().number("SELECT count(*) FROM events"), 160);
    world.start_daemon(&[]);
    assert_eq!(world.daemons().len(), 1, "one takes over");
}

/// Puts a git before the real one that waits until the gate is open. A session's start is not worth waiting for it,
/// so that looking at the project is left to a job.
fn world_with_slow_git() -> World {
    let world = world();
    let bin = world.root().join("bin");
    fs_err::create_dir_all(&bin).unwrap();
    let gate = world.root().join("gate");
    let path = world
        .command(&[])
        .get_envs()
        .find_map(|(name, value)| (name == "PATH").then(|| value.unwrap().to_owned()));
    let path = path.unwrap().into_string().unwrap();
    let script = format!(
        "#!/bin/sh\nuntil [ -e '{}' ]; do sleep 0.01; done\nPATH='{path}' exec git \"$@\"\n",
        gate.display()
    );
    fs_err::write(bin.join("git"), script).unwrap();
    fs_err::set_permissions(bin.join("git"), Permissions::from_mode(0o755)).unwrap();
    world.has_settings("structure.timeout_ms = 10\n");
    world.with("PATH", &format!("{}:{path}", bin.display()))
}

#[test]
fn a_job_whose_daemon_died_over_it_is_done_by_the_next_one() {
    for fault in ["job-taken:1", "job-taken:2", "job-done:1", "job-done:2"] {
        let world = world_with_slow_git();
        call_alone(&world, "first", "ls", None).ok();
        let doomed = start_doomed(&world, fault).unwrap();
        assert_eq!(world.agent("s1").starts().code, Some(0));
        let queued = world
            .database()
            .rows("SELECT DISTINCT kind FROM jobs WHERE worktree_id IS NULL ORDER BY kind");
        assert_eq!(queued, ["capture-structure", "prune-log"], "{fault}");
        fs_err::write(world.root().join("gate"), "").unwrap();
        eventually("the daemon dies over a job", || {
            (!process::is_alive(doomed)).then_some(())
        });
        assert_whole(&world);
        world.start_daemon(&[]);
        eventually("every job is done", || {
            let left = world
                .database()
                .number("SELECT count(*) FROM jobs WHERE state <> 'done'");
            (left == 0).then_some(())
        });
        assert_eq!(
            world
                .database()
                .number("SELECT count(*) FROM jobs WHERE worktree_id IS NULL"),
            2,
            "{fault}: each is one job"
        );
        let attempts = world.database().number("SELECT max(attempts) FROM jobs");
        assert!(attempts <= 2, "{fault}: {attempts} attempts");
        let captured = world.database().number("SELECT count(structure) FROM sessions");
        assert_eq!(captured, 1, "{fault}: and its work is there");
    }
}

#[test]
fn jobs_that_a_hook_left_without_a_daemon_are_done_once_there_is_one() {
    let world = world_with_slow_git().with("TOPROPE_DAEMON", "never");
    world.agent("s1").starts().ok();
    assert_eq!(
        world
            .database()
            .number("SELECT count(*) FROM jobs WHERE state = 'queued' AND worktree_id IS NULL"),
        2
    );
    fs_err::write(world.root().join("gate"), "").unwrap();
    world.start_daemon(&[]);
    eventually("every job is done", || {
        let left = world
            .database()
            .number("SELECT count(*) FROM jobs WHERE state <> 'done'");
        (left == 0).then_some(())
    });
    assert_eq!(world.database().rows("SELECT DISTINCT attempts FROM jobs"), ["1"]);
}
