//! The first call of a session in a worktree: the look it asks for is done before its reply, so that what it destroys
//! can be put back. What is counted is what is recorded when the reply is there; nothing is timed. Where the call is the
//! first event of its place, nobody is at work when it comes: a look that an earlier event's worker would have made in
//! passing does not count.

use crate::world;
use serde_json::json;
use std::path::{Path, PathBuf};
use testkit::{Agent, World};

/// A world whose agents would rather wait for minutes than go on unseen: a look that is not under way shows.
fn patient() -> World {
    let world = world();
    world.has_settings("[checkpoints]\nbaseline_wait_ms = 10000\n");
    world
}

/// Work of the person's that git does not have: a tracked file they changed and one that git does not know.
fn leave_work(folder: &Path) {
    fs_err::write(folder.join("a.txt"), "changed and not committed\n").unwrap();
    fs_err::write(folder.join("notes.txt"), "not known to git\n").unwrap();
}

#[track_caller]
fn assert_work_is_there(folder: &Path) {
    let read = |name: &str| fs_err::read_to_string(folder.join(name)).ok();
    assert_eq!(
        (read("a.txt").as_deref(), read("notes.txt").as_deref()),
        (Some("changed and not committed\n"), Some("not known to git\n"))
    );
}

/// A second repository with a commit.
fn repository(world: &World, name: &str) -> PathBuf {
    let root = world.root().join(name);
    fs_err::create_dir_all(&root).unwrap();
    let root = root.canonicalize().unwrap();
    fs_err::write(root.join("a.txt"), "committed\n").unwrap();
    for arguments in [&["init", "-q"][..], &["add", "."], &["commit", "-qm", "first"]] {
        let mut git = world.person("git");
        git.current_dir(&root).args(arguments);
        assert!(git.output().unwrap().status.success(), "git {arguments:?}");
    }
    root
}

/// A second worktree of the world's repository.
fn worktree(world: &World, name: &str) -> PathBuf {
    world.git(&["worktree", "add", "-q", &format!("../{name}"), "-b", name]);
    world.root().join(name).canonicalize().unwrap()
}

/// The baselines of a folder, with what they say of themselves.
fn baselines(world: &World, folder: &Path) -> Vec<String> {
    world.database().rows(&format!(
        "SELECT degraded FROM checkpoints JOIN worktrees ON worktrees.id = checkpoints.worktree_id
         WHERE kind = 'baseline' AND CAST(root AS TEXT) = '{}'",
        folder.display()
    ))
}

/// The agent's first call where it stands is a command that destroys what is there, and says nothing of it.
#[track_caller]
fn destroys_at_once(world: &World, agent: &Agent<'_>) {
    let folder = agent.folder().canonicalize().unwrap();
    let call = agent.is_about_to_run("make clean");
    assert_eq!(
        baselines(world, &folder),
        ["[]"],
        "the look is done when the reply is there, and nothing was late"
    );
    fs_err::write(folder.join("a.txt"), "destroyed\n").unwrap();
    fs_err::remove_file(folder.join("notes.txt")).unwrap();
    call.ends(&json!({ "stdout": "", "stderr": "", "interrupted": false }))
        .ok();
    call.ends_step().ok();
}

/// The same where nothing was heard of the place before, and nobody is at work.
#[track_caller]
fn destroys_unannounced(world: &World, agent: &Agent<'_>) {
    world.settled();
    let folder = agent.folder().canonicalize().unwrap();
    assert!(baselines(world, &folder).is_empty(), "the call is the first");
    destroys_at_once(world, agent);
}

/// The person goes to a folder and takes back what the session did there.
#[track_caller]
fn rewinds(world: &World, folder: &Path) {
    world.settled();
    let mut rewind = world.command(&["rewind", "start", "--yes"]);
    rewind.current_dir(folder);
    testkit::run(rewind, b"").ok();
    assert_work_is_there(folder);
    let mut doctor = world.command(&["doctor"]);
    doctor.current_dir(folder);
    let said = testkit::run(doctor, b"").whole();
    assert!(
        !said.contains("waited") && !said.contains("looked over"),
        "{said}"
    );
}

#[test]
fn a_session_without_a_prompt() {
    let world = patient();
    leave_work(&world.repo());
    let agent = world.agent("s1");
    destroys_at_once(&world, &agent);
    agent.stops().ok();
    rewinds(&world, &world.repo());
}

