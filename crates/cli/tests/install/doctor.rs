//! What `doctor` finds, repairs and says.

use crate::site::{LOCAL, copy_binary, put_on_path, tools, world};
use fs_err as fs;
use serde_json::{Value, json};
use std::os::unix::fs::symlink;
use std::path::Path;
use testkit::{Database, Output, World, eventually};

/// An installed world.
fn installed() -> World {
    let world = world();
    world.toprope(&["init"]).ok();
    world
}

/// Changes the settings as a person would.
fn edit(world: &World, change: impl FnOnce(&mut Value)) {
    let file = world.repo().join(LOCAL);
    let mut settings: Value =
        serde_json::from_slice(&fs::read(&file).expect("settings")).expect("settings in JSON");
    change(&mut settings);
    fs::write(&file, format!("{settings:#}\n")).expect("changed settings");
}

/// The checks with this name, as `state text | hint`.
fn checks(output: &Output, name: &str) -> Vec<String> {
    let examination = output.json().expect("one object");
    let all = examination.get("checks").and_then(Value::as_array);
    let field =
        |check: &Value, field: &str| check.get(field).and_then(Value::as_str).unwrap_or("-").to_owned();
    let line = |check: &Value| {
        format!(
            "{} {} | {}",
            field(check, "state"),
            field(check, "text"),
            field(check, "hint")
        )
    };
    let named = all
        .expect("checks")
        .iter()
        .filter(|check| field(check, "name") == name);
    named.map(line).collect()
}

fn examine(world: &World, arguments: &[&str]) -> Output {
    world.toprope(&[&["doctor", "--json"], arguments].concat())
}

/// One whole session, but for these events.
fn session(world: &World, id: &str, without: &[&str]) {
    let agent = world.agent(id);
    let input = json!({ "command": "ls", "description": "look" });
    let events = [
        ("SessionStart", json!({ "source": "startup" })),
        ("UserPromptSubmit", json!({ "prompt": "hello" })),
        (
            "PreToolUse",
            json!({ "tool_name": "Bash", "tool_input": input, "tool_use_id": "t1" }),
        ),
        (
            "PostToolUse",
            json!({ "tool_name": "Bash", "tool_input": input, "tool_use_id": "t1", "tool_response": {} }),
        ),
        ("Stop", json!({ "stop_hook_active": false })),
        ("SessionEnd", json!({ "reason": "other" })),
    ];
    for (event, fields) in events.iter().filter(|(event, _)| !without.contains(event)) {
        assert_eq!(agent.sends(event, fields).code, Some(0));
    }
}

