//! Another user of the machine: kept out by the folder, and refused even where somebody opened it.
// Lets helpers fail as loudly as the tests they help.
#![cfg(test)]

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use testkit::{Output, World, eventually, run, skip};

/// The traditional number of `nobody`.
const OTHER: u32 = 65_534;

/// A world that others can look into, down to the binary; its state folder is as the daemon made it.
fn shared_world() -> Option<World> {
    if !rustix::process::getuid().is_root() {
        skip("other-user", "only root can become another user");
        return None;
    }
    let mut world = World::new(env!("CARGO_BIN_EXE_toprope"));
    world.install(env!("CARGO_BIN_EXE_toprope"));
    open(world.root());
    world.start_daemon(&[]);
    Some(world)
}

fn open(path: &Path) {
    fs_err::set_permissions(path, Permissions::from_mode(0o777)).unwrap();
}

/// Runs the binary as the other user, and clears what that one keeps among the temporary files.
fn as_other(world: &World, arguments: &[&str], payload: &[u8]) -> Output {
    let mut command = world.command(arguments);
    command.uid(OTHER).gid(OTHER).env("HOME", "/");
    let output = run(command, payload);
    let _ = fs_err::remove_dir_all(format!("/tmp/toprope-{OTHER}"));
    output
}

const STOP: &[u8] = br#"{"session_id":"intruder","hook_event_name":"Stop"}"#;

#[test]
fn another_user_finds_no_door() {
    let Some(world) = shared_world() else { return };
    let mode = |path: &Path| fs_err::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&world.state()), 0o700);
    for file in fs_err::read_dir(world.state()).unwrap() {
        let file = file.unwrap().path();
        assert_eq!(mode(&file) & 0o077, 0, "{}", file.display());
    }
    assert_eq!(as_other(&world, &["daemon", "status"], b"").code, Some(3));
}

#[test]
fn another_user_is_refused_even_where_the_door_was_opened() {
    let Some(world) = shared_world() else { return };
    let daemon = world.daemons();
    open(&world.state());
    open(&world.socket());
    assert_eq!(
        as_other(&world, &["daemon", "status"], b"").code,
        Some(3),
        "it gets no answer"
    );
    assert_ne!(as_other(&world, &["daemon", "stop"], b"").code, None);
    let hook = as_other(
        &world,
        &["hook", "claude-code", "--home", world.state().to_str().unwrap()],
        STOP,
    );
    assert_eq!(hook.code, Some(0), "its own hook still answers");
    let reason = format!("the folder {} is not ours alone", world.state().display());
    assert_eq!(
        hook.stderr,
        format!("toprope: this event was not recorded: {reason}\n")
    );
    eventually("the daemon says who was refused", || {
        let log = fs_err::read_to_string(world.state().join("daemon.log")).ok()?;
        log.contains("the other side is another user").then_some(())
    });
    assert_eq!(world.daemons(), daemon, "the daemon stays");
    assert_eq!(
        world.database().number("SELECT count(*) FROM events"),
        0,
        "nothing of it is recorded"
    );
}

#[test]
fn the_owner_is_served_as_ever() {
    let Some(world) = shared_world() else { return };
    open(&world.state());
    open(&world.socket());
    as_other(
        &world,
        &["hook", "claude-code", "--home", world.state().to_str().unwrap()],
        STOP,
    );
    let output = world.agent("mine").is_asked("hello");
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""));
    let sessions = world.database().rows("SELECT client_session_id FROM sessions");
    assert_eq!(sessions, ["mine"]);
}
