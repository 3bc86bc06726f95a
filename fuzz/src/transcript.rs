//! Any bytes as an agent's transcript: read without a panic, the same whether at once or as it grows, and no count is
//! ever more than a person could believe.

use agents::Agent;
use agents::claude_code::ClaudeCode;
use agents::transcript::Forked;
use daemon::transcript::{Cursor, MessageOffset, Slice, TranscriptPath};
use engine::id::ClientSessionId;
use engine::usage::{MessageUsage, Tokens, UsageLedger};
use std::path::Path;

/// Longest id that is kept, in bytes.
const LONGEST_ID: usize = 256;
/// No message uses more.
const MOST_TOKENS: u64 = 1_000_000_000_000;

/// Reads the bytes line by line, then as a file that grows.
///
/// # Panics
///
/// If a promise is broken.
pub fn check(transcript: &[u8]) {
    for line in transcript.split(|byte| *byte == b'\n') {
        told(line);
        forked(line);
    }
    grows(transcript);
}

fn told(line: &[u8]) {
    let read = ClaudeCode.transcript_line(line);
    assert_eq!(
        read,
        ClaudeCode.transcript_line(line),
        "read differently the second time"
    );
    match read {
        Ok(line) => {
            let ids = [line.uuid.as_deref(), line.parent.as_deref()];
            for id in ids.into_iter().flatten() {
                assert!((1..=LONGEST_ID).contains(&id.len()));
            }
            if let Some(usage) = line.usage {
                counted(&usage);
            }
        }
        Err(malformed) => {
            let sentence = malformed.to_string();
            assert!(!sentence.contains(char::is_control), "not one line: {sentence:?}");
        }
    }
}

fn counted(usage: &MessageUsage) {
    assert!((1..=LONGEST_ID).contains(&usage.id.as_str().len()));
    let Tokens {
        input,
        cache_write_5m,
        cache_write_1h,
        cache_read,
        output,
        thinking,
    } = usage.tokens;
    for count in [input, cache_write_5m, cache_write_1h, cache_read, output] {
        assert!(count <= MOST_TOKENS, "{count} tokens");
    }
    assert!(thinking <= output);
}

/// A forked line says the same as before, of another session.
fn forked(line: &[u8]) {
    let session = ClientSessionId::new("11111111-2222-4333-8444-555555555555");
    let (Forked::Kept(made) | Forked::Leaf(made)) = ClaudeCode.fork_line(line, "leaf", &session) else {
        return;
    };
    assert!(!made.contains(&b'\n'));
    let before = ClaudeCode
        .transcript_line(line)
        .expect("a line that goes along is readable");
    let after = ClaudeCode.transcript_line(&made).expect("and stays so");
    if before.session.is_some() {
        assert_eq!(after.session, Some(session));
    }
    assert_eq!(after.uuid, before.uuid);
    assert_eq!(after.usage, before.usage);
    assert_eq!(after.close, before.close);
}

/// What is told at once is what is told bit by bit.
fn grows(transcript: &[u8]) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("s.jsonl");
    let mut at_once = UsageLedger::new();
    fs_err::write(&path, transcript).expect("a file");
    hear(&mut at_once, slice(&path, &Cursor::default()));

    let mut bit_by_bit = UsageLedger::new();
    let mut cursor = Cursor::default();
    let parts = [transcript.len() / 3, transcript.len() / 2, transcript.len()];
    fs_err::write(&path, "").expect("an empty file");
    for end in parts {
        let whole = transcript.get(..end).unwrap_or_default();
        fs_err::write(&path, whole).expect("a longer file");
        let slice = slice(&path, &cursor);
        assert!(!slice.is_anew, "a file that only grew");
        cursor = slice.cursor.clone();
        hear(&mut bit_by_bit, slice);
    }
    assert_eq!(bit_by_bit, at_once);
}

fn slice(path: &Path, from: &Cursor) -> Slice {
    let source = TranscriptPath { path, folder: None };
    Slice::read(&ClaudeCode, &source, from, false).expect("a file of our own")
}

fn hear(ledger: &mut UsageLedger<MessageOffset>, slice: Slice) {
    for (usage, found) in slice.messages.into_entries() {
        ledger.enter(usage, found);
    }
}