#[test]
fn a_healthy_installation_is_all_ok() {
    let world = installed();
    put_on_path(&world, "claude", "echo '2.1.325 (Claude Code)'");
    assert_shown!(world, world.toprope(&["doctor"]).whole(), @"
    exit 0
    --- stdout
    ok    hooks          .claude/settings.local.json: 30 events
    ok    program        [toprope] 0.1.0
    ok    client         Claude Code 2.1.325 (known: 2.1.325)
    ok    daemon         serving (pid [pid], protocol 1, [size])
    ok    database       sound, [size]
    ok    events         no agent has run yet
    ok    speed          no decision yet
    ok    degraded       no policy failed
    ok    unreadable     every event could be read
    ok    unknown event  every event is one we know
    ok    checkpoints    none yet; the first prompt of an agent makes one
    ok    disk           ~/.local/state/toprope takes [size], [size] left
    ok    git            [version]
    ok    settings       profile `standard`
    ok    guard          63 rules
    --- stderr
    ");
}

#[test]
fn probes_go_through_every_settings_file() {
    let world = installed();
    world.toprope(&["init", "--scope", "user"]).ok();
    let output = examine(&world, &["--fire"]);
    assert_eq!(output.code, Some(0), "{}", output.whole());
    assert_shown!(world, checks(&output, "probe").join("\n"), @"
    ok through ~/.claude/settings.json: answered in [time] ms, and recorded | -
    ok through .claude/settings.local.json: answered in [time] ms, and recorded | -
    ");
}

#[test]
fn a_probe_that_is_lost_is_a_failure() {
    let world = world();
    put_on_path(&world, "toprope", "exit 3");
    world.toprope(&["init", "--scope", "project"]);
    let output = examine(&world, &["--fire"]);
    assert_eq!(output.code, Some(11));
    assert_shown!(world, checks(&output, "probe").join("\n"), @"fail through .claude/settings.json: the hook ended with exit code 3 | type -a toprope");
    assert_shown!(world, checks(&output, "program").join("\n"), @"warn .claude/settings.json runs [world]/tools/toprope, but this is [toprope] | type -a toprope");
}

#[test]
fn where_nothing_is_installed_the_hint_is_to_install() {
    let world = world();
    assert_shown!(world, world.toprope(&["doctor"]).whole(), @"
    exit 11
    --- stdout
    fail  hooks     not installed here
                    hint: toprope init
    ok    client    `claude` is not on PATH, so its version is unknown
    ok    daemon    not running; the next hook starts it
    warn  database  there is none yet
                    hint: toprope init
    ok    disk      ~/.local/state/toprope is not there yet
    ok    git       [version]
    ok    settings  profile `standard`
    ok    guard     63 rules
    --- stderr
    ");
    assert!(
        !world.home().join(".local").exists(),
        "looking leaves nothing behind"
    );
}

#[test]
fn entries_that_drifted_are_named_and_repaired_in_place() {
    let world = installed();
    edit(&world, |settings| {
        let hooks = settings["hooks"].as_object_mut().unwrap();
        hooks.shift_remove("Stop");
        hooks["PreToolUse"][0]["hooks"][0]["onFailure"] = json!("block");
        hooks["Setup"][0]["matcher"] = json!("never");
    });
    let output = examine(&world, &[]);
    assert_eq!(output.code, Some(11));
    assert_shown!(world, checks(&output, "hooks").join("\n"), @r#"fail .claude/settings.local.json was changed, so Toprope may be asked too late or not at all: Setup has `matcher` "never" | toprope doctor --fix"#);
    assert_shown!(world, world.toprope(&["doctor", "--fix"]).stdout.lines().next().unwrap_or_default(), @"fixed .claude/settings.local.json: wrote the entries of 3 events");
    assert_eq!(
        checks(&examine(&world, &[]), "hooks"),
        ["ok .claude/settings.local.json: 30 events | -"]
    );
    world.toprope(&["uninstall"]).ok();
    assert!(!world.repo().join(LOCAL).exists(), "nothing was there before us");
}

#[test]
fn a_program_that_is_gone_is_a_failure_and_repaired() {
    let mut world = world();
    let old = world.root().join("old/toprope");
    copy_binary(&old);
    world.use_binary(&old);
    world.toprope(&["init"]).ok();
    world.use_binary(Path::new(env!("CARGO_BIN_EXE_toprope")));
    let other = examine(&world, &[]);
    assert_shown!(world, checks(&other, "program").join("\n"), @"warn .claude/settings.local.json runs [world]/old/toprope, but this is [toprope] | toprope doctor --fix");
    fs::remove_file(&old).unwrap();
    let gone = examine(&world, &[]);
    assert_eq!(gone.code, Some(11));
    assert_shown!(world, checks(&gone, "program").join("\n"), @"fail .claude/settings.local.json runs `[world]/old/toprope`, which is not there | toprope doctor --fix");
    let fixed = examine(&world, &["--fix"]);
    assert_eq!(fixed.code, Some(0), "{}", fixed.whole());
    assert_shown!(world, fixed.json().unwrap()["fixed"][0].as_str().unwrap(), @".claude/settings.local.json: wrote the entries of 30 events");
}

#[test]
fn an_event_that_never_comes_is_told_once_there_were_enough_sessions() {
    let world = installed();
    session(&world, "one", &["Stop"]);
    session(&world, "two", &["Stop"]);
    assert_eq!(
        checks(&examine(&world, &[]), "events"),
        ["ok 5 kinds of events, in 2 sessions | -"]
    );
    session(&world, "three", &["Stop"]);
    let output = examine(&world, &[]);
    assert_eq!(output.code, Some(10));
    assert_shown!(world, checks(&output, "events").join("\n"), @"warn Stop never came, in 3 sessions | toprope doctor --fix");
    session(&world, "four", &[]);
    assert_eq!(
        checks(&examine(&world, &[]), "events"),
        ["ok 6 kinds of events, in 4 sessions | -"]
    );
}

#[test]
fn a_git_older_than_the_tests_know_is_told() {
    let world = installed();
    put_on_path(
        &world,
        "git",
        r#"case " $* " in *" version "*) echo 'git version 2.38.1' ;; *) exit 1 ;; esac"#,
    );
    let older = examine(&world, &[]);
    assert_eq!(older.code, Some(10));
    assert_shown!(world, checks(&older, "git").join("\n"), @"warn `2.38.1` is older than 2.39, the oldest that Toprope is tested with | git --version");
}

#[test]
fn a_client_of_another_version_is_told() {
    let world = installed();
    put_on_path(&world, "claude", "echo '2.0.1 (Claude Code)'");
    let older = examine(&world, &[]);
    assert_eq!(older.code, Some(10));
    assert_shown!(world, checks(&older, "client").join("\n"), @"warn Claude Code 2.0.1 is older than 2.1.325, so some events may be missing | claude update");
    put_on_path(&world, "claude", "echo '3.0.0 (Claude Code)'");
    assert_shown!(world, checks(&examine(&world, &[]), "client").join("\n"), @"warn Claude Code 3.0.0 is newer than 2.1.325, the version whose hooks we know | toprope doctor --fire");
    put_on_path(&world, "claude", "exit 1");
    assert_shown!(world, checks(&examine(&world, &[]), "client").join("\n"), @"warn `[world]/tools/claude --version` failed | claude --version");
}

#[test]
fn events_that_could_not_be_read_are_counted() {
    let world = installed();
    assert_eq!(world.hook(b"not json").code, Some(0));
    let output = examine(&world, &[]);
    assert_eq!(output.code, Some(10));
    assert_shown!(world, checks(&output, "unreadable").join("\n"), @"warn 1 event could not be read, the last [ago]: ignored an event: the payload is not JSON: expected ident at line 1 column 2 | toprope log --events --event unreadable --raw");
}

#[test]
fn a_broken_settings_file_of_the_client_is_a_failure() {
    let world = installed();
    fs::write(world.repo().join(".claude/settings.json"), "{").unwrap();
    let output = examine(&world, &[]);
    assert_eq!(output.code, Some(11));
    assert_shown!(world, checks(&output, "hooks").join("\n"), @"
    fail .claude/settings.json cannot be read: not valid JSON at line 1, column 2: the file ends too early | correct line 1, column 2 (comments and trailing commas are not JSON), then run it again
    ok .claude/settings.local.json: 30 events | -
    ");
}

#[test]
fn switched_off_hooks_are_a_failure() {
    let world = installed();
    edit(&world, |settings| settings["disableAllHooks"] = json!(true));
    let output = examine(&world, &[]);
    assert_eq!(output.code, Some(11));
    assert_shown!(world, checks(&output, "hooks").join("\n"), @"
    fail .claude/settings.local.json says `disableAllHooks`, so no hook runs | take `disableAllHooks` out of .claude/settings.local.json
    ok .claude/settings.local.json: 30 events | -
    ");
}

#[test]
fn two_scopes_that_start_us_differently_are_told() {
    let world = installed();
    symlink(env!("CARGO_BIN_EXE_toprope"), tools(&world).join("toprope")).unwrap();
    world.toprope(&["init", "--scope", "project"]).ok();
    let output = examine(&world, &[]);
    assert_eq!(output.code, Some(10));
    assert_shown!(world, checks(&output, "hooks").join("\n"), @"
    ok .claude/settings.json: 30 events | -
    ok .claude/settings.local.json: 30 events | -
    warn .claude/settings.json and .claude/settings.local.json start Toprope in different ways, so events come twice | toprope uninstall --scope local
    ");
}

#[test]
fn local_entries_are_not_read_in_linked_worktrees() {
    let world = installed();
    world.git(&["worktree", "add", "-q", "../beside"]);
    let output = examine(&world, &[]);
    assert_eq!(output.code, Some(10));
    assert_shown!(world, checks(&output, "hooks").join("\n"), @"
    ok .claude/settings.local.json: 30 events | -
    warn agents in linked worktrees do not read this worktree's settings, so nothing sees them | toprope init --scope user
    ");
}

#[test]
fn mistakes_in_our_own_settings_are_told_with_their_place() {
    let world = installed();
    fs::write(world.repo().join("toprope.toml"), "proflie = \"strict\"\n").unwrap();
    let output = examine(&world, &[]);
    assert_eq!(output.code, Some(10));
    assert_shown!(world, checks(&output, "settings").join("\n"), @"warn [world]/repo/toprope.toml:1:1: unknown key `proflie` | did you mean `profile`?");
}

#[test]
fn a_switched_off_project_is_told_and_still_answers() {
    let world = installed();
    world.has_settings("enabled = false\n");
    let output = examine(&world, &["--fire"]);
    assert_eq!(output.code, Some(10));
    assert_shown!(world, checks(&output, "settings").join("\n"), @"warn Toprope is switched off here (user [world]/home/.config/toprope/config.toml:1) | toprope config show --origin");
    assert_shown!(world, checks(&output, "probe").join("\n"), @"ok through .claude/settings.local.json: answered in [time] ms, and not recorded, because Toprope is switched off here | -");
    // The daemon leaves the marker after its answer.
    let markers = world.home().join(".local/state/toprope/disabled");
    let is_whole = |entry: &fs::DirEntry| entry.path().extension().is_none();
    eventually("a marker", || {
        fs::read_dir(&markers).ok()?.flatten().find(is_whole)
    });
    world.has_settings("");
    let fixed = examine(&world, &["--fix"]).json().unwrap();
    assert_eq!(fixed["fixed"], json!(["markers: removed 1 that no longer held"]));
}

#[test]
fn a_damaged_database_is_a_failure_and_never_deleted() {
    let world = installed();
    world.toprope(&["daemon", "stop"]).ok();
    let database = world.home().join(".local/state/toprope/toprope.db");
    fs::write(&database, vec![b'x'; 8192]).unwrap();
    let output = examine(&world, &[]);
    assert_eq!(output.code, Some(11));
    assert_shown!(world, checks(&output, "database").join("\n"), @"fail the database file is damaged | toprope daemon stop; mkdir [world]/home/.local/state/toprope/damaged && mv [world]/home/.local/state/toprope/toprope.db* [world]/home/.local/state/toprope/damaged");
    assert_eq!(fs::read(&database).unwrap(), vec![b'x'; 8192]);
    let log = database.with_extension("db-wal");
    fs::write(&log, "of the damaged one").unwrap();
    let examination = output.json().unwrap();
    let mut found = examination["checks"].as_array().unwrap().iter();
    let check = found.find(|check| check["name"] == "database").unwrap();
    let (_, put_aside) = check["hint"].as_str().unwrap().split_once("; ").unwrap();
    let done = std::process::Command::new("/bin/sh")
        .args(["-c", put_aside])
        .status();
    assert!(done.unwrap().success(), "{put_aside}");
    assert!(
        !database.exists() && !log.exists(),
        "its log would damage the next one"
    );
}

#[test]
fn a_daemon_that_is_not_there_is_started_by_a_repair() {
    let world = installed();
    world.toprope(&["daemon", "stop"]).ok();
    assert_eq!(
        checks(&examine(&world, &[]), "daemon"),
        ["ok not running; the next hook starts it | -"]
    );
    let fixed = examine(&world, &["--fix"]);
    assert_shown!(world, fixed.json().unwrap()["fixed"].to_string(), @r#"["daemon: started (pid [pid])"]"#);
    assert!(world.daemon().is_some());
}

#[test]
fn a_command_that_must_be_denied_is_sent_through_the_hook_as_it_is_registered() {
    let mut world = world();
    let copy = world.root().join("bin/toprope");
    copy_binary(&copy);
    world.use_binary(&copy);
    world.toprope(&["init"]).ok();
    world.use_binary(Path::new(env!("CARGO_BIN_EXE_toprope")));
    let denial = checks(&examine(&world, &["--fire"]), "denial").join("\n");
    assert!(denial.starts_with("ok through"), "{denial}");
    assert!(denial.contains("`rm -rf /` was denied"), "{denial}");
    let waiting = world.toprope(&["guard", "allow"]);
    assert_eq!(waiting.stdout, "", "it leaves no request behind");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o644);
    fs::set_permissions(&copy, mode).expect("a binary of its own");
    let denial = checks(&examine(&world, &["--fire"]), "denial").join("\n");
    assert!(denial.starts_with("fail through"), "{denial}");
    assert!(denial.contains("could not be started"), "{denial}");
}

#[test]
fn probes_leave_nothing_in_a_projects_log_actors_or_usage() {
    let world = world();
    world.toprope(&["init"]).ok();
    examine(&world, &["--fire"]);
    assert_eq!(world.log(), Vec::<Value>::new());
    let database = Database::open(&world.home().join(".local/state/toprope/toprope.db"));
    for table in [
        "events",
        "actors",
        "sessions",
        "turns",
        "calls",
        "approvals",
        "warnings",
        "usage",
        "notices",
    ] {
        assert_eq!(
            database.number(&format!("SELECT count(*) FROM {table}")),
            0,
            "{table}"
        );
    }
    let status = world.toprope(&["status"]).whole();
    assert!(!status.contains("probe"), "{status}");
}
