//! Odd surroundings: no home, no runtime folder, paths too long, folders that cannot be written. There is always an
//! answer, and either a way to go on or a clear reason.
// Lets helpers fail as loudly as the tests they help.
#![cfg(test)]

use serde_json::json;
use std::fs::{File, Permissions};
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use testkit::{Database, Output, World, eventually, process, run, skip};

fn world() -> World {
    World::new(env!("CARGO_BIN_EXE_toprope"))
}

#[track_caller]
fn assert_served(world: &World, database: &Path) {
    let output = world.agent("s1").is_asked("hello");
    assert_eq!(
        (output.code, output.stderr.as_str()),
        (Some(0), ""),
        "{}",
        output.whole()
    );
    // The process that started it may still be on its way out.
    eventually("a daemon serves, and one alone", || {
        (world.daemons().len() == 1).then_some(())
    });
    let prompts = "SELECT count(*) FROM events WHERE event = 'UserPromptSubmit'";
    assert_eq!(Database::open(database).number(prompts), 1);
}

#[track_caller]
fn assert_recorded_without_a_daemon(world: &World) {
    let output = world.agent("s1").is_asked("hello");
    assert_eq!(
        (output.code, output.stderr.as_str()),
        (Some(0), ""),
        "{}",
        output.whole()
    );
    assert_eq!(world.daemons(), Vec::<u32>::new());
    assert_eq!(world.database().number("SELECT count(*) FROM events"), 1);
}

fn is_socket(path: &Path) -> bool {
    fs_err::metadata(path).is_ok_and(|found| found.file_type().is_socket())
}

fn lock(world: &World) -> File {
    File::open(world.state().join("daemon.lock")).unwrap()
}

#[test]
fn a_socket_that_a_dead_daemon_left_is_replaced() {
    let world = world();
    let dead = world.start_daemon(&[]);
    process::kill(dead);
    eventually("it has let go of its lock", || {
        lock(&world).try_lock_shared().ok()
    });
    assert!(is_socket(&world.socket()), "its socket is still there");
    assert_served(&world, &world.database_file());
}

#[test]
fn a_file_in_the_sockets_place_is_replaced() {
    let world = world();
    world.start_daemon(&[]);
    let socket = world.socket();
    world.toprope(&["daemon", "stop"]).ok();
    fs_err::write(&socket, "not a socket").unwrap();
    assert_served(&world, &world.database_file());
}

#[test]
fn a_socket_that_was_removed_under_its_daemon_is_opened_anew_by_another() {
    let world = world();
    let orphan = world.start_daemon(&[]);
    fs_err::remove_file(world.socket()).unwrap();
    eventually("the orphan leaves", || (!process::is_alive(orphan)).then_some(()));
    assert_served(&world, &world.database_file());
}

#[test]
fn a_folder_in_the_sockets_place_keeps_the_daemon_away_and_is_no_reason_to_fail() {
    let world = world();
    world.start_daemon(&[]);
    let socket = world.socket();
    world.toprope(&["daemon", "stop"]).ok();
    fs_err::create_dir_all(socket.join("full")).unwrap();
    assert_recorded_without_a_daemon(&world);
    let log = fs_err::read_to_string(world.state().join("daemon.log")).unwrap();
    assert!(log.contains("did not start: the daemon could not start"), "{log}");
}

#[test]
fn a_state_folder_too_deep_for_a_socket_has_it_elsewhere() {
    let world = world();
    let deep = world.root().join("d".repeat(90)).join("e".repeat(90));
    let world = world.with("TOPROPE_HOME", deep.to_str().unwrap());
    assert_served(&world, &deep.join("toprope.db"));
    world.toprope(&["daemon", "stop"]).ok();
}

#[test]
fn a_runtime_folder_holds_the_socket() {
    let world = world();
    let runtime = world.root().join("run");
    fs_err::create_dir_all(&runtime).unwrap();
    let world = world.with("XDG_RUNTIME_DIR", runtime.to_str().unwrap());
    assert_served(&world, &world.database_file());
    let ours = runtime.join("toprope");
    assert_eq!(
        fs_err::metadata(&ours).unwrap().permissions().mode() & 0o777,
        0o700
    );
    let sockets: Vec<PathBuf> = fs_err::read_dir(&ours)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    assert!(sockets.len() == 1 && is_socket(&sockets[0]), "{sockets:?}");
}

