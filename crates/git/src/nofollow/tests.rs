use std::io::Read;
use std::os::unix::net::UnixListener;

use super::*;
use crate::fixture::{Bench, make_pipe};

fn path(text: &str) -> RepoPath {
    RepoPath::new(text).unwrap()
}

fn below(bench: &Bench) -> OpenFolder {
    OpenFolder::open_root(&bench.path("root")).unwrap()
}

fn link(bench: &Bench, target: &str, name: &str) {
    std::os::unix::fs::symlink(target, bench.path(name)).unwrap();
}

#[test]
fn a_file_in_folders_is_opened_and_described() {
    let bench = Bench::new();
    bench.write("root/a/b/file", "content");
    let below = below(&bench);
    let mut text = String::new();
    below
        .open_file(&path("a/b/file"))
        .unwrap()
        .read_to_string(&mut text)
        .unwrap();
    assert_eq!(text, "content");
    let stat = below.metadata(&path("a/b/file")).unwrap();
    assert_eq!((stat.kind, stat.size), (FileKind::File, 7));
    assert_eq!(below.metadata(&path("a/b")).unwrap().kind, FileKind::Folder);
}

#[test]
fn a_parent_that_is_a_link_is_said_so_wherever_it_leads() {
    let bench = Bench::new();
    bench.write("outside/file", "secret");
    bench.write("root/real/file", "inside");
    link(&bench, "../outside", "root/out");
    link(&bench, "real", "root/in");
    link(&bench, "nowhere", "root/dangling");
    let below = below(&bench);
    for name in ["out/file", "in/file", "dangling/file"] {
        assert!(
            matches!(below.metadata(&path(name)), Err(BelowFault::ThroughLink)),
            "{name}"
        );
        assert!(
            matches!(below.open_file(&path(name)), Err(BelowFault::ThroughLink)),
            "{name}"
        );
        assert!(
            matches!(below.parent(&path(name)), Err(BelowFault::ThroughLink)),
            "{name}"
        );
    }
}

#[test]
fn a_link_is_read_and_never_opened() {
    let bench = Bench::new();
    bench.write("root/file", "content");
    link(&bench, "file", "root/link");
    let below = below(&bench);
    assert_eq!(below.read_link(&path("link")).unwrap(), b"file");
    assert_eq!(below.metadata(&path("link")).unwrap().kind, FileKind::Link);
    assert!(matches!(
        below.open_file(&path("link")),
        Err(BelowFault::ThroughLink)
    ));
    assert!(matches!(
        below.read_link(&path("file")),
        Err(BelowFault::NotAFile)
    ));
}

#[test]
fn what_is_missing_and_what_is_a_file_instead_of_a_folder_are_told_apart() {
    let bench = Bench::new();
    bench.write("root/file", "content");
    let below = below(&bench);
    assert!(matches!(below.metadata(&path("none")), Err(BelowFault::Missing)));
    assert!(matches!(
        below.metadata(&path("none/deeper")),
        Err(BelowFault::Missing)
    ));
    assert!(matches!(
        below.metadata(&path("file/deeper")),
        Err(BelowFault::NotAFolder)
    ));
}

#[test]
fn pipes_sockets_and_folders_are_not_opened_as_files() {
    let bench = Bench::new();
    bench.folder("root/folder");
    make_pipe(&bench.path("root/pipe"));
    let _socket = UnixListener::bind(bench.path("root/socket")).unwrap();
    let below = below(&bench);
    for name in ["folder", "pipe", "socket"] {
        assert!(
            matches!(below.open_file(&path(name)), Err(BelowFault::NotAFile)),
            "{name}"
        );
    }
    assert_eq!(
        below.metadata(&path("pipe")).unwrap().kind,
        FileKind::Special("a named pipe")
    );
}

#[test]
fn a_folder_that_is_moved_away_while_it_is_held_is_still_the_same_folder() {
    let bench = Bench::new();
    bench.write("root/folder/file", "content");
    let below = below(&bench);
    let name = path("folder/file");
    let (folder, name) = below.parent(&name).unwrap();
    fs_err::rename(bench.path("root/folder"), bench.path("elsewhere")).unwrap();
    link(&bench, "../outside", "root/folder");
    assert_eq!(look(folder.as_fd(), name).unwrap().size, 7);
}
