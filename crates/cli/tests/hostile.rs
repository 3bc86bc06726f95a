//! The daemon's socket with everything it should never be sent: answered or refused, and nobody else is disturbed.
// Lets helpers fail as loudly as the tests they help.
#![cfg(test)]

use daemon::client;
use daemon::frame::reply::ReplyFrame;
use daemon::frame::request::{Ask, Header};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;
use testkit::World;

/// A world whose daemon serves already.
fn served() -> World {
    let world = World::new(env!("CARGO_BIN_EXE_toprope"));
    world.start_daemon(&[]);
    world
}

fn connect(world: &World) -> UnixStream {
    let stream = UnixStream::connect(world.socket()).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream
}

fn events_answered(world: &World) -> u64 {
    world.daemon().unwrap()["events"].as_u64().unwrap()
}

/// Hooks that the daemon itself must answer, in time: none may have had to decide in its own process.
#[track_caller]
fn assert_undisturbed(world: &World, daemon: u32, hooks: u64) {
    let before = events_answered(world);
    for number in 0..hooks {
        let output = world.agent("good").is_asked(&format!("prompt {number}"));
        assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""));
    }
    assert_eq!(events_answered(world), before + hooks, "the daemon answered each");
    assert_eq!(world.daemons(), [daemon], "it is the same daemon");
}

fn daemon_log(world: &World) -> String {
    fs_err::read_to_string(world.state().join("daemon.log")).unwrap()
}

/// Bytes from a small generator with a fixed seed, so that a failure can be had again.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % sides
    }

    fn byte(&mut self) -> u8 {
        u8::try_from(self.roll(256)).unwrap()
    }
}

#[test]
fn garbage_on_the_socket_is_refused_and_disturbs_nobody() {
    let world = served();
    let daemon = world.daemons()[0];
    let mut dice = Dice(7);
    let good = client::plain_header(Ask::Hook).frame(b"{}");
    let mut garbage: Vec<Vec<u8>> = vec![
        Vec::new(),
        vec![0],
        u32::MAX.to_be_bytes().to_vec(),
        [&8_u32.to_be_bytes()[..], b"not json"].concat(),
        [&2_u32.to_be_bytes()[..], b"[]"].concat(),
        [
            &31_u32.to_be_bytes()[..],
            b"{\"ask\":\"explode\",\"body\":0     }",
        ]
        .concat(),
        [&20_u32.to_be_bytes()[..], b"{\"body\":99999999999}"].concat(),
        [&11_u32.to_be_bytes()[..], b"{\"body\":-1}"].concat(),
        b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".to_vec(),
        good[..good.len() - 1].to_vec(),
        good[..9].to_vec(),
    ];
    garbage.extend((0..200).map(|_| (0..dice.roll(600)).map(|_| dice.byte()).collect()));
    for bytes in garbage {
        let mut stream = connect(&world);
        // It may hang up before everything is sent.
        let _ = stream.write_all(&bytes);
        let _ = stream.shutdown(Shutdown::Write);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        assert_eq!(answer, b"", "garbage gets no answer: {bytes:?}");
    }
    assert_undisturbed(&world, daemon, 5);
    assert!(!daemon_log(&world).contains("stumble"));
}

#[test]
fn many_who_connect_and_say_nothing_disturb_nobody() {
    let world = served();
    let daemon = world.daemons()[0];
    let silent: Vec<UnixStream> = (0..80).map(|_| connect(&world)).collect();
    assert_undisturbed(&world, daemon, 10);
    drop(silent);
}

#[test]
fn who_sends_a_byte_now_and_then_disturbs_nobody() {
    let world = served();
    let daemon = world.daemons()[0];
    let (stop, stopped) = channel::<()>();
    let mut streams: Vec<UnixStream> = (0..8).map(|_| connect(&world)).collect();
    let slow = thread::spawn(move || {
        let frame = client::plain_header(Ask::Hook).frame(&vec![b' '; 60_000]);
        for byte in frame {
            for stream in &mut streams {
                let _ = stream.write_all(&[byte]);
            }
            if stopped.recv_timeout(Duration::from_millis(2)) == Err(RecvTimeoutError::Disconnected) {
                return;
            }
        }
    });
    assert_undisturbed(&world, daemon, 40);
    drop(stop);
    slow.join().unwrap();
}

