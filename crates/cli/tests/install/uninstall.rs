//! What `uninstall` puts back, takes out and leaves.

use crate::site::{LOCAL, foreign_hooks, world, write};
use fs_err as fs;
use serde_json::json;
use std::path::{Path, PathBuf};
use testkit::{Database, Output, World, eventually};

/// Every event of the client, also those we leave out.
const EVENTS: [&str; 33] = [
    "SessionStart",
    "Setup",
    "InstructionsLoaded",
    "UserPromptSubmit",
    "UserPromptExpansion",
    "PreToolUse",
    "PermissionRequest",
    "PermissionDenied",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "Stop",
    "StopFailure",
    "SubagentStart",
    "SubagentStop",
    "TeammateIdle",
    "TaskCreated",
    "TaskCompleted",
    "Notification",
    "Elicitation",
    "ElicitationResult",
    "PreCompact",
    "PostCompact",
    "PreModelSwitch",
    "PostModelSwitch",
    "ConfigChange",
    "CwdChanged",
    "FileChanged",
    "DirectoryAdded",
    "WorktreeCreate",
    "WorktreeRemove",
    "MessageDisplay",
    "SessionEnd",
];

#[test]
fn whatever_the_file_looked_like_uninstall_restores_it_byte_for_byte() {
    let hooks = foreign_hooks(&EVENTS, "echo hi");
    let full = json!({ "permissions": { "allow": ["Bash(ls *)"], "deep": [[[{ "a": [1, 2.50, "\u{e9}"] }]]] }, "hooks": hooks, "env": {} });
    let pretty = serde_json::to_string_pretty(&full).unwrap();
    let files = [
        ("foreign hooks in every event", format!("{pretty}\n")),
        ("no newline at the end", pretty.clone()),
        ("one line", full.to_string()),
        ("line ends of Windows", pretty.replace('\n', "\r\n")),
        ("tabs", pretty.replace("  ", "\t")),
        ("four spaces", pretty.replace("  ", "    ")),
        ("an empty object", "{}\n".to_owned()),
        ("an empty file", String::new()),
        ("blank lines", "\n\n".to_owned()),
        ("a byte order mark", format!("\u{feff}{pretty}\n")),
    ];
    let world = world();
    for (what, text) in files {
        let file = write(&world, LOCAL, &text);
        world.toprope(&["init"]).ok();
        let after = fs::read_to_string(&file).unwrap();
        assert!(after.contains("claude-code"), "{what}: installed");
        assert_eq!(
            after.matches("echo hi").count(),
            text.matches("echo hi").count(),
            "{what}: foreign hooks stay"
        );
        world.toprope(&["uninstall"]).ok();
        assert_eq!(fs::read_to_string(&file).unwrap(), text, "{what}");
    }
}

