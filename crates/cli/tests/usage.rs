//! `toprope usage` as people and programs use it, through the real binary.

use serde_json::{Value, json};
use testkit::World;

const SESSION: &str = "ab31c0de-0000-4000-8000-000000000001";
const OTHER: &str = "ffee0000-0000-4000-8000-000000000002";
/// 2026-11-15, noon in UTC.
const NOON: i64 = 1_794_744_000_000;

fn world() -> World {
    World::new(env!("CARGO_BIN_EXE_toprope"))
        .with("TOPROPE_DAEMON", "never")
        .with("TZ", "UTC")
}

/// Two sessions; the first had two turns and a subagent that ended during the second.
fn sessions(world: &World) {
    let main = world.agent(SESSION);
    main.starts().ok();
    main.is_asked("add a retry to the client").ok();
    let explore = main.subagent("a41f0123456789abc", "Explore");
    explore.sends("SubagentStart", &json!({})).ok();
    main.stops().ok();
    main.is_asked("\n  and a test\u{1b}[31m for it").ok();
    let other = world.agent(OTHER);
    other.starts().ok();
    other.is_asked("something else").ok();
}

struct Message<'a> {
    id: &'a str,
    session: &'a str,
    agent: &'a str,
    turn: &'a str,
    model: &'a str,
    output: u64,
    at: i64,
}

/// What reading the transcripts leaves in the store.
fn counts(world: &World) {
    let messages = [
        ("m1", SESSION, "", "1", "'opus'", 2_000, NOON),
        (
            "m2",
            SESSION,
            "a41f0123456789abc",
            "1",
            "'haiku'",
            300,
            NOON + 90_000_000,
        ),
        ("m3", SESSION, "", "2", "'opus'", 5, NOON + 90_000_000),
        ("m4", OTHER, "", "NULL", "NULL", 7, NOON + 90_000_000),
    ];
    for (id, session, agent, turn, model, output, at) in messages {
        count(
            world,
            &Message {
                id,
                session,
                agent,
                turn,
                model,
                output,
                at,
            },
        );
    }
    world
        .database()
        .run("UPDATE turns SET sealed = 1 WHERE number = 1");
}

fn count(world: &World, message: &Message<'_>) {
    let Message {
        id,
        session,
        agent,
        turn,
        model,
        output,
        at,
    } = message;
    world.database().run(&format!(
        "INSERT INTO usage (agent_kind, message_id, session_id, actor_id, turn, model, input, cache_write_5m,
             cache_write_1h, cache_read, output, thinking, at)
         SELECT 'claude-code', '{id}', main.id, actor.id, {turn}, {model}, 100, 10, 1, 155000, {output}, 3, {at}
         FROM actors AS main JOIN actors AS actor ON actor.client_session_id = main.client_session_id
         WHERE main.client_session_id = '{session}' AND main.agent_id = '' AND actor.agent_id = '{agent}'"
    ));
}

macro_rules! assert_shown {
    ($world:expr, $arguments:expr, @$snapshot:literal) => {
        let output = $world.toprope(&$arguments).whole();
        let root = $world.root().canonicalize().expect("a world");
        let output = output.replace(&*root.to_string_lossy(), "[world]");
        insta::assert_snapshot!(output, @$snapshot);
    };
}

fn told(world: &World, arguments: &[&str]) -> Value {
    world.toprope(arguments).json().expect("one JSON object")
}

