//! What `init` writes and says.

use crate::site::{LOCAL, copy_binary, foreign_hooks, settings, world, write};
use fs_err as fs;
use serde_json::{Value, json};
use std::path::Path;

/// Some events; more than are listed by name.
const EVENTS: [&str; 7] = [
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "Stop",
    "SubagentStop",
    "SessionEnd",
];

#[test]
fn init_says_what_it_did_and_proves_that_the_hook_answers() {
    let world = world();
    write(&world, ".gitignore", ".claude/settings.local.json\n");
    assert_shown!(world, world.toprope(&["init"]).whole(), @"
    exit 0
    --- stdout
    Claude Code   .claude/settings.local.json  added 30 events (exec form)
    scope         local: only you, only here; `--scope project` or `--scope user` chooses another
    store         ~/.local/state/toprope       created
    daemon        started (pid [pid], protocol 1)
    check         sent a probe through the installed hook: answered in [time] ms
    next          start your agent as usual; `toprope status` and `toprope log --follow` show what it does
    undo          `toprope uninstall` puts every file back as it was
    --- stderr
    ");
    let written = settings(&world.repo().join(LOCAL));
    assert_eq!(written["hooks"].as_object().unwrap().len(), 30);
    assert_eq!(
        written["hooks"]["Stop"][0]["hooks"][0]["command"],
        env!("CARGO_BIN_EXE_toprope")
    );
    assert_eq!(
        written["hooks"]["Stop"][0]["hooks"][0]["args"],
        json!([
            "hook",
            "claude-code",
            "--home",
            world.home().join(".local/state/toprope")
        ])
    );
    assert_eq!(world.log(), Vec::<Value>::new(), "a probe is nobody's event");
}

#[test]
fn a_second_init_changes_nothing_and_says_so() {
    let world = world();
    write(&world, ".gitignore", ".claude/settings.local.json\n");
    world.toprope(&["init"]).ok();
    let once = fs::read(world.repo().join(LOCAL)).unwrap();
    assert_shown!(world, world.toprope(&["init"]).whole(), @"
    exit 0
    --- stdout
    Claude Code   .claude/settings.local.json  already installed, 30 events
    scope         local: only you, only here; `--scope project` or `--scope user` chooses another
    store         ~/.local/state/toprope       already there
    daemon        already serving (pid [pid], protocol 1)
    check         sent a probe through the installed hook: answered in [time] ms
    next          start your agent as usual; `toprope status` and `toprope log --follow` show what it does
    undo          `toprope uninstall` puts every file back as it was
    --- stderr
    ");
    assert_eq!(fs::read(world.repo().join(LOCAL)).unwrap(), once);
}

#[test]
fn hooks_of_others_are_counted_listed_and_kept() {
    let world = world();
    let hooks = foreign_hooks(&EVENTS, "~/hooks/check.sh --fast");
    write(&world, LOCAL, &json!({ "hooks": hooks }).to_string());
    assert_shown!(world, world.toprope(&["init"]).whole(), @r#"
    exit 0
    --- stdout
    Claude Code   .claude/settings.local.json  added 30 events (exec form), kept 7 hooks of yours
    beside        SessionStart: ~/hooks/check.sh --fast
    beside        UserPromptSubmit: ~/hooks/check.sh --fast
    beside        PreToolUse: ~/hooks/check.sh --fast
    beside        PostToolUse: ~/hooks/check.sh --fast
    beside        Stop: ~/hooks/check.sh --fast
    beside        and 2 more
    scope         local: only you, only here; `--scope project` or `--scope user` chooses another
    note          git sees .claude/settings.local.json; to keep it out: `echo .claude/settings.local.json >> "$(git rev-parse --git-path info/exclude)"`
    store         ~/.local/state/toprope       created
    daemon        started (pid [pid], protocol 1)
    check         sent a probe through the installed hook: answered in [time] ms
    next          start your agent as usual; `toprope status` and `toprope log --follow` show what it does
    undo          `toprope uninstall` puts every file back as it was
    --- stderr
    "#);
}

#[test]
fn a_dry_run_touches_nothing() {
    let world = world();
    assert_shown!(world, world.toprope(&["init", "--dry-run", "--profile", "strict"]).whole(), @r#"
    exit 0
    --- stdout
    Claude Code   .claude/settings.local.json  would add 30 events (exec form)
    scope         local: only you, only here; `--scope project` or `--scope user` chooses another
    note          git sees .claude/settings.local.json; to keep it out: `echo .claude/settings.local.json >> "$(git rev-parse --git-path info/exclude)"`
    profile       would be `strict` for this project
    dry run       nothing was changed
    --- stderr
    "#);
    assert!(!world.repo().join(".claude").exists());
    assert!(!world.home().join(".local").exists());
    assert!(!world.home().join(".config").exists());
}

#[test]
fn a_program_that_moved_is_repaired() {
    let mut world = world();
    let old = world.root().join("old/toprope");
    copy_binary(&old);
    write(&world, ".gitignore", ".claude/settings.local.json\n");
    world.use_binary(&old);
    world.toprope(&["init"]).ok();
    world.use_binary(Path::new(env!("CARGO_BIN_EXE_toprope")));
    fs::remove_file(&old).unwrap();
    assert_shown!(world, world.toprope(&["init"]).whole(), @"
    exit 0
    --- stdout
    Claude Code   .claude/settings.local.json  repaired 30 events
    scope         local: only you, only here; `--scope project` or `--scope user` chooses another
    note          its entries ran `[world]/old/toprope` before, now `[toprope]`
    store         ~/.local/state/toprope       already there
    daemon        already serving (pid [pid], protocol 1)
    check         sent a probe through the installed hook: answered in [time] ms
    next          start your agent as usual; `toprope status` and `toprope log --follow` show what it does
    undo          `toprope uninstall` puts every file back as it was
    --- stderr
    ");
    let written = fs::read_to_string(world.repo().join(LOCAL)).unwrap();
    assert!(!written.contains("old/toprope"));
    world.toprope(&["uninstall"]).ok();
    assert!(
        !world.repo().join(".claude").exists(),
        "the original is still known"
    );
}

#[test]
fn the_strict_profile_is_written_for_this_project_and_blocks_the_shell_when_we_break() {
    let world = world();
    write(&world, ".gitignore", ".claude/settings.local.json\n");
    assert_shown!(world, world.toprope(&["init", "--profile", "strict"]).whole(), @"
    exit 0
    --- stdout
    Claude Code   .claude/settings.local.json  added 30 events (exec form)
    scope         local: only you, only here; `--scope project` or `--scope user` chooses another
    profile       `strict` for this project, in ~/.config/toprope/config.toml
    store         ~/.local/state/toprope       created
    daemon        started (pid [pid], protocol 1)
    check         sent a probe through the installed hook: answered in [time] ms
    next          start your agent as usual; `toprope status` and `toprope log --follow` show what it does
    undo          `toprope uninstall` puts every file back as it was
    --- stderr
    ");
    let written = settings(&world.repo().join(LOCAL));
    let before_tools = written["hooks"]["PreToolUse"].as_array().unwrap();
    assert_eq!(before_tools.len(), 2);
    assert_eq!(before_tools[0]["matcher"], "Bash|Monitor|PowerShell");
    assert_eq!(before_tools[0]["hooks"][0]["onFailure"], "block");
    let config = fs::read_to_string(world.home().join(".config/toprope/config.toml")).unwrap();
    assert_eq!(
        config.replace(
            fs::canonicalize(world.repo()).unwrap().to_str().unwrap(),
            "[repo]"
        ),
        "[project.\"[repo]\"]\nprofile = \"strict\"\n"
    );
    let standard = world.toprope(&["init", "--profile", "standard"]).ok();
    assert!(standard.contains("repaired 1 event"), "{standard}");
}

#[test]
fn one_users_strict_entry_is_not_taken_back_by_another_project() {
    let world = world();
    world
        .toprope(&["init", "--scope", "user", "--profile", "strict"])
        .ok();
    world
        .toprope(&["init", "--scope", "user", "--profile", "standard"])
        .ok();
    let written = settings(&world.home().join(".claude/settings.json"));
    assert_eq!(written["hooks"]["PreToolUse"].as_array().unwrap().len(), 2);
}

#[test]
fn a_switched_off_project_is_installed_and_told() {
    let world = world();
    world.has_settings("enabled = false\n");
    let said = world.toprope(&["init"]).ok();
    assert!(
        said.contains("Toprope is switched off here (`enabled = false`), so nothing is recorded"),
        "{said}"
    );
}

#[test]
fn without_a_daemon_the_hook_still_answers() {
    let world = world().with("TOPROPE_DAEMON", "never");
    let said = world.toprope(&["init"]).ok();
    assert!(
        said.contains("off by `TOPROPE_DAEMON=never`: every hook decides in its own process"),
        "{said}"
    );
    assert!(said.contains("answered in"), "{said}");
    assert!(world.daemon().is_none());
}
