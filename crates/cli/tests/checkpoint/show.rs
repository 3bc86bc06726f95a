//! `toprope checkpoint show`.

use crate::story::{SESSION, grow_old, pretty, shown, told};
use serde_json::json;
use testkit::World;

/// Lines as the client writes them.
fn says(world: &World, lines: &[serde_json::Value]) -> String {
    let lines: Vec<String> = lines.iter().map(|line| format!("{line}\n")).collect();
    let text = lines.concat();
    let file = world.agent(SESSION).transcript();
    fs_err::create_dir_all(file.parent().unwrap()).unwrap();
    fs_err::write(file, &text).unwrap();
    text
}

#[test]
fn everything_is_shown_in_short() {
    let world = told();
    grow_old(&world);
    let output = world.toprope(&["checkpoint", "show", "t2"]);
    insta::with_settings!({ filters => vec![(r"made      \S+ \S+", "made      [day] [clock]")] }, {
        insta::assert_snapshot!(shown(&world, &output), @"
        exit 0
        --- stdout
        checkpoint c00000000009 · t2 · turn
        Add the login form

          session   claude-code 2026-11-15-ab310c99
          by        claude·main
          made      [day] [clock] (30 s ago)
          worktree  /world/repo
          branch    feature/login, base 2222222
          prompt    Add the login form
          summary   done

          added     src/login.rs  claude·a3f2, tool
          modified  src/model.rs  claude·main, tool
        --- stderr
        ");
    });
}

#[test]
fn programs_get_everything() {
    let world = told();
    let output = world.toprope(&["checkpoint", "show", "agent:a3f2", "--json"]);
    insta::assert_snapshot!(pretty(&world, &output), @r#"
    exit 0
    {
      "id": "c00000000007",
      "point": "t2.3",
      "kind": "agent-stop",
      "turn": 2,
      "label": "Finished: write the form",
      "agent": "claude-code",
      "session": "ab310c99-0000-4000-8000-000000000001",
      "session_alias": "2026-11-15-ab310c99-0000-4000-8000-000000000001",
      "actor": "a3f20123456789abc",
      "agent_type": "Explore",
      "run": 1,
      "sequence": 2,
      "worktree": "/world/repo",
      "branch": "feature/login",
      "head": "2222222222222222222222222222222222222222",
      "base_commit": "2222222222222222222222222222222222222222",
      "commit": "<object>",
      "files_tree": "<object>",
      "pinned": false,
      "files": [
        {
          "path": "src/login.rs",
          "change": "added",
          "before": null,
          "after": "a91569fb2e595e4af9ddbd85209e4a6ce92f2e78",
          "before_mode": null,
          "mode": "100644",
          "place": "files",
          "actor": "a3f20123456789abc",
          "origin": "tool",
          "skip_reason": null
        }
      ],
      "commits": [],
      "prompts": [
        "Add the \u001b[31mlogin form"
      ],
      "summary": "done",
      "usage": {
        "main": {
          "input": 0,
          "cache_write_5m": 0,
          "cache_write_1h": 0,
          "cache_read": 0,
          "output": 0,
          "thinking": 0
        },
        "subagents": {
          "input": 0,
          "cache_write_5m": 0,
          "cache_write_1h": 0,
          "cache_read": 0,
          "output": 0,
          "thinking": 0
        },
        "total": {
          "input": 0,
          "cache_write_5m": 0,
          "cache_write_1h": 0,
          "cache_read": 0,
          "output": 0,
          "thinking": 0
        },
        "complete": false
      },
      "transcript": null,
      "degraded": [],
      "partner": null,
      "undoes": null,
      "undone_by": null,
      "created_at": "<moment>"
    }
    "#);
}

#[test]
fn parts_are_shown_in_full() {
    let world = told();
    let part = |flag: &str| shown(&world, &world.toprope(&["checkpoint", "show", "t1", flag]));
    let whole = [
        part("--files"),
        part("--prompt"),
        part("--summary"),
        part("--usage"),
    ];
    insta::assert_snapshot!(whole.join("\n"), @"
    exit 0
    --- stdout
      added     src/model.rs     claude·main, tool
      deleted   src/old_auth.rs  claude·main, shell
    --- stderr

    exit 0
    --- stdout
    # Create user model, drop old_auth
    please
    --- stderr

    exit 0
    --- stdout
    done
    --- stderr

    exit 0
    --- stdout
    --- stderr
    ");
}

#[test]
fn what_it_may_miss_is_said() {
    let world = told();
    world
        .database()
        .run("UPDATE checkpoints SET degraded = '[\"scan\"]' WHERE kind = 'turn' AND turn = 1");
    let output = world.toprope(&["checkpoint", "show", "t1"]).ok();
    let line = output
        .lines()
        .find(|line| line.starts_with('!'))
        .unwrap()
        .to_owned();
    insta::assert_snapshot!(crate::story::steady(&world, &line), @"! Checkpoint c0000000 may miss shell changes: the scan took longer than 20 s.");
}

#[test]
fn the_conversation_is_what_the_client_wrote() {
    let world = crate::story::place();
    let main = world.agent(SESSION);
    main.starts().ok();
    main.is_asked("Begin").ok();
    world.settled();
    let text = says(
        &world,
        &[
            json!({ "type": "user", "uuid": "u1", "sessionId": SESSION, "message": { "role": "user", "content": "Begin" } }),
            json!({ "type": "assistant", "uuid": "u2", "parentUuid": "u1", "sessionId": SESSION, "message": {
                "id": "m1", "role": "assistant", "stop_reason": "end_turn", "content": [{ "type": "text", "text": "done" }],
                "usage": { "input_tokens": 3, "output_tokens": 7 } } }),
        ],
    );
    main.writes("x.txt", "x\n");
    main.stops().ok();
    world.settled();
    let output = world.toprope(&["checkpoint", "show", "t1", "--transcript"]);
    assert_eq!((output.code, output.stdout), (Some(0), text));
    let none = world.toprope(&["checkpoint", "show", "start", "--transcript"]);
    insta::assert_snapshot!(shown(&world, &none), @"
    exit 4
    --- stdout
    --- stderr
    error: checkpoint c00000000001 holds no transcript
    hint: steps and baselines hold what came before them; `checkpoints.transcript = false` keeps none
    ");
}

#[test]
fn a_checkpoint_whose_objects_are_gone_is_said_to_be_with_exit_1() {
    let world = told();
    fs_err::rename(
        world.repo().join(".git/toprope/shadow.git"),
        world.root().join("away"),
    )
    .unwrap();
    let output = world.toprope(&["checkpoint", "show", "t1"]);
    insta::assert_snapshot!(shown(&world, &output), @"
    exit 1
    --- stdout
    --- stderr
    error: the objects are gone: the shadow repository was removed, or an object in it was
    hint: toprope doctor
    ");
}

#[test]
fn wrong_use_is_exit_2() {
    let world = told();
    assert_eq!(world.toprope(&["checkpoint", "show"]).code, Some(2));
    assert_eq!(
        world
            .toprope(&["checkpoint", "show", "t1", "--transcript", "--json"])
            .code,
        Some(2)
    );
}