#[test]
fn a_call_for_which_nobody_can_wait_is_told_so() {
    let world = served();
    let call = |number: u32| {
        let payload = json!({
            "hook_event_name": "PreToolUse", "session_id": "s1", "cwd": world.repo(),
            "tool_name": "Bash", "tool_use_id": format!("toolu_{number}"), "tool_input": {"command": "make"},
        });
        let header = Header {
            agent: "claude-code".into(),
            delivery: format!("d{number}"),
            ..client::plain_header(Ask::Hook)
        };
        client::ask(connect(&world), &header, payload.to_string().as_bytes()).unwrap()
    };
    assert!(matches!(call(0), ReplyFrame::Done(_)), "it can be waited for");
    // All who can wait are taken by those who say nothing.
    let _silent: Vec<UnixStream> = (0..64).map(|_| connect(&world)).collect();
    let answers: Vec<ReplyFrame> = (1..20).map(call).collect();
    assert!(answers.contains(&ReplyFrame::Busy), "{answers:?}");
}

#[test]
fn a_daemon_with_slow_guests_still_leaves_when_told() {
    let world = served();
    let silent: Vec<UnixStream> = (0..8).map(|_| connect(&world)).collect();
    world.toprope(&["daemon", "stop"]).ok();
    assert!(world.daemons().is_empty());
    drop(silent);
}

#[test]
fn a_spool_path_from_the_socket_leads_nowhere_but_into_the_spool() {
    let world = served();
    let secret = world.root().join("secret");
    fs_err::write(&secret, r#"{"session_id":"s","hook_event_name":"Stop"}"#).unwrap();
    let sly = world.state().join("spool/../../secret");
    for path in [
        secret.as_path(),
        sly.as_path(),
        Path::new(""),
        Path::new("/dev/zero"),
    ] {
        let header = Header {
            agent: "claude-code".into(),
            delivery: format!("d{}", path.display()),
            spool: Some(path.display().to_string()),
            ..client::plain_header(Ask::Hook)
        };
        let answer = client::ask(connect(&world), &header, b"").unwrap();
        assert_eq!(answer, ReplyFrame::Busy, "whoever left it there decides himself");
    }
    assert!(secret.exists());
    assert_eq!(world.database().number("SELECT count(*) FROM events"), 0);
}

/// What the client really sends: every recorded payload.
fn samples() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/real-client/samples");
    let files = fs_err::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = files
        .filter(|file| file.extension().is_some_and(|end| end == "json"))
        .collect();
    files.sort();
    let recorded = files.iter().flat_map(|file| {
        let recorded: Value = serde_json::from_slice(&fs_err::read(file).unwrap()).unwrap();
        recorded["samples"].as_array().cloned().unwrap_or_default()
    });
    recorded
        .map(|sample| sample["input"].to_string().into_bytes())
        .collect()
}

/// One or a few blows to a payload.
fn mutated(dice: &mut Dice, sample: &[u8]) -> Vec<u8> {
    const PIECES: [&[u8]; 12] = [
        b"null",
        b"{}",
        b"[]",
        b"\"",
        b"\\",
        b"\xff\xfe",
        b"\0",
        b"-1e999",
        b"18446744073709551616",
        b"\"\\ud800\"",
        b"{",
        b",",
    ];
    let mut bytes = sample.to_vec();
    for _ in 0..=dice.roll(4) {
        let at = dice.roll(bytes.len().max(1));
        let end = (at + dice.roll(40)).min(bytes.len());
        match dice.roll(6) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..end)),
            2 => bytes.extend_from_within(at..end),
            3 => drop(bytes.splice(at..end, PIECES[dice.roll(PIECES.len())].iter().copied())),
            4 if at < bytes.len() => bytes[at] = dice.byte(),
            _ => drop(bytes.splice(
                at..at,
                (0..dice.roll(20)).map(|n| u8::try_from(n * 13).unwrap_or(0)),
            )),
        }
    }
    bytes
}

