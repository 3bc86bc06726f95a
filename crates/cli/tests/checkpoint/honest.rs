//! Nothing says that all is well while the worktree differs from what was asked for.

use crate::stage::Stage;
use fs_err as fs;

/// A session that changed nothing since `t1`, and a person who did.
fn only_the_person() -> Stage {
    let stage = Stage::new();
    let agent = stage.agent("s1");
    agent.asked("one").writes("b.txt", "by the agent\n").stops();
    stage.write("a.txt", "by hand\n");
    stage.write("new.txt", "by hand\n");
    stage
}

#[test]
fn what_the_person_changed_is_named_and_nothing_put_back_is_no_success() {
    let stage = only_the_person();
    let files = stage.tree();
    let said = stage.toprope(&["rewind", "t1", "--yes"]);
    assert_said!(said.whole(), @r#"
    exit 3
    --- stdout
    Rewind claude-code [day]-s1 to t1 "one" ([id])
    --- stderr
    Nothing was put back: 2 files differ from t1: a.txt (changed outside the agents), new.txt (changed outside the agents). To take back everybody's changes: --scope all --force
    "#);
    let dry = stage.toprope(&["rewind", "t1", "--dry-run"]);
    assert_eq!(dry.code, Some(3), "{}", dry.whole());
    let told = stage.toprope(&["rewind", "t1", "--yes", "--json"]);
    assert_eq!(told.code, Some(3));
    let left = told.json().unwrap()["left"].to_string();
    assert_eq!(
        left,
        r#"[{"path":"a.txt","why":"outside"},{"path":"new.txt","why":"outside"}]"#
    );
    assert_eq!(stage.tree(), files);
    stage.write("a.txt", "one\n");
    fs::remove_file(stage.path("new.txt")).unwrap();
    let there = stage.toprope(&["rewind", "t1", "--yes"]);
    assert_said!(there.whole(), @r#"
    exit 0
    --- stdout
    Rewind claude-code [day]-s1 to t1 "one" ([id])
    --- stderr
    Nothing to put back: the content of every kept file is that of t1.
    "#);
}

#[test]
fn nothing_is_called_equal_that_was_not_compared() {
    use std::os::unix::fs::PermissionsExt;
    let stage = Stage::new();
    stage.write(".gitignore", "*.log\n");
    stage.write("x.log", "before\n");
    stage.write("key", "secret\n");
    fs::set_permissions(stage.path("key"), std::fs::Permissions::from_mode(0o600)).unwrap();
    let agent = stage.agent("s1");
    agent
        .asked("one")
        .runs("chmod 644 key; echo after > x.log")
        .stops();
    let said = stage.toprope(&["rewind", "start", "--yes"]);
    assert_said!(said.stderr, @"Nothing to put back: the content of every kept file is that of start.");
}

#[test]
fn the_way_to_take_back_everybodys_changes_does_so() {
    let stage = only_the_person();
    let said = stage.toprope(&["rewind", "t1", "--yes"]).stderr;
    let (_, switches) = said.trim_end().rsplit_once(": ").unwrap();
    let words: Vec<&str> = ["rewind", "t1", "--yes"]
        .into_iter()
        .chain(switches.split(' '))
        .collect();
    stage.toprope(&["checkpoint", "create"]).ok();
    let refused = stage.toprope(&["rewind", "t1", "--yes", "--scope", "all"]);
    assert_eq!(refused.code, Some(3), "{}", refused.whole());
    assert!(
        refused.stderr.contains("  changed by someone outside the agents")
            && !refused.stderr.contains("also changed"),
        "{}",
        refused.whole()
    );
    let done = stage.at_a_terminal(&words, &[]);
    assert_eq!(done.code, Some(0), "{}", done.whole());
    assert_eq!(
        (stage.read("a.txt").as_str(), stage.has("new.txt")),
        ("one\n", false)
    );
}

#[test]
fn the_way_to_go_on_is_named_where_there_is_one() {
    let stage = Stage::new();
    let agent = stage.agent("s1");
    for (number, content) in [("1", "one\n"), ("2", "two\n")] {
        agent.asked(number).writes("b.txt", content);
        agent.agent.writes_transcript(number, "done");
        agent.stops();
    }
    let said = stage.toprope(&["rewind", "t1", "--yes"]).stderr;
    assert!(said.contains("with: toprope resume t1"), "{said}");
    stage.toprope(&["resume", "t1"]).ok();
    let said = stage.toprope(&["rewind", "start", "--yes"]).stderr;
    assert!(!said.contains("resume"), "{said}");
    assert_eq!(stage.toprope(&["resume", "start"]).code, Some(4));
}

#[test]
fn a_command_is_cut_so_that_its_line_fits() {
    let stage = Stage::new();
    let path = "a/rather/long/way/to/the/file.txt";
    let agent = stage.agent("s1");
    let command = format!("mkdir -p a/rather/long/way/to/the; echo quite a long text > {path}");
    agent.asked("one").runs(&command).stops();
    let said = stage.toprope(&["rewind", "start", "--dry-run"]);
    let line = said.stdout.lines().find(|line| line.contains(path)).unwrap();
    assert!(line.chars().count() <= 80, "{line}");
    assert!(
        line.contains("created while `mkdir") && line.ends_with("…` ran in t1"),
        "{line}"
    );
}

#[test]
fn what_is_put_back_is_a_success_that_names_the_rest() {
    let stage = only_the_person();
    let said = stage.toprope(&["rewind", "start", "--yes"]);
    assert_said!(said.whole(), @r#"
    exit 0
    --- stdout
    Rewind claude-code [day]-s1 to start "(nothing was changed yet)" ([id])
      delete  b.txt  created in t1
    Rewound 1 file. Take it back with: toprope undo
    --- stderr
    2 more files differ from start: a.txt (changed outside the agents), new.txt (changed outside the agents).
    "#);
    assert_eq!(stage.read("a.txt"), "by hand\n");
}

#[test]
fn a_path_that_is_nowhere_is_an_error() {
    let stage = only_the_person();
    let agent = stage.agent("s1");
    agent
        .asked("two")
        .writes("short/lived", "x\n")
        .runs("rm -r short")
        .stops();
    let files = stage.tree();
    let said = stage.toprope(&["rewind", "start", "--yes", "--path", "b.txt", "nosuch"]);
    assert_said!(said.whole(), @r#"
    exit 4
    --- stdout
    --- stderr
    error: no file "nosuch" in start, in the worktree or in what was recorded since
    "#);
    assert_eq!(stage.tree(), files);
    for known in ["a.txt", "short", "short/lived"] {
        let said = stage.toprope(&["rewind", "t1", "--dry-run", "--path", known]);
        assert_ne!(said.code, Some(4), "{known}: {}", said.whole());
    }
    let other = stage.toprope(&["rewind", "start", "--yes", "--path", "a.txt"]);
    assert_eq!(other.code, Some(3), "{}", other.whole());
    let own = stage.toprope(&["rewind", "t1", "--yes", "--path", "b.txt"]);
    assert_eq!(own.code, Some(0), "{}", own.whole());
    assert!(
        own.stderr.contains("the content of b.txt is that of t1"),
        "{}",
        own.whole()
    );
}

#[test]
fn conflicts_that_are_all_left_out_put_nothing_back() {
    let stage = Stage::new();
    let agent = stage.agent("s1");
    agent.asked("one").writes("a.txt", "by the agent\n").stops();
    stage.write("a.txt", "and by me\n");
    let said = stage.toprope(&["rewind", "start", "--yes", "--skip-conflicts"]);
    assert_said!(said.whole(), @r#"
    exit 3
    --- stdout
    Rewind claude-code [day]-s1 to start "(nothing was changed yet)" ([id])
      leave  a.txt  edited since
    --- stderr
    Nothing was put back: 1 file differs from start: a.txt (edited since).
    "#);
    assert_eq!(
        stage.toprope(&["undo", "--yes"]).code,
        Some(4),
        "nothing was done"
    );
}

#[test]
fn an_undo_that_puts_nothing_back_is_no_success_and_no_step() {
    let stage = Stage::new();
    let agent = stage.agent("s1");
    agent.asked("one").writes("b.txt", "by the agent\n").stops();
    stage.rewind(&["start"]);
    stage.write("b.txt", "mine now\n");
    let said = stage.toprope(&["undo", "--yes", "--skip-conflicts"]);
    assert_eq!(said.code, Some(3), "{}", said.whole());
    assert!(
        said.stderr
            .contains("Nothing was put back: 1 file differs from before the rewind: b.txt ("),
        "{}",
        said.whole()
    );
    fs::remove_file(stage.path("b.txt")).unwrap();
    stage.undo(&[]);
    assert_eq!(stage.read("b.txt"), "by the agent\n");
}

#[test]
fn what_git_brought_is_named_as_gits() {
    let stage = Stage::new();
    let agent = stage.agent("s1");
    agent.asked("one").writes("b.txt", "by the agent\n").stops();
    stage.write("c.txt", "of the person\n");
    stage.world.git(&["add", "c.txt"]);
    stage
        .world
        .git(&["commit", "-q", "-m", "by the person", "--", "c.txt"]);
    let said = stage.toprope(&["rewind", "t1", "--yes"]);
    assert_eq!(said.code, Some(3), "{}", said.whole());
    assert!(
        said.stderr
            .contains("1 file differs from t1: c.txt (changed by git)"),
        "{}",
        said.whole()
    );
}

#[test]
fn what_git_took_away_is_gits_and_what_the_person_removed_is_theirs() {
    let stage = Stage::new();
    for name in ["removed.txt", "taken.txt"] {
        stage.write(name, "committed\n");
    }
    stage.world.git(&["add", "."]);
    stage.world.git(&["commit", "-qm", "both"]);
    stage.write("never.txt", "not committed\n");
    let agent = stage.agent("s1");
    agent.asked("one").writes("b.txt", "by the agent\n").stops();
    stage.world.git(&["rm", "-q", "taken.txt"]);
    stage.world.git(&["commit", "-qm", "by the person"]);
    for name in ["removed.txt", "never.txt"] {
        fs_err::remove_file(stage.path(name)).unwrap();
    }
    let said = stage.toprope(&["rewind", "t1", "--yes"]);
    assert_eq!(said.code, Some(3), "{}", said.whole());
    let differing = "3 files differ from t1: never.txt (changed outside the agents), \
                     removed.txt (changed outside the agents), taken.txt (changed by git)";
    assert!(said.stderr.contains(differing), "{}", said.whole());
}

#[test]
fn a_file_too_large_to_keep_keeps_nobody_from_being_there() {
    let stage = Stage::new();
    stage.world.has_settings("[checkpoints]\nmax_file_mb = 1\n");
    stage.write("big", vec![0_u8; 2_000_000]);
    let agent = stage.agent("s1");
    agent.asked("one").writes("b.txt", "one\n").stops();
    let there = stage.toprope(&["rewind", "t1", "--yes"]);
    assert_eq!(there.code, Some(0), "{}", there.whole());
    stage.write("bigger", vec![0_u8; 2_000_000]);
    let said = stage.toprope(&["rewind", "t1", "--yes"]);
    assert_eq!(said.code, Some(3), "{}", said.whole());
    assert!(said.stderr.contains("bigger (not captured: "), "{}", said.whole());
}

#[test]
fn what_a_command_removed_and_no_checkpoint_has_is_named_and_the_next_undo_goes_on() {
    let stage = Stage::new();
    stage.world.has_settings("[checkpoints]\nmax_file_mb = 1\n");
    stage.write("big", vec![0_u8; 2_000_000]);
    stage.write("bigger", vec![0_u8; 3_000_000]);
    stage.write("small", "mine\n");
    let agent = stage.agent("s1");
    agent.asked("one").writes("b.txt", "by the agent\n").stops();
    stage.rewind(&["start"]);
    agent
        .asked("two")
        .insists_as("rm -f small", "rm -f small big")
        .stops();
    let gone = stage.toprope(&["rewind", "t1", "--dry-run", "--path", "big"]);
    assert_eq!(gone.code, Some(3), "{}", gone.whole());
    let undone = stage.toprope(&["undo", "--yes"]);
    assert_said!(undone.whole(), @r#"
    exit 0
    --- stdout
    Undo command [id] "rm -f small", [age] ago
      recreate  small  deleted while `rm -f small` ran in t2
    Undone: 1 file is as before the command. Put it back with: toprope redo
    --- stderr
    1 more file differs from before the command: big (not captured: 2 MB, limit 1).
    Before that: rewind "Rewound to start ([id])", [age] ago.
    "#);
    assert_eq!(stage.read("small"), "mine\n");
    agent
        .asked("three")
        .runs_as("rm -f small", "rm -f bigger")
        .stops();
    let undone = stage.toprope(&["undo", "--yes"]);
    assert_eq!(undone.code, Some(3), "{}", undone.whole());
    assert!(
        undone.stderr.contains("bigger (not captured: "),
        "{}",
        undone.whole()
    );
    stage.undo(&[]);
    assert_eq!(stage.read("b.txt"), "by the agent\n");
}