#[test]
fn where_no_file_was_none_is_left() {
    let world = world();
    world.toprope(&["init"]).ok();
    assert_shown!(world, world.toprope(&["uninstall"]).whole(), @"
    exit 0
    --- stdout
    user      ~/.claude/settings.json      no such file
    project   .claude/settings.json        no such file
    local     .claude/settings.local.json  removed, as it was not there before
    folder    .claude                      removed, as it was not there before
    store     ~/.local/state/toprope       kept; `toprope uninstall --purge --yes` removes what was recorded
    --- stderr
    ");
    assert!(!world.repo().join(".claude").exists());
    assert_eq!(world.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_file_the_person_changed_meanwhile_loses_exactly_our_entries() {
    let world = world();
    let file = write(&world, LOCAL, "{\n  \"model\": \"opus\"\n}\n");
    world.toprope(&["init"]).ok();
    let edited = fs::read_to_string(&file)
        .unwrap()
        .replace("\"opus\"", "\"sonnet\"");
    fs::write(&file, edited).unwrap();
    assert_shown!(world, world.toprope(&["uninstall", "--dry-run"]).whole(), @"
    exit 0
    --- stdout
    user      ~/.claude/settings.json      no such file
    project   .claude/settings.json        no such file
    local     .claude/settings.local.json  would lose our entries for 30 events
    dry run   nothing was changed
    --- stderr
    ");
    assert_shown!(world, world.toprope(&["uninstall"]).whole(), @"
    exit 0
    --- stdout
    user      ~/.claude/settings.json      no such file
    project   .claude/settings.json        no such file
    local     .claude/settings.local.json  removed our entries for 30 events
    store     ~/.local/state/toprope       kept; `toprope uninstall --purge --yes` removes what was recorded
    --- stderr
    ");
    assert_eq!(
        fs::read_to_string(&file).unwrap(),
        "{\n  \"model\": \"sonnet\"\n}\n"
    );
    assert_shown!(world, world.toprope(&["uninstall", "--scope", "local"]).whole(), @"
    exit 0
    --- stdout
    local   .claude/settings.local.json  nothing of ours
    store   ~/.local/state/toprope       kept; `toprope uninstall --purge --yes` removes what was recorded
    --- stderr
    ");
}

#[test]
fn purging_needs_a_yes_and_removes_only_what_is_ours() {
    let world = world();
    world.toprope(&["init"]).ok();
    let state = world.home().join(".local/state/toprope");
    fs::write(state.join("notes.txt"), "mine").unwrap();
    fs::create_dir(state.join("told")).unwrap();
    fs::write(state.join("told/0123456789abcdef"), "").unwrap();
    assert_shown!(world, world.toprope(&["uninstall", "--purge"]).whole(), @"
    exit 5
    --- stdout
    --- stderr
    error: `--purge` would remove everything that was recorded, in ~/.local/state/toprope; nothing was changed
    hint: toprope uninstall --purge --yes
    ");
    assert!(world.repo().join(LOCAL).exists());
    assert_shown!(world, world.toprope(&["uninstall", "--purge", "--yes"]).whole(), @"
    exit 0
    --- stdout
    user      ~/.claude/settings.json      no such file
    project   .claude/settings.json        no such file
    local     .claude/settings.local.json  removed, as it was not there before
    folder    .claude                      removed, as it was not there before
    daemon    stopped (pid [pid])
    store     ~/.local/state/toprope       emptied; it stays, because it holds files that are not ours
    --- stderr
    ");
    let left: Vec<_> = fs::read_dir(&state)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(left, ["notes.txt"]);
    assert!(!world.repo().join(".claude").exists());
}

#[test]
fn purging_waits_for_the_other_projects() {
    let world = world();
    world.toprope(&["init"]).ok();
    let other = world.root().join("other");
    fs::create_dir_all(&other).unwrap();
    assert!(
        world
            .command(&["init"])
            .current_dir(&other)
            .output()
            .unwrap()
            .status
            .success()
    );
    assert_shown!(world, world.toprope(&["uninstall", "--purge", "--yes"]).whole(), @"
    exit 3
    --- stdout
    user      ~/.claude/settings.json      no such file
    project   .claude/settings.json        no such file
    local     .claude/settings.local.json  removed, as it was not there before
    folder    .claude                      removed, as it was not there before
    --- stderr
    error: 1 settings file of another project still has our entries; its original is kept here, so the record stays
    hint: cd [world]/other && toprope uninstall
    ");
    assert!(world.home().join(".local/state/toprope/toprope.db").exists());
    assert!(
        world
            .command(&["uninstall"])
            .current_dir(&other)
            .output()
            .unwrap()
            .status
            .success()
    );
    assert_eq!(world.toprope(&["uninstall", "--purge", "--yes"]).code, Some(0));
    assert!(!world.home().join(".local/state/toprope").exists());
}

/// An agent works a turn in a folder, and leaves a checkpoint there.
fn works(world: &World, session: &str, folder: &Path) {
    let agent = world.agent(session).standing_in(folder);
    agent.starts().ok();
    agent.is_asked("Go").ok();
    agent.writes("work.txt", "work\n");
    agent.stops().ok();
    agent.leaves().ok();
}

/// Another repository with a commit.
fn repository(world: &World, name: &str) -> PathBuf {
    let root = world.root().join(name);
    fs::create_dir_all(&root).expect("its folder");
    for arguments in [
        &["init", "-q"][..],
        &["commit", "-q", "--allow-empty", "-m", "first"],
    ] {
        let mut git = world.person("git");
        git.current_dir(&root).args(arguments);
        let done = git.output().expect("git");
        assert!(done.status.success(), "git {arguments:?}");
    }
    root
}

fn refs(world: &World, root: &Path) -> String {
    let mut git = world.person("git");
    git.current_dir(root).args(["for-each-ref", "refs/toprope"]);
    let told = git.output().expect("git").stdout;
    String::from_utf8(told).expect("names of refs")
}

/// What was said, without the room between columns, which depends on how long the world's own path is.
fn squeezed(output: &Output) -> String {
    let text = output.whole();
    let lines = text
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn purging_removes_what_was_stored_of_every_project_and_names_what_it_cannot_reach() {
    let world = world();
    world.toprope(&["init"]).ok();
    world.toprope(&["config", "set", "guard.retry_after_ms", "1000", "--scope", "user"]);
    let (other, gone) = (repository(&world, "other"), repository(&world, "gone"));
    let plain = world.root().join("plain");
    fs::create_dir_all(&plain).unwrap();
    world.git(&["worktree", "add", "-q", "../linked", "-b", "linked"]);
    let linked = world.root().join("linked");
    for (session, folder) in
        ["s1", "s2", "s3", "s4", "s5"]
            .iter()
            .zip([&world.repo(), &linked, &other, &gone, &plain])
    {
        works(&world, session, folder);
    }
    let state = world.home().join(".local/state/toprope");
    eventually("every project has its checkpoints", || {
        let shadows = [&world.repo(), &other, &gone];
        let made = shadows.iter().all(|root| !refs(&world, root).is_empty());
        (made && fs::read_dir(state.join("shadows")).is_ok_and(|found| found.count() > 0)).then_some(())
    });
    let settled = Database::open(&state.join("toprope.db"));
    eventually("all of it is cut", || {
        let left = "SELECT count(*) FROM jobs WHERE state IN ('queued', 'running') AND kind = 'checkpoint'";
        (settled.number(left) == 0).then_some(())
    });
    drop(settled);
    // What a command was about to leave without a name is held by refs of another folder.
    let mut git = world.person("git");
    git.current_dir(&other).args([
        "update-ref",
        "refs/toprope/lost/1111111111111111111111111111111111111111",
        "HEAD",
    ]);
    assert!(git.output().unwrap().status.success());
    fs::rename(&gone, world.root().join("elsewhere")).unwrap();
    assert_shown!(world, squeezed(&world.toprope(&["uninstall", "--purge"])), @"
    exit 5
    --- stdout
    --- stderr
    error: `--purge` would remove everything that was recorded, in ~/.local/state/toprope, the checkpoints of 3 projects (1 more is not where it was) and your settings in ~/.config/toprope/config.toml; nothing was changed
    hint: toprope uninstall --purge --yes
    ");
    assert_shown!(world, squeezed(&world.toprope(&["uninstall", "--purge", "--yes"])), @"
    exit 0
    --- stdout
    user ~/.claude/settings.json no such file
    project .claude/settings.json no such file
    local .claude/settings.local.json removed, as it was not there before
    folder .claude removed, as it was not there before
    daemon stopped (pid [pid])
    checkpoints [world]/other removed, and 2 commits no longer held
    checkpoints [world]/repo removed, and 1 commit no longer held
    checkpoints [world]/plain removed
    checkpoints [world]/gone/.git not reached: no such folder; if it comes back, remove `toprope` in it and refs/toprope
    settings ~/.config/toprope/config.toml removed
    store ~/.local/state/toprope removed
    --- stderr
    ");
    for root in [&world.repo(), &other] {
        assert!(!root.join(".git/toprope").exists(), "{}", root.display());
        assert_eq!(refs(&world, root), "");
    }
    assert!(!world.repo().join(".git/worktrees/linked/toprope").exists());
    assert!(!state.exists());
    assert!(!world.home().join(".config/toprope").exists());
    assert_eq!(
        fs::read_to_string(plain.join("work.txt")).unwrap(),
        "work\n",
        "files are the person's"
    );
}

#[test]
fn a_purge_that_cannot_remove_something_says_what_and_removes_the_rest() {
    let world = world();
    world.toprope(&["init"]).ok();
    let other = repository(&world, "other");
    works(&world, "s1", &world.repo());
    works(&world, "s2", &other);
    eventually("both have checkpoints", || {
        let made = [&world.repo(), &other]
            .iter()
            .all(|root| !refs(&world, root).is_empty());
        made.then_some(())
    });
    // Its refs cannot be read: git refuses a repository whose format it does not know.
    let config = other.join(".git/config");
    let text = fs::read_to_string(&config).unwrap();
    fs::write(
        &config,
        text.replace("repositoryformatversion = 0", "repositoryformatversion = 99"),
    )
    .unwrap();
    let output = world.toprope(&["uninstall", "--purge", "--yes"]);
    assert_eq!(output.code, Some(1), "{}", output.whole());
    assert!(output.whole().contains("not all removed"), "{}", output.whole());
    assert!(!world.repo().join(".git/toprope").exists());
    assert!(!world.home().join(".local/state/toprope").exists());
}
