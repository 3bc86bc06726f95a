//! Many at once: each gets its own answer, each is recorded once, and one daemon serves them all.
// Lets helpers fail as loudly as the tests they help.
#![cfg(test)]

use daemon::client;
use daemon::environment::Environment;
use daemon::fallback::{self, Handover};
use daemon::frame::reply::{PrintedReply, ReplyFrame};
use daemon::frame::request::{Ask, Header};
use daemon::home::Home;
use serde_json::json;
use std::fs::File;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use testkit::{Output, World, process};

fn world() -> World {
    World::new(env!("CARGO_BIN_EXE_toprope"))
}

#[test]
fn two_hundred_hooks_that_find_no_daemon_start_one_and_get_two_hundred_right_answers() {
    const HOOKS: usize = 200;
    let world = world();
    let mut hooks: Vec<_> = (0..HOOKS)
        .map(|number| start_hook(&world, number, &format!("rehearse:deny {number}")))
        .collect();
    for (number, hook) in hooks.iter_mut().enumerate() {
        let code = hook.wait().unwrap().code();
        let answer = answer_of(&world, number, code);
        assert_eq!(
            answer.denial(),
            Some(format!("rehearsed denial: {number}")),
            "{}",
            answer.whole()
        );
        assert_eq!(answer.stderr, "", "each was recorded");
    }
    assert_eq!(world.daemons().len(), 1);
    let database = world.database();
    assert_eq!(
        database.number("SELECT count(DISTINCT target) FROM events WHERE outcome = 'deny'"),
        200
    );
    assert_eq!(database.number("SELECT count(*) FROM events"), 200);
    assert_eq!(database.damage(), Vec::<String>::new());
}

/// Starts the hook of an agent of its own, on files instead of pipes: an ordinary user may not have open that many.
fn start_hook(world: &World, number: usize, command: &str) -> Child {
    let fields = json!({ "tool_name": "Bash", "tool_input": { "command": command }, "tool_use_id": "t1" });
    let payload = world.agent(&format!("s{number}")).payload("PreToolUse", &fields);
    let [payload_file, stdout, stderr] = files_of(world, number);
    fs_err::write(&payload_file, payload.to_string()).unwrap();
    world
        .command(&["hook", "claude-code"])
        .stdin(File::open(payload_file).unwrap())
        .stdout(File::create(stdout).unwrap())
        .stderr(File::create(stderr).unwrap())
        .spawn()
        .unwrap()
}

fn answer_of(world: &World, number: usize, code: Option<i32>) -> Output {
    let [_, stdout, stderr] = files_of(world, number).map(|file| fs_err::read_to_string(file).unwrap());
    Output { code, stdout, stderr }
}

fn files_of(world: &World, number: usize) -> [PathBuf; 3] {
    ["payload", "stdout", "stderr"].map(|name| world.root().join(format!("{name}.{number}")))
}

#[test]
fn a_notice_is_delivered_once_however_many_could_carry_it() {
    let world = world();
    for round in 0..5 {
        world
            .agent("s1")
            .runs(&format!("owe{round}"), &format!("rehearse:owe text {round}"))
            .ok();
        let heard: Vec<String> = thread::scope(|scope| {
            let hooks: Vec<_> = (0..8)
                .map(|number| {
                    let world = &world;
                    scope.spawn(move || {
                        let call = format!("t{round}-{number}");
                        let payload = json!({ "tool_name": "Bash", "tool_input": { "command": "ls" }, "tool_use_id": call });
                        let payload = world.agent("s1").payload("PreToolUse", &payload).to_string();
                        let mut hook = world.command(&["hook", "claude-code"]);
                        if number % 2 == 0 {
                            hook.env("TOPROPE_DAEMON", "never");
                        }
                        testkit::run(hook, payload.as_bytes()).context()
                    })
                })
                .collect();
            hooks
                .into_iter()
                .map(|hook| hook.join().unwrap())
                .filter(|text| !text.is_empty())
                .collect()
        });
        assert_eq!(heard, [format!("rehearsed notice: text {round}")]);
    }
    assert_eq!(
        world
            .database()
            .number("SELECT count(*) FROM notices WHERE delivered_at IS NULL"),
        0
    );
}

const DRIVERS: usize = 128;
const EACH: usize = 100;

