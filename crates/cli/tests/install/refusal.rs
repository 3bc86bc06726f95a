//! When `init` refuses or fails, and what it leaves then.

use crate::site::{LOCAL, PROJECT, put_on_path, tools, world, write};
use fs_err as fs;
use serde_json::json;
use std::os::unix::fs::symlink;
use testkit::{Output, World};

#[test]
fn a_file_that_is_not_json_is_refused_and_stays_as_it_is() {
    let world = world();
    let file = write(&world, LOCAL, "{ \"hooks\": {},, }\n");
    assert_shown!(world, world.toprope(&["init"]).whole(), @"
    exit 1
    --- stdout
    --- stderr
    error: `[world]/repo/.claude/settings.local.json` was left as it is: not valid JSON at line 1, column 15: expected a key in double quotes
    hint: correct line 1, column 15 (comments and trailing commas are not JSON), then run it again
    ");
    assert_eq!(fs::read_to_string(&file).unwrap(), "{ \"hooks\": {},, }\n");
    assert!(
        !world.home().join(".local").exists(),
        "nothing else was set up either"
    );
}

#[test]
fn a_probe_that_is_lost_fails_the_installation_and_leaves_it() {
    let world = world();
    put_on_path(&world, "toprope", "echo 'no such thing' >&2; exit 3");
    assert_shown!(world, world.toprope(&["init", "--scope", "project"]).whole(), @"
    exit 1
    --- stdout
    Claude Code   .claude/settings.json   added 30 events (exec form)
    scope         project: everybody who works here, once it is committed
    store         ~/.local/state/toprope  created
    daemon        started (pid [pid], protocol 1)
    check         failed: the hook ended with exit code 3: no such thing
    --- stderr
    error: the hook is in .claude/settings.json and stays there, but the hook ended with exit code 3: no such thing
    hint: `toprope doctor --fire` tries again; `toprope uninstall` takes it out
    ");
    assert!(world.repo().join(PROJECT).exists());
    put_on_path(&world, "toprope", "echo '{}'");
    let spoke = world.toprope(&["init", "--scope", "project"]);
    assert!(
        spoke
            .stderr
            .contains("the hook printed `{}` where nothing was expected"),
        "{}",
        spoke.whole()
    );
    put_on_path(&world, "toprope", "exit 0");
    let silent = world.toprope(&["init", "--scope", "project"]);
    assert!(
        silent.stderr.contains("its event is not in the store"),
        "{}",
        silent.whole()
    );
    assert_eq!(
        world.toprope(&["init", "--scope", "project", "--force"]).code,
        Some(0)
    );
}

#[test]
fn switched_off_hooks_are_refused_unless_forced() {
    let world = world();
    let file = write(&world, PROJECT, "{\"disableAllHooks\": true}\n");
    assert_shown!(world, world.toprope(&["init"]).whole(), @"
    exit 1
    --- stdout
    --- stderr
    error: .claude/settings.json says `disableAllHooks`, so no hook would run; nothing was changed
    hint: take it out, or install all the same: `toprope init --force`
    ");
    assert!(!world.repo().join(LOCAL).exists());
    assert_eq!(world.toprope(&["init", "--force"]).code, Some(0));
    assert_eq!(
        fs::read_to_string(&file).unwrap(),
        "{\"disableAllHooks\": true}\n"
    );
}

#[test]
fn a_daemon_that_cannot_start_fails_the_installation_unless_forced() {
    let world = world().with("XDG_RUNTIME_DIR", "/dev/null");
    write(&world, ".gitignore", ".claude/settings.local.json\n");
    assert_shown!(world, world.toprope(&["init"]).whole(), @"
    exit 1
    --- stdout
    Claude Code   .claude/settings.local.json  added 30 events (exec form)
    scope         local: only you, only here; `--scope project` or `--scope user` chooses another
    store         ~/.local/state/toprope       created
    daemon        did not start: every hook decides in its own process
    check         sent a probe through the installed hook: answered in [time] ms
    --- stderr
    error: the hook is installed and stays so, but the daemon did not start
    hint: its reasons are in [world]/home/.local/state/toprope/daemon.log; `toprope daemon run` shows them here
    ");
    assert!(world.repo().join(LOCAL).exists());
}

#[test]
fn an_agent_can_neither_install_nor_uninstall() {
    let mut world = world();
    world.toprope(&["init"]).ok();
    // This test plays the client, and thereby is a live agent above every command it runs.
    world.set("CLAUDE_PID", &std::process::id().to_string());
    world.agent("s1").starts();
    assert_shown!(world, world.toprope(&["init"]).whole(), @"
    exit 5
    --- stdout
    --- stderr
    error: this is for a person, and an agent (pid [pid]) is running it
    hint: ask the user to run it in a terminal of their own
    ");
    assert_eq!(world.toprope(&["uninstall"]).code, Some(5));
    assert_eq!(world.toprope(&["doctor", "--fix"]).code, Some(5));
    assert!(world.repo().join(LOCAL).exists());
    world.agent("s1").leaves();
    assert_eq!(world.toprope(&["uninstall"]).code, Some(0));
}

fn with_a_shell() -> World {
    let world = world();
    symlink("/bin/sh", tools(&world).join("sh")).expect("a link to the shell");
    world
}

/// What a shell of an agent does: its hook is heard, and then it runs this.
fn in_an_agents_shell(world: &World, then: &str) -> Output {
    let start = world
        .agent("s1")
        .payload("SessionStart", &json!({ "source": "startup" }));
    let toprope = env!("CARGO_BIN_EXE_toprope");
    world.shell(&format!(
        "export CLAUDE_PID=$$\nprintf %s '{start}' | {toprope} hook claude-code >/dev/null\n{then}\nexit $?"
    ))
}

#[test]
fn naming_another_home_does_not_make_an_agent_a_person() {
    let world = with_a_shell();
    world.toprope(&["init"]).ok();
    let elsewhere = world.root().join("elsewhere");
    let set = format!(
        "TOPROPE_HOME={} {} config set enabled false --project",
        elsewhere.display(),
        env!("CARGO_BIN_EXE_toprope")
    );
    assert_shown!(world, in_an_agents_shell(&world, &set).whole(), @"
    exit 5
    --- stdout
    --- stderr
    error: this is for a person, and an agent (pid [pid]) is running it
    hint: ask the user to run it in a terminal of their own
    ");
    assert!(!world.home().join(".config/toprope/config.toml").exists());
}

#[test]
fn an_agent_is_known_by_its_shell_where_the_record_cannot_be_read() {
    let world = with_a_shell();
    let state = world.home().join(".local/state/toprope");
    fs::create_dir_all(&state).unwrap();
    fs::write(state.join("toprope.db"), vec![b'x'; 8192]).unwrap();
    let set = format!(
        "{} config set profile strict\nexit $?",
        env!("CARGO_BIN_EXE_toprope")
    );
    let inside = world.shell(&format!("export CLAUDECODE=1 CLAUDE_PID=$$\n{set}"));
    assert_eq!(inside.code, Some(5), "{}", inside.whole());
    // A shell with an agent's variables is one the agent opened, whoever is above it.
    for variable in ["CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "AI_AGENT"] {
        let beside = world.shell(&format!("export {variable}=1\n{set}"));
        assert_eq!(beside.code, Some(5), "{}", beside.whole());
    }
    let outside = world.shell(&set);
    assert_eq!(outside.code, Some(0), "{}", outside.whole());
}
