//! What `uninstall` puts back, takes out and leaves.

use crate::site::{LOCAL, foreign_hooks, world, write};
use fs_err as fs;
use serde_json::json;

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
    hint: cd '[world]/other' && toprope uninstall
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