#[test]
fn a_hundred_and_twenty_eight_processes_lose_nothing() {
    let world = world();
    let daemon = world.start_daemon(&[]);
    let drivers: Vec<Child> = (0..DRIVERS).map(|number| drive(&world, number)).collect();
    for (number, driver) in drivers.into_iter().enumerate() {
        let output = driver.wait_with_output().unwrap();
        assert!(
            output.status.success(),
            "driver {number}: {}",
            String::from_utf8_lossy(&output.stdout)
        );
    }
    assert_eq!(world.daemons(), [daemon]);
    let database = world.database();
    let all = i64::try_from(DRIVERS * EACH).unwrap();
    assert_eq!(database.number("SELECT count(*) FROM events"), all);
    assert_eq!(
        database.number("SELECT count(DISTINCT delivery) FROM events"),
        all
    );
    assert_eq!(database.number("SELECT count(*) FROM payloads"), all);
    // Every second event of a driver is one nobody knows: it is counted.
    assert_eq!(
        database.number("SELECT count FROM counters WHERE name = 'unknown event'"),
        all / 2
    );
    assert_eq!(
        database.number("SELECT count(*) FROM actors"),
        i64::try_from(DRIVERS).unwrap()
    );
    assert_eq!(database.damage(), Vec::<String>::new());
}

/// Tells the test below that it is a driver: `<even or odd number> <state folder> <repository>`.
const DRIVER: &str = "TOPROPE_TEST_DRIVER";

/// Starts this test program once more, as an agent's machine that sends events on its own.
fn drive(world: &World, number: usize) -> Child {
    let place = format!("{number} {} {}", world.state().display(), world.repo().display());
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "a_driver_sends_its_events", "--nocapture"])
        .env(DRIVER, place)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn a_driver_sends_its_events() {
    #[expect(
        clippy::disallowed_methods,
        reason = "how the test above talks to the processes it starts"
    )]
    let Ok(place) = std::env::var(DRIVER) else { return };
    let [number, state, repo] = place.splitn(3, ' ').collect::<Vec<_>>()[..] else {
        panic!("not a place: {place}");
    };
    let driver = Driver {
        number: number.parse().unwrap(),
        environment: Environment::of(&[("TOPROPE_HOME", state)]),
        repo: repo.into(),
    };
    let wrong: Vec<String> = (0..EACH).filter_map(|event| driver.send(event).err()).collect();
    // Whoever decides in their own process keeps what panics to themselves.
    println!("{wrong:#?}");
    assert!(wrong.is_empty());
}

struct Driver {
    number: usize,
    environment: Environment,
    repo: PathBuf,
}

impl Driver {
    fn decides(&self, home: &Home, header: Header, payload: String) -> PrintedReply {
        fallback::decide(
            home,
            &self.environment,
            header,
            payload.into_bytes(),
            Handover::None,
        )
        .printed
    }

    /// Half of the drivers ask the daemon, half decide in their own process; half of the events can be denied. Says what
    /// was wrong with the answer.
    fn send(&self, event: usize) -> Result<(), String> {
        let name = format!("{}-{event}", self.number);
        let payload = if event.is_multiple_of(2) {
            payload(
                self.number,
                &self.repo,
                "PreToolUse",
                &format!("rehearse:deny {name}"),
                &name,
            )
        } else {
            payload(self.number, &self.repo, &format!("Unheard{name}"), "", &name)
        };
        let header = Header {
            agent: "claude-code".into(),
            delivery: name.clone(),
            parent: std::process::id(),
            deadline_ms: 30_000,
            ..client::plain_header(Ask::Hook)
        };
        let home = Home::of(&self.environment);
        let printed = if self.number.is_multiple_of(2) {
            let stream = UnixStream::connect(home.socket()).unwrap();
            match client::ask(stream, &header, payload.as_bytes()) {
                Ok(ReplyFrame::Done(printed)) => printed,
                // As a hook would.
                _ => self.decides(&home, header, payload),
            }
        } else {
            self.decides(&home, header, payload)
        };
        let (said, told) = (
            String::from_utf8_lossy(&printed.stdout),
            String::from_utf8_lossy(&printed.stderr),
        );
        let is_denied = said.contains(&format!("rehearsed denial: {name}\""));
        if is_denied == event.is_multiple_of(2) && !told.contains("record:") && !told.contains("not recorded")
        {
            return Ok(());
        }
        Err(format!("{name}: {said} {told}"))
    }
}

fn payload(driver: usize, repo: &Path, event: &str, command: &str, call: &str) -> String {
    json!({
        "session_id": format!("driver-{driver}"), "cwd": repo, "hook_event_name": event,
        "tool_name": "Bash", "tool_input": { "command": command }, "tool_use_id": call,
    })
    .to_string()
}

#[test]
fn only_one_daemon_at_a_time_serves_a_home() {
    let world = world();
    let first = world.start_daemon(&[]);
    let second = world.toprope(&["daemon", "run"]);
    assert_eq!(second.code, Some(3), "{}", second.whole());
    assert_eq!(world.daemons(), [first]);
    process::kill(first);
}
