//! Which events are shown: every filter alone, some together, and what is refused.

use super::{SESSION, edits, session, settled, without_daemon};
use serde_json::json;
use testkit::World;

/// The ids of the events a filter lets through.
fn found(world: &World, arguments: &[&str]) -> Vec<i64> {
    let arguments = [&["log", "--json"], arguments].concat();
    let output = world.toprope(&arguments);
    assert_eq!(output.code, Some(0), "{}", output.whole());
    output
        .json_lines()
        .iter()
        .map(|event| event["seq"].as_i64().expect("a number"))
        .collect()
}

#[test]
fn each_filter_alone_and_filters_together() {
    let world = without_daemon();
    session(&world);
    world
        .agent("ffee0000-0000-4000-8000-000000000002")
        .is_asked("another session")
        .ok();
    world
        .agent("ffee0000-0000-4000-8000-000000000002")
        .before(
            "toolu_9",
            "Task",
            &json!({ "description": "write docs", "prompt": "x" }),
        )
        .ok();
    let path = world.repo().join("src/client.rs").to_string_lossy().into_owned();
    for (arguments, expected) in [
        (vec!["--session", "ab31"], vec![1, 2, 3, 4, 5, 6, 7]),
        (
            vec!["--session", "ab31", "--session", "ffee"],
            vec![1, 2, 3, 4, 5, 6, 7, 8, 9],
        ),
        (vec!["--agent", "Explore@a41f"], vec![7]),
        (vec!["--agent", "a41f01"], vec![7]),
        (vec!["--agent", "ffee"], vec![8, 9]),
        (vec!["--event", "UserPromptSubmit"], vec![2, 8]),
        (
            vec!["--event", "SessionStart", "--event", "PostToolUse"],
            vec![1, 4],
        ),
        (vec!["--tool", "Bash"], vec![5, 6, 7]),
        (vec!["--path", "src/client.rs"], vec![3, 4]),
        (vec!["--path", "./src/client.rs"], vec![3, 4]),
        (vec!["--path", &path], vec![3, 4]),
        (vec!["--path", "src"], vec![3, 4]),
        (vec!["--path", "client.rs"], vec![]),
        (vec!["--path", "*.rs"], vec![3, 4]),
        (vec!["--path", "src/*.rs"], vec![3, 4]),
        (vec!["--path", "*/*/*.rs"], vec![]),
        (vec!["--path", "docs/**", "--path", "src/**"], vec![3, 4]),
        (vec!["--tool", "Task"], vec![9]),
        (vec!["--tool", "Agent"], vec![9]),
        (vec!["--policy", "structure"], vec![1]),
        (vec!["--verdict", "advise"], vec![1]),
        (
            vec!["--verdict", "silent", "--tool", "Bash", "--agent", "main@ab31"],
            vec![5, 6],
        ),
        (vec!["--verdict", "deny"], vec![]),
        (vec!["--since", "1h"], vec![1, 2, 3, 4, 5, 6, 7, 8, 9]),
        (vec!["--since", "2100-01-01"], vec![]),
        (vec!["--until", "1h"], vec![]),
        (
            vec!["--until", "2100-01-01T00:00:00Z", "--tool", "Edit"],
            vec![3, 4],
        ),
        (vec!["-n", "2"], vec![8, 9]),
        (vec!["--limit", "1", "--tool", "Edit"], vec![4]),
    ] {
        assert_eq!(found(&world, &arguments), expected, "{arguments:?}");
    }
}

#[test]
fn a_path_begins_in_the_folder_a_person_is_in_and_a_glob_at_the_root() {
    let world = without_daemon();
    session(&world);
    fs_err::create_dir_all(world.repo().join("src")).unwrap();
    let inside = |arguments: &[&str]| {
        let mut command = world.command(&[&["log", "--json"], arguments].concat());
        let output = command.current_dir(world.repo().join("src")).output().unwrap();
        String::from_utf8(output.stdout).unwrap().lines().count()
    };
    assert_eq!(inside(&["--path", "client.rs"]), 2);
    assert_eq!(inside(&["--path", "../src/client.rs"]), 2);
    assert_eq!(inside(&["--path", "src/client.rs"]), 0);
    assert_eq!(inside(&["--path", "src/c*.rs"]), 2);
}

