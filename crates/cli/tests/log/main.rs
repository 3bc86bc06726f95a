//! `toprope log` as people and programs use it, through the real binary.

use serde_json::{Value, json};
use testkit::{Agent, World};

const SESSION: &str = "ab31c0de-0000-4000-8000-000000000001";

/// A world whose events are decided in the hook's own process.
fn without_daemon() -> World {
    World::new(env!("CARGO_BIN_EXE_toprope")).with("TOPROPE_DAEMON", "never")
}

fn edits(agent: &Agent<'_>, call: &str, path: &str) {
    let input = json!({ "file_path": path, "old_string": "a", "new_string": "b" });
    agent.before(call, "Edit", &input).ok();
    agent
        .after(call, "Edit", &input, &json!({ "filePath": path }))
        .ok();
}

/// A short session: a prompt, an edit, a failed command, one that is still running, and a subagent.
fn session(world: &World) {
    let main = world.agent(SESSION);
    main.starts().ok();
    main.is_asked("add a retry to the client").ok();
    edits(
        &main,
        "toolu_1",
        &world.repo().join("src/client.rs").to_string_lossy(),
    );
    main.runs("toolu_2", "cargo test -q").ok();
    let failed = json!({
        "tool_name": "Bash", "tool_input": { "command": "cargo test -q" }, "tool_use_id": "toolu_2",
        "error": "Exit code 101", "is_interrupt": false, "duration_ms": 4210
    });
    main.sends("PostToolUseFailure", &failed).ok();
    let explore = main.subagent("a41f0123456789abc", "Explore");
    explore.runs("toolu_3", "rg -n retry src").ok();
}

/// The text with everything that differs from run to run replaced.
fn settled(world: &World, text: &str) -> String {
    let text = text.replace(
        &*world.root().canonicalize().expect("a world").to_string_lossy(),
        "[world]",
    );
    text.replace(&*world.root().to_string_lossy(), "[world]")
}

/// What a run prints, settled.
macro_rules! assert_shown {
    ($world:expr, $arguments:expr, @$snapshot:literal) => {
        let output = $world.toprope(&$arguments).whole();
        let filters = vec![
            (r"\d\d:\d\d:\d\d", "[clock]"),
            (r"for \d s, last write \d s ag", "for [age], last write [age] ag"),
        ];
        insta::with_settings!({ filters => filters }, {
            insta::assert_snapshot!(settled(&$world, &output), @$snapshot);
        });
    };
}

mod filter;
mod follow;
mod size;

