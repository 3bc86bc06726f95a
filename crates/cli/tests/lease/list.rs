//! `toprope lease list`: what it shows, and that it agrees with what is decided.

use crate::{OTHER, SESSION, assert_shown, denied, lent, listed, runs_unnamed, siblings, world};
use testkit::World;

#[test]
fn a_world_without_leases_has_an_empty_list() {
    let world = world();
    assert_shown!(world, world.toprope(&["lease", "list"]), @"
    exit 0
    --- stdout
    --- stderr
    Nobody holds anything.
    ");
    assert_eq!(
        world.toprope(&["lease", "list", "--json"]).ok(),
        "{\"leases\":[]}\n"
    );
    world.agent(SESSION).starts().ok();
    assert_eq!(
        world.toprope(&["lease", "list", "--json"]).ok(),
        "{\"leases\":[]}\n"
    );
}

/// One holds a file, the other waits for it, a person keeps the documents.
fn busy(world: &World) {
    let [one, two] = siblings(world);
    one.writes("src/parser.rs", "two\n");
    assert!(denied(&two, "src/parser.rs").is_some());
    let reserve = ["lease", "reserve", "docs/**", "--reason", "release notes"];
    world.toprope(&reserve).ok();
}

#[test]
fn the_list_shows_who_holds_keeps_and_waits() {
    let world = world();
    busy(&world);
    assert_shown!(world, world.toprope(&["lease", "list"]), @r#"
    exit 0
    --- stdout
    PATH           HOLDER                          SINCE  LAST WRITE  WAITING
    src/parser.rs  fixer@a111                      [n] s    [n] s         reviewer@a222
    docs/**        you, reserved: "release notes"  [n] s    -           -               (ends in 1 h)
    --- stderr
    "#);
}

#[test]
fn a_lent_file_is_shown_with_whom_it_comes_from() {
    let world = world();
    lent(&world);
    assert_shown!(world, world.toprope(&["lease", "list"]), @r#"
    exit 0
    --- stdout
    PATH          HOLDER                                    SINCE  LAST WRITE  WAITING
    src/lexer.rs  tester@a333 "run tests" (from main@ab31)  [n] s    [n] s         -
    --- stderr
    "#);
    let data = world.toprope(&["lease", "list", "--json"]).json().expect("data");
    let lease = &data["leases"][0];
    assert_eq!(lease["actor"]["label"], "main@ab31");
    assert_eq!(lease["lent_to"]["label"], "tester@a333");
}

#[test]
fn a_command_over_the_whole_tree_is_shown_while_it_runs() {
    let world = world();
    let [one, _] = siblings(&world);
    one.is_about_to_run("git checkout main");
    assert_shown!(world, world.toprope(&["lease", "list"]), @"
    exit 0
    --- stdout
    PATH  HOLDER                                   SINCE  LAST WRITE  WAITING
    **    fixer@a111, running `git checkout main`  [n] s    -           -
    --- stderr
    ");
}

#[test]
fn the_list_as_data_has_everything() {
    let world = world();
    busy(&world);
    let data = world.toprope(&["lease", "list", "--json"]).json().expect("data");
    let filters = vec![
        (r#""\d{4}-[^"]+Z""#, "[when]"),
        (r#""session_id": "\d+""#, r#""session_id": "[user]""#),
    ];
    insta::with_settings!({ filters => filters }, {
        insta::assert_snapshot!(format!("{data:#}"), @r#"
        {
          "leases": [
            {
              "id": 1,
              "kind": "edit",
              "worktree": "main",
              "path": "src/parser.rs",
              "pattern": null,
              "actor": {
                "label": "fixer@a111",
                "agent_kind": "claude-code",
                "session_id": "ab31c0de-0000-4000-8000-000000000001",
                "agent_id": "a1111111111111111"
              },
              "lent_to": null,
              "taken_at": [when],
              "touched_at": [when],
              "writes": 1,
              "open_call": false,
              "expires_at": null,
              "reason": null,
              "waiting": [
                {
                  "label": "reviewer@a222",
                  "since": [when],
                  "denials": 1,
                  "state": "waiting"
                }
              ]
            },
            {
              "id": 2,
              "kind": "reserve",
              "worktree": "main",
              "path": "docs/**",
              "pattern": "docs/**",
              "actor": {
                "label": "you",
                "agent_kind": "person",
                "session_id": "[user]",
                "agent_id": null
              },
              "lent_to": null,
              "taken_at": [when],
              "touched_at": [when],
              "writes": 0,
              "open_call": false,
              "expires_at": [when],
              "reason": "release notes",
              "waiting": []
            }
          ]
        }
        "#);
    });
}

#[test]
fn the_list_agrees_with_decisions_at_every_step() {
    let world = world();
    let [one, two] = siblings(&world);
    let other = world.agent(OTHER);
    other.starts().ok();
    assert_eq!(listed(&world), [""; 0]);
    one.writes("src/parser.rs", "two\n");
    assert_eq!(listed(&world), ["src/parser.rs of fixer@a111, 0 waiting"]);
    assert!(denied(&two, "src/parser.rs").is_some());
    assert_eq!(listed(&world), ["src/parser.rs of fixer@a111, 1 waiting"]);
    one.ends().ok();
    assert_eq!(
        listed(&world),
        ["src/parser.rs promised to reviewer@a222, 0 waiting"]
    );
    let denial = denied(&other, "src/parser.rs").expect("it is promised");
    assert!(denial.contains("promised to reviewer@a222"), "{denial}");
    assert_eq!(
        listed(&world),
        ["src/parser.rs promised to reviewer@a222, 1 waiting"]
    );
    two.reads("src/parser.rs");
    two.writes("src/parser.rs", "three\n");
    assert_eq!(listed(&world), ["src/parser.rs of reviewer@a222, 1 waiting"]);
    two.ends().ok();
    assert_eq!(listed(&world), ["src/parser.rs promised to main@cd42, 0 waiting"]);
    other.leaves().ok();
    assert_eq!(listed(&world), [""; 0]);
}

#[test]
fn what_a_process_left_behind_is_not_in_the_list() {
    let mut world = world();
    let [one, _] = siblings(&world);
    one.writes("src/parser.rs", "two\n");
    drop(one);
    world.restart_client();
    assert_eq!(listed(&world), [""; 0]);
    assert_shown!(world, world.toprope(&["lease", "list", "--ended"]), @"
    exit 0
    --- stdout
    PATH           HOLDER      HELD  WRITES  ENDED    REASON
    src/parser.rs  fixer@a111  [n] s   1       [n] s ago  process_gone
    --- stderr
    ");
}

#[test]
fn filters_choose_by_path_actor_and_worktree() {
    let world = world();
    busy(&world);
    let count = |arguments: &[&str]| {
        let all = [&["lease", "list", "--json"], arguments].concat();
        let data = world.toprope(&all).json().expect("data");
        data["leases"].as_array().map_or(0, Vec::len)
    };
    assert_eq!(count(&["--path", "src/parser.rs"]), 1);
    assert_eq!(count(&["--path", "src/lexer.rs"]), 0);
    assert_eq!(count(&["--path", "docs/a/b.md"]), 1);
    assert_eq!(count(&["--actor", "fixer@a111"]), 1);
    assert_eq!(count(&["--actor", "a111"]), 1);
    assert_eq!(count(&["--actor", "reviewer@a222"]), 0);
    assert_eq!(count(&["--actor", "you"]), 1);
    assert_eq!(count(&["--worktree", "main"]), 2);
    assert_eq!(count(&["--worktree", "."]), 2);
    assert_eq!(count(&["--all"]), 2);
    assert_eq!(count(&["--ended"]), 0);
    assert_shown!(world, world.toprope(&["lease", "list", "--actor", "nobody@1"]), @r#"
    exit 4
    --- stdout
    --- stderr
    error: there is no actor "nobody@1" here
    hint: toprope session actors
    "#);
    assert_shown!(world, world.toprope(&["lease", "list", "--worktree", "elsewhere"]), @r#"
    exit 4
    --- stdout
    --- stderr
    error: there is no worktree "elsewhere" here
    hint: toprope lease list --all
    "#);
}

#[test]
fn leases_of_another_worktree_are_shown_with_their_place() {
    let world = world();
    world.git(&["worktree", "add", "-q", "../second", "-b", "second"]);
    let one = world.agent(SESSION);
    one.starts().ok();
    let two = world.agent(OTHER).standing_in(&world.root().join("second"));
    two.starts().ok();
    one.writes("src/parser.rs", "two\n");
    two.writes("src/parser.rs", "two\n");
    assert_shown!(world, world.toprope(&["lease", "list"]), @"
    exit 0
    --- stdout
    WORKTREE              PATH           HOLDER     SINCE  LAST WRITE  WAITING
    [world]/repo    src/parser.rs  main@ab31  [n] s    [n] s         -
    [world]/second  src/parser.rs  main@cd42  [n] s    [n] s         -
    --- stderr
    ");
    let data = world.toprope(&["lease", "list", "--json", "--worktree", "second"]);
    let data = data.json().expect("data");
    assert_eq!(data["leases"].as_array().map(Vec::len), Some(1));
    assert_eq!(data["leases"][0]["worktree"], "second");
}

#[test]
fn an_agent_reads_the_list_without_a_token() {
    let world = world();
    busy(&world);
    let output = runs_unnamed(&world, &["lease", "list"]).ok();
    assert!(
        output.contains("the user, reserved: \"release notes\""),
        "{output}"
    );
}

#[test]
fn a_token_nobody_was_given_is_refused_and_counted() {
    let world = world();
    busy(&world);
    let output = world.toprope(&["lease", "list", "--as", "0123456789abcdef"]);
    assert_shown!(world, output, @"
    exit 5
    --- stdout
    --- stderr
    error: this token belongs to no call that runs now; it was recorded
    hint: leave `--as` out: the hook adds it where it belongs
    ");
    let counted = "SELECT count FROM counters WHERE name = 'unknown token'";
    assert_eq!(world.database().number(counted), 1);
}

#[test]
fn the_files_of_a_submodule_are_not_those_of_the_repository_around_it() {
    let world = world();
    let library = world.root().join("library");
    world.git(&["clone", "-q", ".", library.to_str().expect("a path")]);
    world.git(&[
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        "../library",
        "deps/lib",
    ]);
    let one = world.agent(SESSION);
    one.starts().ok();
    one.is_asked("Go on.").ok();
    one.writes("src/parser.rs", "two\n");
    one.writes("deps/lib/src/parser.rs", "two\n");
    let places = |arguments: &[&str]| -> Vec<String> {
        let data = world.toprope(&[&["lease", "list", "--json"], arguments].concat());
        let data = data.json().expect("data");
        let leases = data["leases"].as_array().expect("leases").iter();
        leases
            .map(|lease| crate::text(&lease["worktree"]).to_owned())
            .collect()
    };
    assert_eq!(places(&[]), ["main", "deps/lib"]);
    assert_eq!(places(&["--worktree", "main"]), ["main"]);
    assert_eq!(places(&["--worktree", "deps/lib"]), ["deps/lib"]);
}
