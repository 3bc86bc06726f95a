//! The hook command with everything an agent should never send: exit 0, nothing for the agent, one line for a person.
// Lets helpers fail as loudly as the tests they help.
#![cfg(test)]

use serde_json::{Value, json};
use std::io::Write;
use std::os::fd::OwnedFd;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use testkit::{Output, World, run};

fn world() -> World {
    World::new(env!("CARGO_BIN_EXE_toprope"))
}

/// Runs the hook through a shell, which can do to its descriptors what a test cannot.
fn in_shell(world: &World, line: &str, payload: &[u8]) -> Output {
    run(shell(world, line), payload)
}

fn shell(world: &World, line: &str) -> Command {
    let hook = world.command(&[]);
    let mut command = Command::new("sh");
    command.args(["-c", line]).arg(hook.get_program()).env_clear();
    command.current_dir(world.repo());
    for (name, value) in hook.get_envs() {
        command.env(name, value.unwrap_or_default());
    }
    command
}

#[track_caller]
fn assert_passed_over(what: &str, output: &Output) {
    assert_eq!(output.code, Some(0), "{what}: {}", output.whole());
    assert_eq!(output.stdout, "", "{what}");
    assert_eq!(output.stderr.lines().count(), 1, "{what}: {}", output.whole());
    assert!(
        output.stderr.starts_with("toprope: "),
        "{what}: {}",
        output.whole()
    );
}

fn unreadable(world: &World) -> i64 {
    world
        .database()
        .number("SELECT coalesce(sum(count), 0) FROM counters WHERE name = 'unreadable'")
}

/// What is no event at all, by what is wrong with it.
fn unreadables() -> Vec<(&'static str, Vec<u8>)> {
    let whole = br#"{"session_id":"s1","hook_event_name":"Stop"}"#;
    vec![
        ("nothing", Vec::new()),
        ("white space", b" \n\t ".to_vec()),
        ("a text", b"Stop".to_vec()),
        ("a number", b"42".to_vec()),
        ("null", b"null".to_vec()),
        ("a list", b"[{\"hook_event_name\":\"Stop\"}]".to_vec()),
        ("half an event", whole[..30].to_vec()),
        ("two events", [&whole[..], &whole[..]].concat()),
        ("zero bytes", vec![0; 300]),
        (
            "an event with a zero byte in it",
            whole.map(|byte| if byte == b'S' { 0 } else { byte }).to_vec(),
        ),
        (
            "bytes that are no text",
            b"\xff\xfe{\"hook_event_name\":\"Stop\"}".to_vec(),
        ),
        ("a nest", [vec![b'['; 100_000], vec![b']'; 100_000]].concat()),
        ("a nest inside an event", nested(100_000)),
    ]
}

fn nested(depth: usize) -> Vec<u8> {
    let (open, close) = ("{\"a\":".repeat(depth), "}".repeat(depth));
    format!("{{\"session_id\":\"s1\",\"hook_event_name\":\"Stop\",\"a\":{open}1{close}}}").into_bytes()
}

#[test]
fn what_is_no_event_is_passed_over_and_counted() {
    let world = world();
    let cases = unreadables();
    for (what, payload) in &cases {
        assert_passed_over(what, &world.hook(payload));
    }
    assert_eq!(unreadable(&world), i64::try_from(cases.len()).unwrap());
}

#[test]
fn without_a_daemon_it_is_passed_over_and_counted_just_so() {
    let world = world().with("TOPROPE_DAEMON", "never");
    let cases = unreadables();
    for (what, payload) in &cases {
        assert_passed_over(what, &world.hook(payload));
    }
    assert_eq!(unreadable(&world), i64::try_from(cases.len()).unwrap());
    assert!(world.daemons().is_empty());
}

