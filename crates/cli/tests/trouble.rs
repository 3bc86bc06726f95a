//! A database that cannot be written: hooks answer, safety is still judged, the person is told once, nothing is
//! overwritten, and all is well again when the trouble is gone.
// Lets helpers fail as loudly as the tests they help.
#![cfg(test)]

use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use testkit::{Database, Output, World, eventually, process, skip};

fn world() -> World {
    World::new(env!("CARGO_BIN_EXE_toprope"))
}

/// A world with a past, whose daemon has left.
fn world_with_a_past() -> World {
    let world = world();
    world.agent("past").is_asked("hello").ok();
    world.toprope(&["daemon", "stop"]).ok();
    world
}

/// What a person is shown of an answer beside what was stopped.
fn told(output: &Output) -> String {
    let answer = output.json().unwrap_or_default();
    let lines = answer["systemMessage"].as_str().unwrap_or_default().lines();
    let lines: Vec<&str> = lines
        .filter(|line| !line.starts_with("Toprope stopped "))
        .collect();
    lines.join("\n")
}

#[track_caller]
fn assert_unrecorded(output: &Output, trouble: &str) {
    assert_eq!(output.code, Some(0), "{}", output.whole());
    assert_eq!(
        output.stderr,
        format!("toprope: this event was not recorded: {trouble}\n")
    );
}

#[track_caller]
fn assert_unanswered(output: &Output, trouble: &str) {
    assert_eq!(output.code, Some(0), "{}", output.whole());
    assert_eq!(
        output.stderr,
        format!(
            "toprope: the daemon has this event but did not answer in time; it was judged without the record: {trouble}\n"
        )
    );
}

fn sentence(trouble: &str) -> String {
    format!(
        "toprope cannot write down what this session does: {trouble}. Safety checks still run; `toprope doctor` says more."
    )
}

/// The promise as a whole, for a session that starts in trouble and one that is met by it.
#[track_caller]
fn assert_safe(world: &World, trouble: &str) {
    let fresh = world.agent("fresh");
    let output = fresh.starts();
    assert_unrecorded(&output, trouble);
    assert_eq!(told(&output), sentence(trouble));
    for session in ["fresh", "past"] {
        let output = world.agent(session).runs("t1", "rehearse:deny danger");
        assert_unrecorded(&output, trouble);
        assert_eq!(
            output.denial().as_deref(),
            Some("rehearsed denial: danger"),
            "safety is judged"
        );
        let expected = if session == "past" {
            sentence(trouble)
        } else {
            String::new()
        };
        assert_eq!(told(&output), expected, "told once: {session}");
        let output = world.agent(session).is_asked("go on");
        assert_unrecorded(&output, trouble);
        assert_eq!(told(&output), "", "told once: {session}");
    }
}

/// Once the trouble is gone, events are recorded again, by a daemon.
#[track_caller]
fn assert_well(world: &World) {
    let output = world.agent("after").runs("t1", "rehearse:deny again");
    assert_eq!(output.denial().as_deref(), Some("rehearsed denial: again"));
    assert_eq!((output.stderr.as_str(), told(&output).as_str()), ("", ""));
    assert_eq!(world.daemons().len(), 1);
    let database = world.database();
    assert_eq!(database.damage(), Vec::<String>::new());
    let row =
        "SELECT outcome FROM events JOIN actors ON actors.id = actor_id WHERE client_session_id = 'after'";
    assert_eq!(database.rows(row), ["deny"]);
}

fn bytes(world: &World) -> Vec<u8> {
    fs_err::read(world.database_file()).unwrap()
}

/// Puts bytes in the database's place, together with nothing else.
fn replace_database(world: &World, bytes: &[u8]) {
    for end in ["-wal", "-shm"] {
        let mut beside = world.database_file().into_os_string();
        beside.push(end);
        let _ = fs_err::remove_file(PathBuf::from(beside));
    }
    fs_err::write(world.database_file(), bytes).unwrap();
}

