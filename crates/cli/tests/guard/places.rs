//! Every kind of place a command can be run in is answered: worktrees, submodules, bare repositories, folders that are gone.

use crate::{SESSION, settled, world};
use serde_json::json;
use std::path::Path;
use testkit::{Output, World};

/// What is held in a folder, in the words of the hook.
#[track_caller]
fn is_held(world: &World, folder: &Path, command: &str, rule: &str) {
    let place = folder.display().to_string();
    fs_err::write(folder.join("new.txt"), "staged\n").expect("a file");
    world.git(&["-C", &place, "add", "new.txt"]);
    let agent = world.agent(SESSION).standing_in(folder);
    let call = agent.call("Bash", &json!({ "command": command, "description": "run" }));
    let answer = call.begins();
    assert_eq!((answer.code, answer.stderr.as_str()), (Some(0), ""));
    let reason = answer.denial().unwrap_or_default();
    assert!(
        reason.ends_with(&format!("[{rule}, held once]")),
        "{}",
        answer.whole()
    );
}

/// What is known of the repository of a folder.
fn known(world: &World, folder: &str, command: &str) -> String {
    let output = world.toprope(&["guard", "explain", command, "--cwd", folder]);
    let shown = settled(world, &output.stdout);
    let line = shown.lines().find(|line| line.contains("questions"));
    line.unwrap_or(&shown).to_owned()
}

/// A repository of its own beside the first, with one commit.
fn repository(world: &World, name: &str, format: &str) {
    let path = world.root().join(name).display().to_string();
    let format = format!("--object-format={format}");
    world.git(&["init", "-q", "-b", "main", &format, &path]);
    world.git(&["-C", &path, "commit", "-q", "--allow-empty", "-m", "first"]);
}

#[test]
fn a_linked_worktree() {
    let world = world();
    world.git(&["worktree", "add", "-q", "../wt", "-b", "side"]);
    let folder = world.root().join("wt");
    is_held(&world, &folder, "git reset --hard", "core.git.reset-hard");
    insta::assert_snapshot!(known(&world, "../wt", "git reset --hard"), @"coverage full   questions 3 (repository [world]/wt: branch side; changes: 1; uncovered: 0)");
}

#[test]
fn a_submodule() {
    let world = world();
    repository(&world, "library", "sha1");
    let library = world.root().join("library").display().to_string();
    world.git(&[
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        &library,
        "lib",
    ]);
    let folder = world.repo().join("lib");
    assert!(folder.join(".git").is_file());
    is_held(&world, &folder, "git reset --hard", "core.git.reset-hard");
    insta::assert_snapshot!(known(&world, "lib", "git reset --hard"), @"coverage full   questions 3 (repository [world]/repo/lib: branch main; changes: 1; uncovered: 0)");
}

#[test]
fn a_git_file_that_leads_elsewhere() {
    let world = world();
    let (apart, folder) = (world.root().join("apart.git"), world.root().join("apart"));
    let apart = apart.display().to_string();
    world.git(&[
        "init",
        "-q",
        "-b",
        "main",
        "--separate-git-dir",
        &apart,
        &folder.display().to_string(),
    ]);
    assert!(folder.join(".git").is_file());
    is_held(&world, &folder, "git reset --hard", "core.git.reset-hard");
    insta::assert_snapshot!(known(&world, "../apart", "git reset --hard"), @"coverage full   questions 3 (repository [world]/apart: branch main; changes: 1; uncovered: 0)");
}

#[test]
fn a_bare_repository() {
    let world = world();
    let folder = world.root().join("bare.git");
    world.git(&["checkout", "-q", "-b", "alone"]);
    world.git(&["commit", "-q", "--allow-empty", "-m", "alone"]);
    world.git(&["checkout", "-q", "-"]);
    world.git(&["clone", "-q", "--bare", ".", &folder.display().to_string()]);
    // Without a worktree there is no checkpoint, and so no strike.
    let agent = world.agent(SESSION).standing_in(&folder);
    let call = agent.call(
        "Bash",
        &json!({ "command": "git branch -D alone", "description": "run" }),
    );
    let reason = call.begins().denial().unwrap_or_default();
    assert!(reason.ends_with("[core.git.branch-delete]"), "{reason}");
    insta::assert_snapshot!(known(&world, "../bare.git", "git push --force"), @"coverage full   questions 1 (repository [world]/bare.git: branch feature-x)");
}

#[test]
fn a_repository_with_longer_names_of_objects() {
    let world = world();
    repository(&world, "long", "sha256");
    let folder = world.root().join("long");
    is_held(&world, &folder, "git reset --hard", "core.git.reset-hard");
    insta::assert_snapshot!(known(&world, "../long", "git reset --hard"), @"coverage full   questions 3 (repository [world]/long: branch main; changes: 1; uncovered: 0)");
}

/// Runs the hook in a folder that is gone by then.
fn where_nothing_is(world: &World, payload: &str) -> Output {
    let line = format!(
        "mkdir -p gone && cd gone && rmdir ../gone && exec '{}' hook claude-code",
        env!("CARGO_BIN_EXE_toprope")
    );
    let mut shell = world.person("sh");
    shell.args(["-c", &line]);
    testkit::run(shell, payload.as_bytes())
}

#[test]
fn a_folder_that_is_gone() {
    let world = world();
    world.write("src/a.txt", "changed\n");
    let folder = world.repo().join("gone");
    let agent = world.agent(SESSION).standing_in(&folder);
    let asked = |call: &str, command: &str| {
        let fields = json!({
            "tool_name": "Bash", "tool_input": { "command": command }, "tool_use_id": call,
        });
        where_nothing_is(&world, &agent.payload("PreToolUse", &fields).to_string())
    };
    let held = asked("toolu_1", "git reset --hard");
    let reason = held.denial().unwrap_or_default();
    assert!(!reason.is_empty(), "{}", held.whole());
    let floor = asked("toolu_2", "rm -rf /");
    assert!(floor.denial().is_some(), "{}", floor.whole());
    let silent = asked("toolu_3", "git status");
    assert_eq!((silent.code, silent.stdout.as_str()), (Some(0), ""));
}
