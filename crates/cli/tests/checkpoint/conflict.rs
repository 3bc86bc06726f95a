//! What cannot be put back safely is refused, left out or forced, and each of them is taken back exactly.

use crate::stage::{Stage, Talk};
use fs_err as fs;
use serde_json::json;
use std::os::unix::fs::symlink;

#[test]
fn the_persons_files_and_edits_from_before_the_agents_survive() {
    let stage = Stage::new();
    let agent = stage.agent("s1");
    agent.asked("one").writes("both.txt", "agent\n").stops();
    stage.write("mine.txt", "mine\n");
    stage.write("both.txt", "agent\nand me\n");
    agent.asked("two");
    agent.agent.reads("both.txt");
    agent.writes("both.txt", "agent\nand me\nand agent\n").stops();
    let report = stage.rewind(&["t1"]);
    assert_eq!(stage.read("both.txt"), "agent\nand me\n");
    assert_eq!(stage.read("mine.txt"), "mine\n");
    assert_eq!(report["left"], json!([{ "path": "mine.txt", "why": "outside" }]));
}

#[test]
fn an_edit_by_the_person_a_moment_before_the_agents_is_never_lost() {
    let stage = Stage::new();
    let agent = stage.agent("s1");
    agent.asked("one").writes("b.txt", "agent\n").stops();
    agent.asked("two");
    stage.settle();
    stage.write("a.txt", "typed a second ago\n");
    agent.writes("a.txt", "by the agent\n").stops();
    let shown = stage.toprope(&["rewind", "t1", "--yes"]);
    assert_said!(shown.whole(), @r#"
    exit 0
    --- stdout
    Rewind claude-code [day]-s1 to t1 "one" ([id])
      restore (keeps your edit)  a.txt  changed in t2
    Rewound 1 file. Take it back with: toprope undo
    --- stderr
    "#);
    assert_eq!(stage.read("a.txt"), "typed a second ago\n");
}

/// A file the person changed after the agent, beside one they did not.
fn disputed() -> Stage {
    let stage = Stage::new();
    let agent = stage.agent("s1");
    agent
        .asked("one")
        .writes("disputed.txt", "one\n")
        .writes("fine.txt", "one\n")
        .stops();
    agent
        .asked("two")
        .writes("disputed.txt", "two\n")
        .writes("fine.txt", "two\n")
        .stops();
    stage.write("disputed.txt", "two, and mine\n");
    stage
}

#[test]
fn an_edit_by_the_person_after_the_agents_refuses_the_rewind() {
    let stage = disputed();
    let files = stage.files();
    let refused = stage.toprope(&["rewind", "t1", "--yes"]);
    assert_said!(refused.whole(), @r#"
    exit 3
    --- stdout
    Rewind claude-code [day]-s1 to t1 "one" ([id])
      restore  fine.txt  changed in t2
    --- stderr
    Nothing was changed: 1 file cannot be put back safely.
      disputed.txt  edited since
    Leave them out: --skip-conflicts. Overwrite them (undo brings them back): --force.
    "#);
    assert_eq!(stage.files(), files);
    let report = stage.toprope(&["rewind", "t1", "--yes", "--json"]);
    assert_eq!(report.code, Some(3));
    let report = report.json().unwrap();
    assert_eq!(report["applied"], json!(false));
    assert_eq!(
        report["conflicts"],
        json!([{ "path": "disputed.txt", "reason": "edited since" }])
    );
    assert_eq!(
        stage.toprope(&["undo", "--yes"]).code,
        Some(4),
        "nothing was done"
    );
}

#[test]
fn conflicts_can_be_left_out_and_the_rest_is_undone_exactly() {
    let stage = disputed();
    let files = stage.files();
    stage.rewind(&["t1", "--skip-conflicts"]);
    assert_eq!(stage.read("disputed.txt"), "two, and mine\n");
    assert_eq!(stage.read("fine.txt"), "one\n");
    stage.undo(&[]);
    assert_eq!(stage.files(), files);
}

#[test]
fn conflicts_can_be_forced_and_what_they_held_is_undone_exactly() {
    let stage = disputed();
    let files = stage.files();
    let forced = stage.at_a_terminal(&["rewind", "t1", "--force"], &[("Go ahead? [y/N] ", "y")]);
    assert_eq!(forced.code, Some(0), "{}", forced.whole());
    assert_eq!(stage.read("disputed.txt"), "one\n");
    stage.undo(&[]);
    assert_eq!(stage.files(), files);
}

#[test]
fn a_plan_that_is_no_longer_true_is_shown_anew() {
    let stage = disputed();
    stage.write("disputed.txt", "two\n");
    stage.settle();
    let mut talk = Talk::begin(&stage, &["rewind", "t1"]);
    talk.hears("Go ahead? [y/N] ");
    stage.write("fine.txt", "mine meanwhile\n");
    talk.says("y");
    let output = talk.ends();
    assert_eq!(output.code, Some(3), "{}", output.whole());
    assert!(
        output.stdout.contains("fine.txt  edited since"),
        "{}",
        output.whole()
    );
    assert_eq!(stage.read("fine.txt"), "mine meanwhile\n");
    assert_eq!(stage.read("disputed.txt"), "two\n");
}

#[test]
fn a_link_planted_on_the_way_is_refused_and_what_it_leads_to_is_untouched() {
    let stage = Stage::new();
    let outside = stage.world.root().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("file"), "not ours\n").unwrap();
    let agent = stage.agent("s1");
    agent.asked("one").writes("src/file", "one\n").stops();
    agent.asked("two").writes("src/file", "two\n").stops();
    fs::remove_dir_all(stage.path("src")).unwrap();
    symlink(&outside, stage.path("src")).unwrap();
    let refused = stage.toprope(&["rewind", "t1", "--yes"]);
    assert_said!(refused.whole(), @r#"
    exit 3
    --- stdout
    Rewind claude-code [day]-s1 to t1 "one" ([id])
    --- stderr
    Nothing was changed: 1 file cannot be put back safely.
      src/file  a parent is now a link: src
    Leave them out: --skip-conflicts.
    "#);
    let forced = stage.at_a_terminal(&["rewind", "t1", "--force", "--yes"], &[]);
    assert_eq!(forced.code, Some(3), "{}", forced.whole());
    assert_eq!(fs::read_to_string(outside.join("file")).unwrap(), "not ours\n");
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
}

#[test]
fn what_stands_in_the_way_is_named() {
    let stage = Stage::new();
    let agent = stage.agent("s1");
    agent
        .asked("one")
        .writes("folder/file", "one\n")
        .writes("place", "one\n")
        .stops();
    agent.asked("two").runs("rm -r folder place").stops();
    stage.write("folder", "a file of mine\n");
    stage.write("place/of", "mine\n");
    let refused = stage.toprope(&["rewind", "t1", "--yes"]);
    assert_said!(refused.whole(), @r#"
    exit 3
    --- stdout
    Rewind claude-code [day]-s1 to t1 "one" ([id])
    --- stderr
    Nothing was changed: 2 files cannot be put back safely.
      folder/file  a file stands where a folder must be: folder
      place        a folder stands where the file must be
    Leave them out: --skip-conflicts.
    "#);
}

#[test]
fn unmerged_files_are_left_to_their_merge() {
    let stage = Stage::new();
    let agent = stage.agent("s1");
    agent.asked("one").writes("a.txt", "agent one\n").stops();
    stage.world.git(&["commit", "-q", "-am", "one"]);
    stage.world.git(&["checkout", "-q", "-b", "side", "HEAD~1"]);
    stage.write("a.txt", "side\n");
    stage.world.git(&["commit", "-q", "-am", "side"]);
    stage.world.git(&["checkout", "-q", "main"]);
    agent
        .asked("two")
        .runs("git -c user.name=T -c user.email=t@e merge -q side || true")
        .stops();
    let refused = stage.toprope(&["rewind", "start", "--yes"]);
    assert_eq!(refused.code, Some(3), "{}", refused.whole());
    assert!(
        refused.stderr.contains("unmerged in the index"),
        "{}",
        refused.whole()
    );
}

#[test]
fn after_a_checkout_nothing_is_credited_to_the_agent_and_a_rewind_across_it_refuses() {
    let stage = Stage::new();
    stage.world.git(&["checkout", "-q", "--orphan", "other"]);
    stage.world.git(&["commit", "-q", "-m", "another beginning"]);
    stage.world.git(&["checkout", "-q", "main"]);
    let agent = stage.agent("s1");
    agent.asked("one").writes("a.txt", "on main\n").stops();
    stage.world.git(&["commit", "-q", "-am", "on main"]);
    agent.asked("two").runs("git checkout -q other").stops();
    let rows = stage.rows();
    assert!(
        !rows
            .iter()
            .any(|row| row.starts_with("turn|a.txt|modified|shell")),
        "{rows:?}"
    );
    let refused = stage.toprope(&["rewind", "start", "--yes"]);
    assert_said!(refused.whole(), @r#"
    exit 3
    --- stdout
    Rewind claude-code [day]-s1 to start "(nothing was changed yet)" ([id])
    --- stderr
    Nothing was changed: HEAD was moved by "checkout" from [head] to [head] since start.
    Put files back all the same (undo brings them back): --force.
    "#);
    assert_eq!(stage.read("a.txt"), "one\n");
}

#[test]
fn a_new_branch_at_the_same_commit_is_no_conflict() {
    let stage = Stage::new();
    let agent = stage.agent("s1");
    agent.asked("one").writes("a.txt", "by the agent\n").stops();
    let after = stage.tree();
    stage.world.git(&["checkout", "-q", "-b", "feature/x"]);
    stage.rewind(&["start"]);
    assert_eq!(stage.read("a.txt"), "one\n");
    stage.world.git(&["checkout", "-q", "--detach"]);
    stage.undo(&[]);
    assert_eq!(stage.tree(), after);
    stage.world.git(&["checkout", "-q", "main"]);
    stage.redo();
    assert_eq!(stage.read("a.txt"), "one\n");
}

#[test]
fn commits_made_since_are_no_conflict_on_whatever_branch() {
    let stage = Stage::new();
    let agent = stage.agent("s1");
    agent.asked("one").writes("b.txt", "by the agent\n").stops();
    stage.world.git(&["checkout", "-q", "-b", "feature/x"]);
    stage
        .world
        .git(&["commit", "-q", "--allow-empty", "-m", "on a branch"]);
    stage.rewind(&["start"]);
    assert!(!stage.has("b.txt"));
    stage
        .world
        .git(&["commit", "-q", "--amend", "--allow-empty", "-m", "in other words"]);
    stage.undo(&[]);
    assert_eq!(stage.read("b.txt"), "by the agent\n");
}

#[test]
fn a_reset_to_another_commit_on_the_same_branch_refuses_and_force_lifts_that() {
    let stage = Stage::new();
    stage.write("c.txt", "committed\n");
    stage.world.git(&["add", "."]);
    stage.world.git(&["commit", "-q", "-m", "more"]);
    let agent = stage.agent("s1");
    agent.asked("one").writes("b.txt", "by the agent\n").stops();
    stage.world.git(&["reset", "-q", "--hard", "HEAD~1"]);
    let refused = stage.toprope(&["rewind", "start", "--yes"]);
    assert_said!(refused.whole(), @r#"
    exit 3
    --- stdout
    Rewind claude-code [day]-s1 to start "(nothing was changed yet)" ([id])
      delete  b.txt  created in t1
    --- stderr
    Nothing was changed: HEAD was moved by "reset" from [head] to [head] since start.
    Put files back all the same (undo brings them back): --force.
    "#);
    let forced = stage.at_a_terminal(&["rewind", "start", "--force"], &[("Go ahead? [y/N] ", "y")]);
    assert_eq!(forced.code, Some(0), "{}", forced.whole());
    assert!(!stage.has("b.txt"));
}

#[test]
fn a_file_too_large_to_keep_is_said_and_left() {
    let stage = Stage::new();
    stage.write("toprope.local.toml", "");
    let settings = stage.world.home().join(".config/toprope");
    fs::create_dir_all(&settings).unwrap();
    fs::write(settings.join("config.toml"), "[checkpoints]\nmax_file_mb = 1\n").unwrap();
    let agent = stage.agent("s1");
    agent.asked("one").writes("small", "one\n").stops();
    agent
        .asked("two")
        .runs("head -c 2000000 /dev/zero > big; echo two > small")
        .stops();
    let report = stage.rewind(&["t1"]);
    assert_eq!(report["left"], json!([{ "path": "big", "why": "not captured" }]));
    assert_eq!(stage.read("small"), "one\n");
    assert_eq!(fs::metadata(stage.path("big")).unwrap().len(), 2_000_000);
}

#[test]
fn a_checkpoint_whose_objects_are_gone_says_so() {
    let stage = Stage::new();
    let agent = stage.agent("s1");
    agent.asked("one").writes("b.txt", "b\n").stops();
    stage.world.toprope(&["daemon", "stop"]).ok();
    fs::remove_dir_all(stage.path(".git/toprope/shadow.git/objects")).unwrap();
    fs::create_dir_all(stage.path(".git/toprope/shadow.git/objects")).unwrap();
    let gone = stage.world.toprope(&["rewind", "start", "--dry-run"]);
    assert_eq!(gone.code, Some(1), "{}", gone.whole());
    assert!(gone.stderr.contains("gone"), "{}", gone.whole());
    assert!(stage.has("b.txt"));
}
