//! `toprope checkpoint create`.

use crate::story::{SESSION, place, pretty, shown, told};
use crate::world;

#[test]
fn a_person_makes_a_checkpoint_within_the_session() {
    let world = told();
    world.write("notes.md", "mine\nand more\n");
    insta::assert_snapshot!(shown(&world, &world.toprope(&["checkpoint", "create", "-m", "before\u{1b}[31m lunch"])), @"
    exit 0
    --- stdout
    c00000000010
    --- stderr
    before lunch, ~1. Go back to it with: toprope rewind t2.5
    ");
    let listed = world.toprope(&["checkpoint", "list", "--limit", "1", "--json"]);
    insta::assert_snapshot!(pretty(&world, &listed), @r#"
    exit 0
    {
      "worktree": "/world/repo",
      "session": "ab310c99-0000-4000-8000-000000000001",
      "checkpoints": [
        {
          "id": "c00000000010",
          "point": "t2.5",
          "kind": "manual",
          "turn": 2,
          "actor": "you",
          "agent_type": null,
          "label": "before lunch",
          "files": {
            "added": 0,
            "modified": 1,
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
    let origin = "SELECT origin, CAST(path AS TEXT), actor_id IS NULL FROM checkpoint_files ORDER BY checkpoint_seq DESC LIMIT 1";
    assert_eq!(world.database().rows(origin), ["outside|notes.md|1"]);
}

#[test]
fn it_is_made_where_nothing_changed_too() {
    let world = told();
    let output = world.toprope(&["checkpoint", "create", "--json"]);
    insta::assert_snapshot!(pretty(&world, &output), @r#"
    exit 0
    {
      "id": "c00000000010",
      "point": "t2.5",
      "kind": "manual",
      "turn": 2,
      "actor": "you",
      "agent_type": null,
      "label": "Manual checkpoint",
      "files": {
        "added": 0,
        "modified": 0,
        "deleted": 0,
        "skipped": 0
      },
      "commits": [],
      "degraded": [],
      "created_at": "<moment>"
    }
    "#);
    assert_ne!(
        world.toprope(&["checkpoint", "create"]).ok(),
        world.toprope(&["checkpoint", "create"]).ok()
    );
}

#[test]
fn an_agent_makes_one_of_its_own() {
    let mut world = told();
    world.set("CLAUDE_CODE_SESSION_ID", SESSION);
    let made = world
        .toprope(&["checkpoint", "create", "-m", "halfway", "--json"])
        .json()
        .unwrap();
    assert_eq!(
        (made["actor"].as_str(), made["point"].as_str()),
        (Some("main"), Some("t2.5"))
    );
}

#[test]
fn it_works_before_any_agent_was_seen_and_outside_git() {
    let world = place();
    let id = world.toprope(&["checkpoint", "create"]).ok();
    assert_eq!(
        world
            .database()
            .rows("SELECT id || x'0a', kind, label FROM checkpoints"),
        [format!("{id}|manual|Manual checkpoint")]
    );
    insta::assert_snapshot!(shown(&world, &world.toprope(&["checkpoint", "list"])).replace("0s", "1s"), @"
    exit 0
    --- stdout
    main worktree · feature/login · base 2222222 · newest first
    ID            AGE  POINT  WHO  FILES  LABEL
    c00000000001   1s  -      you  +1     Manual checkpoint
    --- stderr
    ");
    let folder = world.root().join("plain");
    fs_err::create_dir_all(&folder).unwrap();
    fs_err::write(folder.join("x"), "x").unwrap();
    let mut command = world.command(&["checkpoint", "create", "-m", "outside"]);
    command.current_dir(&folder);
    testkit::run(command, b"").ok();
    assert!(!folder.join(".git").exists());
    assert!(world.state().join("shadows").is_dir());
}

#[test]
fn where_there_are_no_files_there_is_no_checkpoint() {
    let world = world();
    world.shell("git init -q --bare ../bare.git").ok();
    let mut command = world.command(&["checkpoint", "create"]);
    command.current_dir(world.root().join("bare.git"));
    insta::assert_snapshot!(shown(&world, &testkit::run(command, b"")), @"
    exit 4
    --- stdout
    --- stderr
    error: /world/bare.git has no working tree, so there are no files to keep
    ");
}
