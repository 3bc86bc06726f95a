//! Killed at every step: a rewind or an undo is finished or rolled back, never mixed, and the next one works.

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
fn a_rewind_killed_at_any_step_is_finished_or_rolled_back_and_works_again() {
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
fn an_undo_killed_at_any_step_is_finished_or_rolled_back_and_works_again() {
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
    Undo rewind [id] "Rewound to t1 ([id])"
      recreate  deep/new  deleted by the rewind
      restore   link      changed by the rewind
      mode      run       mode changed by the rewind
      restore   src/kept  changed by the rewind
      delete    src/gone  created by the rewind
    Undone: 5 files are as before the rewind. Redo with: toprope undo
    --- stderr
    A rewind was cut short; 4 of 5 files were done. It has been finished.
    "#);
    assert_eq!(stage.files(), now);
    dying(&stage, &["rewind", "t1", "--yes"], "restore-staged-file", 1);
    let rolled_back = stage.world.toprope(&["rewind", "t2", "--yes"]);
    assert_said!(rolled_back.whole(), @r#"
    exit 0
    --- stdout
    Rewind claude-code [day]-s1 to t2 "two" ([id])
    --- stderr
    A rewind was cut short; 0 of 5 files were done. It has been rolled back.
    Already there: no file differs from t2 in this scope.
    "#);
    assert_eq!(stage.files(), now);
}

#[test]
fn a_file_changed_while_a_rewind_lay_half_done_waits_for_an_answer() {
    let stage = stage();
    stage.settle();
    dying(&stage, &["rewind", "t1", "--yes"], "restore-renamed", 3);
    for name in ["src/kept", "src/gone", "deep/new", "run", "link"] {
        let path = stage.path(name);
        if path.symlink_metadata().is_ok_and(|found| !found.is_symlink()) {
            fs::write(path, "mine meanwhile\n").unwrap();
        }
    }
    let mine = stage.files();
    let stuck = stage.world.toprope(&["rewind", "t1", "--yes"]);
    assert_eq!(stuck.code, Some(3), "{}", stuck.whole());
    assert!(
        stuck.stderr.contains("could not be settled: "),
        "{}",
        stuck.whole()
    );
    assert_eq!(stage.files(), mine);
    let id = stuck.stderr.split("--recover ").nth(1).unwrap().trim().to_owned();
    let wrong = stage
        .world
        .toprope(&["undo", "--recover", "ffffffffffff", "--yes"]);
    assert_eq!(wrong.code, Some(4), "{}", wrong.whole());
    let answered = stage.at_a_terminal(&["undo", "--recover", &id], &[("or nothing?", "k")]);
    assert_eq!(answered.code, Some(0), "{}", answered.whole());
    assert_eq!(stage.files(), mine);
    let free = stage.toprope(&["rewind", "t1", "--dry-run"]);
    assert!(!free.stderr.contains("could not be settled"), "{}", free.whole());
}
