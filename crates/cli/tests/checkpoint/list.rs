//! `toprope checkpoint list`.

use crate::story::{HELPER, SESSION, day, grow_old, place, pretty, shown, told};
use serde_json::Value;

#[test]
fn the_line_is_shown_newest_first_without_steps() {
    let world = told();
    grow_old(&world);
    insta::assert_snapshot!(shown(&world, &world.toprope(&["checkpoint", "list"])), @"
    exit 0
    --- stdout
    main worktree · feature/login · base 2222222 · session 2026-11-15-ab310c99 · newest first
    ID            AGE  POINT  WHO          FILES     LABEL
    c00000000009  30s  t2     claude·main  +1 ~1     Add the login form
    c00000000007   2m  t2.3   claude·a3f2  +1        Finished: write the form
    c00000000005   4m  t2.1   claude·a3f2  -         Starting: write the form
    c00000000004   5m  t1     claude·main  +1 -1     Create user model, drop old_auth
    c00000000001   8m  start  claude·main  baseline  (1 untracked)
    --- stderr
    ");
}

#[test]
fn steps_are_shown_when_asked_for_and_by_path_turn_kind_and_agent() {
    let world = told();
    grow_old(&world);
    let points = |arguments: &[&str]| -> Vec<String> {
        let all: Vec<&str> = ["checkpoint", "list", "--json"]
            .iter()
            .chain(arguments)
            .copied()
            .collect();
        let listed = world.toprope(&all).json().unwrap();
        let listed = listed["checkpoints"].as_array().unwrap().clone();
        listed
            .iter()
            .map(|one| {
                format!(
                    "{} {}",
                    one["point"].as_str().unwrap(),
                    one["kind"].as_str().unwrap()
                )
            })
            .collect()
    };
    assert_eq!(points(&["--steps"]).len(), points(&[]).len() + 4);
    assert_eq!(
        points(&["--kind", "step", "--turn", "1"]),
        ["t1.2 step", "t1.1 step"]
    );
    assert_eq!(points(&["--path", "src/old_auth.rs", "--steps"]), ["t1.2 step"]);
    assert_eq!(
        points(&["--agent", "a3f2"]),
        ["t2.3 agent-stop", "t2.1 agent-start"]
    );
    assert_eq!(points(&["--agent", "main", "--limit", "1"]), ["t2 turn"]);
    assert_eq!(points(&["--turn", "7"]), Vec::<String>::new());
}

#[test]
fn programs_get_one_object() {
    let world = told();
    let output = world.toprope(&["checkpoint", "list", "--json", "--limit", "2"]);
    insta::assert_snapshot!(pretty(&world, &output), @r#"
    exit 0
    {
      "worktree": "/world/repo",
      "session": "ab310c99-0000-4000-8000-000000000001",
      "checkpoints": [
        {
          "id": "c00000000009",
          "point": "t2",
          "kind": "turn",
          "turn": 2,
          "actor": "main",
          "agent_type": null,
          "label": "Add the login form",
          "files": {
            "added": 1,
            "modified": 1,
            "deleted": 0,
            "skipped": 0
          },
          "commits": [],
          "degraded": [],
          "created_at": "<moment>"
        },
        {
          "id": "c00000000007",
          "point": "t2.3",
          "kind": "agent-stop",
          "turn": 2,
          "actor": "a3f20123456789abc",
          "agent_type": "Explore",
          "label": "Finished: write the form",
          "files": {
            "added": 1,
            "modified": 0,
            "deleted": 0,
            "skipped": 0
          },
          "commits": [],
          "degraded": [],
          "created_at": "<moment>"
        }
      ]
    }
    "#);
}

#[test]
fn what_a_checkpoint_may_miss_is_marked() {
    let world = told();
    grow_old(&world);
    world
        .database()
        .run("UPDATE checkpoints SET degraded = '[\"scan\"]' WHERE kind = 'turn' AND turn = 1");
    let listed = world.toprope(&["checkpoint", "list", "--turn", "1", "--kind", "turn"]);
    insta::assert_snapshot!(shown(&world, &listed), @"
    exit 0
    --- stdout
    main worktree · feature/login · base 2222222 · session 2026-11-15-ab310c99 · newest first
    ID            AGE  POINT  WHO          FILES  LABEL
    c00000000004!  5m  t1     claude·main  +1 -1  Create user model, drop old_auth
    --- stderr
    ");
}

#[test]
fn every_session_and_worktree_can_be_listed_together() {
    let world = told();
    let beside = world.root().join("beside");
    world.git(&["worktree", "add", "-q", "-b", "other", &beside.to_string_lossy()]);
    let other = world
        .agent("77c0ffee-0000-4000-8000-000000000002")
        .standing_in(&beside);
    other.is_asked("Elsewhere").ok();
    world.settled();
    other.writes("x.txt", "x\n");
    other.stops().ok();
    world.settled();
    grow_old(&world);
    let all = world.toprope(&["checkpoint", "list", "--all", "--limit", "3"]);
    insta::assert_snapshot!(shown(&world, &all), @"
    exit 0
    --- stdout
    every session and worktree of this project · newest first
    ID            AGE  POINT  WHO          FILES     SESSION              WORKTREE  LABEL
    c00000000012  30s  t1     claude·main  +1        2026-11-15-77c0ffee  beside    Elsewhere
    c00000000010   2m  start  claude·main  baseline  2026-11-15-77c0ffee  beside    (nothing was changed yet)
    c00000000009   3m  t2     claude·main  +1 ~1     2026-11-15-ab310c99  repo      Add the login form
    --- stderr
    ");
    let mut there = world.command(&["checkpoint", "list"]);
    there.current_dir(&beside);
    insta::assert_snapshot!(shown(&world, &testkit::run(there, b"")), @"
    exit 0
    --- stdout
    worktree beside · other · base 2222222 · session 2026-11-15-77c0ffee · newest first
    ID            AGE  POINT  WHO          FILES     LABEL
    c00000000012  30s  t1     claude·main  +1        Elsewhere
    c00000000010   2m  start  claude·main  baseline  (nothing was changed yet)
    --- stderr
    ");
}

#[test]
fn the_session_is_the_one_whose_shell_it_is_or_the_one_that_was_named() {
    let mut world = told();
    let other = "77c0ffee-0000-4000-8000-000000000002";
    world.agent(other).is_asked("Something else").ok();
    world.settled();
    let session = |world: &testkit::World, arguments: &[&str]| -> Value {
        let all: Vec<&str> = ["checkpoint", "list", "--json"]
            .iter()
            .chain(arguments)
            .copied()
            .collect();
        world.toprope(&all).json().unwrap()["session"].clone()
    };
    assert_eq!(session(&world, &["--session", "ab31"]), SESSION);
    assert_eq!(
        session(&world, &["--session", &format!("{}-77c0", day(&world).unwrap())]),
        other
    );
    assert_eq!(
        session(&world, &[]),
        other,
        "two are at work: the newest checkpoint decides"
    );
    world.set("CLAUDE_CODE_SESSION_ID", SESSION);
    assert_eq!(session(&world, &[]), SESSION);
    world.set("CLAUDE_CODE_SESSION_ID", "never-seen");
    assert_eq!(session(&world, &[]), other);
    world.agent(other).leaves().ok();
    assert_eq!(session(&world, &[]), SESSION, "only one is at work");
}

#[test]
fn a_folder_below_the_root_belongs_to_the_worktree() {
    let world = told();
    let mut below = world.command(&["checkpoint", "list", "--path", "model.rs", "--json", "--steps"]);
    below.current_dir(world.repo().join("src"));
    let listed = testkit::run(below, b"").json().unwrap();
    assert_eq!(listed["checkpoints"].as_array().unwrap().len(), 2);
}

#[test]
fn a_folder_outside_git_is_found_from_below() {
    let world = place();
    let folder = world.root().join("plain");
    fs_err::create_dir_all(folder.join("deep")).unwrap();
    let agent = world.agent(SESSION).standing_in(&folder);
    agent.is_asked("Begin").ok();
    world.settled();
    agent.writes("deep/x.txt", "x\n");
    agent.stops().ok();
    world.settled();
    grow_old(&world);
    let mut below = world.command(&["checkpoint", "list"]);
    below.current_dir(folder.join("deep"));
    insta::assert_snapshot!(shown(&world, &testkit::run(below, b"")), @"
    exit 0
    --- stdout
    folder outside git · session 2026-11-15-ab310c99 · newest first
    ID            AGE  POINT  WHO          FILES     LABEL
    c00000000003  30s  t1     claude·main  +1        Begin
    c00000000001   2m  start  claude·main  baseline  (nothing was changed yet)
    --- stderr
    ");
}

#[test]
fn an_unknown_session_agent_or_folder_is_said_with_exit_4() {
    let world = told();
    let said = |arguments: &[&str]| {
        let all: Vec<&str> = ["checkpoint", "list"].iter().chain(arguments).copied().collect();
        shown(&world, &world.toprope(&all))
    };
    let whole = [
        said(&["--session", "zzz"]),
        said(&["--agent", "b7"]),
        said(&["--path", "../elsewhere"]),
    ];
    insta::assert_snapshot!(whole.join("\n"), @r#"
    exit 4
    --- stdout
    --- stderr
    error: no session "zzz" worked in this project
    hint: `toprope checkpoint list --all` shows the sessions there are

    exit 4
    --- stdout
    --- stderr
    error: this session has no agent "b7"

    exit 2
    --- stdout
    --- stderr
    error: ../elsewhere is not in this worktree
    hint: its root is /world/repo
    "#);
    insta::assert_snapshot!(place().toprope(&["checkpoint", "list"]).code.unwrap(), @"4");
}

#[test]
fn switched_off_checkpoints_are_said_with_exit_3() {
    let world = told();
    world.has_settings("checkpoints.enabled = false\n");
    for command in [
        &["checkpoint", "list"][..],
        &["checkpoint", "show", "t1"],
        &["checkpoint", "diff", "t1"],
        &["checkpoint", "create"],
        &["checkpoint", "pin", "t1"],
        &["resume", "t1"],
    ] {
        let output = world.toprope(command);
        assert_eq!(output.code, Some(3), "{command:?}");
        insta::allow_duplicates! {
            insta::assert_snapshot!(output.stderr, @"
            error: checkpoints are switched off here: `checkpoints.enabled = false`
            hint: toprope config show --origin
            ");
        }
    }
}

#[test]
fn the_subagent_has_its_own_name() {
    let world = told();
    let listed = world
        .toprope(&["checkpoint", "list", "--json", "--kind", "agent-stop"])
        .json()
        .unwrap();
    assert_eq!(listed["checkpoints"][0]["actor"], HELPER);
    assert_eq!(listed["checkpoints"][0]["agent_type"], "Explore");
}