#[test]
fn a_file_that_is_no_database() {
    let world = world_with_a_past();
    let garbage = b"these are not the bytes of a database, whatever you may think of them ".repeat(300);
    replace_database(&world, &garbage);
    assert_safe(&world, "the database file is damaged");
    assert_eq!(bytes(&world), garbage, "nothing is overwritten");
    fs_err::rename(world.database_file(), world.state().join("aside")).unwrap();
    assert_well(&world);
}

#[test]
fn a_database_that_lost_its_second_half() {
    let world = world_with_a_past();
    let whole = bytes(&world);
    let half = &whole[..whole.len() / 2];
    replace_database(&world, half);
    assert_safe(&world, "the database file is damaged");
    assert!(bytes(&world) == half, "nothing is overwritten");
    replace_database(&world, &whole);
    assert_well(&world);
}

#[test]
fn a_database_of_a_later_version() {
    let world = world_with_a_past();
    let known = world.database().number("PRAGMA user_version");
    let set = |version: i64| {
        let database = world.database();
        database.run(&format!(
            "UPDATE meta SET value = {version} WHERE name = 'oldest_reader'"
        ));
        database.run(&format!(
            "PRAGMA user_version = {version}; PRAGMA wal_checkpoint(TRUNCATE)"
        ));
    };
    let oldest_reader = world
        .database()
        .number("SELECT value FROM meta WHERE name = 'oldest_reader'");
    set(known + 7);
    let before = bytes(&world);
    assert_safe(
        &world,
        &format!(
            "database is at schema {}, this binary knows up to {known}",
            known + 7
        ),
    );
    assert!(bytes(&world) == before, "nothing is overwritten");
    set(oldest_reader);
    world.database().run(&format!("PRAGMA user_version = {known}"));
    assert_well(&world);
}

#[test]
fn a_database_that_another_program_keeps_locked() {
    let world = world_with_a_past();
    let trouble = "another program kept the database locked for too long";
    let holder = world.database();
    holder.run("BEGIN EXCLUSIVE");
    let began = Instant::now();
    std::thread::scope(|scope| {
        let starting = scope.spawn(|| world.agent("fresh").starts());
        let denied = scope.spawn(|| world.agent("past").runs("t1", "rehearse:deny danger"));
        let output = starting.join().unwrap();
        assert_unrecorded(&output, trouble);
        assert_eq!(told(&output), sentence(trouble));
        let output = denied.join().unwrap();
        assert_unrecorded(&output, trouble);
        assert_eq!(output.denial().as_deref(), Some("rehearsed denial: danger"));
        assert_eq!(told(&output), sentence(trouble));
    });
    assert!(
        began.elapsed() < Duration::from_secs(12),
        "bounded: {:?}",
        began.elapsed()
    );
    holder.run("ROLLBACK");
    assert_well(&world);
}

#[test]
fn a_lock_that_comes_while_the_daemon_serves() {
    let world = world().with("TOPROPE_DEADLINE_MS", "300");
    let daemon = world.start_daemon(&[]);
    let holder = world.database();
    holder.run("BEGIN EXCLUSIVE");
    let output = world.agent("s1").runs("t1", "rehearse:deny danger");
    assert_eq!(output.denial().as_deref(), Some("rehearsed denial: danger"));
    assert_unanswered(&output, "another program kept the database locked for too long");
    holder.run("ROLLBACK");
    assert_well(&world);
    assert_eq!(world.daemons(), [daemon]);
}

