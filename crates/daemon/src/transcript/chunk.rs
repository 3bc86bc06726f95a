//! Parts of a transcript for a checkpoint: cut at line ends, so that each can be read on its own.

use super::source::{Refused, TranscriptPath};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// A chunk is at most so long. A line that is longer is the one thing cut in its middle.
pub const LONGEST_CHUNK: usize = 4 * 1024 * 1024;

/// A part of a transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// Where it begins in the file.
    pub start: u64,
    /// The bytes from there on, exactly as they stand.
    pub bytes: Vec<u8>,
}

/// The chunks of a part, one at a time. Joined, they are that part byte for byte.
#[derive(Debug)]
pub struct Chunks {
    file: File,
    at: u64,
    to: u64,
}

impl Chunks {
    /// The part from one line's beginning to another's.
    pub fn open(source: &TranscriptPath<'_>, from: u64, to: u64) -> Result<Self, Refused> {
        Ok(Self {
            file: source.open()?,
            at: from,
            to,
        })
    }

    /// The next chunk; `None` at the end of the part, or of a file that is shorter.
    pub fn chunk(&mut self) -> io::Result<Option<Chunk>> {
        let left = usize::try_from(self.to.saturating_sub(self.at)).unwrap_or(usize::MAX);
        let mut bytes = vec![0; left.min(LONGEST_CHUNK)];
        let filled = self.fill(&mut bytes)?;
        let is_short = filled < bytes.len();
        bytes.truncate(filled);
        if is_short || filled < left {
            let end = bytes.iter().rposition(|byte| *byte == b'\n');
            // A file that ends early ends with a line that is still being written, or never will be.
            let uncut = if is_short { 0 } else { filled };
            bytes.truncate(end.map_or(uncut, |end| end.saturating_add(1)));
        }
        if bytes.is_empty() {
            return Ok(None);
        }
        let start = self.at;
        self.at = start.saturating_add(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
        Ok(Some(Chunk { start, bytes }))
    }

    fn fill(&self, bytes: &mut [u8]) -> io::Result<usize> {
        let mut filled = 0;
        while let Some(rest) = bytes.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            let at = self.at.saturating_add(u64::try_from(filled).unwrap_or(u64::MAX));
            match self.file.read_at(rest, at) {
                Ok(0) => break,
                Ok(read) => filled = filled.saturating_add(read),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(filled)
    }
}

impl Iterator for Chunks {
    type Item = io::Result<Chunk>;

    fn next(&mut self) -> Option<Self::Item> {
        self.chunk().transpose()
    }
}

#[cfg(test)]
mod tests;