#[test]
fn a_runtime_folder_that_cannot_be_written_leaves_every_hook_to_decide_itself() {
    let world = world().with("XDG_RUNTIME_DIR", "/dev/null/run");
    assert_recorded_without_a_daemon(&world);
    let start = world.toprope(&["daemon", "start"]);
    assert_eq!(start.code, Some(1));
    let log = fs_err::read_to_string(world.state().join("daemon.log")).unwrap();
    assert!(
        log.contains("did not start: cannot make the folder /dev/null/run/toprope"),
        "{log}"
    );
}

#[test]
fn a_runtime_folder_that_is_no_absolute_path_does_not_count() {
    let world = world().with("XDG_RUNTIME_DIR", "run");
    assert_served(&world, &world.database_file());
}

#[test]
fn the_folder_for_temporary_files_is_not_needed() {
    let world = world().with("TMPDIR", "/dev/null/tmp");
    assert_served(&world, &world.database_file());
}

#[test]
fn without_a_name_for_it_the_state_is_kept_below_the_home() {
    let world = world().without("TOPROPE_HOME");
    assert_served(&world, &world.home().join(".local/state/toprope/toprope.db"));
}

#[test]
fn the_folder_people_set_for_state_comes_before_the_home() {
    let world = world().without("TOPROPE_HOME");
    let state = world.root().join("xdg");
    let world = world.with("XDG_STATE_HOME", state.to_str().unwrap());
    assert_served(&world, &state.join("toprope/toprope.db"));
}

