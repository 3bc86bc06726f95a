//! The lines of a conversation: from the client's own file, else as checkpoints kept them.

use crate::command::checkpoint::pages::CheckpointPages;
use crate::command::checkpoint::place::CheckpointPlace;
use crate::failure::Failure;
use ::daemon::transcript::TranscriptPath;
use agents::Agent;
use agents::transcript::Forked;
use engine::id::{ActorId, ClientSessionId};
use git::object::Id;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;
use store::table::checkpoints::Checkpoint;

/// The client's own file, if it is still there and can be trusted.
pub fn live(path: &Path) -> Option<Box<dyn BufRead>> {
    let source = TranscriptPath { path, folder: None };
    let file = source.open().ok()?;
    Some(Box::new(BufReader::new(file)))
}

/// Whether a conversation has this line.
pub fn holds(lines: &mut dyn BufRead, agent: &dyn Agent, leaf: &str) -> bool {
    any_line(lines, |line| is_leaf(line, agent, leaf))
}

/// Whether this line is its last.
pub fn ends_with(lines: &mut dyn BufRead, agent: &dyn Agent, leaf: &str) -> bool {
    let mut last = false;
    any_line(lines, |line| {
        last = is_leaf(line, agent, leaf);
        false
    });
    last
}

fn is_leaf(line: &[u8], agent: &dyn Agent, leaf: &str) -> bool {
    // Most lines do not even name it.
    let names_it = line
        .windows(leaf.len().max(1))
        .any(|part| part == leaf.as_bytes());
    names_it
        && matches!(
            agent.fork_line(line, leaf, &ClientSessionId::new("")),
            Forked::Leaf(_)
        )
}

fn any_line(lines: &mut dyn BufRead, mut is_wanted: impl FnMut(&[u8]) -> bool) -> bool {
    let mut line = Vec::new();
    loop {
        line.clear();
        match lines.read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return false,
            Ok(_) => {}
        }
        if is_wanted(line.strip_suffix(b"\n").unwrap_or(&line)) {
            return true;
        }
    }
}

/// What a checkpoint kept of it; nothing if it kept none.
pub fn kept<'a>(
    here: &'a CheckpointPlace,
    checkpoint: &Checkpoint,
    session: ActorId,
) -> Result<Option<Box<dyn BufRead + 'a>>, Failure> {
    let pages = CheckpointPages::of(here, checkpoint)?;
    let chunks = pages.chunks(here, Some(session))?;
    if chunks.is_empty() {
        return Ok(None);
    }
    let kept = KeptChunks {
        pages,
        chunks: chunks
            .into_iter()
            .map(|(_, id)| id)
            .collect::<Vec<_>>()
            .into_iter(),
        current: Cursor::default(),
    };
    Ok(Some(Box::new(BufReader::new(kept))))
}

/// Chunks one after the other: a conversation may be larger than the memory.
struct KeptChunks<'a> {
    pages: CheckpointPages<'a>,
    chunks: std::vec::IntoIter<Id>,
    current: Cursor<Vec<u8>>,
}

impl Read for KeptChunks<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.current.read(buffer)?;
            if read > 0 || buffer.is_empty() {
                return Ok(read);
            }
            let Some(next) = self.chunks.next() else {
                return Ok(0);
            };
            let bytes = self.pages.chunk(next).map_err(io::Error::other)?;
            self.current = Cursor::new(bytes);
        }
    }
}