#[test]
fn a_tool_that_was_never_used_says_which_were() {
    let world = without_daemon();
    session(&world);
    assert_shown!(world, ["log", "--tool", "Eddit"], @"
    exit 0
    --- stdout
    --- stderr
    no event matches; tools used here: Bash, Edit
    ");
}

#[test]
fn a_filter_that_finds_one_event_of_a_call_shows_the_whole_call() {
    let world = without_daemon();
    session(&world);
    assert_shown!(world, ["log", "--event", "PreToolUse", "--tool", "Edit"], @r"
    exit 0
    --- stdout
    [clock]  main@ab31  Edit  src/client.rs  ok  8 ms
    --- stderr
    ");
}

#[test]
fn the_limit_counts_lines_and_keeps_what_ended_last() {
    let world = without_daemon();
    let main = world.agent(SESSION);
    main.runs("toolu_1", "sleep 1").ok();
    for number in 0..5 {
        edits(&main, &format!("toolu_e{number}"), &format!("{number}.txt"));
    }
    main.after("toolu_1", "Bash", &json!({ "command": "sleep 1" }), &json!({}))
        .ok();
    assert_shown!(world, ["log", "-n", "3"], @r"
    exit 0
    --- stdout
    [clock]  main@ab31  Bash  sleep 1  ok  8 ms
    [clock]  main@ab31  Edit  3.txt    ok  8 ms
    [clock]  main@ab31  Edit  4.txt    ok  8 ms
    --- stderr
    ");
}

#[test]
fn nothing_that_matches_is_an_answer_too() {
    let world = without_daemon();
    session(&world);
    assert_shown!(world, ["log", "--verdict", "deny"], @r"
    exit 0
    --- stdout
    --- stderr
    no event matches
    ");
}

#[test]
fn a_wrong_filter_is_refused_with_what_is_accepted() {
    let world = without_daemon();
    session(&world);
    assert_shown!(world, ["log", "--verdict", "maybe"], @r"
    exit 2
    --- stdout
    --- stderr
    error: invalid value 'maybe' for '--verdict <VERDICT>': accepted: silent, advise, rewrite, ask, deny

    For more information, try '--help'.
    ");
    assert_shown!(world, ["log", "--since", "a while"], @r"
    exit 2
    --- stdout
    --- stderr
    error: invalid value 'a while' for '--since <WHEN>': accepted: how long ago (30s, 10m, 2h, 3d, 1w), `today`, a day (2026-11-15), or RFC 3339

    For more information, try '--help'.
    ");
    assert_shown!(world, ["log", "--event", "PreTool"], @r"
    exit 2
    --- stdout
    --- stderr
    error: there is no event `PreTool`
    hint: accepted: Setup, SessionStart, InstructionsLoaded, UserPromptSubmit, UserPromptExpansion, PreToolUse, PermissionRequest, PermissionDenied, PostToolUse, PostToolUseFailure, PostToolBatch, SubagentStart, SubagentStop, TeammateIdle, TaskCreated, TaskCompleted, Notification, Elicitation, ElicitationResult, PreCompact, PostCompact, PreModelSwitch, PostModelSwitch, ConfigChange, CwdChanged, FileChanged, DirectoryAdded, WorktreeCreate, WorktreeRemove, MessageDisplay, Stop, StopFailure, SessionEnd
    ");
    for (flag, value) in [
        ("--limit", "0"),
        ("--path", "src/[a"),
        ("--path", "/etc/*.conf"),
        ("--tool", ""),
        ("--agent", ""),
        ("--session", ""),
        ("--until", "tomorrow"),
    ] {
        let output = world.toprope(&["log", flag, value]);
        assert_eq!(output.code, Some(2), "{flag} {value}: {}", output.whole());
    }
    assert_shown!(world, ["log", "--path", "src/{a"], @"
    exit 2
    --- stdout
    --- stderr
    error: invalid value 'src/{a' for '--path <PATH>': the glob has a brace without its partner

    For more information, try '--help'.
    ");
    assert_shown!(world, ["log", "-n", "many"], @"
    exit 2
    --- stdout
    --- stderr
    error: invalid value 'many' for '--limit <N>': accepted: a whole number from 1

    For more information, try '--help'.
    ");
    let policy = world.toprope(&["log", "--policy", "luck"]);
    assert_eq!(policy.code, Some(2));
    assert!(
        policy.stderr.contains("guard, lease, stale_write"),
        "{}",
        policy.stderr
    );
}

#[test]
fn an_event_of_the_future_can_be_asked_for_once_it_came() {
    let world = without_daemon();
    world.agent(SESSION).sends("AgentDreams", &json!({})).ok();
    assert_eq!(found(&world, &["--event", "AgentDreams"]), [1]);
}

#[test]
fn a_folder_no_agent_was_seen_in_says_so() {
    let world = without_daemon();
    assert_shown!(world, ["log"], @r"
    exit 4
    --- stdout
    --- stderr
    error: no agent was seen in [world]/repo yet
    hint: `toprope log --all-projects` shows every project, `toprope init` sets this one up
    ");
    assert_shown!(world, ["log", "--all-projects"], @r"
    exit 0
    --- stdout
    --- stderr
    nothing was recorded yet
    ");
    session(&world);
    let mut elsewhere = world.command(&["log"]);
    let output = elsewhere.current_dir(world.home()).output().unwrap();
    assert_eq!(output.status.code(), Some(4));
}

#[test]
fn all_projects_are_told_apart_by_their_folder() {
    let world = without_daemon();
    session(&world);
    let mut payload = world
        .agent("beef")
        .payload("UserPromptSubmit", &json!({ "prompt": "elsewhere" }));
    payload["cwd"] = json!(world.home());
    world.hook(payload.to_string().as_bytes()).ok();
    assert_shown!(world, ["log", "--all-projects", "--event", "UserPromptSubmit"], @r#"
    exit 0
    --- stdout
    [clock]  repo  main@ab31  UserPromptSubmit  "add a retry to the client"
    [clock]  home  main@beef  UserPromptSubmit  "elsewhere"
    --- stderr
    "#);
    assert_eq!(found(&world, &["--event", "UserPromptSubmit"]), [2]);
}
