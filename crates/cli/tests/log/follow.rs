//! Following: what happens is shown while it happens, once, whoever decides it.

use super::{SESSION, without_daemon};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};
use testkit::World;

/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

#[test]
fn following_loses_and_repeats_nothing_while_daemons_come_and_go() {
    let world = World::new(env!("CARGO_BIN_EXE_toprope"));
    let main = world.agent(SESSION);
    main.starts().ok();
    let mut log = Followed::start(&world, &["log", "--follow", "--json"]);
    assert_eq!(log.event()["event"], "SessionStart");
    for round in 0..3 {
        for number in 0..5 {
            main.is_asked(&format!("{round}.{number}")).ok();
        }
        world.toprope(&["daemon", "stop"]).ok();
        // Decided in the hook's own process, and by the daemon it starts meanwhile.
        main.stops().ok();
    }
    let seen: Vec<i64> = (2..=19).map(|_| log.event()["seq"].as_i64().unwrap()).collect();
    assert_eq!(seen, (2..=19).collect::<Vec<_>>());
    assert_eq!(log.interrupt(), Some(0));
    assert_eq!(log.rest(), Vec::<String>::new());
}

#[test]
fn following_shows_what_happens_while_it_happens() {
    let world = without_daemon();
    world.agent(SESSION).starts().ok();
    let mut log = Followed::start(&world, &["log", "--follow", "--json"]);
    log.event();
    world.agent(SESSION).is_asked("now").ok();
    let committed = Instant::now();
    log.event();
    // A fifth of a second is promised; other tests run beside this one.
    assert!(
        committed.elapsed() < Duration::from_secs(2),
        "{:?}",
        committed.elapsed()
    );
}

#[test]
fn following_shows_how_a_call_ended_and_once() {
    let world = without_daemon();
    let main = world.agent(SESSION);
    main.starts().ok();
    let mut log = Followed::start(&world, &["log", "--follow"]);
    assert!(log.line().contains("SessionStart"));
    main.runs("toolu_1", "cargo build").ok();
    let running = log.line();
    assert!(
        running.contains("cargo build") && running.contains("running"),
        "{running}"
    );
    main.after(
        "toolu_1",
        "Bash",
        &json!({ "command": "cargo build" }),
        &json!({}),
    )
    .ok();
    let ended = log.line();
    assert!(
        ended.contains("cargo build") && ended.contains("ok") && ended.contains("8 ms"),
        "{ended}"
    );
    assert_eq!(log.interrupt(), Some(0));
    assert_eq!(log.rest(), Vec::<String>::new());
}

#[test]
fn following_begins_before_anything_was_recorded() {
    let world = without_daemon();
    let mut log = Followed::start(&world, &["log", "--follow", "--json"]);
    world.agent(SESSION).starts().ok();
    assert_eq!(log.event()["event"], "SessionStart");
}

#[test]
fn following_ends_when_its_reader_goes_away() {
    let world = without_daemon();
    world.agent(SESSION).starts().ok();
    let mut child = world
        .command(&["log", "--follow"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut reader = BufReader::new(child.stdout.take().unwrap());
    reader.read_line(&mut line).unwrap();
    drop(reader);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

/// A log that is followed, its lines as they come.
struct Followed {
    child: Child,
    lines: Receiver<String>,
}

impl Followed {
    fn start(world: &World, arguments: &[&str]) -> Self {
        let mut child = world
            .command(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let output = BufReader::new(child.stdout.take().expect("its stdout"));
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            output
                .lines()
                .map_while(Result::ok)
                .try_for_each(|line| sender.send(line))
        });
        Self { child, lines }
    }

    #[track_caller]
    fn line(&mut self) -> String {
        self.lines.recv_timeout(PATIENCE).expect("another line")
    }

    #[track_caller]
    fn event(&mut self) -> Value {
        serde_json::from_str(&self.line()).expect("a line of JSON")
    }

    /// Ctrl-C.
    fn interrupt(&mut self) -> Option<i32> {
        let id = self.child.id().to_string();
        Command::new("kill")
            .args(["-INT", &id])
            .status()
            .expect("kill runs");
        self.child.wait().expect("it ends").code()
    }

    /// The lines nobody took, once the log has ended.
    fn rest(&self) -> Vec<String> {
        self.lines.iter().collect()
    }
}

impl Drop for Followed {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
