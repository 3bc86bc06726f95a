use super::*;
use fs_err as fs;
use std::io::Write;
use std::path::PathBuf;
use tempfile::TempDir;

struct Transcript {
    _world: TempDir,
    path: PathBuf,
}

impl Transcript {
    fn new(text: &[u8]) -> Self {
        let world = TempDir::new().unwrap();
        let path = world.path().join("s.jsonl");
        fs::write(&path, text).unwrap();
        Self { _world: world, path }
    }

    fn append(&self, text: &[u8]) {
        let mut file = fs::OpenOptions::new().append(true).open(&self.path).unwrap();
        file.write_all(text).unwrap();
    }

    fn reader(&self, from: &ReadPosition) -> TranscriptReader {
        let source = TranscriptPath {
            path: &self.path,
            folder: None,
        };
        TranscriptReader::open(&source, from).unwrap()
    }

    /// The lines since a place, and where they end.
    fn since(&self, from: &ReadPosition) -> (Vec<String>, ReadPosition) {
        let mut reader = self.reader(from);
        (lines(&mut reader), reader.place())
    }
}

fn lines(reader: &mut TranscriptReader) -> Vec<String> {
    let mut lines = Vec::new();
    while let Some(piece) = reader.piece().unwrap() {
        lines.push(match piece {
            Piece::Line { bytes, .. } => String::from_utf8_lossy(bytes).into_owned(),
            Piece::TooLong { start, end } => format!("too long: {start}..{end}"),
        });
    }
    lines
}

#[test]
fn only_what_is_new_is_given() {
    let transcript = Transcript::new(b"one\ntwo\n");
    let (lines, place) = transcript.since(&ReadPosition::default());
    assert_eq!(lines, ["one", "two"]);
    assert_eq!(place.offset, 8);
    assert_eq!(transcript.since(&place).0, [""; 0]);
    transcript.append(b"three\n");
    assert_eq!(transcript.since(&place).0, ["three"]);
}

#[test]
fn a_last_line_without_an_end_waits_until_it_has_one() {
    let transcript = Transcript::new(b"one\ntw");
    let (lines, place) = transcript.since(&ReadPosition::default());
    assert_eq!((lines, place.offset), (vec!["one".to_owned()], 4));
    transcript.append(b"o");
    let (lines, place) = transcript.since(&place);
    assert_eq!((lines, place.offset), (vec![], 4));
    transcript.append(b"\n\nfour\n");
    assert_eq!(transcript.since(&place).0, ["two", "", "four"]);
}

#[test]
fn a_file_cut_short_is_read_from_its_beginning() {
    let transcript = Transcript::new(b"one\ntwo\n");
    let (_, place) = transcript.since(&ReadPosition::default());
    fs::write(&transcript.path, "one\n").unwrap();
    let mut reader = transcript.reader(&place);
    assert!(reader.is_anew());
    assert_eq!(lines(&mut reader), ["one"]);
}

#[test]
fn a_file_put_in_the_place_of_another_is_read_from_its_beginning() {
    let transcript = Transcript::new(b"one\ntwo\n");
    let (_, place) = transcript.since(&ReadPosition::default());
    let other = transcript.path.with_extension("new");
    fs::write(&other, "one\ntwo\nthree\n").unwrap();
    fs::rename(&other, &transcript.path).unwrap();
    let mut reader = transcript.reader(&place);
    assert!(reader.is_anew());
    assert_eq!(lines(&mut reader), ["one", "two", "three"]);
}

#[test]
fn a_file_rewritten_in_place_is_noticed_by_its_line_ends() {
    let transcript = Transcript::new(b"one\ntwo\n");
    let (_, place) = transcript.since(&ReadPosition::default());
    fs::write(&transcript.path, "something longer\nthan before\n").unwrap();
    let mut reader = transcript.reader(&place);
    assert!(reader.is_anew());
    assert_eq!(lines(&mut reader), ["something longer", "than before"]);
}

#[test]
fn a_line_of_more_than_64_mib_is_passed_over_in_bounded_memory() {
    let transcript = Transcript::new(b"one\n");
    let block = vec![b'x'; 1024 * 1024];
    for _ in 0..200 {
        transcript.append(&block);
    }
    transcript.append(b"\nlast\n");
    let mut reader = transcript.reader(&ReadPosition::default());
    assert!(matches!(reader.piece().unwrap(), Some(Piece::Line { .. })));
    let end = 4 + 200 * 1024 * 1024 + 1;
    assert_eq!(reader.piece().unwrap(), Some(Piece::TooLong { start: 4, end }));
    let most = usize::try_from(LONGEST_LINE).unwrap() * 2 + BLOCK;
    assert!(reader.line.capacity() <= most);
    assert!(matches!(
        reader.piece().unwrap(),
        Some(Piece::Line { bytes: b"last", .. })
    ));
    assert!(reader.line.capacity() <= ROOMY, "the buffer was not given back");
}

#[test]
fn a_line_of_exactly_64_mib_is_read_and_a_longer_one_waits_for_its_end() {
    let transcript = Transcript::new(b"");
    let block = vec![b'x'; 1024 * 1024];
    for _ in 0..64 {
        transcript.append(&block);
    }
    let (lines, place) = transcript.since(&ReadPosition::default());
    assert!(lines.is_empty());
    transcript.append(b"\n");
    let (read, _) = transcript.since(&place);
    assert_eq!(read.first().map(String::len), Some(64 * 1024 * 1024));
    fs::OpenOptions::new()
        .write(true)
        .open(&transcript.path)
        .unwrap()
        .set_len(64 * 1024 * 1024)
        .unwrap();
    transcript.append(b"xx");
    let (read, place) = transcript.since(&place);
    assert_eq!((read.len(), place.offset), (0, 0));
}

#[test]
fn a_tail_costs_the_same_however_long_the_file_is() {
    let cost = |length: u64| {
        let transcript = Transcript::new(b"");
        // A hole: what was read before is not looked at again, so it need not be there.
        let file = fs::OpenOptions::new().write(true).open(&transcript.path).unwrap();
        file.set_len(length - 1).unwrap();
        transcript.append(b"\n");
        let found = fs::metadata(&transcript.path).unwrap();
        let place = ReadPosition {
            device: found.dev(),
            inode: found.ino(),
            offset: length,
        };
        transcript.append(&b"{\"type\":\"x\"}\n".repeat(5_000));
        let mut reader = transcript.reader(&place);
        assert!(!reader.is_anew());
        assert_eq!(lines(&mut reader).len(), 5_000);
        reader.bytes_read()
    };
    let short = cost(2 * 1024 * 1024);
    assert_eq!(short, 13 * 5_000);
    assert_eq!(cost(200 * 1024 * 1024), short);
}

#[test]
fn the_last_lines_are_given_whole() {
    let transcript = Transcript::new(b"one\ntwo\nthree\nfou");
    let last = |most| {
        let source = TranscriptPath {
            path: &transcript.path,
            folder: None,
        };
        lines(&mut TranscriptReader::near_end(&source, most).unwrap())
    };
    assert_eq!(last(100), ["one", "two", "three"]);
    assert_eq!(last(17), ["one", "two", "three"]);
    assert_eq!(last(16), ["two", "three"], "`one` is cut");
    assert_eq!(last(13), ["two", "three"], "it begins with a line");
    assert_eq!(last(12), ["three"]);
    assert_eq!(last(3), [""; 0]);
    assert_eq!(last(0), [""; 0]);
}
