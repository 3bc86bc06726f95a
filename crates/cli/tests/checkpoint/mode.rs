//! A file that was kept from others comes back as it was, and never wider.

use crate::stage::Stage;
use fs_err as fs;
use std::os::unix::fs::PermissionsExt;

fn set(stage: &Stage, name: &str, mode: u32) {
    fs::set_permissions(stage.path(name), PermissionsExt::from_mode(mode)).unwrap();
}

fn mode(stage: &Stage, name: &str) -> u32 {
    fs::metadata(stage.path(name)).unwrap().permissions().mode() & 0o7777
}

/// One that is committed, one that git does not know, one that it ignores, and one to be run.
fn secrets() -> Stage {
    let stage = Stage::new();
    stage.write(".gitignore", ".env\n");
    stage.write("deploy.key", "committed\n");
    stage.write("bin/unlock", "#!/bin/sh\n");
    for (name, bits) in [("deploy.key", 0o600), ("bin/unlock", 0o700)] {
        set(&stage, name, bits);
    }
    stage.world.git(&["add", "."]);
    stage.world.git(&["commit", "-q", "-m", "more"]);
    stage.write("untracked.key", "not committed\n");
    stage.write(".env", "KEY=1\n");
    set(&stage, "untracked.key", 0o640);
    set(&stage, ".env", 0o600);
    stage
}

#[test]
fn what_a_command_removed_comes_back_as_it_was_kept_from_others() {
    let stage = secrets();
    let before = stage.tree();
    let agent = stage.agent("s1");
    agent
        .asked("one")
        .insists("rm -rf deploy.key untracked.key .env bin")
        .stops();
    let after = stage.tree();
    stage.undo(&[]);
    assert_eq!(stage.tree(), before);
    stage.redo();
    assert_eq!(stage.tree(), after);
    stage.undo(&[]);
    assert_eq!(stage.tree(), before);
}

#[test]
fn a_rewind_brings_them_back_as_they_were_though_nobody_held_the_command() {
    let stage = secrets();
    let before = stage.tree();
    let agent = stage.agent("s1");
    agent
        .asked("one")
        .runs_as("./clean-up.sh", "rm -r deploy.key untracked.key bin")
        .stops();
    let after = stage.tree();
    stage.rewind(&["start"]);
    assert_eq!(stage.tree(), before);
    stage.undo(&[]);
    assert_eq!(stage.tree(), after);
}

#[test]
fn what_the_agent_made_for_itself_alone_stays_so() {
    let stage = Stage::new();
    let agent = stage.agent("s1");
    agent.asked("one").runs("umask 077; echo secret > id_key").stops();
    assert_eq!(mode(&stage, "id_key"), 0o600);
    let made = stage.tree();
    agent.asked("two").runs("rm id_key").stops();
    stage.rewind(&["t1"]);
    assert_eq!(stage.tree(), made);
    stage.rewind(&["start"]);
    assert!(!stage.has("id_key"));
    stage.undo(&[]);
    assert_eq!(stage.tree(), made);
}

#[test]
fn one_that_came_again_wider_goes_back_to_what_it_was() {
    let stage = secrets();
    let before = stage.tree();
    let agent = stage.agent("s1");
    agent
        .asked("one")
        .runs("rm deploy.key untracked.key; echo open > deploy.key; echo open > untracked.key")
        .stops();
    assert_eq!(mode(&stage, "deploy.key"), 0o644);
    stage.rewind(&["start"]);
    assert_eq!(stage.tree(), before);
}

#[test]
fn a_checkpoint_in_a_folder_of_its_own_keeps_them_from_others_too() {
    let stage = secrets();
    let agent = stage.agent("s1");
    agent.asked("one").writes("a.txt", "one\n").stops();
    stage.toprope(&["rewind", "start", "--into", "copy"]).ok();
    assert_eq!(mode(&stage, "copy/deploy.key"), 0o600);
    assert_eq!(mode(&stage, "copy/untracked.key"), 0o640);
    assert_eq!(mode(&stage, "copy/bin/unlock"), 0o700);
    assert_eq!(mode(&stage, "copy/a.txt"), 0o644);
}