/// Whatever cannot be recorded is said with its reason, and told to the person at the start of a session.
#[track_caller]
fn assert_reason(output: &Output, reason: &str) {
    assert_eq!(output.code, Some(0), "{}", output.whole());
    assert_eq!(
        output.stderr,
        format!("toprope: this event was not recorded: {reason}\n")
    );
    let told = output.json().unwrap()["systemMessage"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(told.contains(reason), "{told}");
}

/// A session that was told nothing yet: where the state folder cannot remember it, the temporary files do.
fn unheard(world: &World) -> String {
    world.root().display().to_string()
}

#[test]
fn a_home_that_cannot_be_written_is_said() {
    let world = world().without("TOPROPE_HOME").with("HOME", "/dev/null");
    let reason = "cannot make the folder /dev/null/.local/state/toprope: Not a directory (os error 20)";
    assert_reason(&world.agent(&unheard(&world)).starts(), reason);
    assert_eq!(world.daemons(), Vec::<u32>::new());
}

#[test]
fn a_state_folder_that_is_a_file_is_said() {
    let world = world();
    fs_err::write(world.state(), "a file").unwrap();
    let reason = format!(
        "cannot make the folder {}: File exists (os error 17)",
        world.state().display()
    );
    assert_reason(&world.agent(&unheard(&world)).starts(), &reason);
    assert_eq!(fs_err::read_to_string(world.state()).unwrap(), "a file");
}

/// A process that writes beyond the limit is ended by a signal, unless it wants to hear of it.
#[test]
fn a_limit_of_file_sizes_stops_no_denial() {
    for (blocks, daemon) in [(0, "never"), (0, "auto"), (40, "never"), (40, "auto")] {
        let world = world();
        let hook = world.command(&["hook", "claude-code"]);
        let mut limited = world.person("sh");
        limited
            .args(["-c", &format!("ulimit -f {blocks}; exec \"$0\" hook claude-code")])
            .arg(hook.get_program());
        if daemon == "never" {
            limited.env("TOPROPE_DAEMON", daemon);
        }
        let call =
            json!({ "tool_name": "Bash", "tool_use_id": "t1", "tool_input": { "command": "rm -rf ~" } });
        let payload = world.agent("s1").payload("PreToolUse", &call);
        let output = run(limited, payload.to_string().as_bytes());
        let told = format!("{blocks} blocks, daemon {daemon}: {}", output.whole());
        assert_eq!(output.code, Some(0), "{told}");
        assert!(output.denial().is_some(), "{told}");
        assert_eq!(output.stderr.lines().count(), 1, "{told}");
        assert!(
            output
                .stderr
                .starts_with("toprope: this event was not recorded: "),
            "{told}"
        );
    }
}

/// A user of this machine who owns nothing; only root can become one.
struct Stranger {
    world: World,
    id: u32,
}

impl Stranger {
    fn appear(offset: u32) -> Option<Self> {
        if !rustix::process::getuid().is_root() {
            skip("odd-homes", "only root can become a user without a home");
            return None;
        }
        let mut world = world();
        world.install(env!("CARGO_BIN_EXE_toprope"));
        fs_err::set_permissions(world.root(), Permissions::from_mode(0o755)).unwrap();
        Some(Self {
            world,
            id: 1_000_000 + std::process::id() * 4 + offset,
        })
    }

    fn runs(&self, arguments: &[&str], payload: &[u8], home: Option<&Path>) -> Output {
        let mut command = self.world.command(arguments);
        command.uid(self.id).gid(self.id).current_dir("/");
        command.env_remove("TOPROPE_HOME").env_remove("HOME");
        if let Some(home) = home {
            command.env("HOME", home);
        }
        run(command, payload)
    }

    fn starts(&self, home: Option<&Path>) -> Output {
        let payload =
            json!({ "session_id": "s1", "cwd": "/", "hook_event_name": "SessionStart", "source": "startup" });
        self.runs(&["hook", "claude-code"], payload.to_string().as_bytes(), home)
    }
}

#[test]
fn without_any_home_the_state_is_kept_among_the_temporary_files() {
    let Some(stranger) = Stranger::appear(0) else {
        return;
    };
    let folder = PathBuf::from(format!("/tmp/toprope-{}", stranger.id));
    let output = stranger.starts(None);
    assert_eq!(
        (output.code, output.stderr.as_str()),
        (Some(0), ""),
        "{}",
        output.whole()
    );
    assert_eq!(
        fs_err::metadata(&folder).unwrap().permissions().mode() & 0o777,
        0o700
    );
    let events = Database::open(&folder.join("state/toprope.db")).number("SELECT count(*) FROM events");
    assert_eq!(events, 1);
    stranger.runs(&["daemon", "stop"], b"", None).ok();
    fs_err::remove_dir_all(folder).unwrap();
}

#[test]
fn a_home_of_somebody_else_is_said() {
    let Some(stranger) = Stranger::appear(1) else {
        return;
    };
    let home = stranger.world.home();
    fs_err::set_permissions(&home, Permissions::from_mode(0o555)).unwrap();
    let folder = home.join(".local/state/toprope");
    let reason = format!(
        "cannot make the folder {}: Permission denied (os error 13)",
        folder.display()
    );
    assert_reason(&stranger.starts(Some(&home)), &reason);
    let _ = fs_err::remove_dir_all(format!("/tmp/toprope-{}", stranger.id));
}

#[test]
fn commands_of_a_session_find_its_id_in_their_environment_where_that_is_wanted() {
    for daemon in ["auto", "never"] {
        let mut world = world().with("TOPROPE_DAEMON", daemon);
        let file = world.root().join("env.sh");
        world.set("CLAUDE_ENV_FILE", &file.to_string_lossy());
        world.agent("s1").starts().ok();
        assert!(!file.exists(), "nobody asked for it");
        world.has_settings("actors.export_env = true\n");
        world.agent("s2").is_asked("hello").ok();
        assert!(!file.exists(), "only a start writes it");
        world.agent("s2").starts().ok();
        assert_eq!(
            fs_err::read_to_string(&file).unwrap(),
            "export TOPROPE_SESSION=s2\n"
        );
        world.agent("s3; touch owned").starts().ok();
        assert_eq!(
            fs_err::read_to_string(&file).unwrap(),
            "export TOPROPE_SESSION=s2\n",
            "a session's id is no script"
        );
    }
}
