//! Another session's uncommitted work is told of only if there is some now.

use crate::world;
use testkit::{Agent, World};

fn turn(world: &World, agent: &Agent<'_>, files: &[(&str, &str)]) {
    for (path, content) in files {
        agent.writes(path, content);
    }
    agent.stops().ok();
    world.settled();
}

fn sh(world: &World, script: &str) {
    let mut command = world.person("sh");
    command.args(["-ec", script]);
    testkit::run(command, b"").ok();
}

fn asked<'a>(world: &'a World, session: &str) -> Agent<'a> {
    let agent = world.agent(session);
    agent.starts().ok();
    agent.is_asked("go").ok();
    agent
}

#[test]
fn work_that_is_not_there_any_more_is_told_to_nobody() {
    let world = world();
    sh(&world, "echo base > a.txt; git add a.txt; git commit -qm base");
    let agent = asked(&world, "one");
    turn(&world, &agent, &[("a.txt", "agent\n"), ("b.txt", "agent\n")]);
    sh(&world, "git checkout -q a.txt; rm b.txt");
    let other = world.agent("two");
    other.starts().ok();
    let told = other.is_asked("me too").ok();
    assert!(!told.contains("uncommitted work"), "{told}");
    other.stops().ok();
    sh(&world, "echo again > b.txt");
    let told = other.is_asked("and now").ok();
    assert!(
        told.contains("1 file on") && told.contains("b.txt") && !told.contains("a.txt"),
        "{told}"
    );
}

#[test]
fn how_to_resume_is_not_said_of_a_session_that_is_at_work() {
    let world = world();
    let agent = asked(&world, "one");
    turn(&world, &agent, &[("a.txt", "agent\n")]);
    agent.is_asked("more").ok();
    let working = world.agent("two");
    working.starts().ok();
    let told = working.is_asked("me too").ok();
    assert!(
        told.contains("(working now)") && !told.contains("To continue it"),
        "{told}"
    );
    agent.stops().ok();
    let asks = |session: &str| {
        let other = world.agent(session);
        other.starts().ok();
        other.is_asked("me too").ok()
    };
    let told = asks("three");
    assert!(
        told.contains("It is still open: go on there, or close it first.") && !told.contains("--resume"),
        "{told}"
    );
    agent.leaves().ok();
    let told = asks("four");
    assert!(told.contains("To continue it: claude --resume one"), "{told}");
}

#[test]
fn a_file_that_was_removed_is_no_uncommitted_work() {
    let world = world();
    sh(
        &world,
        "echo base > a.txt; echo base > b.txt; git add .; git commit -qm base",
    );
    let agent = asked(&world, "one");
    turn(&world, &agent, &[("a.txt", "agent\n"), ("b.txt", "agent\n")]);
    sh(&world, "rm a.txt");
    let other = world.agent("two");
    other.starts().ok();
    let told = other.is_asked("me too").ok();
    assert!(
        told.contains("1 file on") && told.contains("b.txt") && !told.contains("a.txt"),
        "{told}"
    );
}
