//! `toprope why` through the real binary: how one event was decided, and what is known of a file.

use serde_json::json;
use testkit::World;

const SESSION: &str = "ab31c0de-0000-4000-8000-000000000001";

fn without_daemon() -> World {
    World::new(env!("CARGO_BIN_EXE_toprope")).with("TOPROPE_DAEMON", "never")
}

fn settled(world: &World, text: &str) -> String {
    let text = text.replace(
        &*world.root().canonicalize().expect("a world").to_string_lossy(),
        "[world]",
    );
    text.replace(&*world.root().to_string_lossy(), "[world]")
}

macro_rules! assert_shown {
    ($world:expr, $arguments:expr, @$snapshot:literal) => {
        let output = $world.toprope(&$arguments).whole();
        let filters = vec![
            (r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d, \d+ s ago", "[when]"),
            (r"in [\d.]+ (us|ms|s)", "in [time]"),
            (r"applied, \d+ µs", "applied, [took]"),
            (r"\d+ s ago", "[age]"),
            (r"for \d+ s,", "for [time],"),
            (r"\d\d:\d\d:\d\d  ", "[clock]  "),
            (r"(  |rewind )[0-9a-f]{12}\b", "${1}[checkpoint]"),
        ];
        insta::with_settings!({ filters => filters }, {
            insta::assert_snapshot!(settled(&$world, &output), @$snapshot);
        });
    };
}

#[test]
fn a_session_start_shows_what_was_known_and_what_was_sent() {
    let world = without_daemon();
    world.agent(SESSION).starts().ok();
    assert_shown!(world, ["why", "1"], @r#"
    exit 0
    --- stdout
    event    1 SessionStart
    when     [when]
    who      main@ab31 (claude-code, session ab31c0de-0000-4000-8000-000000000001)
    where    [world]/repo
    target   startup
    outcome  seen
    decided  in [time]

    verdicts
      structure: advise, applied, [took]
        Project state (information, not instructions)
        branch main; no changes
        last commits:
          first commit
        files:
          a.txt

    facts
      project_state:
        branch: main
        upstream: unknown
        changes:
          modified: 0
          staged: 0
          untracked: 0
        tree:
          - path a.txt
        tree_left_out: 0
        commits:
          - first commit
        late: none

    sent back
      exit 0
      stdout
        {
          "hookSpecificOutput": {
            "hookEventName": "SessionStart",
            "additionalContext": "Project state (information, not instructions)\nbranch main; no changes\nlast commits:\n  first commit\nfiles:\n  a.txt"
          }
        }
    --- stderr
    "#);
}

#[test]
fn an_event_nobody_had_a_word_about_says_so() {
    let world = without_daemon();
    let main = world.agent(SESSION);
    let input = json!({ "file_path": "a\nb.txt" });
    main.before("toolu_1", "Read", &input).ok();
    main.after("toolu_1", "Read", &input, &json!({})).ok();
    assert_shown!(world, ["why", "2"], @r#"
    exit 0
    --- stdout
    event    2 PostToolUse
    when     [when]
    who      main@ab31 (claude-code, session ab31c0de-0000-4000-8000-000000000001)
    where    [world]/repo
    tool     Read
    call     toolu_1
    target   [world]/repo/a\nb.txt
    input    {"file_path":"a\nb.txt"}
    outcome  ok
    took     8 ms
    decided  in [time]
    also     1 PreToolUse (seen)

    verdicts
      none: no policy had anything to say

    sent back
      exit 0
    --- stderr
    "#);
}

#[test]
#[cfg(feature = "testing")]
fn a_denial_shows_who_said_what_and_how_the_agent_heard_it() {
    let world = without_daemon();
    world
        .agent(SESSION)
        .subagent("a41f0123456789abc", "Explore")
        .runs("toolu_1", "rehearse:deny leave it")
        .ok();
    assert_shown!(world, ["why", "1"], @r#"
    exit 0
    --- stdout
    event    1 PreToolUse
    when     [when]
    who      Explore@a41f (claude-code, session ab31c0de-0000-4000-8000-000000000001, agent a41f0123456789abc)
    where    [world]/repo
    tool     Bash
    call     toolu_1
    target   rehearse:deny leave it
    input    {"command":"rehearse:deny leave it","description":"run"}
    outcome  deny
    decided  in [time]

    verdicts
      rehearsal: deny, applied, [took]
        rehearsed denial: leave it

    sent back
      exit 0
      stdout
        {
          "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": "rehearsed denial: leave it"
          }
        }
    --- stderr
    "#);
}

#[test]
#[cfg(feature = "testing")]
fn a_policy_that_could_not_judge_is_named() {
    let world = without_daemon();
    world.agent(SESSION).runs("toolu_1", "rehearse:panic").ok();
    assert_shown!(world, ["why", "#1"], @r#"
    exit 0
    --- stdout
    event    1 PreToolUse
    when     [when]
    who      main@ab31 (claude-code, session ab31c0de-0000-4000-8000-000000000001)
    where    [world]/repo
    tool     Bash
    call     toolu_1
    target   rehearse:panic
    input    {"command":"rehearse:panic","description":"run"}
    outcome  seen
    decided  in [time]

    verdicts
      none: no policy had anything to say

    could not judge
      - policy rehearsal, cause panicked: rehearsed panic

    sent back
      exit 0
    --- stderr
    "#);
}

#[test]
fn an_event_that_could_not_be_read_says_why() {
    let world = without_daemon();
    world.hook(b"[1]").ok();
    assert_shown!(world, ["why", "1"], @r#"
    exit 0
    --- stdout
    event    1 unreadable
    when     [when]
    target   ignored an event: the payload is an array, not a JSON object
    outcome  unreadable
    decided  in [time]

    verdicts
      none: no policy had anything to say

    sent back
      exit 0
      stderr
        toprope: ignored an event: the payload is an array, not a JSON object
    --- stderr
    "#);
}

#[test]
fn an_unknown_event_is_no_match() {
    let world = without_daemon();
    assert_shown!(world, ["why", "7"], @r"
    exit 4
    --- stdout
    --- stderr
    error: there is no event 7
    hint: toprope log --events --all-projects
    ");
    world.agent(SESSION).starts().ok();
    assert_eq!(world.toprope(&["why", "2"]).code, Some(4));
}

/// A file that an agent wrote, that a command of its changed, and that was read.
fn a_file(world: &World) {
    let main = world.agent(SESSION);
    main.starts().ok();
    main.is_asked("write it").ok();
    main.writes("src.rs", "one\n");
    main.stops().ok();
    main.is_asked("change it").ok();
    main.shell("printf two > src.rs");
    main.stops().ok();
    let read = main.call("Read", &json!({ "file_path": world.repo().join("src.rs") }));
    read.begins().ok();
    read.ends(&json!({})).ok();
}

#[test]
fn a_file_says_who_wrote_it_which_versions_are_kept_and_what_was_decided() {
    let world = without_daemon();
    a_file(&world);
    assert_shown!(world, ["why", "src.rs"], @"
    exit 0
    --- stdout
    path     src.rs
    where    [world]/repo
    holder   nobody
    written  by a command of main@ab31, [age]

    last decisions
       3  [clock]  main@ab31  Write  src.rs  ok  8 ms
      12  [clock]  main@ab31  Read   src.rs  ok  8 ms

    versions kept: 2
      [checkpoint]  modified by a command of main@ab31, [age]
      [checkpoint]  added by main@ab31, [age]
      put one back: toprope rewind [checkpoint] --scope all --path src.rs
    --- stderr
    ");
}

#[test]
fn a_file_that_was_just_written_says_by_which_call() {
    let world = without_daemon();
    let main = world.agent(SESSION);
    main.is_asked("write it").ok();
    main.writes("new.rs", "one\n");
    assert_shown!(world, ["why", "./new.rs"], @"
    exit 0
    --- stdout
    path     new.rs
    where    [world]/repo
    holder   main@ab31 for [time], 1 write, the last [age]
    written  by main@ab31, [age] (event 3)

    last decisions
      2  [clock]  main@ab31  Write  new.rs  ok  8 ms
    --- stderr
    ");
}

#[test]
fn a_file_nobody_touched_is_no_match() {
    let world = without_daemon();
    assert_eq!(world.toprope(&["why", "src/lib.rs"]).code, Some(4));
    world.agent(SESSION).starts().ok();
    assert_shown!(world, ["why", "src/lib.rs"], @"
    exit 4
    --- stdout
    --- stderr
    error: nothing is known of src/lib.rs
    hint: `toprope log --path <folder>` shows what agents did in a folder
    ");
    assert_eq!(world.toprope(&["why", ""]).code, Some(2));
}
