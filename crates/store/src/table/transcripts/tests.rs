//! How far a transcript was read is known per file, exactly.

use super::*;
use crate::stage::{Stage, main_of};
use engine::event::StartSource;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

#[test]
fn a_file_keeps_its_place_and_its_first_actor() {
    let mut stage = Stage::new();
    let one = stage.starts(&main_of("7c1e"), StartSource::Startup).actor.id;
    let two = stage.starts(&main_of("9999"), StartSource::Startup).actor.id;
    let path = PathBuf::from(OsStr::from_bytes(b"/home/\xff.jsonl"));
    let first = Transcript {
        path: path.clone(),
        actor: one,
        device: u64::MAX,
        inode: 1 << 63,
        offset: 10,
        partial_line: b"{\"half".to_vec(),
        state: Some("{}".to_owned()),
        read_at: Timestamp(5),
    };
    stage.write(|db| keep(db, &first));
    assert_eq!(of(&stage.read(), &path).unwrap(), Some(first.clone()));
    let replaced = Transcript {
        actor: two,
        inode: 7,
        offset: 3,
        partial_line: Vec::new(),
        state: None,
        read_at: Timestamp(6),
        ..first
    };
    stage.write(|db| keep(db, &replaced));
    let kept = Transcript {
        actor: one,
        ..replaced
    };
    assert_eq!(of(&stage.read(), &path).unwrap(), Some(kept.clone()));

    let resumed = Transcript {
        path: PathBuf::from("/home/second.jsonl"),
        read_at: Timestamp(9),
        ..kept
    };
    stage.write(|db| keep(db, &resumed));
    let files = of_actor(&stage.read(), one).unwrap();
    let paths: Vec<&Path> = files.iter().map(|file| file.path.as_path()).collect();
    assert_eq!(paths, [resumed.path.as_path(), path.as_path()]);
    assert_eq!(of_actor(&stage.read(), two).unwrap(), []);
}
