//! What no checkpoint holds where it goes: repositories inside the project, and what the same text brought there first.

use super::*;

/// A project with a repository of its own inside, and a linked worktree.
fn with_repositories() -> Stage {
    let stage = Stage::new();
    stage.write(".gitignore", "/wts/\n/target/\n");
    stage.world.git(&["add", "."]);
    stage.world.git(&["commit", "-q", "-m", "more"]);
    let nested = stage.path("nested").display().to_string();
    stage.world.git(&["init", "-q", &nested]);
    stage.write("nested/own.txt", "only here\n");
    let linked = stage.path("wts/linked").display().to_string();
    stage.world.git(&["worktree", "add", "-q", "-b", "side", &linked]);
    stage.write("wts/linked/own.txt", "only here\n");
    stage
}

#[test]
fn a_clean_that_takes_a_repository_inside_the_project_never_passes() {
    let stage = with_repositories();
    for (command, named) in [
        ("git clean -ffd", "nested"),
        ("git clean -fdf", "nested"),
        ("git clean -d --force --force", "nested"),
        ("git clean -ffdx -e nested", "wts/linked"),
        ("git clean -ffdX", "wts/linked"),
        ("git clean -ff nested", "nested"),
    ] {
        let agent = stage.agent(command);
        agent.asked("one");
        let reason = never_passes(&agent, command);
        assert!(
            reason.contains(&format!("No checkpoint holds {named}, a repository of its own.")),
            "{command}: {reason}"
        );
    }
    let agent = stage.agent("unknown");
    agent.asked("one");
    never_passes(&agent, "git clean -ffd \"$WHERE\"");
    assert!(stage.has("nested/own.txt") && stage.has("wts/linked/own.txt"));
    // Git itself leaves them to a clean that is forced once.
    let agent = stage.agent("last");
    agent.asked("one");
    for command in ["git clean -fd", "git clean -fdx", "git clean -ffd -e nested"] {
        is_silent(&agent, command);
    }
    stage.write("new.txt", "new\n");
    is_held(&agent, "git clean -ffd -e nested");
}
