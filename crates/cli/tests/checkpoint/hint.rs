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

/// Runs what is offered; there must be one command.
#[track_caller]
fn follow(stage: &Stage, said: &Output) -> String {
    let commands: Vec<&str> = said
        .stderr
        .lines()
        .filter_map(|line| line.strip_prefix("  "))
        .collect();
    let [command] = commands.as_slice() else {
        panic!("{}", said.whole());
    };
    stage.world.shell(command).ok();
    (*command).to_owned()
}

#[track_caller]
fn stands(stage: &Stage, branch: &str) -> (String, String) {
    let subject = stage.world.git(&["log", "-1", "--format=%s", branch]);
    let head = stage.world.git(&["rev-parse", "--abbrev-ref", "HEAD"]);
    (subject.trim().to_owned(), head.trim().to_owned())
}

#[test]
fn a_checkout_that_left_the_branch_goes_back_to_the_branch() {
    for command in [
        "git checkout -q -f HEAD~1",
        "git checkout -q -f side",
        "git checkout -q -f -B fresh HEAD~1",
    ] {
        let stage = Stage::new();
        for name in ["b.txt", "c.txt"] {
            stage.write(name, "committed\n");
            stage.world.git(&["add", name]);
            stage.world.git(&["commit", "-q", "-m", name]);
        }
        let branch = stands(&stage, "HEAD").1;
        stage.world.git(&["branch", "side", "HEAD~1"]);
        stage.write("a.txt", "not committed\n");
        stage.agent("s1").asked("one").insists(command).stops();
        let said = undone(&stage);
        assert_eq!(follow(&stage, &said), format!("git switch {branch}"), "{command}");
        assert_eq!(stands(&stage, &branch), ("c.txt".to_owned(), branch.clone()));
        assert_eq!(stands(&stage, "side").0, "b.txt");
        assert_eq!(stage.read("a.txt"), "not committed\n");
    }
}

#[test]
fn what_was_checked_out_without_a_branch_is_so_again() {
    let stage = Stage::new();
    stage.write("b.txt", "committed\n");
    stage.world.git(&["add", "b.txt"]);
    stage.world.git(&["commit", "-q", "-m", "b.txt"]);
    stage.world.git(&["checkout", "-q", "--detach"]);
    stage.write("a.txt", "not committed\n");
    stage
        .agent("s1")
        .asked("one")
        .insists("git reset -q --hard HEAD~1")
        .stops();
    let said = undone(&stage);
    follow(&stage, &said);
    assert_eq!(stands(&stage, "HEAD"), ("b.txt".to_owned(), "HEAD".to_owned()));
}

#[test]
fn the_branch_that_was_moved_comes_back_and_not_the_one_the_person_is_on_by_now() {
    let stage = after("git reset --hard HEAD~1");
    let branch = stands(&stage, "HEAD").1;
    stage.world.git(&["checkout", "-q", "-b", "topic"]);
    let said = undone(&stage);
    assert!(
        follow(&stage, &said).starts_with(&format!("git branch -f {branch} ")),
        "{}",
        said.whole()
    );
    assert_eq!(stands(&stage, &branch), ("c.txt".to_owned(), "topic".to_owned()));
    assert_eq!(stands(&stage, "topic").0, "b.txt");
}

#[test]
fn a_commit_of_the_command_itself_is_no_move_since() {
    let stage = after(
        "git -c user.name=T -c user.email=t@example.invalid commit -q --amend -m other && git reset -q --hard",
    );
    let said = undone(&stage);
    assert_said!(said.stderr, @"
    HEAD was at [object] before the command. That commit is kept; going back would leave the command's own without a name.
    ");
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

#[test]
fn a_name_that_was_taken_away_is_offered_again() {
    let stage = Stage::new();
    // Each has a commit that no other name leads to.
    let alone = |text: &str| {
        let made = ["commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", text];
        stage.world.git(&made).trim().to_owned()
    };
    let (side, tagged) = (alone("side"), alone("v1"));
    stage.world.git(&["branch", "side", &side]);
    stage.world.git(&["tag", "v1", &tagged]);
    let agent = stage.agent("s1");
    for (command, hint) in [
        ("git branch -D side", format!("  git branch side {side}")),
        ("git tag -d v1", format!("  git tag v1 {tagged}")),
    ] {
        agent.asked("Go");
        agent.insists(command).stops();
        let said = stage.toprope(&["undo", "--yes"]);
        assert!(
            said.stderr.lines().any(|line| line == hint),
            "{command}: {}",
            said.whole()
        );
        stage.world.shell(hint.trim()).ok();
    }
    assert_eq!(
        stage.world.git(&["rev-parse", "side", "v1"]),
        format!("{side}\n{tagged}\n")
    );
}
