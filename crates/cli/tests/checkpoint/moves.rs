//! What git moves is git's, and what a commit holds is whoever's who wrote it: the reflog tells them apart.

use crate::stage::{Stage, Worker};
use serde_json::json;

const GIT: &str = "git -c user.name=T -c user.email=t@example.invalid";

/// Runs a command that fails, so that the client lists nothing.
fn fails(agent: &Worker<'_>, command: &str) {
    let call = agent.agent.is_about_to_run(command);
    call.does_run();
    call.fails("exit 1").ok();
    call.ends_step().ok();
}

/// Runs a command that tells of these files.
fn lists(stage: &Stage, agent: &Worker<'_>, command: &str, names: &[&str]) {
    let call = agent.agent.is_about_to_run(command);
    let output = stage.world.shell(command);
    assert_eq!(output.code, Some(0), "{}", output.whole());
    let files: Vec<_> = names.iter().map(|name| stage.path(name)).collect();
    let answer = json!({ "stdout": "", "interrupted": false,
        "bashEditDiff": { "files": [], "moreFiles": 0, "changedFiles": files } });
    call.ends(&answer).ok();
    call.ends_step().ok();
}

fn links(stage: &Stage) -> Vec<String> {
    stage.world.database().rows(
        "SELECT COALESCE('t' || checkpoints.turn, '-') FROM commit_links
             JOIN checkpoints ON checkpoints.id = commit_links.checkpoint_id ORDER BY checkpoints.seq",
    )
}

#[test]
fn a_change_that_the_same_failing_command_committed_is_the_agents() {
    let stage = Stage::new();
    let agent = stage.agent("s1");
    agent.asked("Nothing yet").writes("other.txt", "x\n").stops();
    agent.asked("Go");
    fails(
        &agent,
        &format!("sed -i s/one/two/ a.txt && {GIT} commit -qm two a.txt && false"),
    );
    agent.stops();
    assert_eq!(stage.read("a.txt"), "two\n");
    assert_eq!(links(&stage), ["t2"]);
    stage.rewind(&["t1"]);
    assert_eq!(stage.read("a.txt"), "one\n");
    assert!(stage.has("other.txt"));
    stage.undo(&[]);
    assert_eq!(stage.read("a.txt"), "two\n");
}

#[test]
fn so_is_one_that_was_amended_or_committed_by_the_next_call_or_listed() {
    let stage = Stage::new();
    let agent = stage.agent("s1");
    agent.asked("Go").runs_as("./edit", "echo two > a.txt");
    fails(&agent, &format!("{GIT} commit -qam two && false"));
    fails(
        &agent,
        &format!("echo three > b.txt && git add b.txt && {GIT} commit -q --amend --no-edit && false"),
    );
    lists(
        &stage,
        &agent,
        &format!("echo four > c.txt && git add c.txt && {GIT} commit -qm four"),
        &["c.txt"],
    );
    agent.stops();
    stage.rewind(&["start"]);
    assert_eq!(stage.read("a.txt"), "one\n");
    assert!(!stage.has("b.txt") && !stage.has("c.txt"));
}

/// Somebody else's commit on a branch of the same repository.
fn with_a_branch() -> Stage {
    let stage = Stage::new();
    stage.write("old.txt", "old\n");
    stage.world.git(&["add", "."]);
    stage.world.git(&["commit", "-qm", "old"]);
    stage.world.git(&["checkout", "-qb", "theirs"]);
    stage.write("brought.txt", "brought\n");
    stage.write("a.txt", "theirs\n");
    stage.world.git(&["rm", "-q", "old.txt"]);
    stage.world.git(&["add", "."]);
    stage.world.git(&["commit", "-qm", "what they did"]);
    stage.world.git(&["checkout", "-q", "main"]);
    stage
}

