use super::{hash, stamp};
use engine::lease::ContentIdentity;
use std::time::{Duration, Instant};
use tempfile::TempDir;

fn soon() -> Instant {
    Instant::now() + Duration::from_mins(1)
}

#[test]
fn equal_contents_have_equal_hashes_and_others_do_not() {
    let folder = TempDir::new().unwrap();
    let hash_of = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs_err::write(&path, text).unwrap();
        hash(&path, &fs_err::metadata(&path).unwrap(), 1_000, soon())
    };
    let one = hash_of("a", "text");
    assert!(matches!(&one, ContentIdentity::Hash(hash) if hash.len() == 64));
    assert_eq!(one, hash_of("b", "text"));
    assert_ne!(one, hash_of("c", "other"));
}

#[test]
fn a_large_file_is_not_read() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a");
    fs_err::write(&path, "12345").unwrap();
    assert_eq!(
        hash(&path, &fs_err::metadata(&path).unwrap(), 4, soon()),
        ContentIdentity::TooBig
    );
}

#[test]
fn a_hash_that_would_come_too_late_is_unknown() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a");
    fs_err::write(&path, "text").unwrap();
    let past = Instant::now().checked_sub(Duration::from_secs(1)).unwrap();
    assert_eq!(
        hash(&path, &fs_err::metadata(&path).unwrap(), 1_000, past),
        ContentIdentity::Nothing
    );
}

#[test]
fn a_folder_or_a_pipe_has_no_content() {
    let folder = TempDir::new().unwrap();
    let found = fs_err::metadata(folder.path()).unwrap();
    assert_eq!(
        hash(folder.path(), &found, 1_000, soon()),
        ContentIdentity::Nothing
    );
    let pipe = folder.path().join("pipe");
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RUSR).unwrap();
    let found = fs_err::metadata(&pipe).unwrap();
    assert_eq!(hash(&pipe, &found, 1_000, soon()), ContentIdentity::Nothing);
}

#[test]
fn a_replaced_file_has_another_stamp() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a");
    fs_err::write(&path, "text").unwrap();
    let before = stamp(&fs_err::metadata(&path).unwrap());
    let other = folder.path().join("b");
    fs_err::write(&other, "next").unwrap();
    fs_err::rename(&other, &path).unwrap();
    assert_ne!(before.inode, stamp(&fs_err::metadata(&path).unwrap()).inode);
}
