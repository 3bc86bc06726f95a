//! What the guard held once and let through again can be taken back: files, branches, stashes, ignored files.

use crate::stage::{Stage, Worker};
use fs_err as fs;
use serde_json::json;
use testkit::{Call, Output};

/// The agent says that it is going to run a command.
fn says<'a>(agent: &Worker<'a>, command: &str) -> (Call<'a>, Output) {
    let call = agent
        .agent
        .call("Bash", &json!({ "command": command, "description": "run" }));
    let answer = call.begins();
    (call, answer)
}

/// The first try, which is held; the model reads why.
#[track_caller]
fn is_held(agent: &Worker<'_>, command: &str) -> String {
    let (call, answer) = says(agent, command);
    let reason = answer.denial();
    call.ends_step().ok();
    let reason = reason.expect("it is held");
    assert!(reason.ends_with(", held once]"), "{reason}");
    reason
}

/// The second try, which runs; the checkpoint that was there before it ran.
#[track_caller]
fn runs_after_all(stage: &Stage, agent: &Worker<'_>, command: &str) -> String {
    let (call, answer) = says(agent, command);
    assert_eq!(answer.denial(), None, "{}", answer.whole());
    let context = answer.context();
    let (_, rest) = context.split_once("toprope undo ").expect("the way back is told");
    let id = rest.get(..12).expect("an id").to_owned();
    let kept = format!("SELECT count(*) FROM checkpoints WHERE id = '{id}' AND kind = 'before'");
    assert_eq!(stage.world.database().number(&kept), 1, "before it runs");
    call.does_run();
    call.ends(&json!({ "stdout": "", "stderr": "" })).ok();
    call.ends_step().ok();
    agent.stops();
    id
}

/// A commit that nothing of the person's holds any more, after everything git could forget is forgotten.
fn forgets(stage: &Stage) {
    stage.world.git(&[
        "reflog",
        "expire",
        "--expire=now",
        "--expire-unreachable=now",
        "--all",
    ]);
    stage.world.git(&["gc", "-q", "--prune=now"]);
}

#[test]
fn a_reset_and_a_clean_that_were_held_once_are_taken_back_byte_by_byte() {
    let stage = Stage::new();
    stage.write("a.txt", b"by hand\r\n\xff\x00 no newline");
    stage.write("notes/new.txt", "never committed\n");
    stage.write("staged.txt", "only staged\n");
    stage.world.git(&["add", "staged.txt"]);
    let before = stage.files();
    let agent = stage.agent("s1");
    agent.asked("one");
    let command = "git reset --hard && git clean -fd";
    let reason = is_held(&agent, command);
    assert!(
        reason.contains("core.git.clean") && reason.contains("core.git.reset-hard"),
        "{reason}"
    );
    assert_eq!(stage.files(), before);
    let id = runs_after_all(&stage, &agent, command);
    assert!(!stage.has("notes") && !stage.has("staged.txt"));
    assert_eq!(stage.read("a.txt"), "one\n");
    stage.undo(&[&id]);
    assert_eq!(stage.files(), before);
}

#[test]
fn what_a_reset_would_throw_away_is_counted_without_what_it_leaves_alone() {
    let stage = Stage::new();
    stage.write("b.txt", "b\n");
    stage.world.git(&["add", "."]);
    stage.world.git(&["commit", "-q", "-m", "more"]);
    let agent = stage.agent("s1");
    agent
        .asked("one")
        .writes("a.txt", "changed\n")
        .writes("b.txt", "changed\n")
        .writes("deep/new.txt", "new\n")
        .stops();
    agent.asked("two");
    let reason = is_held(&agent, "git reset --hard HEAD");
    assert!(
        reason.starts_with("`git reset --hard HEAD` would throw away changes in 2 files (a.txt, b.txt)."),
        "{reason}"
    );
}

