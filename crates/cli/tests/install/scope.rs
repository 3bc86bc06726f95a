//! Whose settings `init` writes.

use crate::site::{LOCAL, PROJECT, settings, tools, world, write};
use fs_err as fs;
use std::os::unix::fs::symlink;

#[test]
fn with_linked_worktrees_the_persons_own_settings_are_used() {
    let world = world();
    world.git(&["worktree", "add", "-q", "../beside"]);
    assert_shown!(world, world.toprope(&["init"]).whole(), @"
    exit 0
    --- stdout
    Claude Code   ~/.claude/settings.json  added 30 events (exec form)
    scope         user: every project of yours, because this repository has linked worktrees, and agents in them read no other settings of yours
    store         ~/.local/state/toprope   created
    daemon        started (pid [pid], protocol 1)
    check         sent a probe through the installed hook: answered in [time] ms
    next          start your agent as usual; `toprope status` and `toprope log --follow` show what it does
    undo          `toprope uninstall` puts every file back as it was
    --- stderr
    ");
    assert!(world.home().join(".claude/settings.json").exists());
    assert!(!world.repo().join(".claude").exists());
    let asked = world.toprope(&["init", "--scope", "local", "--dry-run"]).ok();
    assert!(
        asked.contains("local: only you, only here; agents in the linked worktrees do not read it"),
        "{asked}"
    );
}

#[test]
fn a_worktree_that_is_gone_no_longer_counts() {
    let world = world();
    world.git(&["worktree", "add", "-q", "../beside"]);
    fs::remove_dir_all(world.root().join("beside")).unwrap();
    assert!(world.toprope(&["init", "--dry-run"]).ok().contains(LOCAL));
}

#[test]
fn a_committed_file_names_the_program_by_path_and_says_if_that_would_fail() {
    let world = world();
    assert_shown!(world, world.toprope(&["init", "--scope", "project"]).whole(), @r#"
    exit 1
    --- stdout
    Claude Code   .claude/settings.json   added 30 events (exec form)
    scope         project: everybody who works here, once it is committed
    store         ~/.local/state/toprope  created
    daemon        started (pid [pid], protocol 1)
    check         failed: `toprope` is not on PATH, where the client will look for it
    --- stderr
    error: the hook is installed and stays so, but `toprope` is not on PATH, where the client will look for it
    hint: export PATH=[bin]:"$PATH"
    "#);
    assert_eq!(
        settings(&world.repo().join(PROJECT))["hooks"]["Stop"][0]["hooks"][0]["command"],
        "toprope"
    );
    symlink(env!("CARGO_BIN_EXE_toprope"), tools(&world).join("toprope")).unwrap();
    let again = world.toprope(&["init", "--scope", "project"]).ok();
    assert!(again.contains("already installed, 30 events"), "{again}");
    assert!(again.contains("answered in"), "{again}");
}

#[test]
fn two_scopes_that_start_us_differently_are_told() {
    let world = world();
    symlink(env!("CARGO_BIN_EXE_toprope"), tools(&world).join("toprope")).unwrap();
    write(&world, ".gitignore", ".claude/settings.local.json\n");
    world.toprope(&["init", "--scope", "project"]).ok();
    assert_shown!(world, world.toprope(&["init"]).whole(), @"
    exit 0
    --- stdout
    Claude Code   .claude/settings.local.json  added 30 events (exec form)
    scope         local: only you, only here; `--scope project` or `--scope user` chooses another
    note          .claude/settings.json also runs `toprope`, so every event comes twice; `toprope uninstall --scope project` takes it out
    store         ~/.local/state/toprope       already there
    daemon        already serving (pid [pid], protocol 1)
    check         sent a probe through the installed hook: answered in [time] ms
    next          start your agent as usual; `toprope status` and `toprope log --follow` show what it does
    undo          `toprope uninstall` puts every file back as it was
    --- stderr
    ");
    world.toprope(&["uninstall", "--scope", "project"]).ok();
    assert!(!world.repo().join(PROJECT).exists());
    assert!(world.repo().join(LOCAL).exists(), "only the scope that was named");
}

#[test]
fn in_a_subfolder_the_settings_of_the_repository_are_meant() {
    let world = world();
    fs::create_dir_all(world.repo().join("a/b")).unwrap();
    let mut command = world.command(&["init"]);
    assert!(
        command
            .current_dir(world.repo().join("a/b"))
            .output()
            .unwrap()
            .status
            .success()
    );
    assert!(world.repo().join(LOCAL).exists());
}

#[test]
fn a_bare_repository_has_no_settings_of_its_own() {
    let world = world();
    world.git(&["init", "-q", "--bare", "../bare.git"]);
    let mut command = world.command(&["init"]);
    let output = command
        .current_dir(world.root().join("bare.git"))
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(said.contains("is a bare repository"), "{said}");
    assert!(said.contains("hint: toprope init --scope user"), "{said}");
}
