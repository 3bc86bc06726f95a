use super::*;
use fs_err as fs;
use tempfile::TempDir;

fn chunks(text: &[u8], from: u64, to: u64) -> Vec<Chunk> {
    let world = TempDir::new().unwrap();
    let path = world.path().join("s.jsonl");
    fs::write(&path, text).unwrap();
    let source = TranscriptPath {
        path: &path,
        folder: None,
    };
    let chunks = Chunks::open(&source, from, to).unwrap();
    chunks.collect::<io::Result<_>>().unwrap()
}

fn joined(chunks: &[Chunk]) -> Vec<u8> {
    chunks.iter().flat_map(|chunk| chunk.bytes.clone()).collect()
}

#[test]
fn a_short_part_is_one_chunk() {
    let found = chunks(b"one\ntwo\nthree\n", 4, 8);
    assert_eq!(
        found,
        [Chunk {
            start: 4,
            bytes: b"two\n".to_vec()
        }]
    );
    assert_eq!(chunks(b"one\n", 4, 4), []);
    assert_eq!(chunks(b"one\n", 9, 4), []);
}

#[test]
fn a_long_part_is_cut_at_line_ends_and_joins_to_what_it_was() {
    let line = [vec![b'x'; 1_000_000], b"\n".to_vec()].concat();
    let text = line.repeat(11);
    let end = u64::try_from(text.len()).unwrap();
    let found = chunks(&text, 0, end);
    assert_eq!(found.len(), 3);
    assert!(joined(&found) == text);
    for chunk in &found {
        assert!(chunk.bytes.len() <= LONGEST_CHUNK && chunk.bytes.ends_with(b"\n"));
    }
    let starts: Vec<u64> = found.iter().map(|chunk| chunk.start).collect();
    assert_eq!(starts, [0, 4_000_004, 8_000_008]);
}

#[test]
fn a_line_longer_than_a_chunk_is_cut_in_its_middle_and_nothing_is_lost() {
    let text = [b"a\n".to_vec(), vec![b'x'; 9_000_000], b"\nb\n".to_vec()].concat();
    let found = chunks(&text, 0, u64::try_from(text.len()).unwrap());
    assert!(joined(&found) == text);
    assert!(found.iter().all(|chunk| chunk.bytes.len() <= LONGEST_CHUNK));
}

#[test]
fn a_file_shorter_than_the_part_gives_its_whole_lines() {
    assert_eq!(joined(&chunks(b"one\ntwo\nthr", 0, 5_000)), b"one\ntwo\n");
}