#[test]
fn a_second_session_in_a_worktree_that_has_checkpoints() {
    let world = patient();
    let first = world.agent("s1");
    first.is_asked("Go").ok();
    first.shell("echo x > x.txt");
    leave_work(&world.repo());
    let second = world.agent("s2");
    world.settled();
    let folder = world.repo().canonicalize().unwrap();
    let call = second.is_about_to_run("make clean");
    assert_eq!(baselines(&world, &folder), ["[]", "[]"]);
    let by_agents = "SELECT CAST(path AS TEXT) FROM checkpoint_files WHERE origin <> 'outside'";
    assert_eq!(
        world.database().rows(by_agents),
        ["x.txt"],
        "what the person did before it is not the call's"
    );
    fs_err::remove_file(folder.join("notes.txt")).unwrap();
    fs_err::write(folder.join("a.txt"), "destroyed\n").unwrap();
    call.ends(&json!({ "stdout": "" })).ok();
    call.ends_step().ok();
    second.stops().ok();
    first.stops().ok();
    world.settled();
    world
        .toprope(&["rewind", "start", "--session", "s2", "--yes"])
        .ok();
    assert_work_is_there(&folder);
}

#[test]
fn a_subagent_in_a_worktree_of_its_own() {
    let world = patient();
    let isolated = worktree(&world, "isolated");
    leave_work(&isolated);
    let main = world.agent("s1");
    main.is_asked("Go").ok();
    let helper = main.subagent("a3f2", "general-purpose").standing_in(&isolated);
    helper.begins().ok();
    destroys_at_once(&world, &helper);
    helper.ends().ok();
    main.stops().ok();
    rewinds(&world, &isolated);
}

#[test]
fn a_subagent_in_a_worktree_of_its_own_whose_start_was_told_elsewhere() {
    let world = patient();
    let isolated = worktree(&world, "isolated");
    leave_work(&isolated);
    let main = world.agent("s1");
    main.is_asked("Go").ok();
    let helper = main.subagent("a3f2", "general-purpose");
    helper.begins().ok();
    let helper = helper.standing_in(&isolated);
    destroys_unannounced(&world, &helper);
    helper.ends().ok();
    main.stops().ok();
    rewinds(&world, &isolated);
}

#[test]
fn after_entering_a_worktree() {
    let world = patient();
    let entered = worktree(&world, "entered");
    leave_work(&entered);
    let agent = world.agent("s1");
    agent.is_asked("Go").ok();
    let enter = agent.call("EnterWorktree", &json!({ "name": "entered" }));
    enter.begins().allowed();
    let inside = agent.standing_in(&entered);
    let fields = json!({
        "tool_name": "EnterWorktree", "tool_input": { "name": "entered" }, "tool_use_id": enter.id,
        "tool_response": { "worktreePath": entered }, "duration_ms": 8
    });
    inside.sends("PostToolUse", &fields).ok();
    destroys_at_once(&world, &inside);
    inside.stops().ok();
    rewinds(&world, &entered);
}

#[test]
fn after_entering_a_worktree_that_was_not_told() {
    let world = patient();
    let entered = worktree(&world, "entered");
    leave_work(&entered);
    let agent = world.agent("s1");
    agent.is_asked("Go").ok();
    let inside = agent.standing_in(&entered);
    destroys_unannounced(&world, &inside);
    inside.stops().ok();
    rewinds(&world, &entered);
}

#[test]
fn in_another_repository() {
    let world = patient();
    let other = repository(&world, "other");
    leave_work(&other);
    let agent = world.agent("s1");
    agent.is_asked("Go").ok();
    agent.shell("echo x > x.txt");
    let elsewhere = agent.standing_in(&other);
    destroys_unannounced(&world, &elsewhere);
    elsewhere.stops().ok();
    rewinds(&world, &other);
}

#[test]
fn calls_that_begin_together_wait_for_the_same_look() {
    let world = patient();
    leave_work(&world.repo());
    let folder = world.repo().canonicalize().unwrap();
    let agent = world.agent("s1");
    std::thread::scope(|scope| {
        for number in 0..4 {
            let (agent, world, folder) = (&agent, &world, &folder);
            scope.spawn(move || {
                agent.runs(&format!("toolu_b{number}"), "make").allowed();
                assert_eq!(baselines(world, folder), ["[]"]);
            });
        }
    });
}
