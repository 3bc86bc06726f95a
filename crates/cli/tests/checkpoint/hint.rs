//! What git itself moved comes back by a git command, which is printed only where the undone command moved it and nothing is
//! lost by following it.

use crate::stage::Stage;
use testkit::Output;

/// A repository with three commits, and an agent that ran a command.
fn after(command: &str) -> Stage {
    let stage = Stage::new();
    for name in ["b.txt", "c.txt"] {
        stage.write(name, "committed\n");
        stage.world.git(&["add", name]);
        stage.world.git(&["commit", "-q", "-m", name]);
    }
    stage.write("a.txt", "not committed\n");
    let agent = stage.agent("s1");
    agent.asked("one").insists(command).stops();
    stage
}

#[track_caller]
fn undone(stage: &Stage) -> Output {
    let output = stage.toprope(&["undo", "--yes"]);
    assert_eq!(output.code, Some(0), "{}", output.whole());
    output
}

#[test]
fn a_reset_that_moved_nothing_prints_no_command_whatever_the_person_committed_since() {
    let stage = after("git reset --hard");
    stage.write("mine.txt", "mine\n");
    stage.world.git(&["add", "mine.txt"]);
    stage.world.git(&["commit", "-q", "-m", "mine"]);
    let said = undone(&stage);
    assert!(!said.stderr.contains("git "), "{}", said.whole());
    assert_eq!(stage.read("a.txt"), "not committed\n");
    assert_eq!(stage.read("mine.txt"), "mine\n");
}

#[test]
fn a_reset_that_moved_head_prints_the_way_back() {
    let stage = after("git reset --hard HEAD~1");
    let said = undone(&stage);
    assert_said!(said.stderr, @"
    1 more file differs from before the command: c.txt (changed by git).
    Commits, staging and stash were not moved. What the command moved comes back with:
      git reset --keep [object]
    ");
    let command = said.stderr.lines().last().unwrap();
    stage.world.shell(command).ok();
    assert_eq!(stage.world.git(&["log", "-1", "--format=%s"]), "c.txt\n");
    assert_eq!(stage.read("a.txt"), "not committed\n");
}

#[test]
fn a_commit_made_since_is_not_dropped_by_a_hint() {
    let stage = after("git reset --hard HEAD~1");
    stage.write("mine.txt", "mine\n");
    stage.world.git(&["add", "mine.txt"]);
    stage.world.git(&["commit", "-q", "-m", "mine"]);
    let said = undone(&stage);
    assert_said!(said.stderr, @"
    1 more file differs from before the command: c.txt (changed by git).
    HEAD was at [object] before the command. That commit is kept; HEAD was moved again since.
    ");
    assert_eq!(stage.read("mine.txt"), "mine\n");
}

#[test]
fn what_the_person_moved_since_is_no_doing_of_the_command() {
    let stage = after("git checkout -- a.txt");
    stage.write("d.txt", "put aside\n");
    stage.world.git(&["stash", "-q", "-u"]);
    stage.world.git(&["stash", "drop", "-q"]);
    stage.world.git(&["branch", "side"]);
    stage.world.git(&["branch", "-D", "side"]);
    let said = undone(&stage);
    assert!(!said.stderr.contains("git "), "{}", said.whole());
    assert_eq!(stage.read("a.txt"), "not committed\n");
}

#[test]
fn a_branch_or_a_stash_that_another_command_lost_is_not_named_again() {
    let stage = after("git checkout -- a.txt");
    stage.world.git(&["branch", "side", "HEAD~1"]);
    stage.write("a.txt", "put aside\n");
    stage.world.git(&["stash", "-q"]);
    stage.write("b.txt", "dirty\n");
    stage.agent("s2").asked("two").insists("git stash drop").stops();
    stage
        .agent("s3")
        .asked("three")
        .insists("git checkout -- b.txt")
        .stops();
    let said = undone(&stage);
    assert!(!said.stderr.contains("git stash store"), "{}", said.whole());
    assert_eq!(stage.read("b.txt"), "dirty\n");
    let said = undone(&stage);
    assert!(said.stderr.contains("git stash store"), "{}", said.whole());
}
