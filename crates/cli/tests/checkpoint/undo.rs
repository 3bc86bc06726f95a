//! `toprope undo`: rewinds, undos and destructive commands are taken back.

use crate::stage::Stage;
use fs_err as fs;
use serde_json::json;

#[test]
fn an_undo_takes_a_rewind_back_and_a_redo_does_it_again() {
    let stage = Stage::new();
    let agent = stage.agent("s1");
    agent.asked("one").writes("a.txt", "one\n").stops();
    let then = stage.files();
    agent
        .asked("two")
        .writes("a.txt", "two\n")
        .writes("b.txt", "b\n")
        .stops();
    let now = stage.files();
    let report = stage.rewind(&["t1"]);
    assert_eq!(stage.files(), then);
    let undone = stage.toprope(&["undo", "--yes"]);
    assert_said!(undone.whole(), @r#"
    exit 0
    --- stdout
    Undo rewind [id] "Rewound to t1 ([id])", [age] ago
      restore   a.txt  changed by the rewind
      recreate  b.txt  deleted by the rewind
    Undone: 2 files are as before the rewind. Put it back with: toprope redo
    --- stderr
    "#);
    assert_eq!(stage.files(), now);
    assert_eq!(
        stage.toprope(&["undo", "--yes"]).code,
        Some(4),
        "nothing before it"
    );
    assert_eq!(stage.files(), now);
    stage.world.toprope(&["daemon", "stop"]).ok();
    let redone = stage.toprope(&["redo", "--yes"]);
    assert_said!(redone.whole(), @r#"
    exit 0
    --- stdout
    Redo rewind [id] "Rewound to t1 ([id])", [age] ago
      restore  a.txt  changed by the rewind
      delete   b.txt  created by the rewind
    Redone: 2 files are as after the rewind. Take it back with: toprope undo
    --- stderr
    "#);
    assert_eq!(stage.files(), then);
    assert_eq!(
        stage.toprope(&["redo", "--yes"]).code,
        Some(4),
        "nothing after it"
    );
    stage.world.toprope(&["daemon", "restart"]).ok();
    stage.undo(&[]);
    assert_eq!(stage.files(), now);
    let undone = stage.toprope(&["undo", report["undo"].as_str().unwrap(), "--yes"]);
    assert_said!(undone.whole(), @"
    exit 4
    --- stdout
    --- stderr
    error: [id] was undone already
    hint: `toprope redo` puts back what was undone last
    ");
}

#[test]
fn there_may_be_nothing_to_undo() {
    let stage = Stage::new();
    let agent = stage.agent("s1");
    agent.asked("one").writes("a.txt", "by the agent\n").stops();
    let nothing = stage.toprope(&["undo", "--yes"]);
    assert_said!(nothing.whole(), @"
    exit 4
    --- stdout
    --- stderr
    Nothing to undo in this worktree.
    ");
    let turn = stage
        .world
        .database()
        .rows("SELECT id FROM checkpoints WHERE kind IN ('step', 'turn')");
    assert_eq!(stage.toprope(&["undo", &turn[0], "--yes"]).code, Some(4));
    assert_eq!(stage.toprope(&["undo", "ffffffffffff", "--yes"]).code, Some(4));
    assert_eq!(stage.toprope(&["undo", "--list"]).code, Some(4));
}

#[test]
fn what_was_taken_back_counts_again_after_an_undo() {
    let stage = Stage::new();
    let agent = stage.agent("s1");
    agent.asked("one").writes("a.txt", "one by the agent\n").stops();
    let pending = || {
        stage
            .world
            .database()
            .number("SELECT count(*) FROM checkpoint_files WHERE taken_back_by IS NULL AND origin = 'tool'")
    };
    assert_eq!(pending(), 1);
    stage.rewind(&["start"]);
    assert_eq!(pending(), 0);
    stage.undo(&[]);
    assert_eq!(pending(), 1);
    stage.redo();
    assert_eq!(pending(), 0);
}

#[test]
fn an_agent_that_went_on_after_the_rewind_is_a_conflict() {
    let stage = Stage::new();
    let agent = stage.agent("s1");
    agent
        .asked("one")
        .writes("a.txt", "one\n")
        .writes("b.txt", "one\n")
        .stops();
    agent
        .asked("two")
        .writes("a.txt", "two\n")
        .writes("b.txt", "two\n")
        .stops();
    stage.rewind(&["t1"]);
    agent
        .asked("three")
        .reads("a.txt")
        .writes("a.txt", "three\n")
        .stops();
    let refused = stage.toprope(&["undo", "--yes"]);
    assert_said!(refused.whole(), @r#"
    exit 3
    --- stdout
    Undo rewind [id] "Rewound to t1 ([id])", [age] ago
      restore  b.txt  changed by the rewind
    --- stderr
    Nothing was changed: 1 file cannot be put back safely.
      a.txt  also changed by session [day]-s1
    Leave them out: --skip-conflicts. Overwrite them (undo brings them back): --force.
    "#);
    stage.undo(&["--skip-conflicts"]);
    assert_eq!(
        (stage.read("a.txt"), stage.read("b.txt")),
        ("three\n".into(), "two\n".into())
    );
}

#[test]
fn rewinds_after_each_other_are_undone_one_by_one_by_their_ids() {
    let stage = Stage::new();
    let agent = stage.agent("s1");
    agent.asked("one").writes("a.txt", "one\n").stops();
    agent.asked("two").writes("a.txt", "two\n").stops();
    agent.asked("three").writes("a.txt", "three\n").stops();
    let first = stage.rewind(&["t2"]);
    let second = stage.rewind(&["t1"]);
    let listed = stage.toprope(&["undo", "--list", "--json"]).json().unwrap();
    let ids: Vec<&str> = listed["operations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["undo"].as_str().unwrap())
        .collect();
    assert_eq!(
        ids,
        [second["undo"].as_str().unwrap(), first["undo"].as_str().unwrap()]
    );
    let early = stage.toprope(&["undo", ids[1], "--yes"]);
    assert_eq!(early.code, Some(3), "{}", early.whole());
    stage.undo(&[ids[0]]);
    assert_eq!(stage.read("a.txt"), "two\n");
    stage.undo(&[ids[1]]);
    assert_eq!(stage.read("a.txt"), "three\n");
}

#[test]
fn a_rewind_after_an_undone_rewind_works_as_if_neither_had_been() {
    let stage = Stage::new();
    let agent = stage.agent("s1");
    agent.asked("one").writes("a.txt", "one\n").stops();
    let helper = agent.launches("a3f2");
    helper.writes("b.txt", "b\n");
    helper.finishes();
    agent.asked("two").writes("a.txt", "two\n").stops();
    let now = stage.files();
    stage.rewind(&["start"]);
    stage.undo(&[]);
    stage.rewind(&["start", "--agent", "a3f2"]);
    assert!(!stage.has("b.txt") && stage.read("a.txt") == "two\n");
    stage.undo(&[]);
    assert_eq!(stage.files(), now);
    stage.rewind(&["t1"]);
    assert_eq!(stage.read("a.txt"), "one\n");
}

#[test]
fn a_destructive_reset_is_taken_back_with_all_it_lost() {
    let stage = Stage::new();
    stage.write("clean.txt", "clean\n");
    stage.world.git(&["add", "."]);
    stage.world.git(&["commit", "-q", "-m", "more"]);
    stage.write("a.txt", "mine, not committed\n");
    stage.write("untracked.txt", "mine\n");
    let agent = stage.agent("s1");
    agent.asked("one").writes("agent.txt", "by the agent\n");
    stage.settle();
    let before = stage.files();
    let head = stage.world.git(&["rev-parse", "HEAD"]);
    agent.insists("git reset --hard HEAD~1 && git clean -fd").stops();
    assert_eq!(stage.read("a.txt"), "one\n");
    assert!(!stage.has("untracked.txt") && !stage.has("agent.txt"));
    let undone = stage.toprope(&["undo", "--yes"]);
    assert_said!(undone.whole(), @r#"
    exit 0
    --- stdout
    Undo command [id] "git reset --hard HEAD~1 && git clean -fd", [age] ago
      restore   a.txt          changed while `git reset --hard HEAD~1 &&…` ran in t1
      recreate  agent.txt      deleted while `git reset --hard HEAD~1 &&…` ran in t1
      recreate  untracked.txt  deleted while `git reset --hard HEAD~1 &&…` ran in t1
    HEAD stays at [head]; the differences will show as uncommitted changes.
    Undone: 3 files are as before the command. Put it back with: toprope redo
    --- stderr
    1 more file differs from before the command: clean.txt (changed by git).
    Commits, staging and stash were not moved. What the command moved comes back with:
      git reset --keep [object]
    "#);
    for (name, content) in before.iter().filter(|(name, _)| name != "clean.txt") {
        assert_eq!(fs::read(stage.path(name)).unwrap(), *content, "{name}");
    }
    stage.world.git(&["reset", "-q", "--keep", head.trim()]);
    assert_eq!(stage.files(), before);
}

#[test]
fn a_checkout_of_everything_and_a_clean_of_ignored_files_are_taken_back() {
    let stage = Stage::new();
    stage.write(".gitignore", "*.log\n");
    stage.world.git(&["add", "."]);
    stage.world.git(&["commit", "-q", "-m", "more"]);
    let agent = stage.agent("s1");
    agent
        .asked("one")
        .writes("a.txt", "by the agent\n")
        .writes("run.log", "log\n")
        .runs("mkdir -p deep && echo x > deep/x")
        .stops();
    let before = stage.files();
    agent
        .asked("two")
        .insists_as("git checkout .", "git checkout -q . && git clean -fdxq")
        .stops();
    assert_eq!(stage.read("a.txt"), "one\n");
    stage.undo(&[]);
    assert_eq!(stage.files(), before);
    let redone = stage.redo();
    assert_eq!(redone["scope"], json!("command"));
    assert_eq!(stage.read("a.txt"), "one\n");
}

#[test]
fn a_stash_that_a_command_dropped_can_be_put_back() {
    let stage = Stage::new();
    stage.write("a.txt", "put aside\n");
    stage.world.git(&["stash", "-q"]);
    stage.write("a.txt", "dirty\n");
    let agent = stage.agent("s1");
    agent
        .asked("one")
        .insists_as("git stash drop", "git stash drop -q && git checkout -q .")
        .stops();
    stage.world.git(&["gc", "-q", "--prune=now"]);
    let undone = stage.toprope(&["undo", "--yes"]);
    assert_eq!(undone.code, Some(0), "{}", undone.whole());
    assert_eq!(stage.read("a.txt"), "dirty\n");
    let command = undone
        .stderr
        .lines()
        .find(|line| line.contains("git stash store"))
        .unwrap();
    stage.world.shell(command).ok();
    assert_eq!(stage.world.git(&["show", "stash@{0}:a.txt"]), "put aside\n");
}

#[test]
fn ignored_files_that_a_command_names_are_kept_before_it_and_come_back() {
    let stage = Stage::new();
    stage.write(".gitignore", "/cache/\n");
    stage.world.git(&["add", "."]);
    stage.world.git(&["commit", "-q", "-m", "more"]);
    stage.write("cache/deep/one.bin", "made by hand\n");
    stage.write("cache/two.bin", "also by hand\n");
    let before = stage.files();
    let agent = stage.agent("s1");
    agent.asked("one").insists("rm -rf cache").stops();
    assert!(!stage.has("cache"));
    stage.settle();
    let undone = stage.toprope(&["undo", "--yes"]);
    assert_eq!(undone.code, Some(0), "{}", undone.whole());
    assert_eq!(stage.files(), before);
}

#[test]
fn a_command_whose_losses_cannot_all_be_kept_does_not_pass_and_one_that_can_says_where() {
    let stage = Stage::new();
    stage.write(".gitignore", "/cache/\n");
    stage.write("cache/x", "x\n");
    let agent = stage.agent("s1");
    agent.asked("one");
    let losing = || {
        let call = agent.agent.call(
            "Bash",
            &json!({ "command": "rm -rf cache", "description": "run" }),
        );
        let said = call.begins().stdout;
        call.ends_step().ok();
        said
    };
    let held = losing();
    assert!(held.contains("held once"), "{held}");
    let kept = losing();
    assert!(kept.contains("holds what this command takes away"), "{kept}");
    assert!(!kept.contains("permissionDecision"), "{kept}");
    let large = fs::File::create(stage.path("cache/large")).unwrap();
    large.set_len(65 * 1024 * 1024).unwrap();
    let stopped = losing();
    assert!(
        stopped.contains("Ignored files above 64 MB are in no checkpoint."),
        "{stopped}"
    );
    assert!(stopped.contains("permissionDecision"), "{stopped}");
}
