use std::os::unix::fs::symlink;
use std::time::Duration;

use super::*;

fn walked(root: &Path) -> ShownTree {
    tree(root, Deadline::after(Duration::from_mins(5))).unwrap()
}

fn names(shown: &ShownTree) -> Vec<(&str, Option<u64>)> {
    shown
        .entries
        .iter()
        .map(|entry| (entry.path.as_str(), entry.files))
        .collect()
}

fn write(root: &Path, path: &str) {
    let path = root.join(path);
    fs_err::create_dir_all(path.parent().unwrap()).unwrap();
    fs_err::write(path, "").unwrap();
}

#[test]
fn other_tools_folders_are_skipped_and_links_are_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    for path in [
        "a/b/c",
        ".git/HEAD",
        "node_modules/x/y",
        "a/target/debug",
        "notes",
    ] {
        write(folder.path(), path);
    }
    symlink(folder.path(), folder.path().join("a/loop")).unwrap();
    fs_err::create_dir(folder.path().join("empty")).unwrap();
    assert_eq!(
        names(&walked(folder.path())),
        [
            ("a/", Some(2)),
            ("a/b/", Some(1)),
            ("empty/", Some(0)),
            ("notes", None),
            ("a/loop", None)
        ]
    );
}

#[test]
fn files_below_the_sixth_level_are_not_counted() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "1/2/3/4/5/counted");
    write(folder.path(), "1/2/3/4/5/6/not");
    assert_eq!(
        names(&walked(folder.path())),
        [("1/", Some(1)), ("1/2/", Some(1))]
    );
}

#[test]
fn a_flood_of_files_ends_the_walk_and_spares_the_shallow_part() {
    let folder = tempfile::tempdir().unwrap();
    fs_err::create_dir_all(folder.path().join("a/flood")).unwrap();
    for index in 0..ENTRIES + 100 {
        rustix::fs::mknodat(
            rustix::fs::CWD,
            folder.path().join(format!("a/flood/{index}")),
            rustix::fs::FileType::RegularFile,
            rustix::fs::Mode::RUSR,
            0,
        )
        .unwrap();
    }
    write(folder.path(), "z/last");
    let shown = walked(folder.path());
    let count = |name: &str| {
        shown
            .entries
            .iter()
            .find(|entry| entry.path == name)
            .unwrap()
            .files
    };
    assert_eq!(count("z/"), Some(1));
    assert!(count("a/") < Some(u64::try_from(ENTRIES).unwrap()));
}

#[test]
fn a_walk_past_its_deadline_shows_nothing_rather_than_half() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "file");
    assert_eq!(tree(folder.path(), Deadline::after(Duration::ZERO)), None);
}