#[test]
fn ten_thousand_broken_payloads_are_all_answered() {
    const THREADS: u64 = 8;
    const EACH: usize = 1_250;
    let world = served();
    let daemon = world.daemons()[0];
    let samples = samples();
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let (world, samples) = (&world, &samples);
            scope.spawn(move || {
                let mut dice = Dice(1_000 + thread);
                for number in 0..EACH {
                    let sample = &samples[dice.roll(samples.len())];
                    let payload = mutated(&mut dice, sample);
                    let header = Header {
                        agent: "claude-code".into(),
                        delivery: format!("{thread}-{number}"),
                        deadline_ms: 20_000,
                        ..client::plain_header(Ask::Hook)
                    };
                    let answer = client::ask(connect(world), &header, &payload);
                    assert_fair(&payload, answer.unwrap());
                }
            });
        }
    });
    assert_eq!(world.daemons(), [daemon]);
    assert_eq!(events_answered(&world), THREADS * u64::try_from(EACH).unwrap());
    let log = daemon_log(&world);
    assert!(
        !log.contains("stumble") && !log.contains("left to its hook"),
        "{log}"
    );
    assert_eq!(world.database().damage(), Vec::<String>::new());
    assert_undisturbed(&world, daemon, 1);
}

/// Exit 0, nothing or one object, at most one line.
#[track_caller]
fn assert_fair(payload: &[u8], answer: ReplyFrame) {
    let shown = || String::from_utf8_lossy(payload).into_owned();
    let ReplyFrame::Done(printed) = answer else {
        panic!("no answer to {}", shown())
    };
    assert_eq!(printed.exit, 0, "{}", shown());
    let said = String::from_utf8(printed.stderr).unwrap();
    assert!(said.lines().count() <= 1, "{said}: {}", shown());
    if !printed.stdout.is_empty() {
        let value: Value = serde_json::from_slice(&printed.stdout).unwrap();
        assert!(value.is_object(), "{}", shown());
    }
}

/// What the daemon says first to an event: an answer, or that it has to wait.
fn first_word(world: &World, number: usize, payload: &Value) -> ReplyFrame {
    let header = Header {
        agent: "claude-code".into(),
        delivery: format!("d{number}"),
        ..client::plain_header(Ask::Hook)
    };
    let mut stream = connect(world);
    stream
        .write_all(&header.frame(payload.to_string().as_bytes()))
        .unwrap();
    ReplyFrame::read(&mut stream).unwrap()
}

#[test]
fn a_call_in_a_folder_that_is_gone_waits_for_no_look_at_it() {
    let world = served();
    let gone = world.root().join("gone");
    for (session, folder) in ["relative", gone.to_str().unwrap()].into_iter().enumerate() {
        let agent = world.agent(&format!("s{session}"));
        let payload = |event: &str, fields: &Value| {
            let mut payload = agent.payload(event, fields);
            payload["cwd"] = json!(folder);
            payload
        };
        let write = json!({ "tool_name": "Write", "tool_use_id": "t1",
            "tool_input": { "file_path": gone.join("a.txt"), "content": "a" } });
        for (number, payload) in [
            payload("UserPromptSubmit", &json!({ "prompt": "go" })),
            payload("PreToolUse", &write),
        ]
        .iter()
        .enumerate()
        {
            let answer = first_word(&world, session * 2 + number, payload);
            assert!(matches!(answer, ReplyFrame::Done(_)), "{folder}: {answer:?}");
        }
    }
}

#[test]
fn an_event_as_large_as_a_frame_takes_is_answered() {
    let world = served();
    let daemon = world.daemons()[0];
    let filler = "x".repeat(8 * 1024 * 1024);
    let output = world
        .agent("s1")
        .sends("UserPromptSubmit", &json!({ "prompt": filler }));
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""));
    assert_eq!(
        world.database().rows("SELECT event FROM events"),
        ["UserPromptSubmit"]
    );
    assert_undisturbed(&world, daemon, 1);
}