#[track_caller]
fn assert_gits(stage: &Stage) {
    let before = stage.files();
    let report = stage.rewind(&["start"]);
    let mut expected = before;
    expected.retain(|(name, _)| name != "made.txt");
    assert_eq!(stage.files(), expected, "{report}");
    assert_eq!(stage.read("a.txt"), "theirs\n");
    assert!(stage.has("brought.txt") && !stage.has("old.txt") && !stage.has("made.txt"));
    for (path, verb) in [("brought.txt", "written"), ("old.txt", "deleted")] {
        let why = stage.toprope(&["why", path]).whole();
        let named = why.lines().find(|line| line.starts_with(verb));
        assert!(
            named.is_some_and(|line| line.contains("by git, with commit ") && line.contains("what they did")),
            "{why}"
        );
    }
}

const MOVED: [&str; 4] = ["a.txt", "brought.txt", "old.txt", "made.txt"];

#[test]
fn what_a_pull_of_the_agents_brought_is_gits_although_the_client_lists_it() {
    let stage = with_a_branch();
    stage.world.git(&["clone", "-q", ".", "../remote"]);
    stage.world.shell("cd ../remote && git checkout -q theirs");
    let agent = stage.agent("s1");
    agent.asked("Go");
    lists(
        &stage,
        &agent,
        "git pull -q ../remote theirs && echo x > made.txt",
        &MOVED,
    );
    agent.stops();
    assert_gits(&stage);
}

#[test]
fn so_is_what_a_fast_forward_brought() {
    let stage = with_a_branch();
    let agent = stage.agent("s1");
    agent.asked("Go");
    lists(
        &stage,
        &agent,
        "git merge -q --ff-only theirs && echo x > made.txt",
        &MOVED,
    );
    agent.stops();
    assert_gits(&stage);
}

#[test]
fn so_is_what_a_rebase_brought_and_the_agents_own_commit_stays_theirs() {
    let stage = with_a_branch();
    let agent = stage.agent("s1");
    agent.asked("Go");
    lists(
        &stage,
        &agent,
        &format!("echo x > made.txt && git add made.txt && {GIT} commit -qm made"),
        &["made.txt"],
    );
    lists(&stage, &agent, &format!("{GIT} rebase -q theirs"), &MOVED);
    agent.stops();
    assert_gits(&stage);
}

#[test]
fn what_a_pull_brought_to_a_file_that_the_agent_then_edits_stays_when_the_edit_goes() {
    let stage = with_a_branch();
    let agent = stage.agent("s1");
    agent.asked("One").writes("made.txt", "x\n").stops();
    agent.asked("Two");
    lists(&stage, &agent, "git merge -q --ff-only theirs", &MOVED[..3]);
    agent.agent.reads("a.txt");
    agent.writes("a.txt", "theirs\nand agent\n").stops();
    let refused = stage.toprope(&["rewind", "t1", "--yes"]);
    assert_eq!(refused.code, Some(3), "{}", refused.whole());
    assert!(
        refused.whole().contains("a.txt  also changed by git"),
        "{}",
        refused.whole()
    );
    assert_eq!(stage.read("a.txt"), "theirs\nand agent\n");
}

#[test]
fn uncommitted_work_that_a_reset_of_the_agents_took_is_the_agents_doing() {
    let stage = Stage::new();
    let agent = stage.agent("s1");
    agent.asked("One").writes("a.txt", "work\n").stops();
    agent
        .asked("Two")
        .runs_as("./script", "git reset -q --hard")
        .stops();
    assert_eq!(stage.read("a.txt"), "one\n");
    stage.rewind(&["t1"]);
    assert_eq!(stage.read("a.txt"), "work\n");
}

#[test]
fn a_file_that_the_agent_deleted_and_committed_is_deleted_by_the_agent() {
    let stage = Stage::new();
    let agent = stage.agent("s1");
    agent
        .asked("Go")
        .runs(&format!("git rm -q a.txt && {GIT} commit -qm gone"))
        .stops();
    stage.settle();
    let why = stage.toprope(&["why", "a.txt"]).whole();
    assert!(why.contains("deleted  by a command of main@s1"), "{why}");
}