#[test]
fn what_was_passed_over_can_be_seen_in_the_status() {
    let world = world();
    world.hook(b"");
    world.hook(b"[]");
    let status = world.toprope(&["status", "--json"]).json().unwrap();
    let counters = status["state"]["counters"].as_array().unwrap().clone();
    let unreadable = counters
        .iter()
        .find(|counter| counter["name"] == "unreadable")
        .unwrap();
    assert_eq!(unreadable["count"], 2);
    assert_eq!(
        unreadable["last"],
        "ignored an event: the payload is an array, not a JSON object"
    );
}

#[test]
fn an_agent_nobody_knows_is_told_which_are_known() {
    let world = world();
    let event = br#"{"session_id":"s1","hook_event_name":"Stop"}"#;
    for name in ["", "cluade-code", "../../etc/passwd", "claude-code\n", "💥"] {
        let output = world.hook_of(name, event);
        assert_passed_over(name, &output);
        assert!(
            output.stderr.ends_with("known: claude-code\n"),
            "{}",
            output.whole()
        );
    }
    assert_passed_over("no name at all", &run(world.command(&["hook"]), event));
    assert_eq!(unreadable(&world), 6);
}

#[test]
fn an_event_nobody_knows_is_recorded_and_counted() {
    let world = world();
    let output = world.agent("s1").sends("MoonRose", &json!({ "phase": "full" }));
    assert_passed_over("an unknown event", &output);
    assert_eq!(
        world.database().rows("SELECT event, outcome FROM events"),
        ["MoonRose|seen"]
    );
    assert_eq!(
        world
            .database()
            .rows("SELECT name, count, last_text FROM counters"),
        ["unknown event|1|MoonRose"]
    );
}

#[test]
fn an_event_with_some_bytes_that_are_no_text_is_still_an_event() {
    let world = world();
    let payloads: [&[u8]; 2] = [
        b"{\"session_id\":\"s\xff\xc3\",\"hook_event_name\":\"Stop\"}",
        br#"{"session_id":"\ud800","hook_event_name":"Stop"}"#,
    ];
    for payload in payloads {
        let output = world.hook(payload);
        assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""));
    }
    assert_eq!(
        world.database().rows("SELECT event FROM events"),
        ["Stop", "Stop"]
    );
}

/// Every event of the client, every field of it of every wrong type.
#[test]
fn fields_of_the_wrong_type_are_no_reason_to_fail() {
    let world = world();
    let wrong = [
        json!(null),
        json!(7),
        json!(true),
        json!([[]]),
        json!({"x": {}}),
        json!(""),
        json!("\u{0}\u{202e}"),
    ];
    for (name, fields) in [
        (
            "PreToolUse",
            json!({"tool_name": 0, "tool_input": 0, "tool_use_id": 0, "agent_id": 0, "agent_type": 0}),
        ),
        ("SessionStart", json!({"source": 0, "model": 0, "cwd": 0})),
        (
            "PostToolUse",
            json!({"tool_name": 0, "tool_response": 0, "duration_ms": 0}),
        ),
    ] {
        for value in &wrong {
            let fields: serde_json::Map<String, Value> = fields
                .as_object()
                .unwrap()
                .keys()
                .map(|key| (key.clone(), value.clone()))
                .collect();
            let output = world.agent("s1").sends(name, &Value::Object(fields));
            assert_eq!(output.code, Some(0), "{name} {value}: {}", output.whole());
            assert!(
                output.json().is_none_or(|answer| answer.is_object()),
                "{name} {value}"
            );
        }
    }
    for value in &wrong {
        let payload =
            json!({ "session_id": value, "cwd": value, "hook_event_name": value, "transcript_path": value });
        let output = world.hook(payload.to_string().as_bytes());
        assert_eq!((output.code, output.stdout.as_str()), (Some(0), ""), "{value}");
    }
}

#[test]
fn a_closed_stdin_is_an_empty_one() {
    let world = world();
    assert_passed_over(
        "closed stdin",
        &in_shell(&world, "exec \"$0\" hook claude-code <&-", b""),
    );
    assert_eq!(unreadable(&world), 1);
}

