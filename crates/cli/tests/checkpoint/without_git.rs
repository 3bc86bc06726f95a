//! A folder without a repository is rewound, undone and redone like any other, byte for byte.

use crate::stage::Stage;
use fs_err as fs;
use std::os::unix::fs::PermissionsExt;

#[test]
fn every_point_is_rewound_to_and_taken_back_byte_for_byte() {
    let stage = Stage::without_git();
    stage.write("mine/bytes", b"\xff\x00 no newline");
    stage.write("run.sh", "#!/bin/sh\n");
    fs::set_permissions(stage.path("run.sh"), PermissionsExt::from_mode(0o755)).unwrap();
    std::os::unix::fs::symlink("a.txt", stage.path("link")).unwrap();
    let mut trees = vec![stage.tree()];
    let agent = stage.agent("s1");
    agent
        .asked("one")
        .writes("a.txt", "one by the agent\n")
        .writes("src/deep/x.rs", "x\n")
        .stops();
    trees.push(stage.tree());
    agent
        .asked("two")
        .runs("rm a.txt; chmod -x run.sh; ln -sf run.sh link; echo y > src/deep/y.rs")
        .stops();
    trees.push(stage.tree());
    agent
        .asked("three")
        .insists("rm -r src; printf bytes > 'mine/bytes'")
        .stops();
    let now = stage.tree();
    for (target, wanted) in [("start", &trees[0]), ("t1", &trees[1]), ("t2", &trees[2])] {
        let done = stage.toprope(&["rewind", target, "--yes"]);
        assert_eq!(done.code, Some(0), "{target}: {}", done.whole());
        assert_eq!(&stage.tree(), wanted, "{target}");
        stage.undo(&[]);
        assert_eq!(stage.tree(), now, "undo of {target}");
        stage.redo();
        assert_eq!(&stage.tree(), wanted, "redo of {target}");
        stage.undo(&[]);
        assert_eq!(stage.tree(), now, "undo again of {target}");
    }
    let there = stage.toprope(&["rewind", "t3", "--yes"]);
    assert_said!(there.whole(), @r#"
    exit 0
    --- stdout
    Rewind claude-code [day]-s1 to t3 "three" ([id])
    --- stderr
    Nothing to put back: the content of every kept file is that of t3.
    "#);
}

#[test]
fn what_the_person_changed_or_removed_is_named() {
    let stage = Stage::without_git();
    stage.write("gone.txt", "mine\n");
    let agent = stage.agent("s1");
    agent.asked("one").writes("a.txt", "by the agent\n").stops();
    fs::remove_file(stage.path("gone.txt")).unwrap();
    stage.write("new.txt", "mine\n");
    let said = stage.toprope(&["rewind", "t1", "--yes"]);
    assert_eq!(said.code, Some(3), "{}", said.whole());
    assert!(
        said.stderr.contains(
            "2 files differ from t1: gone.txt (changed outside the agents), new.txt (changed outside"
        ),
        "{}",
        said.whole()
    );
}

#[test]
fn a_destructive_command_is_taken_back() {
    let stage = Stage::without_git();
    stage.write("notes/plan.md", "by hand\n");
    let before = stage.tree();
    let agent = stage.agent("s1");
    agent.asked("one").insists("rm -rf notes").stops();
    let after = stage.tree();
    stage.undo(&[]);
    assert_eq!(stage.tree(), before);
    stage.redo();
    assert_eq!(stage.tree(), after);
    stage.undo(&[]);
    assert_eq!(stage.tree(), before);
}
