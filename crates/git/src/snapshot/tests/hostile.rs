//! Working trees that want to hang, mislead or overwhelm us.

use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;

use super::*;
use crate::fixture::make_pipe;

#[test]
fn a_pipe_or_a_socket_in_a_files_place_is_said_and_the_old_entry_stays() {
    let mut world = World::new(&[]);
    world.remove("file");
    world.remove("same");
    make_pipe(&world.file("file"));
    let _socket = UnixListener::bind(world.file("same")).unwrap();
    make_pipe(&world.file("untracked pipe"));
    let snapshot = world.snapshot();
    assert_eq!(
        snapshot.skipped,
        [
            (path("file"), Skip::Special("a named pipe")),
            (path("same"), Skip::Special("a socket"))
        ]
    );
    assert_eq!(
        snapshot.files.to_string(),
        world.git(&["rev-parse", "HEAD^{tree}"])
    );
}

#[test]
fn an_attribute_file_that_is_a_pipe_or_a_link_is_not_waited_for() {
    let world = World::new(&[]);
    make_pipe(&world.file("folder/.gitattributes"));
    symlink("/dev/zero", world.file(".gitattributes")).unwrap();
    world.write("folder/new", "x\r\n");
    // Git itself would wait for the pipe, so it is not asked.
    let (worktree, settings) = (world.worktree(), world.settings());
    let mut capture = Capture::new(&world.shadow, &worktree, &settings, &world.rules).unwrap();
    let Captured::Is(seen) = capture.take(&path("folder/new"), None).unwrap() else {
        panic!("it is there");
    };
    assert_eq!(seen.state.bytes(), seen.state.entry().map(|entry| entry.id));
}

#[test]
fn a_folder_replaced_by_a_link_is_the_deletion_of_its_files_and_a_new_link() {
    let mut world = World::new(&[]);
    world.bench.write("outside/inner", "secret\n");
    fs_err::remove_dir_all(world.file("folder")).unwrap();
    symlink("../outside", world.file("folder")).unwrap();
    let snapshot = world.agrees();
    assert_eq!(
        snapshot.states.get(&path("folder/inner")),
        Some(&PathState::Absent)
    );
    assert_eq!(
        snapshot
            .states
            .get(&path("folder"))
            .unwrap()
            .entry()
            .unwrap()
            .mode,
        EntryMode::Link
    );
    let (worktree, settings) = (world.worktree(), world.settings());
    let mut capture = Capture::new(&world.shadow, &worktree, &settings, &world.rules).unwrap();
    assert_eq!(
        capture.take(&path("folder/untracked"), None).unwrap(),
        Captured::Skipped(Skip::ThroughLink)
    );
}

#[test]
fn a_file_whose_deletion_is_staged_does_not_come_back_when_its_folder_becomes_a_link() {
    let mut world = World::new(&[]);
    fs_err::remove_dir_all(world.file("folder")).unwrap();
    world.git(&["add", "-A"]);
    symlink("elsewhere", world.file("folder")).unwrap();
    let snapshot = world.agrees();
    assert_eq!(
        snapshot.states.get(&path("folder/inner")),
        Some(&PathState::Absent)
    );
    assert_eq!(snapshot.skipped, []);
}

#[test]
fn a_file_of_60_mb_is_not_read_and_its_old_entry_stays() {
    let mut world = World::new(&[]);
    for name in ["file", "new"] {
        let file = fs_err::OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(world.file(name))
            .unwrap();
        file.set_len(60 * MEBI).unwrap();
    }
    let large = Skip::TooLarge {
        size: 60 * MEBI,
        limit: 50 * MEBI,
    };
    let read_before = bytes_read();
    let snapshot = world.snapshot();
    assert_eq!(
        snapshot.skipped,
        [(path("file"), large.clone()), (path("new"), large)]
    );
    assert_eq!(
        snapshot.files.to_string(),
        world.git(&["rev-parse", "HEAD^{tree}"])
    );
    let read = bytes_read()
        .zip(read_before)
        .map(|(after, before)| after - before);
    assert!(read.is_none_or(|bytes| bytes < 50 * MEBI), "{read:?}");
}

