//! A project that is switched off costs its hooks a look, and nothing of it is kept.

use testkit::World;

const BINARY: &str = env!("CARGO_BIN_EXE_toprope");

fn world() -> World {
    let world = World::new(BINARY);
    let project = world.repo().to_string_lossy().into_owned();
    world.with("CLAUDE_PROJECT_DIR", &project)
}

fn switch(world: &World, on: &str) {
    world
        .toprope(&["config", "set", "enabled", on, "--scope", "user", "--project"])
        .ok();
}

fn markers(world: &World) -> usize {
    fs_err::read_dir(world.state().join("disabled")).map_or(0, Iterator::count)
}

/// Markers are left after the reply.
fn wait_for_a_marker(world: &World) {
    testkit::eventually("a marker", || (markers(world) == 1).then_some(()));
}

#[test]
fn switched_off_nothing_is_recorded_and_switched_on_it_is_again_at_once() {
    let world = world();
    switch(&world, "false");
    for _ in 0..2 {
        let said = world.agent("s1").starts().whole();
        assert_eq!(said, "exit 0\n--- stdout\n--- stderr\n");
        wait_for_a_marker(&world);
    }
    assert_eq!(world.log().len(), 0);
    switch(&world, "true");
    world.agent("s1").is_asked("hello");
    assert_eq!(world.log().len(), 1);
}

#[test]
fn a_marked_hook_needs_no_daemon() {
    let world = world();
    switch(&world, "false");
    world.agent("s1").starts();
    wait_for_a_marker(&world);
    world.toprope(&["daemon", "stop"]).ok();
    world.agent("s1").is_asked("hello");
    assert!(world.daemon().is_none(), "the hook asked nobody");
}

#[test]
fn a_project_may_not_switch_itself_off_unless_a_person_trusted_it() {
    let world = world();
    fs_err::write(world.repo().join("toprope.toml"), "enabled = false\n").unwrap();
    world.agent("s1").starts();
    assert_eq!(world.log().len(), 1);
    assert_eq!(markers(&world), 0);
}

#[test]
fn an_agent_that_goes_into_a_project_that_is_off_does_not_silence_its_own() {
    let world = world();
    let other = world.root().join("other");
    fs_err::create_dir_all(other.join(".git/objects")).unwrap();
    fs_err::create_dir_all(other.join(".git/refs")).unwrap();
    fs_err::write(other.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    let config = world.home().join(".config/toprope");
    fs_err::create_dir_all(&config).unwrap();
    let off = format!("[project.\"{}\"]\nenabled = false\n", other.display());
    fs_err::write(config.join("config.toml"), off).unwrap();

    let there = serde_json::json!({ "prompt": "over there", "cwd": other });
    world.agent("s1").sends("UserPromptSubmit", &there);
    assert_eq!(
        (world.log().len(), markers(&world)),
        (0, 0),
        "what happens over there is not kept"
    );
    world.agent("s1").is_asked("back home");
    assert_eq!(world.log().len(), 1);
}

#[test]
fn no_variable_switches_a_session_off() {
    let mut world = world();
    world.set("TOPROPE_ENABLED", "false");
    world.agent("s1").starts();
    assert_eq!((world.log().len(), markers(&world)), (1, 0));
}

#[test]
fn an_agent_started_where_it_is_off_is_seen_where_it_is_on() {
    let world = world();
    switch(&world, "false");
    let on = world.repo().join("vendor");
    fs_err::create_dir_all(on.join(".git/objects")).unwrap();
    fs_err::create_dir_all(on.join(".git/refs")).unwrap();
    fs_err::write(on.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    world.agent("s1").starts();
    wait_for_a_marker(&world);
    let payload = world.agent("s1").payload(
        "UserPromptSubmit",
        &serde_json::json!({ "prompt": "in here", "cwd": on }),
    );
    let mut hook = world.command(&["hook", "claude-code"]);
    hook.current_dir(&on);
    testkit::run(hook, payload.to_string().as_bytes());
    assert_eq!(world.log().len(), 1, "the marker is not this repository's");
}

#[test]
fn what_is_off_is_off_in_linked_worktrees_too() {
    let world = world();
    switch(&world, "false");
    let linked = world.root().join("linked");
    world.git(&["worktree", "add", "-q", linked.to_str().unwrap()]);
    let there = serde_json::json!({ "prompt": "over there", "cwd": linked });
    world.agent("s1").sends("UserPromptSubmit", &there);
    assert_eq!(world.log().len(), 0);
}
