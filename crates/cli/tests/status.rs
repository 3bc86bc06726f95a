//! `toprope status` through the real binary: who is at work, what is on, how Toprope is.

use serde_json::{Value, json};
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
    // A test policy is on only in test builds.
    text.replace(&*world.root().to_string_lossy(), "[world]")
        .replace("rehearsal enforce, ", "")
}

macro_rules! assert_shown {
    ($world:expr, $arguments:expr, @$snapshot:literal) => {
        let output = $world.toprope(&$arguments).whole();
        let filters = vec![
            (r"\d+ s ago", "[age]"),
            (r"pid \d+\) for \d+ s, [\d.]+ MiB", "pid [pid]) for [time], [size]"),
            (r"[\d.]+ [KMG]iB in", "[size] in"),
        ];
        insta::with_settings!({ filters => filters }, {
            insta::assert_snapshot!(settled(&$world, &output), @$snapshot);
        });
    };
}

/// A main thread with a subagent that it started itself, and another session.
fn agents(world: &World) {
    let main = world.agent(SESSION);
    main.starts().ok();
    main.is_asked("add a retry").ok();
    let task = json!({ "description": "find uses", "subagent_type": "Explore", "prompt": "find" });
    main.before("toolu_1", "Agent", &task).ok();
    let explore = main.subagent("a41f0123456789abc", "Explore");
    explore.sends("SubagentStart", &json!({})).ok();
    explore
        .before(
            "toolu_2",
            "Read",
            &json!({ "file_path": world.repo().join("a.txt") }),
        )
        .ok();
    let other = world.agent("ffee0000-0000-4000-8000-000000000002");
    other.starts().ok();
    other.stops().ok();
}

