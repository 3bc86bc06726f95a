//! `toprope config`, `trust` and `daemon`: what a person reads.

use std::fs::Permissions;
use std::os::unix::fs::{PermissionsExt, symlink};
use testkit::{World, process};

const BINARY: &str = env!("CARGO_BIN_EXE_toprope");

/// The whole output with what differs from run to run named instead.
fn shown(world: &World, arguments: &[&str]) -> String {
    let output = world.toprope(arguments).whole();
    let output = output.replace(&*world.repo().to_string_lossy(), "[repo]");
    output.replace(&*world.home().to_string_lossy(), "[home]")
}

#[test]
fn every_setting_is_shown_with_where_it_comes_from() {
    let world = World::new(BINARY).with("TOPROPE_STRUCTURE_TIMEOUT_MS", "80");
    world.has_settings("structure.timeout_ms = 70\n");
    fs_err::write(
        world.repo().join("toprope.toml"),
        "[structure]\nmax_chars = 500\n",
    )
    .unwrap();
    insta::assert_snapshot!(shown(&world, &["config", "show", "--origin"]), @r#"
    exit 0
    --- stdout
    enabled = true                                                 # built-in (standard)
    profile = "standard"                                           # built-in (standard)
    protected_branches = ["main", "master", "trunk", "release/*"]  # built-in (standard)
    context.budget = 9000                                          # built-in (standard)
    structure.mode = "advise"                                      # built-in (standard)
    structure.max_chars = 500                                      # project [repo]/toprope.toml:2
    structure.timeout_ms = 70                                      # user [home]/.config/toprope/config.toml:1
    checkpoints.enabled = true                                     # built-in (standard)
    checkpoints.strategy = "shadow"                                # built-in (standard)
    checkpoints.steps = "batch"                                    # built-in (standard)
    checkpoints.concurrent = "advise"                              # built-in (standard)
    checkpoints.transcript = true                                  # built-in (standard)
    checkpoints.capture_ignored = true                             # built-in (standard)
    checkpoints.exclude = []                                       # built-in (standard)
    checkpoints.keep_last = 20                                     # built-in (standard)
    checkpoints.commit.git_hooks = true                            # built-in (standard)
    checkpoints.commit.sign = false                                # built-in (standard)
    checkpoints.commit.timeout_ms = 10000                          # built-in (standard)
    checkpoints.max_file_mb = 50                                   # built-in (standard)
    checkpoints.max_checkpoint_mb = 500                            # built-in (standard)
    checkpoints.max_store_mb = 2048                                # built-in (standard)
    checkpoints.max_files_without_git = 20000                      # built-in (standard)
    checkpoints.barrier_ms = 200                                   # built-in (standard)
    checkpoints.baseline_wait_ms = 2000                            # built-in (standard)
    checkpoints.scan_budget_ms = 250                               # built-in (standard)
    checkpoints.scan_timeout_ms = 20000                            # built-in (standard)
    checkpoints.keep_steps_hours = 24                              # built-in (standard)
    checkpoints.retention_days = 30                                # built-in (standard)
    guard.mode = "enforce"                                         # built-in (standard)
    guard.opaque = "silent"                                        # built-in (standard)
    guard.packs.core.filesystem = "enforce"                        # built-in (standard)
    guard.packs.core.git = "enforce"                               # built-in (standard)
    guard.packs.workflow.git = "enforce"                           # built-in (standard)
    guard.packs.exec = "enforce"                                   # built-in (standard)
    guard.packs.secrets = "enforce"                                # built-in (standard)
    guard.packs.system = "enforce"                                 # built-in (standard)
    guard.packs.packages = "enforce"                               # built-in (standard)
    guard.packs.databases = "enforce"                              # built-in (standard)
    guard.packs.containers = "enforce"                             # built-in (standard)
    guard.packs.kubernetes = "enforce"                             # built-in (standard)
    guard.packs.cloud = "enforce"                                  # built-in (standard)
    guard.packs.terraform = "enforce"                              # built-in (standard)
    guard.scratch_dir = ""                                         # built-in (standard)
    guard.attended = "auto"                                        # built-in (standard)
    guard.scripts = "session"                                      # built-in (standard)
    guard.regenerable = ["target", "node_modules", "dist", "build", "out", ".venv", "venv", "__pycache__", ".next", ".nuxt", ".turbo", ".parcel-cache", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".tox", ".gradle", "coverage", "htmlcov", ".cache", ".nyc_output", "*.egg-info", "*.pyc", "*.o", "*.class", "*.tsbuildinfo"]  # built-in (standard)
    guard.created = "silent"                                       # built-in (standard)
    guard.retry_after_ms = 2000                                    # built-in (standard)
    guard.checkpoint_wait_ms = 5000                                # built-in (standard)
    guard.capture_limit_mb = 64                                    # built-in (standard)
    guard.approval_minutes = 15                                    # built-in (standard)
    guard.on_failure = "open"                                      # built-in (standard)
    guard.budget.bytes = 1048576                                   # built-in (standard)
    guard.budget.nodes = 20000                                     # built-in (standard)
    guard.budget.depth = 64                                        # built-in (standard)
    guard.budget.words = 4096                                      # built-in (standard)
    guard.budget.reparse = 8                                       # built-in (standard)
    guard.budget.scripts = 8                                       # built-in (standard)
    lease.mode = "enforce"                                         # built-in (standard)
    lease.include = ["**"]                                         # built-in (standard)
    lease.exclude = [".git/**"]                                    # built-in (standard)
    lease.until = "turn"                                           # built-in (standard)
    lease.idle_minutes = 10                                        # built-in (standard)
    lease.max_hours = 4                                            # built-in (standard)
    lease.offer_seconds = 120                                      # built-in (standard)
    lease.bash = "enforce"                                         # built-in (standard)
    lease.bulk_mode = "enforce"                                    # built-in (standard)
    lease.bulk = []                                                # built-in (standard)
    lease.forecast = "advise"                                      # built-in (standard)
    stale_write.mode = "enforce"                                   # built-in (standard)
    stale_write.changes = "advise"                                 # built-in (standard)
    stale_write.max_mib = 8                                        # built-in (standard)
    skills.mode = "advise"                                         # built-in (standard)
    skills.dirs = []                                               # built-in (standard)
    actors.export_env = false                                      # built-in (standard)
    log.keep_days = 30                                             # built-in (standard)
    log.max_mib = 512                                              # built-in (standard)
    log.payload_kib = 64                                           # built-in (standard)
    daemon.idle_minutes = 30                                       # built-in (standard)
    --- stderr
    "#);
}

#[test]
fn a_project_that_wants_to_loosen_is_told_to_the_person() {
    let world = World::new(BINARY);
    fs_err::write(
        world.repo().join("toprope.toml"),
        "profile = \"observe\"\nstructur = 1\n",
    )
    .unwrap();
    insta::assert_snapshot!(shown(&world, &["config", "check"]), @r#"
    exit 1
    --- stdout
    warning: [repo]/toprope.toml:2:1: unknown key `structur`
    hint: did you mean `structure`?
    warning: [repo]/toprope.toml:1:1: `profile = "observe"` would protect you less, so `"standard"` stands: a project's file may only tighten it
    hint: if you want what this file says: `toprope trust [repo]/toprope.toml`
    --- stderr
    "#);
}

/// What a person is shown of an answer to a prompt.
fn told(world: &World, session: &str) -> String {
    let answer = world.agent(session).is_asked("go on").json().unwrap_or_default();
    let told = answer.get("systemMessage").and_then(serde_json::Value::as_str);
    let told = told.unwrap_or_default();
    told.replace(&*world.repo().to_string_lossy(), "[repo]")
}

#[test]
fn a_wrong_setting_is_told_to_the_person_once_a_session() {
    let world = World::new(BINARY).with("CLAUDE_CODE_SESSION_ATTENDED", "1");
    let file = world.repo().join("toprope.toml");
    fs_err::write(&file, "[lease]\nmode = \"sometimes\"\n").unwrap();
    world.agent("one").starts().ok();
    insta::assert_snapshot!(told(&world, "one"), @r#"toprope: a setting is wrong, so another value stands: [repo]/toprope.toml:2:8: `lease.mode` is `"sometimes"`, expected `off`, `advise` or `enforce`. `toprope doctor` says more."#);
    assert_eq!(told(&world, "one"), "", "once");
    assert_ne!(told(&world, "two"), "", "another session is told, too");
    fs_err::write(&file, "\n[lease]\nmode = \"sometimes\"\nidle_minutes = 0\n").unwrap();
    insta::assert_snapshot!(told(&world, "one"), @"toprope: a setting is wrong, so another value stands: [repo]/toprope.toml:4:16: `lease.idle_minutes` is `0`, expected a whole number from 1 to 240. `toprope doctor` says more.");
    assert_eq!(told(&world, "one"), "", "once");
}

#[test]
fn a_wrong_setting_is_reported_by_doctor_and_turns_nothing_off() {
    let world = World::new(BINARY);
    fs_err::write(
        world.repo().join("toprope.toml"),
        "[lease]\nmode = \"sometimes\"\nidle_minutes = 0\n",
    )
    .unwrap();
    let report = shown(&world, &["doctor"]);
    let wrong: Vec<&str> = report
        .lines()
        .filter(|line| line.contains("toprope.toml"))
        .collect();
    insta::assert_snapshot!(wrong.join("\n"), @r#"
    warn  settings  [repo]/toprope.toml:2:8: `lease.mode` is `"sometimes"`, expected `off`, `advise` or `enforce`
    warn  settings  [repo]/toprope.toml:3:16: `lease.idle_minutes` is `0`, expected a whole number from 1 to 240
    "#);
    let [one, two] = ["one", "two"].map(|session| world.agent(session));
    one.writes("a.txt", "one\n");
    let second = two.before(
        "t2",
        "Write",
        &serde_json::json!({ "file_path": world.repo().join("a.txt"), "content": "" }),
    );
    assert!(second.denial().is_some(), "{}", second.whole());
}

#[test]
fn a_setting_is_set_where_it_was_asked_for_and_comments_stay() {
    let world = World::new(BINARY);
    let file = world.repo().join("toprope.toml");
    fs_err::write(&file, "# ours\n[structure]\nmode = \"advise\" # quiet?\n").unwrap();
    insta::assert_snapshot!(shown(&world, &["config", "set", "structure.mode", "off", "--scope", "project"]), @r#"
    exit 0
    --- stdout
    set structure.mode = "off" (was "advise") in [repo]/toprope.toml
    --- stderr
    "#);
    assert_eq!(
        fs_err::read_to_string(&file).unwrap(),
        "# ours\n[structure]\nmode = \"off\" # quiet?\n"
    );
    insta::assert_snapshot!(shown(&world, &["config", "set", "structure.mode", "off", "--scope", "project"]), @r#"
    exit 0
    --- stdout
    already structure.mode = "off" in [repo]/toprope.toml
    --- stderr
    "#);
}

#[test]
fn a_wrong_key_or_value_is_refused_with_what_is_known() {
    let world = World::new(BINARY);
    insta::assert_snapshot!(shown(&world, &["config", "set", "structure.moed", "off"]), @"
    exit 2
    --- stdout
    --- stderr
    error: unknown key `structure.moed`
    hint: did you mean `structure.mode`?
    ");
    insta::assert_snapshot!(shown(&world, &["config", "set", "structure.max_chars", "many"]), @"
    exit 2
    --- stdout
    --- stderr
    error: `structure.max_chars` cannot be `many`, expected a whole number from 200 to 8000
    ");
    insta::assert_snapshot!(shown(&world, &["config", "set", "log.keep_days", "0"]), @"
    exit 2
    --- stdout
    --- stderr
    error: `log.keep_days` cannot be `0`, expected a whole number from 1 to 3650
    ");
}

#[test]
fn a_file_that_cannot_be_changed_is_a_failure_and_no_wrong_use() {
    let world = World::new(BINARY);
    let file = world.repo().join("toprope.toml");
    fs_err::write(&file, "profile = \"strict\"\n").unwrap();
    fs_err::set_permissions(&file, Permissions::from_mode(0o444)).unwrap();
    insta::assert_snapshot!(shown(&world, &["config", "set", "structure.mode", "off", "--scope", "project"]), @"
    exit 1
    --- stdout
    --- stderr
    error: [repo]/toprope.toml is read-only
    hint: `chmod u+w [repo]/toprope.toml`
    ");
}

#[test]
fn the_files_that_count_are_named() {
    let world = World::new(BINARY);
    insta::assert_snapshot!(shown(&world, &["config", "path"]), @"
    exit 0
    --- stdout
    user     [home]/.config/toprope/config.toml  (not there)
    project  [repo]/toprope.toml  (not there)
    local    [repo]/toprope.local.toml  (not there)
    --- stderr
    ");
}

#[test]
fn trust_is_for_a_person_at_a_terminal() {
    let world = World::new(BINARY);
    fs_err::write(world.repo().join("toprope.toml"), "enabled = false\n").unwrap();
    insta::assert_snapshot!(shown(&world, &["trust"]), @"
    exit 5
    --- stdout
    --- stderr
    error: this is for a person at a terminal
    hint: run it yourself, in a terminal of your own
    ");
    insta::assert_snapshot!(shown(&world, &["trust", "--list"]), @"
    exit 0
    --- stdout
    --- stderr
    nothing is trusted
    ");
}

/// Runs a command as a person would, at a terminal.
fn at_a_terminal(world: &World, arguments: &str) -> String {
    let output = world.shell(&format!("script -qec '{BINARY} {arguments}' /dev/null"));
    output
        .stdout
        .replace('\r', "")
        .replace(&*world.repo().to_string_lossy(), "[repo]")
}

#[test]
fn a_trusted_file_may_loosen_until_it_changes() {
    let world = World::new(BINARY);
    let file = world.repo().join("toprope.toml");
    fs_err::write(&file, "enabled = false\n").unwrap();
    world.agent("s1").starts();
    assert_eq!(world.log().len(), 1, "not trusted: it may not switch itself off");
    assert_eq!(
        at_a_terminal(&world, "trust"),
        "trusted [repo]/toprope.toml as it is now\n"
    );
    world.agent("s1").is_asked("hello");
    assert_eq!(world.log().len(), 1, "trusted: off at once, without a restart");
    fs_err::write(&file, "enabled = false # still\n").unwrap();
    world.agent("s1").is_asked("hello again");
    assert_eq!(world.log().len(), 2, "other bytes are not what was trusted");
    assert_eq!(
        at_a_terminal(&world, "trust --revoke"),
        "[repo]/toprope.toml no longer trusted\n"
    );
}

#[test]
fn trust_in_a_file_that_is_gone_can_be_taken_back() {
    let world = World::new(BINARY);
    let file = world.repo().join("toprope.toml");
    for revoke in ["trust --revoke", "trust --revoke toprope.toml"] {
        fs_err::write(&file, "enabled = false\n").unwrap();
        at_a_terminal(&world, "trust toprope.toml");
        fs_err::remove_file(&file).unwrap();
        assert_eq!(
            at_a_terminal(&world, revoke),
            "[repo]/toprope.toml no longer trusted\n"
        );
        assert_eq!(world.toprope(&["trust", "--list"]).stdout, "");
    }
}

#[test]
fn a_link_is_trusted_under_its_own_name() {
    let world = World::new(BINARY);
    fs_err::write(world.repo().join("shared.toml"), "enabled = false\n").unwrap();
    symlink("shared.toml", world.repo().join("toprope.toml")).unwrap();
    assert_eq!(
        at_a_terminal(&world, "trust ./toprope.toml"),
        "trusted [repo]/toprope.toml as it is now\n"
    );
    world.agent("s1").starts();
    assert_eq!(world.log().len(), 0, "it may switch us off");
}

#[test]
fn the_daemon_is_started_looked_at_and_stopped() {
    let world = World::new(BINARY);
    insta::assert_snapshot!(shown(&world, &["daemon", "status"]), @"
    exit 3
    --- stdout
    no daemon is running; the next hook starts one
    --- stderr
    ");
    insta::with_settings!({ filters => vec![(r"pid \d+", "pid [pid]"), (r"\d+ s, ", "[time], "), (r"\d+ MiB", "[size]")] }, {
        insta::assert_snapshot!(shown(&world, &["daemon", "start"]), @"
        exit 0
        --- stdout
        started (pid [pid], protocol 1)
        --- stderr
        ");
        insta::assert_snapshot!(shown(&world, &["daemon", "start"]), @"
        exit 0
        --- stdout
        already serving (pid [pid], protocol 1)
        --- stderr
        ");
        insta::assert_snapshot!(shown(&world, &["daemon", "status"]), @"
        exit 0
        --- stdout
        serving (pid [pid], version 0.1.0, protocol 1): [time], 0 events, 0 agents, [size]
        --- stderr
        ");
        insta::assert_snapshot!(shown(&world, &["daemon", "stop"]), @"
        exit 0
        --- stdout
        stopped (pid [pid])
        --- stderr
        ");
    });
    insta::assert_snapshot!(shown(&world, &["daemon", "stop"]), @"
    exit 0
    --- stdout
    no daemon is running
    --- stderr
    ");
}

#[test]
fn a_daemon_that_does_not_answer_is_said_to_be_there() {
    let world = World::new(BINARY);
    let daemon = world.start_daemon(&[]);
    process::pause(daemon);
    insta::with_settings!({ filters => vec![(r"(pid|-9) \d+", "$1 [pid]")] }, {
        insta::assert_snapshot!(shown(&world, &["daemon", "status"]), @"
        exit 3
        --- stdout
        the daemon does not answer (pid [pid]); hooks decide without it
        --- stderr
        ");
        insta::assert_snapshot!(shown(&world, &["daemon", "stop"]), @"
        exit 3
        --- stdout
        --- stderr
        error: the daemon does not answer (pid [pid]); hooks decide without it
        hint: kill -9 [pid]
        ");
    });
    let told = format!("does not answer (pid {daemon}); hooks decide without it");
    for command in ["status", "doctor"] {
        let output = world.toprope(&[command]);
        assert!(output.stdout.contains(&told), "{}", output.whole());
        assert!(
            output.stdout.contains(&format!("kill -9 {daemon}")),
            "{}",
            output.whole()
        );
    }
    let status = world.toprope(&["daemon", "status", "--json"]).json();
    assert_eq!(status, Some(serde_json::json!({ "pid": daemon, "silent": true })));
    process::go_on(daemon);
    assert_eq!(world.toprope(&["daemon", "status"]).code, Some(0));
}