#[test]
fn a_person_who_tries_the_hook_in_a_terminal_is_told_what_it_is_for() {
    let world = world();
    // `script` gives the hook a terminal for all three streams, and passes on its exit code.
    let output = in_shell(
        &world,
        "exec script -qec \"'$0' hook claude-code\" /dev/null",
        b"",
    );
    assert_eq!(output.code, Some(0), "{}", output.whole());
    let said =
        "toprope: `toprope hook` is run by an agent, with an event on its standard input; try `toprope demo`";
    assert_eq!(output.stdout.trim_end(), said, "{}", output.whole());
    assert_eq!(unreadable(&world), 1);
}

#[test]
fn a_reader_that_went_away_is_no_reason_to_fail() {
    let world = world();
    for stream in ["stdout", "stderr"] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = world.command(&["hook", "claude-code"]);
        let gone = Stdio::from(OwnedFd::from(writer));
        match stream {
            "stdout" => command.stdout(gone).stderr(Stdio::null()),
            _ => command.stderr(gone).stdout(Stdio::null()),
        };
        let mut child = command.stdin(Stdio::null()).spawn().unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0), "{stream}");
    }
    assert_eq!(unreadable(&world), 2);
}

#[test]
fn closed_streams_are_no_reason_to_fail() {
    let world = world();
    for line in [
        "exec \"$0\" hook claude-code >&-",
        "exec \"$0\" hook claude-code 2>&-",
        "exec \"$0\" hook claude-code >&- 2>&-",
    ] {
        assert_eq!(in_shell(&world, line, b"nonsense").code, Some(0), "{line}");
    }
    assert_eq!(unreadable(&world), 3);
}

/// Clients should close their end; one that does not would otherwise wait as long as a hook reads at most, ten seconds.
#[test]
fn a_whole_event_is_judged_though_standard_input_stays_open() {
    let world = world();
    for line in [
        "\"$0\" hook claude-code",
        "TOPROPE_DAEMON=never \"$0\" hook claude-code",
    ] {
        let (reader, mut writer) = std::io::pipe().unwrap();
        let mut command = shell(&world, line);
        let payload = world.agent("s1").payload(
            "PreToolUse",
            &json!({ "tool_name": "Bash", "tool_use_id": line,
                "tool_input": { "command": "rm -rf ~ # }" } }),
        );
        writer.write_all(payload.to_string().as_bytes()).unwrap();
        let began = Instant::now();
        let output = command.stdin(reader).output().unwrap();
        let took = began.elapsed();
        drop(writer);
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(said.contains("\"permissionDecision\":\"deny\""), "{said}");
        assert!(took < Duration::from_secs(8), "{took:?}");
    }
}

#[test]
fn an_event_that_comes_in_pieces_is_waited_for() {
    let world = world();
    let payload = world
        .agent("s1")
        .payload(
            "PreToolUse",
            &json!({ "tool_name": "Bash", "tool_use_id": "t1",
            "tool_input": { "command": "rm -rf ~" } }),
        )
        .to_string();
    let (first, second) = payload.split_at(payload.len() / 2);
    let (first, second) = (first.replace('\'', "'\\''"), second.replace('\'', "'\\''"));
    let line = format!("( printf %s '{first}'; sleep 1; printf %s '{second}' ) | \"$0\" hook claude-code");
    let output = in_shell(&world, &line, b"");
    assert!(output.denial().is_some(), "{}", output.whole());
}

/// The look at the worktree that a first write would wait for is a daemon's work.
#[test]
fn without_a_daemon_the_first_write_of_a_session_waits_for_nobody() {
    let world = world().with("TOPROPE_DAEMON", "never");
    world.has_settings("checkpoints.baseline_wait_ms = 60000\n");
    world.write("a.rs", "one\n");
    let began = Instant::now();
    let input = json!({ "file_path": world.repo().join("a.rs"), "content": "two\n" });
    world.agent("s1").before("toolu_1", "Write", &input).ok();
    assert!(began.elapsed() < Duration::from_secs(30), "it waited in vain");
}