/// The daemon has what it was sent, and goes on with it: nobody may say that it is lost.
#[test]
fn an_event_that_a_daemon_standing_still_has_is_not_called_lost() {
    let trouble = "another program kept the database locked for too long";
    let world = world().with("TOPROPE_DEADLINE_MS", "300");
    let daemon = world.start_daemon(&[]);
    process::pause(daemon);
    let holder = world.database();
    holder.run("BEGIN EXCLUSIVE");
    let output = world.agent("s1").runs("t1", "rehearse:deny danger");
    assert_eq!(output.denial().as_deref(), Some("rehearsed denial: danger"));
    assert_unanswered(&output, trouble);
    assert_eq!(
        told(&output),
        format!(
            "toprope's daemon does not answer, and the record cannot be used without it: {trouble}. Safety checks still run; `toprope doctor` says more."
        )
    );
    holder.run("ROLLBACK");
    process::go_on(daemon);
    eventually("the daemon records it", || {
        (world.database().rows("SELECT outcome FROM events") == ["deny"]).then_some(())
    });
}

/// A small file system of its own under the state folder.
struct Mount(PathBuf);

impl Mount {
    /// `None`, and a word about it, where this machine does not let us.
    fn over_state_of(world: &World) -> Option<Self> {
        let folder = world.state();
        fs_err::create_dir_all(&folder).unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=2m,mode=700", "toprope-test"])
            .arg(&folder)
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success());
        if !mounted {
            skip("full-disk", "no file system can be mounted here");
        }
        mounted.then(|| Self(folder))
    }

    fn remount(&self, how: &str) {
        let option = format!("remount,{how}");
        let done = Command::new("mount")
            .args(["-o", &option])
            .arg(&self.0)
            .status()
            .unwrap();
        assert!(done.success());
    }

    /// Takes all the room that is left.
    fn fill(&self) -> PathBuf {
        let filler = self.0.join("filler");
        assert!(fs_err::write(&filler, vec![0; 4 * 1024 * 1024]).is_err());
        filler
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        // Lazily: a daemon may still stand in it.
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

#[test]
fn a_disk_that_is_full_from_the_start() {
    let world = world();
    let Some(disk) = Mount::over_state_of(&world) else {
        return;
    };
    let filler = disk.fill();
    assert_safe(&world, "the disk has no room left for the database");
    fs_err::remove_file(filler).unwrap();
    assert_well(&world);
}

#[test]
fn a_disk_that_fills_up_while_the_daemon_serves() {
    let world = world();
    let Some(disk) = Mount::over_state_of(&world) else {
        return;
    };
    world.agent("past").is_asked("hello").ok();
    let filler = disk.fill();
    let mut unrecorded = 0;
    for number in 0..200 {
        let output = world
            .agent("past")
            .runs(&format!("t{number}"), &format!("rehearse:deny {number}"));
        assert_eq!(output.code, Some(0));
        assert_eq!(output.denial(), Some(format!("rehearsed denial: {number}")));
        unrecorded += i64::from(!output.stderr.is_empty());
        if unrecorded == 3 {
            break;
        }
    }
    assert_eq!(unrecorded, 3, "the disk was full at some point");
    fs_err::remove_file(filler).unwrap();
    assert_well(&world);
    let database = world.database();
    assert_eq!(
        database.number("SELECT count(*) FROM events WHERE reply_exit IS NULL"),
        0,
        "no half events"
    );
}

#[test]
fn a_folder_that_cannot_be_written() {
    let world = world();
    let Some(disk) = Mount::over_state_of(&world) else {
        return;
    };
    world.agent("past").is_asked("hello").ok();
    world.toprope(&["daemon", "stop"]).ok();
    let before = bytes(&world);
    disk.remount("ro");
    let output = world.agent("fresh").starts();
    assert_eq!(output.code, Some(0));
    assert!(
        output
            .stderr
            .starts_with("toprope: this event was not recorded: the database"),
        "{}",
        output.whole()
    );
    assert!(
        told(&output).starts_with("toprope cannot write down what this session does"),
        "{}",
        output.whole()
    );
    let output = world.agent("fresh").runs("t1", "rehearse:deny danger");
    assert_eq!(output.denial().as_deref(), Some("rehearsed denial: danger"));
    assert_eq!(told(&output), "");
    disk.remount("rw");
    assert!(bytes(&world) == before);
    assert_well(&world);
}

/// Removes the state folder, though the daemon may write a last line into it meanwhile.
fn remove_state(world: &World) {
    eventually("the folder is gone", || {
        fs_err::remove_dir_all(world.state()).ok()
    });
}

#[test]
fn a_database_that_was_removed_under_the_daemon() {
    let world = world();
    world.agent("past").is_asked("hello").ok();
    remove_state(&world);
    let output = world.agent("s1").runs("t1", "rehearse:deny danger");
    assert_eq!(output.denial().as_deref(), Some("rehearsed denial: danger"));
    let events = Database::open(&world.database_file()).number("SELECT count(*) FROM events");
    assert_eq!(
        events, 1,
        "what happens after the removal is recorded where people look for it"
    );
}

#[test]
fn a_database_that_was_removed_under_a_daemon_whose_socket_stayed() {
    let world = world();
    let runtime = world.root().join("runtime");
    fs_err::create_dir_all(&runtime).unwrap();
    let world = world.with("XDG_RUNTIME_DIR", runtime.to_str().unwrap());
    world.agent("past").is_asked("hello").ok();
    remove_state(&world);
    for number in 0..3 {
        let output = world
            .agent("s1")
            .runs(&format!("t{number}"), "rehearse:deny danger");
        assert_eq!(output.denial().as_deref(), Some("rehearsed denial: danger"));
    }
    let rows = Database::open(&world.database_file()).number("SELECT count(*) FROM events");
    assert_eq!(
        rows, 3,
        "what happens after the removal is recorded where people look for it"
    );
}

#[test]
fn a_large_event_that_cannot_be_spooled_is_still_judged() {
    let world = world();
    fs_err::create_dir_all(world.state()).unwrap();
    fs_err::write(world.state().join("spool"), "no folder").unwrap();
    let output = large(&world, 33);
    assert_eq!(output.denial().as_deref(), Some("rehearsed denial: large"));
}

#[test]
fn a_hundred_megabytes_are_judged_and_leave_nothing_behind() {
    let world = world();
    let output = large(&world, 100);
    assert_eq!(output.denial().as_deref(), Some("rehearsed denial: large"));
    assert_eq!(output.stderr, "");
    assert_eq!(world.database().rows("SELECT outcome FROM events"), ["deny"]);
    assert_eq!(files_in(&world.state().join("spool")), 0);
    let kept = world.database().number("SELECT max(length(body)) FROM payloads");
    assert!(kept < 128 * 1024, "{kept} bytes kept");
}

/// The figures come from the daemon itself; how soon it is depends on the machine (5 s on a quiet one).
#[test]
fn a_daemon_gives_the_memory_of_a_large_event_back() {
    const MEGABYTES: u64 = 40;
    // The daemon answers itself, however long that takes here.
    let world = world().with("TOPROPE_DEADLINE_MS", "120000");
    world.start_daemon(&[]);
    let resident = || world.daemon().unwrap()["resident_kib"].as_u64().unwrap() * 1024 / 1_000_000;
    // One long text, and many short ones, which the allocator would rather keep.
    let long = json!({ "command": "rehearse:deny large", "filler": "x".repeat(100_000_000) });
    let many = json!({ "command": "rehearse:deny large", "filler": vec!["abc"; 3_000_000] });
    for (call, input) in [("t1", long), ("t2", many)] {
        world.agent("s1").before(call, "Bash", &input);
        let mut kept = 0;
        let given_back = (0..600).any(|_| {
            kept = resident();
            testkit::tick();
            kept < MEGABYTES
        });
        assert!(given_back, "{call}: {kept} MB kept");
    }
}

fn large(world: &World, mebibytes: usize) -> Output {
    let filler = "x".repeat(mebibytes * 1024 * 1024);
    world.agent("s1").before(
        "t1",
        "Bash",
        &json!({ "command": "rehearse:deny large", "filler": filler }),
    )
}

fn files_in(folder: &Path) -> usize {
    fs_err::read_dir(folder).map_or(0, Iterator::count)
}
