//! What people call a checkpoint, and what they are told where nothing or too much fits.

use crate::story::{SESSION, shown, steady, told};
use testkit::World;

/// The checkpoint an address means, as kind and label.
#[track_caller]
fn meant(world: &World, arguments: &[&str]) -> String {
    let all: Vec<&str> = ["checkpoint", "show", "--json"]
        .iter()
        .chain(arguments)
        .copied()
        .collect();
    let facts = world.toprope(&all).json().unwrap();
    let fact = |name: &str| facts[name].as_str().unwrap_or("-").to_owned();
    format!("{} {} {}", fact("point"), fact("kind"), fact("label"))
}

#[test]
fn every_form_of_address_finds_its_checkpoint() {
    let world = told();
    let id = world
        .database()
        .rows("SELECT id FROM checkpoints WHERE kind = 'turn' AND turn = 1")
        .pop()
        .unwrap();
    for (address, found) in [
        (id.as_str(), "t1 turn Create user model, drop old_auth"),
        (&id[..4], "t1 turn Create user model, drop old_auth"),
        (&id.to_uppercase(), "t1 turn Create user model, drop old_auth"),
        ("@", "t2 turn Add the login form"),
        ("@-1", "t2.3 agent-stop Finished: write the form"),
        ("@-4", "start baseline (1 untracked)"),
        ("start", "start baseline (1 untracked)"),
        ("t1", "t1 turn Create user model, drop old_auth"),
        ("t1.1", "t1.1 step Edit src/model.rs"),
        ("t2.3", "t2.3 agent-stop Finished: write the form"),
        ("agent:a3f2", "t2.3 agent-stop Finished: write the form"),
        ("agent:a3f2^", "t2.1 agent-start Starting: write the form"),
    ] {
        assert_eq!(meant(&world, &[address]), found, "{address}");
    }
}

#[test]
fn a_turn_that_changed_nothing_is_the_state_before_it() {
    let world = told();
    let main = world.agent(SESSION);
    main.is_asked("What does it do?").ok();
    main.stops().ok();
    world.settled();
    assert_eq!(meant(&world, &["t3"]), "t2 turn Add the login form");
}

#[test]
fn a_commit_is_the_newest_checkpoint_it_holds() {
    let world = told();
    world.git(&["add", "-A"]);
    world.git(&["commit", "-qm", "third"]);
    // It is linked when somebody asks for it; what a person says stands above what was found.
    assert_eq!(meant(&world, &["commit:HEAD"]), "t2 turn Add the login form");
    world.toprope(&["checkpoint", "link", "HEAD", "t1"]).ok();
    assert_eq!(
        meant(&world, &["commit:HEAD"]),
        "t1 turn Create user model, drop old_auth"
    );
    assert_eq!(
        meant(&world, &["commit:feature/login"]),
        "t1 turn Create user model, drop old_auth"
    );
    let other = world.toprope(&["checkpoint", "show", "commit:HEAD~1"]);
    insta::assert_snapshot!(shown(&world, &other), @r#"
    exit 4
    --- stdout
    --- stderr
    error: No checkpoint "commit:HEAD~1": commit 2222222 is linked to none. See: toprope checkpoint list
    "#);
}

#[test]
fn an_address_is_meant_in_the_session_that_was_named() {
    let world = told();
    let other = world.agent("77c0ffee-0000-4000-8000-000000000002");
    other.is_asked("Something else").ok();
    world.settled();
    other.writes("x.txt", "x\n");
    other.stops().ok();
    world.settled();
    assert_eq!(meant(&world, &["t1"]), "t1 turn Something else");
    assert_eq!(
        meant(&world, &["t1", "--session", "ab31"]),
        "t1 turn Create user model, drop old_auth"
    );
}

#[test]
fn what_fits_nothing_or_too_much_is_said_with_exit_4() {
    let world = told();
    world.database().run(
        "UPDATE checkpoints SET id = '7be1' || substr('00000000' || seq, -8) WHERE kind IN ('baseline', 'turn')",
    );
    let said = |address: &str| {
        let output = world.toprope(&["checkpoint", "show", address]);
        assert_eq!((output.code, output.stdout.as_str()), (Some(4), ""), "{address}");
        output.stderr
    };
    let addresses = [
        "t9",
        "7b",
        "7be1",
        "0123abcd",
        "@-9",
        "t1.9",
        "agent:ffff",
        "commit:nowhere",
        "commit:HEAD",
        "what\u{1b}[31m",
        "",
    ];
    let whole: String = addresses.iter().map(|address| said(address)).collect();
    insta::assert_snapshot!(steady(&world, &whole), @r#"
    error: No checkpoint "t9": this session has turns 1 to 2. See: toprope checkpoint list
    error: "7b" is too short (4 digits or more)
    error: "7be1" fits 3 checkpoints: c00000000009 (t2), c00000000004 (t1), c00000000001 (start)
    error: No checkpoint "0123abcd": this project has none with such an id. See: toprope checkpoint list
    error: No checkpoint "@-9": this session has 5 checkpoints. See: toprope checkpoint list
    error: No checkpoint "t1.9": turn 1 has points 1 to 2. See: toprope checkpoint list
    error: No checkpoint "agent:ffff": this session has no such agent. See: toprope checkpoint list
    error: No checkpoint "commit:nowhere": git knows no such commit. See: toprope checkpoint list
    error: No checkpoint "commit:HEAD": commit 2222222 is linked to none. See: toprope checkpoint list
    error: No checkpoint "what\u{1b}[31m": an address is an id, `@`, `@-3`, `start`, `t3`, `t3.2`, `agent:a3f2` or `commit:<rev>`. See: toprope checkpoint list
    error: No checkpoint "": an address is an id, `@`, `@-3`, `start`, `t3`, `t3.2`, `agent:a3f2` or `commit:<rev>`. See: toprope checkpoint list
    "#);
}

#[test]
fn a_checkpoint_of_another_project_is_said_to_be_there() {
    let world = told();
    let id = world
        .database()
        .rows("SELECT id FROM checkpoints ORDER BY seq LIMIT 1")
        .pop()
        .unwrap();
    let folder = world.root().join("plain");
    fs_err::create_dir_all(&folder).unwrap();
    let agent = world
        .agent("77c0ffee-0000-4000-8000-000000000002")
        .standing_in(&folder);
    agent.is_asked("Begin").ok();
    world.settled();
    let mut command = world.command(&["checkpoint", "show", &id]);
    command.current_dir(&folder);
    insta::assert_snapshot!(shown(&world, &testkit::run(command, b"")), @r#"
    exit 4
    --- stdout
    --- stderr
    error: No checkpoint "c00000000001": it belongs to /world/repo. See: toprope checkpoint list
    "#);
}

#[test]
fn a_turn_whose_checkpoint_was_dropped_is_said_to_be_gone() {
    let world = told();
    world
        .database()
        .run("PRAGMA foreign_keys = ON; DELETE FROM checkpoints WHERE kind = 'turn' AND turn = 1");
    let output = world.toprope(&["checkpoint", "show", "t1"]);
    insta::assert_snapshot!(shown(&world, &output), @r#"
    exit 4
    --- stdout
    --- stderr
    error: No checkpoint "t1": it is no longer kept. See: toprope checkpoint list
    "#);
}