/// What this thread has read so far, where the system tells.
fn bytes_read() -> Option<u64> {
    let text = fs_err::read_to_string("/proc/thread-self/io").ok()?;
    text.lines()
        .find_map(|line| line.strip_prefix("rchar: ")?.parse().ok())
}

#[test]
fn a_too_large_file_keeps_the_entry_of_the_checkpoint_before() {
    let mut world = World::new(&[]);
    world.write("new", "small\n");
    let first = world.agrees();
    world.previous = Some(first.files);
    world.rules.max_file = 10;
    world.write("new", "larger than it may be\n");
    let second = world.snapshot();
    assert_eq!(second.files, first.files);
    assert_eq!(
        second.skipped,
        [(path("new"), Skip::TooLarge { size: 22, limit: 10 })]
    );
}

#[test]
fn a_checkpoint_takes_no_more_than_it_may_and_what_it_has_already_is_free() {
    let mut world = World::new(&[]);
    world.rules.max_total = 20;
    world.write("a", "a".repeat(15));
    world.write("b", "b".repeat(15));
    world.write("c", "c");
    let first = world.snapshot();
    assert_eq!(first.skipped, [(path("b"), Skip::BeyondTotal)]);
    assert!(first.states.contains_key(&path("c")));
    world.cache = StatCache::default();
    assert_eq!(world.snapshot().skipped, []);
}

#[test]
fn what_the_settings_exclude_is_not_captured() {
    let mut world = World::new(&[]);
    (world.rules.exclude, _) = Exclude::new(&["*.key", "folder"]);
    world.write("a.key", "secret\n");
    world.write("folder/inner", "changed\n");
    let snapshot = world.snapshot();
    assert_eq!(
        snapshot.skipped,
        [
            (path("a.key"), Skip::Excluded),
            (path("folder/inner"), Skip::Excluded)
        ]
    );
    assert_eq!(
        snapshot.files.to_string(),
        world.git(&["rev-parse", "HEAD^{tree}"])
    );
}

#[test]
fn a_file_that_may_not_be_read_is_skipped() {
    // The superuser may read everything; then there is nothing to see.
    if rustix::process::geteuid().is_root() {
        eprintln!("not shown: running as root");
        return;
    }
    let mut world = World::new(&[]);
    world.write("new", "secret\n");
    let status = Command::new("chmod")
        .arg("000")
        .arg(world.file("new"))
        .status()
        .unwrap();
    assert!(status.success());
    let snapshot = world.snapshot();
    assert_eq!(
        snapshot.skipped,
        [(path("new"), Skip::Unreadable("permission denied".to_owned()))]
    );
}

#[test]
fn files_that_somebody_rewrites_all_the_time_are_captured_as_something_they_were() {
    let mut world = World::new(&[]);
    let names = ["a", "b", "c"];
    let is_done = std::sync::atomic::AtomicBool::new(false);
    let file = world.file("");
    let started = std::sync::Barrier::new(2);
    std::thread::scope(|threads| {
        threads.spawn(|| {
            for round in 0_u32.. {
                for name in names {
                    fs_err::write(file.join(name), format!("{round}\n").repeat(1000)).unwrap();
                }
                if round == 0 {
                    started.wait();
                }
                if is_done.load(std::sync::atomic::Ordering::Acquire) {
                    break;
                }
            }
        });
        started.wait();
        let (worktree, settings, scan) = (world.worktree(), world.settings(), world.scan());
        let sources = SnapshotSources {
            shadow: &world.shadow,
            worktree: &worktree,
            settings: &settings,
            rules: &world.rules,
            scan: &scan,
            previous: &|_| None,
            now_ms: 0,
        };
        let snapshot = Snapshot::take(&sources, &mut world.cache);
        is_done.store(true, std::sync::atomic::Ordering::Release);
        assert_eq!(snapshot.unwrap().states.len(), names.len());
    });
}
