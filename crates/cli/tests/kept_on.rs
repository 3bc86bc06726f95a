//! Every way to switch Toprope off from inside a session, or from inside a repository: denied, asked about, or without
//! effect, and said by `doctor`.
// Lets helpers fail as loudly as the tests they help.
#![cfg(test)]

#[path = "kept_on/files.rs"]
mod files;
#[path = "kept_on/nested.rs"]
mod nested;
#[path = "kept_on/person.rs"]
mod person;
#[path = "kept_on/shell.rs"]
mod shell;

use serde_json::{Value, json};
use std::os::unix::fs::symlink;
use testkit::{Output, World, eventually, run};

const TOPROPE: &str = env!("CARGO_BIN_EXE_toprope");
const LOCAL: &str = ".claude/settings.local.json";

fn world() -> World {
    World::new(TOPROPE)
}

/// A world in which `init` has written its entries into the settings of this user.
fn installed() -> World {
    let world = world();
    world.toprope(&["init", "--scope", "user"]).ok();
    world
}

fn user_settings(world: &World) -> Value {
    let text = fs_err::read_to_string(world.home().join(".claude/settings.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// The hook as the installed entry starts it.
fn installed_hook(world: &World, event: &str, fields: &Value) -> Output {
    let entry = user_settings(world)["hooks"][event][0]["hooks"][0].clone();
    let arguments: Vec<&str> = entry["args"]
        .as_array()
        .unwrap()
        .iter()
        .map(|word| word.as_str().unwrap())
        .collect();
    let payload = world.agent("s1").payload(event, fields);
    run(world.command(&arguments), payload.to_string().as_bytes())
}

fn decision(output: &Output) -> String {
    let answer = output.json().unwrap_or_default();
    let said = answer.pointer("/hookSpecificOutput/permissionDecision");
    said.and_then(Value::as_str).unwrap_or("passed").to_owned()
}

fn check(world: &World, name: &str) -> Vec<String> {
    let examination = world.toprope(&["doctor", "--json"]).json().unwrap();
    let checks = examination["checks"].as_array().unwrap().clone();
    let named = checks.iter().filter(|check| check["name"] == name);
    let line = |check: &Value| {
        format!(
            "{} {} | {}",
            check["state"].as_str().unwrap(),
            check["text"].as_str().unwrap(),
            check["hint"].as_str().unwrap_or("-")
        )
    };
    named.map(line).collect()
}

#[test]
fn no_variable_that_a_settings_file_sets_loosens_a_hook() {
    for daemon in ["auto", "never"] {
        let mut world = installed().with("TOPROPE_DAEMON", daemon);
        world.toprope(&["daemon", "stop"]).ok();
        let elsewhere = world.root().join("elsewhere");
        for (name, value) in [
            ("TOPROPE_HOME", elsewhere.to_str().unwrap()),
            ("TOPROPE_ENABLED", "false"),
            ("TOPROPE_PROFILE", "observe"),
            ("TOPROPE_GUARD_MODE", "off"),
            ("TOPROPE_DEADLINE_MS", "3600000"),
        ] {
            world.settings_set(name, value);
        }
        let call = json!({ "tool_name": "Bash", "tool_use_id": "t1", "tool_input": { "command": "git push --force origin main" } });
        let denied = installed_hook(&world, "PreToolUse", &call);
        assert!(denied.denial().is_some(), "{daemon}: {}", denied.whole());
        assert!(!elsewhere.exists(), "{daemon}: no other state folder is made");
        let count = "SELECT count(*) FROM events WHERE event = 'PreToolUse'";
        assert_eq!(world.database().number(count), 1, "{daemon}");
        // An entry that names no folder, as a committed one, follows the variable the client was started with.
        let payload = world.agent("s1").payload("PreToolUse", &call);
        let by_name = world.hook(payload.to_string().as_bytes());
        assert!(by_name.denial().is_some(), "{daemon}: {}", by_name.whole());
        assert!(!elsewhere.exists(), "{daemon}");
        let state = world.state();
        world.settings_set("TOPROPE_HOME", state.to_str().unwrap());
        world.toprope(&["daemon", "stop"]).ok();
    }
}

#[test]
fn no_program_is_run_from_a_path_that_a_settings_file_sets() {
    for daemon in ["auto", "never"] {
        let mut world = installed().with("TOPROPE_DAEMON", daemon);
        world.toprope(&["daemon", "stop"]).ok();
        let (tools, ran) = (world.root().join("tools"), world.root().join("ran"));
        fs_err::create_dir(&tools).unwrap();
        let script = format!("#!/bin/sh\ntouch '{}'\nexit 1\n", ran.display());
        fs_err::write(tools.join("git"), script).unwrap();
        world.shell(&format!("chmod 755 '{}'/git", tools.display())).ok();
        world.settings_set("PATH", tools.to_str().unwrap());
        let start = json!({ "source": "startup" });
        installed_hook(&world, "SessionStart", &start).ok();
        installed_hook(&world, "UserPromptSubmit", &json!({ "prompt": "hello" })).ok();
        world.write("a.txt", "two\n");
        installed_hook(&world, "Stop", &json!({})).ok();
        eventually("a checkpoint is made", || {
            let made = world.database().number("SELECT count(*) FROM checkpoints");
            (made > 0).then_some(())
        });
        assert!(!ran.exists(), "{daemon}: the repository's `git` was run");
    }
}

/// Everything that would end, weaken or steer our hooks, as the whole text of a settings file.
fn bad_settings(world: &World) -> Vec<String> {
    let ours = user_settings(world);
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut settings = ours.clone();
        change(&mut settings);
        settings.to_string()
    };
    let mut bad = vec![
        changed(&|settings| settings["disableAllHooks"] = json!(true)),
        changed(&|settings| settings["hooks"]["PreToolUse"][0]["hooks"][0]["timeout"] = json!(0.001)),
        changed(&|settings| settings["hooks"]["PreToolUse"][0]["matcher"] = json!("Nothing")),
        changed(&|settings| settings["hooks"]["PreToolUse"][0]["hooks"][0]["async"] = json!(true)),
        changed(&|settings| settings["hooks"]["Stop"][0]["hooks"][0]["args"] = json!(["hook"])),
        changed(&|settings| settings["hooks"]["ConfigChange"] = json!([])),
        "{}".to_owned(),
        "not JSON".to_owned(),
    ];
    for variable in [
        "TOPROPE_HOME",
        "TOPROPE_ENABLED",
        "XDG_STATE_HOME",
        "HOME",
        "PATH",
    ] {
        bad.push(changed(&|settings| {
            settings["env"] = json!({ variable: "/tmp/x" });
        }));
    }
    bad
}

#[test]
fn no_tool_leaves_the_client_s_settings_other_than_ours_were() {
    let world = installed();
    let agent = world.agent("s1");
    agent.starts().ok();
    let file = world.home().join(".claude/settings.json");
    let before = fs_err::read_to_string(&file).unwrap();
    for (number, bad) in bad_settings(&world).into_iter().enumerate() {
        let quoted = bad.replace('\'', r"'\''");
        let ways = [
            ("Write", json!({ "file_path": file, "content": bad })),
            (
                "Edit",
                json!({ "file_path": file, "old_string": before, "new_string": bad }),
            ),
            (
                "MultiEdit",
                json!({ "file_path": file, "edits": [{ "old_string": before, "new_string": bad }] }),
            ),
            ("mcp__fs__write_file", json!({ "path": file, "content": bad })),
            (
                "mcp__fs__edit_file",
                json!({ "path": file, "edits": [{ "oldText": before, "newText": bad }] }),
            ),
            (
                "Bash",
                json!({ "command": format!("printf '%s' '{quoted}' > ~/.claude/settings.json") }),
            ),
            (
                "Bash",
                json!({ "command": format!("cat > ~/.claude/settings.json <<'END'\n{bad}\nEND") }),
            ),
            (
                "Bash",
                json!({ "command": "cp /tmp/other.json ~/.claude/settings.json" }),
            ),
            (
                "Monitor",
                json!({ "command": format!("printf '%s' '{quoted}' > ~/.claude/settings.json") }),
            ),
            (
                "mcp__box__run",
                json!({ "cmd": format!("printf '%s' '{quoted}' > ~/.claude/settings.json") }),
            ),
        ];
        for (way, (tool, input)) in ways.iter().enumerate() {
            let answer = agent.before(&format!("toolu_{number}_{way}"), tool, input);
            assert_eq!(decision(&answer), "deny", "{tool} {way}: {bad}");
        }
    }
    // What is not ours is theirs to change, in any order of keys.
    let mut fine = user_settings(&world);
    fine["model"] = json!("opus");
    fine["env"] = json!({ "EDITOR": "vi" });
    let local = json!({ "permissions": {} });
    for (way, (tool, input)) in [
        (
            "Write",
            json!({ "file_path": file, "content": format!("{fine:#}") }),
        ),
        (
            "Write",
            json!({ "file_path": world.repo().join(LOCAL), "content": local.to_string() }),
        ),
        (
            "Bash",
            json!({ "command": format!("mkdir -p .claude; cat > {LOCAL} <<'END'\n{local}\nEND") }),
        ),
    ]
    .iter()
    .enumerate()
    {
        let answer = agent.before(&format!("toolu_fine_{way}"), tool, input);
        assert_eq!(decision(&answer), "passed", "{tool}: {}", answer.whole());
    }
}

#[test]
fn no_new_settings_file_in_any_scope_switches_hooks_off_or_steers_them() {
    let world = installed();
    let agent = world.agent("s1");
    agent.starts().ok();
    let weak = json!({ "hooks": { "PreToolUse": [{ "hooks": [{ "type": "command", "command": TOPROPE,
        "args": ["hook", "claude-code"], "timeout": 0.001 }] }] } });
    for (number, bad) in [
        json!({ "disableAllHooks": true }),
        json!({ "env": { "TOPROPE_HOME": "/tmp/x" } }),
        json!({ "env": { "PATH": "/tmp/x" } }),
        weak,
    ]
    .into_iter()
    .enumerate()
    {
        for file in [".claude/settings.json", LOCAL] {
            let input = json!({ "file_path": world.repo().join(file), "content": bad.to_string() });
            let answer = agent.before(&format!("toolu_{number}_{file}"), "Write", &input);
            assert_eq!(decision(&answer), "deny", "{file} {bad}");
            let command = format!("mkdir -p .claude && echo '{bad}' > {file}");
            let answer = agent.runs(&format!("toolu_{number}_{file}_sh"), &command);
            assert_eq!(decision(&answer), "deny", "{command}");
        }
    }
}

#[test]
fn a_denied_variable_is_said_with_what_to_do() {
    let world = installed();
    let input =
        json!({ "file_path": world.repo().join(LOCAL), "content": r#"{"env":{"TOPROPE_HOME":"/tmp/x"}}"# });
    let reason = world.agent("s1").before("t1", "Write", &input).denial().unwrap();
    assert!(reason.contains("steer Toprope"), "{reason}");
    assert!(
        reason.contains("leave TOPROPE_*, XDG_*, HOME and PATH out of env"),
        "{reason}"
    );
}

#[test]
fn variables_that_came_with_the_repository_are_named_at_the_start_and_by_doctor() {
    let world = installed();
    world.write(
        ".claude/settings.json",
        r#"{"env":{"TOPROPE_HOME":"/tmp/x","PATH":"/evil","EDITOR":"vi"}}"#,
    );
    let told = world.agent("s1").starts().json().unwrap();
    let told = told["systemMessage"]
        .as_str()
        .unwrap()
        .replace(&*world.repo().to_string_lossy(), "[repo]");
    insta::assert_snapshot!(told, @"toprope: [repo]/.claude/settings.json sets `TOPROPE_HOME`, `PATH` under `env`. Toprope does not follow them; if they are not yours, take them out");
    insta::assert_snapshot!(check(&world, "variables").join("\n"), @"fail .claude/settings.json sets `TOPROPE_HOME`, `PATH` under `env`: Toprope does not follow it | take `TOPROPE_HOME`, `PATH` out of `env` in .claude/settings.json");
    assert_eq!(world.toprope(&["doctor"]).code, Some(11));
}

#[test]
fn variables_of_a_project_that_load_something_are_named_by_doctor() {
    let world = installed();
    let mut own = user_settings(&world);
    own["env"] = json!({ "BASH_ENV": "~/.bash_env" });
    fs_err::write(world.home().join(".claude/settings.json"), own.to_string()).unwrap();
    world.write(
        ".claude/settings.json",
        r#"{"env":{"LD_PRELOAD":"/x.so","BASH_ENV":"/x","NODE_OPTIONS":"--require ./x.js","CLAUDE_CONFIG_DIR":"/x","EDITOR":"vi"}}"#,
    );
    world.write(LOCAL, r#"{"env":{"NODE_OPTIONS":"--max-old-space-size=4096"}}"#);
    insta::assert_snapshot!(check(&world, "variables").join("\n"), @"warn .claude/settings.json sets `LD_PRELOAD`, `BASH_ENV`, `NODE_OPTIONS` and 1 more under `env`: the client hands it to everything it runs, hooks included | unless you want that, take `LD_PRELOAD`, `BASH_ENV`, `NODE_OPTIONS` and 1 more out of `env` in .claude/settings.json");
}

#[test]
fn a_settings_change_that_weakens_or_steers_us_is_not_taken_while_an_agent_works() {
    let world = installed();
    let agent = world.agent("s1");
    agent.starts().ok();
    agent.is_asked("go on").ok();
    agent.runs("t1", "sleep 1").allowed();
    let mut settings = user_settings(&world);
    settings["hooks"]["PreToolUse"][0]["hooks"][0]["timeout"] = json!(0.001);
    let file = world.home().join(".claude/settings.json");
    fs_err::write(&file, settings.to_string()).unwrap();
    let change = json!({ "source": "user_settings", "file_path": file });
    let answer = agent.sends("ConfigChange", &change).whole();
    assert!(answer.contains("as `toprope init` set it up"), "{answer}");
    let hooks = check(&world, "hooks").join("\n");
    assert!(hooks.starts_with("fail ~/.claude/settings.json was changed, so Toprope may be asked too late or not at all: PreToolUse has `timeout` 0.001, not 60"), "{hooks}");
    world.toprope(&["doctor", "--fix"]);
    assert!(check(&world, "hooks").join("\n").starts_with("ok "));
}

#[test]
fn every_tool_with_a_command_line_is_judged_like_a_shell() {
    let world = world();
    let agent = world.agent("s1");
    let force = "git push --force origin main";
    for (number, (tool, input)) in [
        ("Bash", json!({ "command": force })),
        (
            "Monitor",
            json!({ "command": force, "description": "x", "timeout_ms": 1000 }),
        ),
        ("PowerShell", json!({ "command": force })),
        ("SomethingNew", json!({ "cmd": force })),
        ("mcp__box__execute", json!({ "command": force })),
        (
            "mcp__box__execute",
            json!({ "command": ["git", "push", "--force", "origin", "main"] }),
        ),
        (
            "mcp__box__execute",
            json!({ "command": "git", "args": ["push", "--force", "origin", "main"] }),
        ),
        (
            "mcp__box__script",
            json!({ "script": format!("set -e\n{force}\n") }),
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let answer = agent.before(&format!("toolu_{number}"), tool, &input);
        assert_eq!(decision(&answer), "deny", "{tool} {input}");
    }
    let harmless = [
        ("Monitor", json!({ "command": "tail -f log.txt" })),
        ("mcp__box__execute", json!({ "command": "ls" })),
        ("Workflow", json!({ "script": "await agent('rm -rf /')" })),
    ];
    for (number, (tool, input)) in harmless.into_iter().enumerate() {
        let answer = agent.before(&format!("toolu_fine_{number}"), tool, &input);
        assert_eq!(decision(&answer), "passed", "{tool} {input}: {}", answer.whole());
    }
    let own = json!({ "command": "true", "path": world.home().join(".config/toprope/config.toml"), "content": "x" });
    let beside = agent.before("toolu_beside", "mcp__fs__write_file", &own);
    assert_eq!(decision(&beside), "deny", "a command beside a path hides it");
}

#[test]
fn what_monitor_writes_is_leased_logged_and_in_a_checkpoint() {
    let world = world();
    let one = world.agent("ab31c0de-0000-4000-8000-000000000001");
    one.starts().ok();
    one.is_asked("watch it").ok();
    let input = json!({ "command": "echo two > a.txt", "description": "watch", "timeout_ms": 60000 });
    one.before("toolu_1", "Monitor", &input).allowed();
    let other = world.agent("ffee0000-0000-4000-8000-000000000002");
    other.starts().ok();
    other.is_asked("write it").ok();
    let write = json!({ "file_path": world.repo().join("a.txt"), "content": "three\n" });
    let denied = other
        .before("toolu_2", "Write", &write)
        .denial()
        .expect("held by the first");
    assert!(denied.contains("a.txt"), "{denied}");
    world.write("a.txt", "two\n");
    one.after(
        "toolu_1",
        "Monitor",
        &input,
        &json!({ "taskId": "b1", "timeoutMs": 60000, "persistent": false }),
    )
    .ok();
    one.sends("PostToolBatch", &json!({ "tool_calls": [] })).ok();
    one.stops().ok();
    world.settled();
    let shown = world.toprope(&["log"]).ok();
    let line = shown
        .lines()
        .find(|line| line.contains("Monitor"))
        .unwrap_or_default();
    assert!(line.contains("echo two > a.txt"), "{shown}");
    let kept = world.toprope(&["checkpoint", "show", "t1", "--json"]).whole();
    assert!(kept.contains("a.txt"), "{kept}");
}

#[test]
fn a_nested_client_without_our_settings_is_asked_about_and_denied_where_nobody_watches() {
    let nested = [
        "claude --setting-sources project -p hi",
        "claude --settings /tmp/s.json -p hi",
        r#"claude --settings '{"disableAllHooks":true}' -p hi"#,
        "HOME=/tmp/x claude -p hi",
        "CLAUDE_CONFIG_DIR=/tmp/x claude -p hi",
        "claude --bare -p hi",
        "claude --safe-mode -p hi",
        "nohup env HOME=/tmp/x claude -p hi &",
    ];
    for (attended, expected) in [("1", "ask"), ("0", "deny")] {
        let world = world().with("CLAUDE_CODE_SESSION_ATTENDED", attended);
        for (number, command) in nested.into_iter().enumerate() {
            let answer = world.agent("s1").runs(&format!("t{number}"), command);
            assert_eq!(decision(&answer), expected, "{command}: {}", answer.whole());
        }
        for command in ["claude -p hi", "claude --settings '{\"model\":\"x\"}' -p hi"] {
            let answer = world.agent("s1").runs(command, command);
            assert_eq!(decision(&answer), "passed", "{command}: {}", answer.whole());
        }
    }
}

#[test]
fn a_link_to_the_binary_is_the_binary() {
    let world = world();
    let link = world.root().join("tp");
    symlink(TOPROPE, &link).unwrap();
    let command = format!("{} config set guard.mode off", link.display());
    for (number, command) in [
        command.clone(),
        format!("setsid -f {command}"),
        format!("env -i HOME=$HOME {command}"),
    ]
    .into_iter()
    .enumerate()
    {
        let reason = world.agent("s1").runs(&format!("t{number}"), &command).denial();
        assert!(
            reason.is_some_and(|reason| reason.contains("self.person-only")),
            "{command}"
        );
    }
}

/// Runs a line as an agent would leave it behind, and waits until its end is written down.
fn left_behind(world: &World, line: &str) -> String {
    let done = world.root().join("done");
    let script = format!(
        "{{ {line}; }} > '{0}.out' 2>&1; echo $? >> '{0}.out'; mv '{0}.out' '{0}'",
        done.display()
    );
    let mut command = world.person("setsid");
    command.args(["-f", "sh", "-c", &script]);
    run(command, b"").ok();
    let said = eventually("it ended", || fs_err::read_to_string(&done).ok());
    fs_err::remove_file(done).unwrap();
    said
}

#[test]
#[cfg(target_os = "linux")]
fn a_process_that_was_left_behind_changes_no_settings() {
    let world = world();
    world.agent("s1").starts().ok();
    let copy = world.root().join("copy");
    testkit::copy(TOPROPE, &copy);
    let config = world.home().join(".config/toprope/config.toml");
    for program in [TOPROPE.to_owned(), copy.display().to_string()] {
        for line in [
            format!("'{program}' config set guard.mode off"),
            format!("setsid -f '{program}' config set guard.mode off; sleep 0.5; false"),
            format!("'{program}' undo --yes"),
            format!("'{program}' trust"),
            format!("'{program}' daemon stop"),
        ] {
            let said = left_behind(&world, &line);
            let is_refused = said.contains("left behind, without a terminal");
            assert!(is_refused && !config.exists(), "{line}: {said}");
        }
    }
    // A script that somebody waits for is no orphan.
    world
        .shell(&format!("sh -c '{TOPROPE} config set guard.mode advise'"))
        .ok();
    assert!(config.exists());
}

#[test]
fn status_and_doctor_say_what_is_in_force() {
    let world = world().with("TOPROPE_DAEMON", "never");
    let status = world.toprope(&["status"]).ok();
    insta::assert_snapshot!(status.lines().next().unwrap(), @"hooks       not installed here, so no agent is seen or stopped: toprope init");
    let world = installed();
    let first = |world: &World| world.toprope(&["status"]).ok().lines().next().unwrap().to_owned();
    assert!(first(&world).starts_with("project"), "{}", first(&world));
    let policies = |world: &World| {
        let status = world.toprope(&["status"]).ok();
        let mut lines = status.lines();
        let found = lines.find(|line| line.starts_with("policies"));
        found.unwrap().to_owned()
    };
    assert!(policies(&world).contains("guard enforce"));
    world.has_settings("guard.mode = \"off\"\n");
    assert!(policies(&world).contains("guard off"), "{}", policies(&world));
    insta::assert_snapshot!(check(&world, "guard").join("\n"), @"warn off: nothing is stopped but what no setting allows | toprope config set guard.mode enforce");
    world.has_settings("profile = \"observe\"\n");
    assert!(policies(&world).contains("guard observe"), "{}", policies(&world));
    insta::assert_snapshot!(check(&world, "guard").join("\n"), @"ok observe: commands are judged and recorded, none is stopped | -");
}

#[test]
fn a_daemon_that_cannot_start_is_a_failure_with_its_cause() {
    let world = installed();
    world.toprope(&["daemon", "stop"]).ok();
    assert_eq!(
        check(&world, "daemon"),
        ["ok not running; the next hook starts it | -"]
    );
    let world = world.with("XDG_RUNTIME_DIR", "/dev/null");
    let said = check(&world, "daemon").join("\n");
    assert!(
        said.starts_with(
            "fail cannot start, so every hook decides alone: cannot make the folder /dev/null/toprope"
        ),
        "{said}"
    );
}