#[test]
fn a_tool_call_is_one_line_and_so_is_any_other_event() {
    let world = without_daemon();
    session(&world);
    assert_shown!(world, ["log"], @r#"
    exit 0
    --- stdout
    [clock]  main@ab31     SessionStart      startup
    [clock]  main@ab31     UserPromptSubmit  "add a retry to the client"
    [clock]  main@ab31     Edit              src/client.rs    ok             8 ms
    [clock]  main@ab31     Bash              cargo test -q    failed (101)  4.2 s
    [clock]  Explore@a41f  Bash              rg -n retry src  running           -
    --- stderr
    "#);
}

#[test]
fn a_call_that_goes_on_in_the_background_says_so() {
    let world = without_daemon();
    let main = world.agent(SESSION);
    let input = json!({ "description": "write docs", "prompt": "x", "subagent_type": "writer" });
    main.before("toolu_1", "Agent", &input).ok();
    let launched = json!({ "status": "async_launched", "agentId": "a41f0123456789abc" });
    main.after("toolu_1", "Agent", &input, &launched).ok();
    let input = json!({ "command": "npm run dev", "run_in_background": true });
    main.before("toolu_2", "Bash", &input).ok();
    main.after("toolu_2", "Bash", &input, &json!({ "backgroundTaskId": "b1" }))
        .ok();
    assert_shown!(world, ["log"], @r#"
    exit 0
    --- stdout
    [clock]  main@ab31  Agent  "write docs"  ok, background  8 ms
    [clock]  main@ab31  Bash   npm run dev   ok, background  8 ms
    --- stderr
    "#);
}

#[test]
fn what_the_hook_added_to_a_command_is_shown_only_with_everything() {
    let world = without_daemon();
    let main = world.agent(SESSION);
    main.starts().ok();
    let reply = main
        .runs("toolu_1", "toprope lease list")
        .json()
        .expect("a reply");
    let input = &reply["hookSpecificOutput"]["updatedInput"];
    let command = input["command"].as_str().expect("it is signed");
    let token = command.rsplit(' ').next().expect("a token");
    let response = json!({ "stdout": "", "stderr": "" });
    main.after("toolu_1", "Bash", input, &response).ok();
    for shown in [
        &["log"][..],
        &["log", "--events"],
        &["log", "--json"],
        &["why", "3"],
    ] {
        let shown = world.toprope(shown).ok();
        assert!(shown.contains("toprope lease list"), "{shown}");
        assert!(!shown.contains(token) && !shown.contains("--as"), "{shown}");
    }
    let raw = world.toprope(&["log", "--raw", "--yes"]).ok();
    assert!(raw.contains(token), "{raw}");
}

#[test]
fn secrets_are_not_shown_unless_everything_is() {
    let world = without_daemon();
    let main = world.agent(SESSION);
    let command = format!(
        "curl -H 'Authorization: Bearer abc.def-123' example.org # {}",
        "x".repeat(500)
    );
    main.runs("toolu_1", &command).ok();
    main.is_asked("use TOKEN=abcdef123 for it").ok();
    assert_shown!(world, ["log"], @r#"
    exit 0
    --- stdout
    [clock]  main@ab31  Bash              curl -H 'Authorization: Bearer [redacted]' example.org # xxxxx…  interrupted  -
    [clock]  main@ab31  UserPromptSubmit  "use TOKEN=[redacted] for it"
    --- stderr
    "#);
    let hidden = [
        ("toolu_2", "curl -u me:swordfish1 example.org"),
        ("toolu_3", "mysql -pswordfish2 shop"),
        ("toolu_4", "sshpass -p swordfish3 ssh host"),
        ("toolu_5", "PGPASSWORD=swordfish4 psql shop"),
    ];
    for (call, command) in hidden {
        main.runs(call, command).ok();
    }
    main.is_asked("the password is swordfish5, log in").ok();
    for shown in [
        &["log"][..],
        &["log", "--events"],
        &["log", "--json"],
        &["why", "4"],
        &["status"],
        &["status", "--json"],
    ] {
        let shown = world.toprope(shown).ok();
        assert!(!shown.contains("swordfish"), "{shown}");
    }
    let shown = world.toprope(&["log", "--json"]).ok();
    assert!(shown.contains("the password is [redacted], log in"), "{shown}");
    assert!(
        !shown.contains("abc.def-123") && !shown.contains("abcdef123"),
        "{shown}"
    );
    let events = world.log();
    let cut = events[0]["input"]["command"].as_str().unwrap().to_owned();
    assert!(cut.ends_with('…') && cut.chars().count() == 201, "{cut}");
    let raw = world.toprope(&["log", "--json", "--raw", "--yes"]).json_lines();
    assert_eq!(raw[0]["input"]["command"], command);
    assert_eq!(raw[1]["target"], "\"use TOKEN=abcdef123 for it\"");
    let why = world.toprope(&["why", "1"]).ok();
    assert!(!why.contains("abc.def-123"), "{why}");
    let status = world.toprope(&["status"]).ok();
    assert!(!status.contains("abcdef123"), "{status}");
}

/// Some terminals obey these, and JSON lets them stand.
#[test]
fn no_command_puts_control_characters_into_json() {
    let world = without_daemon();
    let main = world.agent(SESSION);
    let hostile = "x\u{7f}\u{80}\u{9b}31m\u{9d}0;t\u{9c}\u{202e}";
    main.starts().ok();
    main.is_asked(&format!("prompt {hostile}")).ok();
    main.runs("toolu_h", &format!("rm -rf ~ # {hostile}")).ok();
    let call = main.writes(&format!("{hostile}.txt"), hostile);
    call.ends_step().ok();
    main.stops().ok();
    let command = format!("rm -rf ~ '{hostile}'");
    let mut escaped = 0;
    for arguments in [
        &["log", "--json"][..],
        &["log", "--json", "--raw", "--yes"],
        &["status", "--json"],
        &["usage", "--json"],
        &["session", "actors", "--json"],
        &["checkpoint", "list", "--json"],
        &["checkpoint", "show", "t1", "--json"],
        &["checkpoint", "diff", "t1", "--json"],
        &["rewind", "start", "--dry-run", "--json"],
        &["undo", "--list", "--json"],
        &["lease", "list", "--json"],
        &["guard", "check", "--json", &command],
        &["guard", "explain", "--json", &command],
        &["doctor", "--json"],
        &["config", "show", "--json"],
        &["daemon", "status", "--json"],
    ] {
        let output = world.toprope(arguments);
        let shown = &output.stdout;
        let is_raw = |letter: char| (letter.is_control() && letter != '\n') || letter == '\u{202e}';
        assert!(!shown.contains(is_raw), "{arguments:?}: {}", shown.escape_debug());
        let values: Result<Vec<Value>, _> = serde_json::Deserializer::from_str(shown).into_iter().collect();
        assert!(
            values.is_ok_and(|values| !values.is_empty()),
            "{arguments:?}: {}",
            output.whole()
        );
        escaped += usize::from(shown.contains("\\u009b"));
    }
    assert!(escaped >= 5, "only {escaped} of them showed it");
    let raw = world.toprope(&["log", "--json", "--raw", "--yes"]).json_lines();
    assert_eq!(
        raw[1]["payload"]["prompt"],
        format!("prompt {hostile}"),
        "a reader reads the same"
    );
}

#[test]
fn every_event_as_it_came_has_a_line_with_its_id() {
    let world = without_daemon();
    session(&world);
    assert_shown!(world, ["log", "--events"], @r#"
    exit 0
    --- stdout
    1  [clock]  main@ab31     SessionStart             startup
    2  [clock]  main@ab31     UserPromptSubmit         "add a retry to the client"
    3  [clock]  main@ab31     PreToolUse Edit          src/client.rs
    4  [clock]  main@ab31     PostToolUse Edit         src/client.rs  ok             8 ms
    5  [clock]  main@ab31     PreToolUse Bash          cargo test -q
    6  [clock]  main@ab31     PostToolUseFailure Bash  cargo test -q  failed (101)  4.2 s
    7  [clock]  Explore@a41f  PreToolUse Bash          rg -n retry src
    --- stderr
    "#);
}

#[test]
fn a_call_that_was_interrupted_or_cut_off_is_not_running() {
    let world = without_daemon();
    let main = world.agent(SESSION);
    main.runs("toolu_1", "sleep 100").ok();
    main.is_asked("stop that").ok();
    main.runs("toolu_2", "sleep 200").ok();
    main.leaves().ok();
    assert_shown!(world, ["log", "--tool", "Bash"], @r"
    exit 0
    --- stdout
    [clock]  main@ab31  Bash  sleep 100  interrupted  -
    [clock]  main@ab31  Bash  sleep 200  cut off      -
    --- stderr
    ");
}

#[test]
fn a_call_made_anew_under_its_old_id_is_a_line_of_its_own() {
    let mut world = without_daemon();
    edits(&world.agent(SESSION), "toolu_1", "one.txt");
    world.restart_client();
    edits(&world.agent(SESSION), "toolu_1", "two.txt");
    assert_shown!(world, ["log"], @r"
    exit 0
    --- stdout
    [clock]  main@ab31  Edit  one.txt  ok  8 ms
    [clock]  main@ab31  Edit  two.txt  ok  8 ms
    --- stderr
    ");
}

#[test]
#[cfg(feature = "testing")]
fn a_verdict_is_shown_with_its_policy_and_its_reason() {
    let world = without_daemon();
    let main = world.agent(SESSION);
    main.runs("toolu_1", "rehearse:deny leave it").ok();
    main.runs("toolu_2", "rehearse:ask may it").ok();
    main.runs("toolu_3", "rehearse:rewrite echo safe").ok();
    let input = json!({ "command": "echo safe" });
    main.after("toolu_3", "Bash", &input, &json!({ "stdout": "safe" }))
        .ok();
    main.runs("toolu_4", "rehearse:panic").ok();
    main.is_asked("rehearse:deny not now").ok();
    assert_shown!(world, ["log"], @r#"
    exit 0
    --- stdout
    [clock]  main@ab31  Bash              rehearse:deny leave it   deny rehearsal                 -  rehearsed denial: lea…
    [clock]  main@ab31  Bash              rehearse:ask may it      interrupted, ask rehearsal     -  rehearsed question: m…
    [clock]  main@ab31  Bash              rehearse:rewrite echo …  ok, rewrite rehearsal       8 ms  rehearsed rewrite: th…
    [clock]  main@ab31  Bash              rehearse:panic           interrupted, degraded          -
    [clock]  main@ab31  UserPromptSubmit  "rehearse:deny not now"  deny rehearsal                    rehearsed denial: not…
    --- stderr
    "#);
}

#[test]
fn a_denied_write_says_who_has_the_file() {
    let world = without_daemon();
    let main = world.agent(SESSION);
    main.starts().ok();
    main.is_asked("both of you").ok();
    let input = json!({ "file_path": world.repo().join("a.txt"), "old_string": "a", "new_string": "b" });
    let fixer = main.subagent("a3f20123456789abc", "fixer");
    fixer.before("toolu_1", "Edit", &input).ok();
    fixer.after("toolu_1", "Edit", &input, &json!({})).ok();
    let reviewer = main.subagent("a91c0123456789abc", "reviewer");
    reviewer.before("toolu_2", "Edit", &input).ok();
    assert_shown!(world, ["log", "--path", "a.txt"], @"
    exit 0
    --- stdout
    [clock]  fixer@a3f2     Edit  a.txt  ok          8 ms
    [clock]  reviewer@a91c  Edit  a.txt  deny lease     -  being edited by fixer@a3f2 for [age], last write [age] ago. Nothing…
    --- stderr
    ");
    assert_shown!(world, ["log", "--policy", "lease", "--verdict", "deny", "--events"], @"
    exit 0
    --- stdout
    5  [clock]  reviewer@a91c  PreToolUse Edit  a.txt  deny lease    being edited by fixer@a3f2 for [age], last write [age] ag…
    --- stderr
    ");
}

#[test]
#[cfg(feature = "testing")]
fn what_observing_let_through_says_what_would_have_been_said() {
    let world = without_daemon();
    world.has_settings("profile = \"observe\"\n");
    let main = world.agent(SESSION);
    main.runs("toolu_1", "rehearse:deny leave it").ok();
    main.after(
        "toolu_1",
        "Bash",
        &json!({ "command": "rehearse:deny leave it" }),
        &json!({}),
    )
    .ok();
    assert_shown!(world, ["log"], @r"
    exit 0
    --- stdout
    [clock]  main@ab31  Bash  rehearse:deny leave it  ok, would deny rehearsal  8 ms  rehearsed denial: leave it
    --- stderr
    ");
}

#[test]
fn json_has_the_same_keys_in_the_same_order_and_never_joins() {
    let world = without_daemon();
    session(&world);
    world.hook(b"{").ok();
    let keys = [
        "seq",
        "at",
        "event",
        "actor",
        "tool",
        "tool_use_id",
        "target",
        "input",
        "outcome",
        "duration_ms",
        "verdicts",
        "decision_us",
        "project",
    ];
    let events = world.log();
    assert_eq!(events.len(), 8);
    for event in &events {
        assert_eq!(event.as_object().unwrap().keys().collect::<Vec<_>>(), keys);
    }
    let mut edit = events[3].clone();
    assert!(edit["at"].as_str().unwrap().ends_with('Z'), "{edit}");
    assert!(edit["decision_us"].is_u64(), "{edit}");
    for changing in ["at", "decision_us"] {
        edit[changing] = Value::Null;
    }
    insta::assert_snapshot!(settled(&world, &edit.to_string()), @r#"{"seq":4,"at":null,"event":"PostToolUse","actor":{"label":"main@ab31","agent_kind":"claude-code","session_id":"ab31c0de-0000-4000-8000-000000000001","agent_id":null},"tool":"Edit","tool_use_id":"toolu_1","target":"[world]/repo/src/client.rs","input":{"file_path":"[world]/repo/src/client.rs","old_string":"a","new_string":"b"},"outcome":"ok","duration_ms":8,"verdicts":[],"decision_us":null,"project":"[world]/repo"}"#);
    assert_eq!(events[6]["actor"]["agent_id"], "a41f0123456789abc");
    assert_eq!(events[7]["actor"], Value::Null);
    assert_eq!(events[7]["event"], "unreadable");
}

#[test]
fn hostile_names_cannot_touch_the_terminal() {
    let world = without_daemon();
    let main = world.agent(SESSION);
    edits(&main, "toolu_1", "a\u{1b}[2Jb\nmain@ab31  Edit  c\u{202e}.txt");
    main.subagent("a1", "\u{1b}]0;owned\u{7}x\ny")
        .runs("toolu_2", "echo \u{7}\r\nrm")
        .ok();
    main.is_asked("one\ntwo\u{9b}31m").ok();
    assert_shown!(world, ["log"], @r#"
    exit 0
    --- stdout
    [clock]  main@ab31      Edit              a\u{1b}[2Jb\nmain@ab31  Edit  c\u{202e}.txt  ok       8 ms
    [clock]  ]0;ownedxy@a1  Bash              echo \u{7}\r\nrm                             running     -
    [clock]  main@ab31      UserPromptSubmit  "one\ntwo\u{9b}31m"
    --- stderr
    "#);
}

#[test]
fn long_values_are_cut_for_people_and_never_for_programs() {
    let world = without_daemon();
    let prompt = "x".repeat(300);
    world.agent(SESSION).is_asked(&prompt).ok();
    let shown = world.toprope(&["log"]).ok();
    assert_eq!(shown.trim_end().chars().count(), 120, "{shown}");
    assert!(shown.trim_end().ends_with('…'));
    assert_eq!(world.log()[0]["target"], format!("\"{prompt}\""));
}

#[test]
fn payloads_need_a_terminal_or_a_yes() {
    let world = without_daemon();
    let main = world.agent(SESSION);
    main.sends(
        "Notification",
        &json!({ "message": "hi", "notification_type": "idle" }),
    )
    .ok();
    assert_shown!(world, ["log", "--raw"], @r"
    exit 5
    --- stdout
    --- stderr
    error: payloads can hold secrets, and stdout is not a terminal
    hint: add `--yes` if you mean it
    ");
    assert_shown!(world, ["log", "--raw", "--yes"], @r#"
    exit 0
    --- stdout
    1  [clock]  main@ab31  Notification  idle: hi
    {"session_id":"ab31c0de-0000-4000-8000-000000000001","transcript_path":"[world]/home/.claude/projects/p/ab31c0de-0000-4000-8000-000000000001","cwd":"[world]/repo","hook_event_name":"Notification","message":"hi","notification_type":"idle"}
    --- stderr
    "#);
    let record = world
        .toprope(&["log", "--raw", "--yes", "--json"])
        .json()
        .unwrap();
    assert_eq!(record["payload"]["message"], "hi");
}

#[test]
fn what_a_call_is_given_is_kept_once_and_shown_with_all_of_its_events() {
    let world = without_daemon();
    let agent = world.agent(SESSION);
    agent.starts().ok();
    let call = agent.call("Bash", &json!({ "command": "cargo build" }));
    call.begins().ok();
    call.ends(&json!({ "stdout": "" })).ok();
    // Somebody else's hook changed it on the way.
    let changed = json!({ "command": "cargo build --locked" });
    agent.runs("toolu_2", "cargo build").ok();
    agent
        .after("toolu_2", "Bash", &changed, &json!({ "stdout": "" }))
        .ok();
    let kept = world
        .database()
        .rows("SELECT seq, input FROM events WHERE input IS NOT NULL ORDER BY seq");
    assert_eq!(
        kept,
        [
            r#"2|{"command":"cargo build"}"#,
            r#"4|{"command":"cargo build","description":"run"}"#,
            r#"5|{"command":"cargo build --locked"}"#,
        ]
    );
    let shown: Vec<Value> = world
        .log()
        .iter()
        .map(|event| event["input"]["command"].clone())
        .collect();
    let once = json!("cargo build");
    assert_eq!(
        shown,
        [
            Value::Null,
            once.clone(),
            once.clone(),
            once,
            json!("cargo build --locked")
        ]
    );
}
