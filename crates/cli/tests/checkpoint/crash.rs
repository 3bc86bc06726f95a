//! Killed at every step: a rewind or an undo is finished or dropped, never mixed, and the next one works.

use crate::stage::Stage;
use fs_err as fs;
use testkit::{Output, run};

/// Every step that leaves something behind, in the order in which a rewind takes them.
const STEPS: [&str; 23] = [
    "lease-take",
    "rewind-alone",
    "checkpoint-written",
    "checkpoint-committed",
    "checkpoint-on-line",
    "checkpoint-recorded",
    "rewind-before",
    "restore-journal-written",
    "restore-staged-file",
    "restore-staged",
    "restore-marked",
    "restore-checked",
    "restore-renamed",
    "restore-mode",
    "restore-deleted",
    "restore-folders-removed",
    "restore-synced",
    "rewind-applied",
    "rewind-recorded",
    "rewind-counted",
    "restore-closed",
    "restore-stage-removed",
    "restore-removed",
];

/// What a file can go through: new content, a new file, one that went, an exec bit, a link.
fn stage() -> Stage {
    let stage = Stage::new();
    let agent = stage.agent("s1");
    agent
        .asked("one")
        .runs("mkdir src && echo 1 > src/kept && echo 1 > src/gone && echo 1 > run && ln -s run link")
        .stops();
    agent
        .asked("two")
        .runs("echo 2 > src/kept && rm src/gone && chmod +x run && ln -sf src link && mkdir deep && echo 2 > deep/new")
        .stops();
    drop(agent);
    stage
}

fn dying(stage: &Stage, arguments: &[&str], step: &str, hit: usize) -> Output {
    let mut command = stage.world.command(arguments);
    command.env("TOPROPE_FAULT", format!("{step}:{hit}"));
    run(command, b"")
}

/// Whoever comes next settles what was left: a command, or the daemon for the agent.
fn next_one(stage: &Stage, number: usize) {
    if number.is_multiple_of(2) {
        stage
            .world
            .toprope(&["checkpoint", "create", "-m", "whoever comes next"])
            .ok();
    } else {
        stage.world.agent("s1").is_asked("go on").ok();
        stage.world.agent("s1").stops().ok();
        stage.settle();
    }
}

/// Nobody is blamed for what a rewind did, and nothing is left of it.
#[track_caller]
fn assert_clean(stage: &Stage, what: &str) {
    let strangers = stage.rows();
    let strangers: Vec<&String> = strangers.iter().filter(|row| row.ends_with("outside")).collect();
    assert!(strangers.is_empty(), "{what}: {strangers:?}");
    let journals = stage.path(".git/toprope/shadow.git/journal");
    let left = fs::read_dir(journals).map_or(0, Iterator::count);
    assert_eq!(left, 0, "{what}: journals are left");
    assert_eq!(stage.world.database().damage(), Vec::<String>::new(), "{what}");
}

#[test]
fn a_rewind_killed_at_any_step_is_finished_or_dropped_and_works_again() {
    let stage = stage();
    let now = stage.files();
    stage.rewind(&["t1"]);
    let then = stage.files();
    stage.undo(&[]);
    let mut deaths = 0;
    for step in STEPS {
        let mut hit = 1;
        loop {
            let what = format!("rewind at {step}:{hit}");
            let died = dying(&stage, &["rewind", "t1", "--yes"], step, hit);
            if died.code == Some(0) {
                assert!(hit > 1, "{step} was never met");
                stage.undo(&[]);
                break;
            }
            assert_eq!(died.code, None, "{what}: {}", died.whole());
            deaths += 1;
            next_one(&stage, deaths);
            let settled = stage.files();
            assert!(settled == now || settled == then, "{what}: {settled:?}");
            let again = stage.world.toprope(&["rewind", "t1", "--yes"]);
            assert_eq!(again.code, Some(0), "{what}: {}", again.whole());
            assert_eq!(stage.files(), then, "{what}");
            stage.undo(&[]);
            assert_eq!(stage.files(), now, "{what}");
            assert_clean(&stage, &what);
            hit += 1;
        }
    }
    assert!(deaths >= 30, "only {deaths} deaths");
}

#[test]
fn an_undo_killed_at_any_step_is_finished_or_dropped_and_works_again() {
    let stage = stage();
    let now = stage.files();
    stage.rewind(&["t1"]);
    let then = stage.files();
    let mut deaths = 0;
    for step in STEPS {
        let mut hit = 1;
        loop {
            let what = format!("undo at {step}:{hit}");
            let died = dying(&stage, &["undo", "--yes"], step, hit);
            if died.code == Some(0) {
                assert!(hit > 1, "{step} was never met");
                stage.rewind(&["t1"]);
                break;
            }
            assert_eq!(died.code, None, "{what}: {}", died.whole());
            deaths += 1;
            next_one(&stage, deaths);
            let settled = stage.files();
            assert!(settled == now || settled == then, "{what}: {settled:?}");
            if settled == then {
                stage.undo(&[]);
                assert_eq!(stage.files(), now, "{what}");
            }
            stage.rewind(&["t1"]);
            assert_eq!(stage.files(), then, "{what}");
            assert_clean(&stage, &what);
            hit += 1;
        }
    }
    assert!(deaths >= 30, "only {deaths} deaths");
}