#[test]
fn agents_are_shown_below_whoever_started_them() {
    let world = without_daemon();
    agents(&world);
    assert_shown!(world, ["status"], @r#"
    exit 0
    --- stdout
    hooks       not installed here, so no agent is seen or stopped: toprope init
    project     [world]/repo
    profile     standard
    policies    guard enforce, lease enforce, stale_write enforce, concurrent_session advise, structure advise, skills advise, notices advise
    checkpoints on, 2 here
    agents      3 in 2 sessions
      main@ffee       waiting  [age]  Stop "done"
      main@ab31       working  [age]  Agent "find uses"
        Explore@a41f  working  [age]  Read a.txt  "find uses"

    daemon      not running; the next hook starts one
    state       [size] in [world]/state
    --- stderr
    "#);
}

#[test]
fn json_says_the_same() {
    let world = without_daemon();
    agents(&world);
    let status = world.toprope(&["status", "--json"]).json().unwrap();
    assert_eq!(
        status.as_object().unwrap().keys().collect::<Vec<_>>(),
        ["projects", "daemon", "state"]
    );
    let project = &status["projects"][0];
    let keys = [
        "root",
        "installed",
        "hooks",
        "seen",
        "enabled",
        "profile",
        "policies",
        "checkpoints",
        "requests",
        "problems",
        "agents",
    ];
    assert_eq!(project.as_object().unwrap().keys().collect::<Vec<_>>(), keys);
    assert_eq!(project["profile"], "standard");
    let explore = &project["agents"][2];
    assert_eq!(explore["label"], "Explore@a41f");
    assert_eq!(explore["parent"], "main@ab31");
    assert_eq!(explore["session_id"], SESSION);
    assert_eq!(explore["last_event"]["tool"], "Read");
    assert_eq!(explore["working"], true);
    assert_eq!(status["daemon"], Value::Null);
    assert!(status["state"]["bytes"].as_u64().unwrap() > 0);
}

#[test]
fn a_folder_no_agent_was_seen_in_still_has_settings() {
    let world = without_daemon();
    fs_err::write(
        world.repo().join("toprope.toml"),
        "profile = \"strict\"\nprotected_branch = []\n",
    )
    .unwrap();
    assert_shown!(world, ["status"], @"
    exit 0
    --- stdout
    hooks       not installed here, so no agent is seen or stopped: toprope init
    project     [world]/repo
    profile     strict
    policies    guard enforce, lease enforce, stale_write enforce, concurrent_session enforce, structure advise, skills advise, notices advise
    checkpoints on, none yet
    settings    [world]/repo/toprope.toml:2:1: unknown key `protected_branch`
                hint: did you mean `protected_branches`?
    agents      none seen here yet

    daemon      not running; the next hook starts one
    state       0 B in [world]/state
    --- stderr
    ");
}

#[test]
fn trouble_is_counted_and_the_last_of_it_shown() {
    let world = without_daemon();
    world.agent(SESSION).starts().ok();
    world.agent(SESSION).leaves().ok();
    world.hook(b"{\"a\":").ok();
    world.hook(b"").ok();
    world
        .database()
        .run("INSERT INTO counters (name, count, last_text, last_at) VALUES ('pruned', 1, '', 1)");
    assert_shown!(world, ["status"], @"
    exit 0
    --- stdout
    hooks       not installed here, so no agent is seen or stopped: toprope init
    project     [world]/repo
    profile     standard
    policies    guard enforce, lease enforce, stale_write enforce, concurrent_session advise, structure advise, skills advise, notices advise
    checkpoints on, none yet
    agents      none at work

    daemon      not running; the next hook starts one
    state       [size] in [world]/state
    unreadable  2, last [age]: ignored an event: the payload is empty
    --- stderr
    ");
}

#[test]
fn a_session_whose_process_is_gone_is_closed_without_a_daemon() {
    let mut world = without_daemon();
    world.agent(SESSION).runs("toolu_1", "sleep 100").ok();
    assert_eq!(labels(&world), ["main@ab31"]);
    world.restart_client();
    assert_eq!(labels(&world), Vec::<String>::new());
    let log = world.toprope(&["log"]).ok();
    assert!(log.contains("interrupted"), "{log}");
}

#[test]
fn a_running_daemon_says_how_it_is() {
    let world = World::new(env!("CARGO_BIN_EXE_toprope"));
    world.toprope(&["daemon", "start"]).ok();
    world.agent(SESSION).is_asked("hello").ok();
    assert_shown!(world, ["status"], @r#"
    exit 0
    --- stdout
    hooks       not installed here, so no agent is seen or stopped: toprope init
    project     [world]/repo
    profile     standard
    policies    guard enforce, lease enforce, stale_write enforce, concurrent_session advise, structure advise, skills advise, notices advise
    checkpoints on, none yet
    agents      1 in 1 session
      main@ab31  working  [age]  UserPromptSubmit "hello"

    daemon      serving (pid [pid]) for [time], [size]
    state       [size] in [world]/state
    --- stderr
    "#);
}

#[test]
fn every_project_is_shown_when_asked_for() {
    let world = without_daemon();
    world.agent(SESSION).is_asked("here").ok();
    let mut payload = world
        .agent("beef")
        .payload("UserPromptSubmit", &json!({ "prompt": "elsewhere" }));
    payload["cwd"] = json!(world.home());
    world.hook(payload.to_string().as_bytes()).ok();
    let status = world
        .toprope(&["status", "--all-projects", "--json"])
        .json()
        .unwrap();
    let shown: Vec<_> = status["projects"]
        .as_array()
        .unwrap()
        .iter()
        .map(|project| &project["agents"][0]["label"])
        .collect();
    assert_eq!(shown, ["main@ab31", "main@beef"]);
}

fn labels(world: &World) -> Vec<String> {
    let status = world.toprope(&["status", "--json"]).json().expect("a report");
    let agents = status.pointer("/projects/0/agents").and_then(Value::as_array);
    let labels = agents
        .expect("a list")
        .iter()
        .map(|agent| agent.get("label").and_then(Value::as_str));
    labels.map(|label| label.expect("a label").to_owned()).collect()
}
