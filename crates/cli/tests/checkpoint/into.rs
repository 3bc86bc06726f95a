//! `toprope rewind --into`: a checkpoint beside the worktree.

use crate::stage::Stage;
use fs_err as fs;
use std::os::unix::fs::symlink;

#[test]
fn a_checkpoint_is_written_beside_the_worktree_which_stays_as_it_is() {
    let stage = Stage::new();
    stage.write(".gitignore", "*.log\n");
    symlink("a.txt", stage.path("link")).unwrap();
    let agent = stage.agent("s1");
    agent
        .asked("one")
        .writes("deep/one", "one\n")
        .writes("kept.log", "log\n")
        .stops();
    let wanted = stage.files();
    agent
        .asked("two")
        .insists("rm -r deep kept.log link; echo two > a.txt")
        .stops();
    let now = stage.files();
    let folder = stage.world.root().join("copy");
    let output = stage.toprope(&["rewind", "t1", "--into", folder.to_str().unwrap()]);
    assert_eq!(output.code, Some(0), "{}", output.whole());
    assert_eq!(stage.files(), now);
    fs::rename(stage.world.repo(), stage.world.root().join("aside")).unwrap();
    fs::rename(&folder, stage.world.repo()).unwrap();
    assert_eq!(stage.files(), wanted);
}

#[test]
fn a_folder_that_holds_something_is_left_alone() {
    let stage = Stage::new();
    let agent = stage.agent("s1");
    agent.asked("one").writes("b.txt", "b\n").stops();
    let folder = stage.world.root().join("copy");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("mine"), "mine").unwrap();
    let output = stage.toprope(&["rewind", "t1", "--into", folder.to_str().unwrap()]);
    assert_eq!(output.code, Some(3), "{}", output.whole());
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    let none = stage.toprope(&["rewind", "t9", "--into", "../other"]);
    assert_eq!(none.code, Some(4), "{}", none.whole());
    assert!(!stage.world.root().join("other").exists());
}
