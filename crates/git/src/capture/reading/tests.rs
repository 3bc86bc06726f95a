use std::io::Write;

use super::*;
use crate::fixture::Bench;
use crate::nofollow::OpenFolder;
use crate::path::RepoPath;

fn grown(bench: &Bench, limit: u64, growths: usize) -> (Result<FileBytes, ReadFailure>, usize) {
    bench.write("root/file", "one");
    let below = OpenFolder::open_root(&bench.path("root")).unwrap();
    let mut reads = 0;
    let path = RepoPath::new("file").unwrap();
    let result = read(&below.spot(&path).unwrap(), limit, &mut || {
        if reads < growths {
            let mut file = fs_err::OpenOptions::new()
                .append(true)
                .open(bench.path("root/file"))
                .unwrap();
            file.write_all(b"more").unwrap();
        }
        reads += 1;
    });
    (result, reads)
}

#[test]
fn a_file_that_stands_still_is_read_once() {
    let (reading, reads) = grown(&Bench::new(), 100, 0);
    let reading = reading.unwrap();
    assert_eq!(
        (reading.bytes.as_slice(), reading.moving, reads),
        (&b"one"[..], false, 1)
    );
    assert_eq!(reading.stat.size, 3);
}

#[test]
fn a_file_that_grew_once_is_read_again_and_then_stands_still() {
    let (reading, reads) = grown(&Bench::new(), 100, 1);
    let reading = reading.unwrap();
    assert_eq!(
        (reading.bytes.as_slice(), reading.moving, reads),
        (&b"onemore"[..], false, 2)
    );
}

#[test]
fn a_file_that_never_stands_still_is_read_twice_and_said_to_be_moving() {
    let (reading, reads) = grown(&Bench::new(), 100, 9);
    let reading = reading.unwrap();
    assert_eq!(
        (reading.bytes.as_slice(), reading.moving, reads),
        (&b"onemore"[..], true, 2)
    );
}

#[test]
fn a_file_that_outgrows_the_limit_meanwhile_is_too_large() {
    let (reading, reads) = grown(&Bench::new(), 6, 9);
    assert!(matches!(reading, Err(ReadFailure::TooLarge(7))));
    assert_eq!(reads, 1);
}

#[test]
fn a_file_of_exactly_the_limit_is_read() {
    assert_eq!(grown(&Bench::new(), 3, 0).0.unwrap().bytes, b"one");
}
