//! A folder that became a link, and a link that became a folder, go back, come again, and lose nothing on the way.

use crate::stage::{Stage, Tree};
use serde_json::json;
use std::collections::BTreeSet;
use std::os::unix::fs::symlink;

/// A folder with two files, and a link to another folder.
fn stage() -> Stage {
    let stage = Stage::new();
    stage.write("src/a.rs", "a\n");
    stage.write("src/deep/b.rs", "b\n");
    stage.write("other/c.rs", "c\n");
    symlink("other", stage.path("link")).unwrap();
    stage.world.git(&["add", "."]);
    stage.world.git(&["commit", "-q", "-m", "more"]);
    stage
}

#[track_caller]
fn goes_back_and_forth(command: &str) {
    let stage = stage();
    let before = stage.tree();
    let agent = stage.agent("s1");
    agent.asked("one").runs(command).stops();
    assert_back_and_forth(&stage, command, &before);
    // The same where the client lists every path that changed.
    let stage = self::stage();
    let before = stage.tree();
    let agent = stage.agent("s1");
    agent.asked("one");
    stage.settle();
    let call = agent.agent.is_about_to_run(command);
    call.does_run();
    let after = stage.tree();
    let changed = before
        .iter()
        .filter(|(name, node)| after.get(*name) != Some(node));
    let changed = changed.chain(
        after
            .iter()
            .filter(|(name, node)| before.get(*name) != Some(node)),
    );
    let names: BTreeSet<_> = changed.map(|(name, _)| stage.world.repo().join(name)).collect();
    call.ends(&json!({ "stdout": "", "stderr": "", "interrupted": false,
        "bashEditDiff": { "files": [], "moreFiles": 0, "changedFiles": names } }))
        .ok();
    call.ends_step().ok();
    agent.stops();
    assert_back_and_forth(&stage, command, &before);
}

#[track_caller]
fn assert_back_and_forth(stage: &Stage, command: &str, before: &Tree) {
    let (before, after) = (before.clone(), stage.tree());
    assert_ne!(before, after);
    for _ in 0..2 {
        let done = stage.toprope(&["rewind", "start", "--yes"]);
        assert_eq!(done.code, Some(0), "{command}: {}", done.whole());
        assert_eq!(stage.tree(), before, "rewind of {command}");
        stage.undo(&[]);
        assert_eq!(stage.tree(), after, "undo of {command}");
        stage.redo();
        assert_eq!(stage.tree(), before, "redo of {command}");
        stage.undo(&[]);
        assert_eq!(stage.tree(), after, "undo again of {command}");
    }
}

#[test]
fn a_folder_that_was_moved_and_replaced_by_a_link_to_it() {
    goes_back_and_forth("mv src real && ln -s real src");
}

#[test]
fn a_folder_that_was_moved() {
    goes_back_and_forth("mv src lib");
}

#[test]
fn a_folder_that_was_replaced_by_a_link_elsewhere() {
    goes_back_and_forth("mv src .. && ln -s ../src src");
}

#[test]
fn a_link_that_was_replaced_by_the_folder_it_led_to() {
    goes_back_and_forth("rm link && mv other link");
}

#[test]
fn a_link_that_was_replaced_by_a_copy_and_a_folder_by_a_link_at_once() {
    goes_back_and_forth("rm link && cp -r other link && mv src/deep deeper && ln -s ../deeper src/deep");
}

#[test]
fn what_is_left_out_keeps_the_only_copy_of_what_was_moved() {
    let stage = stage();
    let agent = stage.agent("s1");
    agent.asked("one").runs("mv src real").stops();
    // The person puts a link of their own where the folder was.
    symlink("real", stage.path("src")).unwrap();
    let before = stage.tree();
    let said = stage.toprope(&["rewind", "start", "--yes", "--skip-conflicts"]);
    for (name, content) in [("real/a.rs", "a\n"), ("real/deep/b.rs", "b\n")] {
        assert_eq!(stage.read(name), content, "{}", said.whole());
    }
    assert!(
        said.whole().contains("the only copy of src/a.rs"),
        "{}",
        said.whole()
    );
    assert_eq!(said.code, Some(3), "{}", said.whole());
    assert_eq!(stage.tree(), before);
}