#[test]
fn a_branch_that_was_deleted_after_the_strike_can_be_made_again() {
    let stage = Stage::new();
    stage.world.git(&["checkout", "-q", "-b", "side"]);
    stage.write("side.txt", "only on the side\n");
    stage.world.git(&["add", "."]);
    stage.world.git(&["commit", "-q", "-m", "side"]);
    let tip = stage.world.git(&["rev-parse", "side"]);
    stage.world.git(&["checkout", "-q", "main"]);
    let agent = stage.agent("s1");
    agent.asked("one");
    is_held(&agent, "git branch -D side");
    let id = runs_after_all(&stage, &agent, "git branch -D side");
    assert!(!stage.world.git(&["branch", "--list"]).contains("side"));
    forgets(&stage);
    let kept = stage.world.git(&["for-each-ref", "refs/toprope"]);
    assert!(kept.contains(tip.trim()), "{kept}");
    let undone = stage.toprope(&["undo", &id, "--yes"]);
    assert_said!(undone.whole().replace(&tip[..7], "[tip]").replace(&tip[7..40], ""), @r#"
    exit 0
    --- stdout
    Undo command [id] "git branch -D side", [age] ago
    --- stderr
    Nothing to put back: the content of every kept file is as before the command.
    Commits, staging and stash were not moved. What the command moved comes back with:
      git branch side [tip]
    "#);
    let command = undone.stderr.lines().last().expect("how it comes back");
    stage.world.shell(command).ok();
    assert_eq!(stage.world.git(&["show", "side:side.txt"]), "only on the side\n");
}

#[test]
fn a_stash_that_was_dropped_after_the_strike_can_be_put_back() {
    let stage = Stage::new();
    stage.write("a.txt", "put aside\n");
    stage.world.git(&["stash", "-q"]);
    let agent = stage.agent("s1");
    agent.asked("one");
    is_held(&agent, "git stash drop");
    let id = runs_after_all(&stage, &agent, "git stash drop");
    assert_eq!(stage.world.git(&["stash", "list"]), "");
    forgets(&stage);
    let undone = stage.toprope(&["undo", &id, "--yes"]);
    assert_eq!(undone.code, Some(0), "{}", undone.whole());
    let command = undone
        .stderr
        .lines()
        .find(|line| line.contains("git stash store"))
        .unwrap_or_else(|| panic!("how to put it back: {}", undone.whole()));
    stage.world.shell(command).ok();
    assert_eq!(stage.world.git(&["show", "stash@{0}:a.txt"]), "put aside\n");
}

#[test]
fn ignored_files_within_the_limit_come_back_and_larger_ones_are_not_passed_by_a_retry() {
    let stage = Stage::new();
    stage.write(".gitignore", "/data/\n*.bin\n");
    stage.world.git(&["add", "."]);
    stage.world.git(&["commit", "-q", "-m", "more"]);
    stage.write("data/one.bin", vec![7_u8; 1024 * 1024]);
    stage.write("new.txt", "new\n");
    let before = stage.files();
    let agent = stage.agent("s1");
    agent.asked("one");
    is_held(&agent, "git clean -xfd");
    let id = runs_after_all(&stage, &agent, "git clean -xfd");
    assert!(!stage.has("data") && !stage.has("new.txt"));
    stage.undo(&[&id]);
    assert_eq!(stage.files(), before);

    let large = fs::File::create(stage.path("large.bin")).expect("a large file");
    large.set_len(65 * 1024 * 1024).expect("a large file");
    agent.asked("two");
    for attempt in 1..=2 {
        let (call, answer) = says(&agent, "git clean -xfd");
        assert!(
            answer.stdout.contains("permissionDecision"),
            "attempt {attempt}: {}",
            answer.whole()
        );
        call.ends_step().ok();
    }
    for attempt in 1..=3 {
        let (call, answer) = says(&agent, "rm -f large.bin");
        assert!(
            answer.stdout.contains("permissionDecision"),
            "attempt {attempt}: {}",
            answer.whole()
        );
        assert!(!answer.stdout.contains("held once"), "{}", answer.whole());
        call.ends_step().ok();
    }
    assert!(stage.has("large.bin"));
}
