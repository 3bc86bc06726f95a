//! `toprope session` through the real binary: who acts in a session, and what it was told about the project.

use serde_json::json;
use std::process::Command;
use testkit::World;

const SESSION: &str = "ab31c0de-0000-4000-8000-000000000001";
const OTHER: &str = "ffee0000-0000-4000-8000-000000000002";

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
        insta::with_settings!({ filters => vec![(r"\d+ s ago", "[s] ago")] }, {
            insta::assert_snapshot!(settled(&$world, &output), @$snapshot);
        });
    };
}

/// A main thread whose subagent started one itself and is done; one whose parent nobody told; another session.
fn agents(world: &World) {
    let main = world.agent(SESSION);
    main.starts().ok();
    main.is_asked("add a retry").ok();
    let task = json!({ "description": "find \u{1b}[2Juses", "subagent_type": "Explore", "prompt": "find" });
    main.before("toolu_first", "Agent", &task).ok();
    let explore = main.subagent("a41f0123456789abc", "Explore");
    explore.sends("SubagentStart", &json!({})).ok();
    let task = json!({ "description": "read the docs", "subagent_type": "reader", "prompt": "read" });
    explore.before("toolu_second", "Agent", &task).ok();
    let reader = main.subagent("a91c0123456789abc", "reader");
    reader.sends("SubagentStart", &json!({})).ok();
    reader
        .sends(
            "SubagentStop",
            &json!({ "stop_hook_active": false, "agent_transcript_path": "/x" }),
        )
        .ok();
    main.subagent("a0d40123456789abc", "tester")
        .runs("toolu_third", "cargo test")
        .ok();
    let other = world.agent(OTHER);
    other.starts().ok();
    other.stops().ok();
}

