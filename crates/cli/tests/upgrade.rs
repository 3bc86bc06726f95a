//! A newer binary while sessions run: the old daemon finishes and leaves, a new one takes over, nothing is lost.
// Lets helpers fail as loudly as the tests they help.
#![cfg(test)]

use daemon::client;
use daemon::frame::reply::ReplyFrame;
use daemon::frame::request::{Ask, Header};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use testkit::{World, copy, eventually, process};

const BINARY: &str = env!("CARGO_BIN_EXE_toprope");

/// A world that runs its own copy of the binary.
fn world() -> (World, PathBuf) {
    let mut world = World::new(BINARY);
    let binary = world.install(BINARY);
    (world, binary)
}

fn program_of(pid: u32) -> PathBuf {
    fs_err::read_link(format!("/proc/{pid}/exe")).unwrap_or_default()
}

#[test]
fn a_binary_replaced_under_running_sessions_takes_over_without_a_gap() {
    const SESSIONS: usize = 6;
    const CALLS: usize = 30;
    let (world, binary) = world();
    let old = world.start_daemon(&[]);
    let answered = AtomicUsize::new(0);
    thread::scope(|scope| {
        for session in 0..SESSIONS {
            let (world, answered) = (&world, &answered);
            scope.spawn(move || {
                for call in 0..CALLS {
                    let what = format!("{session}-{call}");
                    let output = world
                        .agent(&format!("s{session}"))
                        .runs(&what, &format!("rehearse:deny {what}"));
                    assert_eq!(
                        output.denial(),
                        Some(format!("rehearsed denial: {what}")),
                        "{}",
                        output.whole()
                    );
                    assert_eq!(output.stderr, "");
                    answered.fetch_add(1, Ordering::SeqCst);
                }
            });
        }
        eventually("half of the calls are answered", || {
            (answered.load(Ordering::SeqCst) > SESSIONS * CALLS / 2).then_some(())
        });
        copy(BINARY, &binary);
    });
    // A copy may take longer than all calls: the next hook tells the daemon.
    world.agent("last").is_asked("hello").ok();
    eventually("the old daemon leaves", || {
        (!process::is_alive(old)).then_some(())
    });
    world.agent("last").is_asked("hello").ok();
    let new = world.daemons();
    assert_eq!(new.len(), 1);
    assert_eq!(program_of(new[0]), binary, "the new daemon runs the new binary");
    let database = world.database();
    assert_eq!(
        database.number("SELECT count(*) FROM events WHERE outcome = 'deny'"),
        180
    );
    assert_eq!(
        database.number("SELECT count(DISTINCT tool_use_id) FROM events"),
        180
    );
    assert_eq!(database.damage(), Vec::<String>::new());
}

#[test]
fn a_hook_of_a_newer_version_is_answered_and_makes_the_daemon_leave() {
    let (world, _) = world();
    let old = world.start_daemon(&[]);
    let header = Header {
        agent: "claude-code".into(),
        delivery: "d1".into(),
        version: "999.0.0".into(),
        v: 9,
        ..client::plain_header(Ask::Hook)
    };
    let payload =
        br#"{"session_id":"s1","hook_event_name":"UserPromptSubmit","prompt":"rehearse:deny newer"}"#;
    let answer = client::ask(UnixStream::connect(world.socket()).unwrap(), &header, payload).unwrap();
    let ReplyFrame::Done(printed) = answer else {
        panic!("{answer:?}")
    };
    assert!(String::from_utf8_lossy(&printed.stdout).contains("rehearsed denial: newer"));
    eventually("the old daemon leaves", || {
        (!process::is_alive(old)).then_some(())
    });
}

#[test]
fn a_binary_that_is_gone_leaves_its_daemon_at_work() {
    let (world, binary) = world();
    let daemon = world.start_daemon(&[]);
    fs_err::remove_file(&binary).unwrap();
    let mut header = Header {
        agent: "claude-code".into(),
        ..client::plain_header(Ask::Hook)
    };
    for number in 0..3 {
        header.delivery = format!("d{number}");
        let stream = UnixStream::connect(world.socket()).unwrap();
        assert!(matches!(
            client::ask(stream, &header, b"{}").unwrap(),
            ReplyFrame::Done(_)
        ));
    }
    assert_eq!(world.daemons(), [daemon]);
}
