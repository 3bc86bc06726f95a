use super::*;
use fs_err as fs;
use std::io::Read;
use std::os::unix::fs::symlink;
use tempfile::TempDir;

fn world() -> TempDir {
    let world = TempDir::new().unwrap();
    fs::create_dir_all(world.path().join("projects/p")).unwrap();
    fs::write(world.path().join("projects/p/s1.jsonl"), "{}\n").unwrap();
    fs::write(world.path().join("secret"), "x\n").unwrap();
    world
}

fn open(world: &TempDir, path: &str) -> Result<File, Refused> {
    let folder = world.path().join("projects");
    let source = TranscriptPath {
        path: &world.path().join(path),
        folder: Some(&folder),
    };
    source.open()
}

#[test]
fn a_file_of_ones_own_in_the_agents_folder_is_read() {
    let world = world();
    let mut text = String::new();
    open(&world, "projects/p/s1.jsonl")
        .unwrap()
        .read_to_string(&mut text)
        .unwrap();
    assert_eq!(text, "{}\n");
}

#[test]
fn a_file_that_is_not_there_yet_is_missing_not_broken() {
    let world = world();
    for path in [
        "projects/p/s2.jsonl",
        "projects/none/s1.jsonl",
        "projects/p/s1.jsonl/deeper",
        "projects/p/nul\0.jsonl",
    ] {
        assert!(matches!(open(&world, path), Err(Refused::Missing(_))), "{path:?}");
    }
}

#[test]
fn what_is_outside_the_agents_folder_is_not_read_however_it_is_spelled() {
    let world = world();
    symlink(world.path(), world.path().join("projects/up")).unwrap();
    for path in ["secret", "projects/../secret", "projects/up/secret"] {
        assert!(matches!(open(&world, path), Err(Refused::Outside(_))), "{path}");
    }
}

#[test]
fn a_folder_that_is_reached_through_a_link_is_the_agents_all_the_same() {
    let world = world();
    symlink(world.path().join("projects"), world.path().join("linked")).unwrap();
    assert!(open(&world, "linked/p/s1.jsonl").is_ok());
}

#[test]
fn a_link_in_the_files_place_is_not_followed() {
    let world = world();
    let planted = world.path().join("projects/p/link.jsonl");
    symlink(world.path().join("secret"), &planted).unwrap();
    assert!(matches!(
        open(&world, "projects/p/link.jsonl"),
        Err(Refused::Link(_))
    ));
}

#[test]
fn a_pipe_a_device_and_a_folder_are_refused_without_waiting() {
    let world = world();
    let pipe = world.path().join("projects/p/pipe.jsonl");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &pipe,
        FileType::Fifo,
        Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
    assert!(matches!(
        open(&world, "projects/p/pipe.jsonl"),
        Err(Refused::NotAFile(_))
    ));
    assert!(matches!(open(&world, "projects/p"), Err(Refused::NotAFile(_))));
    let device = TranscriptPath {
        path: Path::new("/dev/zero"),
        folder: None,
    };
    assert!(matches!(device.open(), Err(Refused::NotAFile(_))));
}

#[test]
fn a_socket_is_refused() {
    let world = world();
    let path = world.path().join("projects/p/socket.jsonl");
    let _listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
    assert!(matches!(
        open(&world, "projects/p/socket.jsonl"),
        Err(Refused::NotAFile(_))
    ));
}

#[test]
fn a_file_of_another_user_is_refused() {
    if rustix::process::geteuid().is_root() {
        let world = world();
        let path = world.path().join("projects/p/s1.jsonl");
        std::os::unix::fs::chown(&path, Some(12_345), None).unwrap();
        assert!(matches!(
            open(&world, "projects/p/s1.jsonl"),
            Err(Refused::OtherOwner(_))
        ));
    } else {
        // Somebody else's file that everybody can read.
        let others = TranscriptPath {
            path: Path::new("/etc/passwd"),
            folder: None,
        };
        assert!(matches!(others.open(), Err(Refused::OtherOwner(_))));
    }
}

#[test]
fn a_path_without_a_name_is_no_file() {
    for path in ["", "/", "/tmp/.."] {
        let source = TranscriptPath {
            path: Path::new(path),
            folder: None,
        };
        assert!(source.open().is_err(), "{path:?}");
    }
}