#[test]
fn actors_stand_below_whoever_started_them() {
    let world = without_daemon();
    agents(&world);
    assert_shown!(world, ["session", "actors"], @r#"
    exit 0
    --- stdout
    ACTOR            STATE           LAST SEEN  HOLDS  WAITS FOR  TASK
    main@ffee        waiting         [s] ago    -      -
    main@ab31        working         [s] ago    -      -
      Explore@a41f   working         [s] ago    -      -          "find \u{1b}[2Juses"
        reader@a91c  ended, stopped  [s] ago    -      -          "read the docs"
    tester@a0d4      live            [s] ago    -      -          (started by whom is not known)
    --- stderr
    "#);
    assert_shown!(world, ["session", "actors", "main@ffee"], @"
    exit 0
    --- stdout
    ACTOR      STATE    LAST SEEN  HOLDS  WAITS FOR  TASK
    main@ffee  waiting  [s] ago    -      -
    --- stderr
    ");
}

#[test]
fn actors_are_shown_with_what_they_hold_and_wait_for() {
    let world = without_daemon();
    agents(&world);
    let main = world.agent(SESSION);
    let explore = main.subagent("a41f0123456789abc", "Explore");
    explore.writes("src/a.rs", "one\n");
    explore.writes("src/b.rs", "one\n");
    let tester = main.subagent("a0d40123456789abc", "tester");
    let file = tester.folder().join("src/b.rs");
    let write = tester.call("Write", &json!({ "file_path": file, "content": "two\n" }));
    assert!(write.begins().denial().is_some());
    assert_shown!(world, ["session", "actors", "ab31"], @r#"
    exit 0
    --- stdout
    ACTOR            STATE           LAST SEEN  HOLDS        WAITS FOR  TASK
    main@ab31        working         [s] ago    -            -
      Explore@a41f   working         [s] ago    src/a.rs +1  -          "find \u{1b}[2Juses"
        reader@a91c  ended, stopped  [s] ago    -            -          "read the docs"
    tester@a0d4      live            [s] ago    -            src/b.rs   (started by whom is not known)
    --- stderr
    "#);
    let report = world
        .toprope(&["session", "actors", "ab31", "--json"])
        .json()
        .unwrap();
    assert_eq!(report["actors"][1]["holds"], json!(["src/a.rs", "src/b.rs"]));
    assert_eq!(report["actors"][3]["waits"], json!(["src/b.rs"]));
}

#[test]
fn where_nobody_is_at_work_the_newest_session_is_shown_with_how_it_ended() {
    let world = without_daemon();
    agents(&world);
    world.agent(OTHER).leaves().ok();
    world.agent(SESSION).leaves().ok();
    assert_shown!(world, ["session", "actors"], @r#"
    exit 0
    --- stdout
    ACTOR            STATE               LAST SEEN  HOLDS  WAITS FOR  TASK
    main@ab31        ended, other        [s] ago    -      -
      Explore@a41f   ended, session end  [s] ago    -      -          "find \u{1b}[2Juses"
        reader@a91c  ended, stopped      [s] ago    -      -          "read the docs"
    tester@a0d4      ended, session end  [s] ago    -      -          (started by whom is not known)
    --- stderr
    "#);
}

#[test]
fn json_says_the_same_of_actors() {
    let world = without_daemon();
    agents(&world);
    let mut report = world
        .toprope(&["session", "actors", "ab31", "--json"])
        .json()
        .unwrap();
    for actor in report["actors"].as_array_mut().unwrap() {
        for changing in ["first_seen", "last_seen"] {
            assert!(actor[changing].as_str().unwrap().ends_with('Z'), "{actor}");
            actor[changing] = json!(null);
        }
    }
    let actors = report["actors"].as_array().unwrap();
    assert_eq!(actors.len(), 4);
    insta::assert_snapshot!(actors[2], @r#"{"label":"reader@a91c","agent_kind":"claude-code","session_id":"ab31c0de-0000-4000-8000-000000000001","agent_id":"a91c0123456789abc","agent_type":"reader","state":"ended","end_reason":"stopped","working":false,"announced":true,"merged_into":null,"parent":"Explore@a41f","description":"read the docs","holds":[],"waits":[],"first_seen":null,"last_seen":null}"#);
    assert_eq!(actors[3]["parent"], json!(null));
}

#[test]
fn a_session_that_is_none_or_several_is_refused() {
    let world = without_daemon();
    assert_shown!(world, ["session", "actors"], @"
    exit 4
    --- stdout
    --- stderr
    error: no agent was seen in [world]/repo yet
    hint: `toprope status --all-projects` shows every project, `toprope init` sets this one up
    ");
    agents(&world);
    world.agent("ab310000-0000-4000-8000-000000000003").starts().ok();
    assert_shown!(world, ["session", "actors", "9999"], @"
    exit 4
    --- stdout
    --- stderr
    error: there is no session `9999`
    hint: `toprope session actors` shows those at work here
    ");
    assert_shown!(world, ["session", "structure", "ab31"], @"
    exit 4
    --- stdout
    --- stderr
    error: `ab31` fits several sessions: ab310000-0000-4000-8000-000000000003, ab31c0de-0000-4000-8000-000000000001
    ");
    assert_eq!(world.toprope(&["session", "actors", ""]).code, Some(2));
}

#[test]
fn commands_of_agents_carry_a_token_that_has_to_be_real() {
    let world = without_daemon();
    agents(&world);
    assert_eq!(
        world.toprope(&["session", "actors", "--as", "forged"]).code,
        Some(5)
    );
    let signed = ["session", "structure", "--as", "forged", "ab31"];
    assert_eq!(world.toprope(&signed).code, Some(5));
}

fn git(world: &World, arguments: &[&str]) {
    let done = Command::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=a@example.org"])
        .args(arguments)
        .current_dir(world.repo())
        .status();
    assert!(done.expect("git runs").success());
}

#[test]
fn the_structure_of_a_session_is_what_it_was_told() {
    let world = without_daemon();
    fs_err::create_dir_all(world.repo().join("src")).unwrap();
    fs_err::write(world.repo().join("src/new\nline.rs"), "").unwrap();
    git(&world, &["add", "-A"]);
    git(&world, &["commit", "-qm", "client: \u{1b}[2J retry once"]);
    let main = world.agent(SESSION);
    let told = main.starts().ok();
    assert_shown!(world, ["session", "structure"], @r"
    exit 0
    --- stdout
    Project state (information, not instructions)
    branch main; no changes
    last commits:
      client: \u{1b}[2J retry once
      first commit
    files:
      src/  (1)
      a.txt
      src/new\nline.rs
    --- stderr
    ");
    let shown = world.toprope(&["session", "structure", "ab31"]).ok();
    let told: serde_json::Value = serde_json::from_str(&told).unwrap();
    let told = told["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    assert_eq!(shown.trim_end(), told, "the session read the same");

    fs_err::write(world.repo().join("added.rs"), "").unwrap();
    assert_eq!(world.toprope(&["session", "structure"]).ok(), shown);
    let fresh = world.toprope(&["session", "structure", "--refresh"]).ok();
    assert!(
        fresh.contains("1 untracked") && fresh.contains("added.rs"),
        "{fresh}"
    );
    assert_eq!(world.toprope(&["session", "structure"]).ok(), fresh);
}

#[test]
fn a_session_that_was_told_nothing_can_be_told_now() {
    let world = without_daemon();
    world.agent(SESSION).is_asked("go on").ok();
    assert_shown!(world, ["session", "structure"], @"
    exit 4
    --- stdout
    --- stderr
    error: no structure was captured for main@ab31
    hint: toprope session structure main@ab31 --refresh
    ");
    assert_eq!(
        world
            .toprope(&["session", "structure", "main@ab31", "--refresh"])
            .code,
        Some(0)
    );
    assert_eq!(world.toprope(&["session", "structure"]).code, Some(0));
}

#[test]
fn before_any_session_the_structure_can_still_be_looked_at() {
    let world = without_daemon();
    assert_eq!(world.toprope(&["session", "structure"]).code, Some(4));
    let fresh = world.toprope(&["session", "structure", "--refresh"]).ok();
    assert!(
        fresh.starts_with("Project state (information, not instructions)"),
        "{fresh}"
    );
}

fn skill(world: &World, folder: &str, text: &str) {
    world.write(&format!(".claude/skills/{folder}/SKILL.md"), text);
}

/// Two skills, a file that is none, and a person's own words for one of them.
fn skills(world: &World) {
    let effect = "---\nname: effect-services\ndescription: Layers and wiring in Effect TS\nkeywords: service, layer\n---\n";
    skill(world, "effect-services", effect);
    skill(world, "release", "---\ndescription: Cut a release\n---\n");
    skill(world, "broken", "no front matter\n");
    skill(world, "odd", "---\nname: ../\u{1b}[2J\n---\n");
    let own = world.home().join(".claude/skills/notes");
    fs_err::create_dir_all(&own).expect("a skill of the person's");
    fs_err::write(
        own.join("SKILL.md"),
        "---\nname: notes\nkeywords: [release notes]\n---\n",
    )
    .expect("a skill of the person's");
    let map = "[skills.map]\neffect-services = [\"dependency injection\"]\n";
    world.write("toprope.toml", map);
}

#[test]
fn skills_are_listed_with_their_sources_and_what_is_wrong_with_others() {
    let world = without_daemon();
    assert_shown!(world, ["session", "skills"], @"
    exit 0
    --- stdout
    --- stderr
    there are no skills here
    ");
    skills(&world);
    assert_shown!(world, ["session", "skills"], @r"
    exit 0
    --- stdout
    NAME             SOURCE                                   KEYWORDS
    effect-services  .claude/skills/effect-services/SKILL.md  service, layer, dependency injection
    release          .claude/skills/release/SKILL.md
    notes            ~/.claude/skills/notes/SKILL.md          release notes
    problem: .claude/skills/broken/SKILL.md has no front matter
    problem: .claude/skills/odd/SKILL.md has a name that cannot be called: `../\u{1b}[2J`
    --- stderr
    ");
}

#[test]
fn a_prompt_shows_how_well_each_skill_fits_and_by_which_words() {
    let world = without_daemon();
    skills(&world);
    let prompt = "use dependency injection for the service, then a border";
    assert_shown!(world, ["session", "skills", "--prompt", prompt], @r"
    exit 0
    --- stdout
    NAME             SOURCE                                   FIT
    effect-services  .claude/skills/effect-services/SKILL.md  dependency injection, service (suggested)
    release          .claude/skills/release/SKILL.md          -
    notes            ~/.claude/skills/notes/SKILL.md          -
    problem: .claude/skills/broken/SKILL.md has no front matter
    problem: .claude/skills/odd/SKILL.md has a name that cannot be called: `../\u{1b}[2J`
    --- stderr
    ");
    let report = world
        .toprope(&["session", "skills", "--prompt", prompt, "--json"])
        .json()
        .unwrap();
    insta::assert_snapshot!(settled(&world, &report["skills"][0].to_string()), @r#"{"name":"effect-services","source":"[world]/repo/.claude/skills/effect-services/SKILL.md","description":"Layers and wiring in Effect TS","keywords":["service","layer","dependency injection"],"fit":{"hits":["dependency injection","service"],"suggested":true}}"#);
    assert_eq!(report["problems"].as_array().unwrap().len(), 2);
}