#[test]
fn sessions_are_shown_with_their_turns_and_subagents() {
    let world = world();
    sessions(&world);
    counts(&world);
    assert_shown!(world, ["usage"], @r"
    exit 0
    --- stdout
                                       INPUT  CACHE WRITE  CACHE READ  OUTPUT  THINKING
    claude-code ab31c0de                 300           33     465,000   2,305         9
      t1 add a retry to the client       200           22     310,000   2,300         6
        Explore@a41f                     100           11     155,000     300         3
      t2+ and a test\u{1b}[31m for it    100           11     155,000       5         3
    claude-code ffee0000                 100           11     155,000       7         3
      no turn                            100           11     155,000       7         3
    total                                400           44     620,000   2,312        12
    + not all of this turn is written down yet: its sum may still grow
    --- stderr
    ");
}

#[test]
fn every_way_to_group_sums_up_to_the_same() {
    let world = world();
    sessions(&world);
    counts(&world);
    let whole = told(&world, &["usage", "--json"]);
    for by in ["day", "project", "session", "agent", "turn", "model"] {
        let groups = told(&world, &["usage", "--json", "--by", by]);
        assert_eq!(groups["total"], whole["total"], "{by}");
        let rows = groups["rows"].as_array().expect("rows");
        let output: u64 = rows
            .iter()
            .filter_map(|row| row["total"]["output"].as_u64())
            .sum();
        assert_eq!(output, 2_312, "{by}");
    }
    assert_shown!(world, ["usage", "--by", "model"], @"
    exit 0
    --- stdout
             INPUT  CACHE WRITE  CACHE READ  OUTPUT  THINKING
    opus       200           22     310,000   2,005         6
    haiku      100           11     155,000     300         3
    unknown    100           11     155,000       7         3
    total      400           44     620,000   2,312        12
    --- stderr
    ");
    assert_shown!(world, ["usage", "--by", "day"], @"
    exit 0
    --- stdout
                INPUT  CACHE WRITE  CACHE READ  OUTPUT  THINKING
    2026-11-15    100           11     155,000   2,000         3
    2026-11-16    300           33     465,000     312         9
    total         400           44     620,000   2,312        12
    --- stderr
    ");
    assert_shown!(world, ["usage", "--by", "turn"], @"
    exit 0
    --- stdout
                                                  INPUT  CACHE WRITE  CACHE READ  OUTPUT  THINKING
    ab31c0de-0000-4000-8000-000000000001 t1         200           22     310,000   2,300         6
    ab31c0de-0000-4000-8000-000000000001 t2         100           11     155,000       5         3
    ffee0000-0000-4000-8000-000000000002 no turn    100           11     155,000       7         3
    total                                           400           44     620,000   2,312        12
    --- stderr
    ");
}

#[test]
fn programs_get_one_object_with_kinds_kept_apart() {
    let world = world();
    sessions(&world);
    counts(&world);
    let whole = told(&world, &["usage", "--json"]);
    let session = &whole["sessions"][0];
    assert_eq!(session["session_id"], SESSION);
    assert_eq!(session["agent"], "claude-code");
    let turn = &session["turns"][0];
    assert_eq!((&turn["turn"], &turn["complete"]), (&json!(1), &json!(true)));
    assert_eq!(session["turns"][1]["complete"], false);
    assert_eq!(turn["prompt"], "add a retry to the client");
    assert_eq!(turn["main"]["output"], 2_000);
    let agent = &turn["subagents"][0];
    assert_eq!(agent["agent_id"], "a41f0123456789abc");
    assert_eq!(agent["agent_type"], "Explore");
    assert_eq!(
        agent["total"],
        json!({ "input": 100, "cache_write_5m": 10, "cache_write_1h": 1, "cache_read": 155_000, "output": 300,
            "thinking": 3 })
    );
    assert_eq!(whole["sessions"][1]["turns"][0]["turn"], Value::Null);
}

#[test]
fn a_session_is_chosen_by_the_beginning_of_its_id_and_a_time_by_its_name() {
    let world = world();
    sessions(&world);
    counts(&world);
    let chosen = told(&world, &["usage", "--json", "--session", "ab31"]);
    assert_eq!(chosen["total"]["output"], 2_305);
    let late = told(&world, &["usage", "--json", "--since", "2026-11-16"]);
    assert_eq!(late["total"]["output"], 312);
    assert_shown!(world, ["usage", "--session", "zz"], @"
    exit 4
    --- stdout
    --- stderr
    error: there is no session `zz`
    hint: `toprope usage --by session --all-projects` lists those that used tokens
    ");
    assert_eq!(world.toprope(&["usage", "--session", ""]).code, Some(2));
    world.agent("ab31ffff-0000").starts().ok();
    assert_shown!(world, ["usage", "--session", "ab31"], @"
    exit 4
    --- stdout
    --- stderr
    error: `ab31` fits several sessions: ab31ffff-0000, ab31c0de-0000-4000-8000-000000000001
    ");
}

#[test]
fn nothing_counted_is_an_answer_and_an_unknown_folder_is_none() {
    let world = world();
    assert_shown!(world, ["usage"], @"
    exit 0
    --- stdout
    --- stderr
    no tokens were counted yet
    ");
    assert_eq!(told(&world, &["usage", "--json"])["sessions"], json!([]));
    let main = world.agent(SESSION);
    main.starts().ok();
    assert_shown!(world, ["usage"], @"
    exit 0
    --- stdout
    --- stderr
    no tokens were counted yet
    ");
    assert_eq!(
        told(&world, &["usage", "--json", "--by", "day"])["rows"],
        json!([])
    );
    fs_err::create_dir_all(world.root().join("elsewhere")).expect("a folder");
    let elsewhere = world.root().join("elsewhere");
    let mut command = world.command(&["usage"]);
    command.current_dir(&elsewhere);
    let output = testkit::run(command, b"");
    assert_eq!(output.code, Some(4));
}

#[test]
fn what_an_agent_said_before_its_session_was_cleared_is_read() {
    let world = world();
    let main = world.agent(SESSION);
    main.starts().ok();
    main.is_asked("go").ok();
    let agent = ("a41f0123456789abc", "Explore");
    main.subagent(agent.0, agent.1).begins().ok();
    main.sends("SessionEnd", &json!({ "reason": "clear" })).ok();
    let next = world.agent(OTHER);
    next.sends("SessionStart", &json!({ "source": "clear" })).ok();
    next.subagent(agent.0, agent.1).runs("toolu_1", "ls").ok();
    let files = world
        .database()
        .rows("SELECT json_extract(detail, '$.path') FROM jobs WHERE kind = 'read-transcript' AND detail LIKE '%subagents%'");
    let [file] = &files[..] else { panic!("{files:?}") };
    assert!(
        file.ends_with(&format!("{SESSION}/subagents/agent-a41f0123456789abc.jsonl")),
        "{file}"
    );
}