#[test]
fn whoever_comes_back_is_told_what_became_of_a_rewind_that_was_cut_short() {
    let stage = stage();
    let now = stage.files();
    stage.settle();
    dying(&stage, &["rewind", "t1", "--yes"], "restore-renamed", 2);
    assert_ne!(stage.files(), now);
    let finished = stage.world.toprope(&["undo", "--yes"]);
    assert_said!(finished.whole(), @r#"
    exit 0
    --- stdout
    Undo rewind [id] "Rewound to t1 ([id])", [age] ago
      recreate  deep/new  deleted by the rewind
      restore   link      changed by the rewind
      mode      run       mode changed by the rewind
      restore   src/kept  changed by the rewind
      delete    src/gone  created by the rewind
    Undone: 5 files are as before the rewind. Put it back with: toprope redo
    --- stderr
    A rewind was cut short; 4 of 5 files were done. It has been finished.
    "#);
    assert_eq!(stage.files(), now);
    dying(&stage, &["rewind", "t1", "--yes"], "restore-staged-file", 1);
    let dropped = stage.world.toprope(&["rewind", "t2", "--yes"]);
    assert_said!(dropped.whole(), @r#"
    exit 0
    --- stdout
    Rewind claude-code [day]-s1 to t2 "two" ([id])
    --- stderr
    A rewind was cut short; 0 of 5 files were done. It has been dropped.
    Nothing to put back: the content of every kept file is that of t2.
    "#);
    assert_eq!(stage.files(), now);
}

/// A rewind that was killed when two of its five files were done.
fn half_done() -> Stage {
    let stage = stage();
    stage.settle();
    dying(&stage, &["rewind", "t1", "--yes"], "restore-renamed", 1);
    stage
}

#[test]
fn what_an_agent_wrote_after_a_rewind_was_cut_short_is_never_touched() {
    let stage = stage();
    let agent = stage.agent("s1");
    agent.asked("three");
    let call = agent
        .agent
        .is_about_to_run("echo 'by the agent' > src/kept; echo 'by the agent' > run");
    stage.settle();
    dying(
        &stage,
        &["rewind", "t1", "--yes", "--while-running"],
        "restore-renamed",
        1,
    );
    call.does_run();
    call.ends(&serde_json::json!({ "stdout": "", "stderr": "" })).ok();
    call.ends_step().ok();
    agent.stops();
    let journals = stage.path(".git/toprope/shadow.git/journal");
    assert_eq!(
        fs::read_dir(journals).map_or(0, Iterator::count),
        0,
        "settled by the hook"
    );
    assert_eq!(stage.read("src/kept"), "by the agent\n");
    assert_eq!(stage.read("run"), "by the agent\n");
    let done = stage.tree();
    assert!(!stage.has("deep"), "what was done stands");
    let undone = stage.undo(&[]);
    assert!(stage.has("deep/new"), "and is undone: {undone}");
    assert_eq!(stage.read("src/kept"), "by the agent\n");
    stage.redo();
    assert_eq!(stage.tree(), done);
}

#[test]
fn any_command_settles_a_rewind_that_was_cut_short_and_says_what_was_left() {
    for command in [
        &["checkpoint", "list"][..],
        &["undo", "--list"],
        &["checkpoint", "diff", "t1"],
        &["rewind", "t1", "--dry-run"],
    ] {
        let stage = half_done();
        stage.write("src/kept", "mine meanwhile\n");
        let told = stage.world.toprope(command);
        let first = told.stderr.lines().next().unwrap_or_default();
        assert_eq!(
            first,
            "A rewind was cut short; 2 of 5 files were put back. Others were changed meanwhile, so the rest was left: run, \
             src/gone, src/kept. Take the 2 back with: toprope undo"
        );
        assert_eq!(stage.read("src/kept"), "mine meanwhile\n");
        let again = stage.world.toprope(command);
        assert!(!again.stderr.contains("cut short"), "{}", again.whole());
        let listed = stage.toprope(&["undo", "--list", "--json"]).json().unwrap();
        assert_eq!(listed["operations"].as_array().map(Vec::len), Some(1), "{listed}");
        let free = stage.toprope(&["rewind", "t1", "--yes", "--skip-conflicts"]);
        assert_eq!(free.code, Some(0), "no later rewind is blocked: {}", free.whole());
    }
}
