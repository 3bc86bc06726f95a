//! The lines of a conversation: from the client's own file, else as checkpoints kept them.

use crate::command::checkpoint::pages::Pages;
use crate::command::checkpoint::place::Here;
use crate::failure::Failure;
use ::daemon::transcript::Source;
use engine::id::ActorId;
use git::object::Id;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;
use store::table::checkpoints::Checkpoint;

/// The client's own file, if it is still there and can be trusted.
pub fn live(path: &Path) -> Option<Box<dyn BufRead>> {
    let source = Source { path, folder: None };
    let file = source.open().ok()?;
    Some(Box::new(BufReader::new(file)))
}

/// What a checkpoint kept of it; nothing if it kept none.
pub fn kept<'a>(
    here: &'a Here,
    checkpoint: &Checkpoint,
    session: ActorId,
) -> Result<Option<Box<dyn BufRead + 'a>>, Failure> {
    let pages = Pages::of(here, checkpoint)?;
    let chunks = pages.chunks(here, Some(session))?;
    if chunks.is_empty() {
        return Ok(None);
    }
    let kept = Kept {
        pages,
        chunks: chunks.into_iter(),
        current: Cursor::default(),
    };
    Ok(Some(Box::new(BufReader::new(kept))))
}

/// Chunks one after the other: a conversation may be larger than the memory.
struct Kept<'a> {
    pages: Pages<'a>,
    chunks: std::vec::IntoIter<Id>,
    current: Cursor<Vec<u8>>,
}

impl Read for Kept<'_> {
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
