use super::*;
use crate::fixture::Bench;
use crate::place;
use crate::shadow::ShadowSite;
use fs_err as fs;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;

/// A shadow, and a folder beside it to write into.
struct Desk {
    bench: Bench,
    shadow: Shadow,
}

impl Desk {
    fn new() -> Self {
        let bench = Bench::with_repository();
        let site = ShadowSite::of(&place::find(&bench.path("repo")), &bench.path("outside")).unwrap();
        let shadow = Shadow::make(&site).unwrap();
        Self { bench, shadow }
    }

    fn tree(&self, leaves: &[(&[u8], EntryMode, &[u8])]) -> Id {
        let mut changes = BTreeMap::new();
        for (name, mode, content) in leaves {
            let id = match mode {
                EntryMode::Commit => "0123456789abcdef0123456789abcdef01234567".parse().unwrap(),
                EntryMode::File | EntryMode::Exec | EntryMode::Link => {
                    self.shadow.write_blob(content).unwrap()
                }
            };
            let entry = TreeLeaf { mode: *mode, id };
            changes.insert(RepoPath::new(*name).unwrap(), Some(entry));
        }
        self.shadow.edit(None, None, &changes).unwrap()
    }

    fn folder(&self) -> PathBuf {
        self.bench.path("into/deep")
    }

    fn extract(&self, layout: &ShadowLayout) -> Result<Extracted, ExtractError> {
        extract(&self.shadow, layout, &self.folder())
    }

    fn read(&self, name: &[u8]) -> Vec<u8> {
        fs::read(self.folder().join(OsStr::from_bytes(name))).unwrap()
    }
}

#[test]
fn files_links_exec_bits_and_ignored_files_are_written_with_the_worktrees_bytes() {
    let desk = Desk::new();
    let files = desk.tree(&[
        (b"src/na\xffme", EntryMode::File, b"stored\n"),
        (b"crlf", EntryMode::File, b"line\n"),
        (b"run.sh", EntryMode::Exec, b"#!/bin/sh\n"),
        (b"alink", EntryMode::Link, b"/etc/passwd"),
        (b"vendor/sub", EntryMode::Commit, b""),
    ]);
    let layout = ShadowLayout {
        raw: Some(desk.tree(&[(b"crlf", EntryMode::File, b"line\r\n")])),
        ignored: Some(desk.tree(&[(b"target/.env", EntryMode::File, b"KEY=1\n")])),
        ..ShadowLayout::of(files)
    };
    let extracted = desk.extract(&layout).unwrap();
    assert_eq!(extracted.written, 5);
    assert_eq!(extracted.left_out, [RepoPath::new("vendor/sub").unwrap()]);
    assert_eq!(desk.read(b"src/na\xffme"), b"stored\n");
    assert_eq!(desk.read(b"crlf"), b"line\r\n");
    assert_eq!(desk.read(b"target/.env"), b"KEY=1\n");
    let mode = fs::metadata(desk.folder().join("run.sh"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o100, 0o100);
    let link = fs::read_link(desk.folder().join("alink")).unwrap();
    assert_eq!(link, Path::new("/etc/passwd"));
}

#[test]
fn an_empty_folder_is_good_enough_and_the_worktree_is_left_alone() {
    let desk = Desk::new();
    let before = desk.bench.git("repo", &["status", "--porcelain"]);
    desk.bench.folder("into/deep");
    desk.extract(&ShadowLayout::of(desk.tree(&[(b"a", EntryMode::File, b"x")])))
        .unwrap();
    assert_eq!(desk.read(b"a"), b"x");
    assert_eq!(desk.bench.git("repo", &["status", "--porcelain"]), before);
}

#[test]
fn a_folder_with_something_in_it_is_refused() {
    let desk = Desk::new();
    desk.bench.write("into/deep/mine", "mine");
    let layout = ShadowLayout::of(desk.tree(&[(b"a", EntryMode::File, b"x")]));
    assert!(matches!(desk.extract(&layout), Err(ExtractError::NotEmpty(_))));
    assert!(!desk.folder().join("a").exists());
    let file = extract(&desk.shadow, &layout, &desk.folder().join("mine"));
    assert!(matches!(file, Err(ExtractError::NotEmpty(_))));
}

#[test]
fn what_fails_half_way_is_removed_again() {
    let desk = Desk::new();
    let files = desk.tree(&[(b"a/b", EntryMode::File, b"x"), (b"c", EntryMode::File, b"x")]);
    let ignored = desk.tree(&[(b"c", EntryMode::File, b"the same name twice")]);
    let layout = ShadowLayout {
        ignored: Some(ignored),
        ..ShadowLayout::of(files)
    };
    assert!(matches!(desk.extract(&layout), Err(ExtractError::Write { .. })));
    assert!(!desk.folder().exists());
    desk.bench.folder("into/deep");
    assert!(desk.extract(&layout).is_err());
    assert_eq!(
        fs::read_dir(desk.folder()).unwrap().count(),
        0,
        "a folder that was there stays"
    );
}

#[test]
fn no_file_is_written_through_a_link_of_the_checkpoint() {
    let desk = Desk::new();
    let outside = desk.bench.folder("target");
    let files = desk.tree(&[(b"dir", EntryMode::Link, outside.as_os_str().as_bytes())]);
    let layout = ShadowLayout {
        ignored: Some(desk.tree(&[(b"dir/file", EntryMode::File, b"x")])),
        ..ShadowLayout::of(files)
    };
    assert!(desk.extract(&layout).is_err());
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
}

#[test]
fn hostile_names_in_a_tree_are_refused_before_anything_is_written() {
    let desk = Desk::new();
    for name in ["..", ".git", ".GIT", "."] {
        let blob = desk.shadow.write_blob(b"x").unwrap();
        let mut tree = format!("100644 {name}\0").into_bytes();
        tree.extend_from_slice(blob.0.as_slice());
        desk.bench.write("evil", tree);
        let evil = desk.bench.path("evil");
        let hash = desk.bench.git(
            "repo/.git/toprope/shadow.git",
            &[
                "hash-object",
                "-t",
                "tree",
                "-w",
                "--literally",
                evil.to_str().unwrap(),
            ],
        );
        let layout = ShadowLayout::of(hash.parse().unwrap());
        assert!(
            matches!(desk.extract(&layout), Err(ExtractError::Shadow(_))),
            "{name}"
        );
        assert!(!desk.folder().exists());
    }
}
