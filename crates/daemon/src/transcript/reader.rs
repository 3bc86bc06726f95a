//! The lines of a transcript from a place on: whole ones only, one at a time, in memory that does not grow with the file.

use super::source::{Refused, TranscriptPath};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Take};
use std::os::unix::fs::{FileExt, MetadataExt};

/// A longer line is passed over.
pub const LONGEST_LINE: u64 = 64 * 1024 * 1024;
/// What is read from the file at once.
const BLOCK: usize = 64 * 1024;
/// A buffer that had to hold a line longer than this is given back after it.
const ROOMY: usize = 1024 * 1024;

/// Where reading ended in which file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReadPosition {
    /// The file system.
    pub device: u64,
    /// The file on it.
    pub inode: u64,
    /// The end of the last whole line that was read.
    pub offset: u64,
}

/// What comes next in a transcript.
#[derive(Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// A whole line, without its end.
    Line {
        /// Where it begins.
        start: u64,
        /// Where the next one begins.
        end: u64,
        /// What it says.
        bytes: &'a [u8],
    },
    /// A line too long to be kept in memory.
    TooLong {
        /// Where it begins.
        start: u64,
        /// Where the next one begins.
        end: u64,
    },
}

/// Reads a transcript as it is now; what is added meanwhile is for the next reader.
#[derive(Debug)]
pub struct TranscriptReader {
    input: BufReader<Counted>,
    line: Vec<u8>,
    place: ReadPosition,
    is_anew: bool,
}

impl TranscriptReader {
    /// Goes on where an earlier reader ended; from the beginning if the file was replaced or cut short since then.
    pub fn open(source: &TranscriptPath<'_>, from: &ReadPosition) -> Result<Self, Refused> {
        let file = source.open()?;
        Self::new(file, from).map_err(|error| source.failure(error))
    }

    /// The last whole lines, within so many bytes of the end.
    pub fn near_end(source: &TranscriptPath<'_>, most: u64) -> Result<Self, Refused> {
        let file = source.open()?;
        Self::last(file, most).map_err(|error| source.failure(error))
    }

    fn last(mut file: File, most: u64) -> io::Result<Self> {
        let found = file.metadata()?;
        let offset = found.len().saturating_sub(most);
        // The byte before tells whether a line begins there.
        file.seek(SeekFrom::Start(offset.saturating_sub(1)))?;
        let rest = file.take(found.len().saturating_sub(offset.saturating_sub(1)));
        let mut reader = Self {
            input: BufReader::with_capacity(BLOCK, Counted { rest, bytes: 0 }),
            line: Vec::new(),
            place: ReadPosition {
                device: found.dev(),
                inode: found.ino(),
                offset: offset.saturating_sub(1),
            },
            is_anew: false,
        };
        if offset > 0 {
            // What is left of a line that began earlier.
            let passed = reader.input.skip_until(b'\n')?;
            reader.place.offset = reader.place.offset.saturating_add(to_u64(passed));
        }
        Ok(reader)
    }

    fn new(mut file: File, from: &ReadPosition) -> io::Result<Self> {
        let found = file.metadata()?;
        let is_same = (found.dev(), found.ino()) == (from.device, from.inode)
            && from.offset <= found.len()
            && follows_a_line(&file, from.offset)?;
        let offset = if is_same { from.offset } else { 0 };
        file.seek(SeekFrom::Start(offset))?;
        let rest = file.take(found.len().saturating_sub(offset));
        Ok(Self {
            input: BufReader::with_capacity(BLOCK, Counted { rest, bytes: 0 }),
            line: Vec::new(),
            place: ReadPosition {
                device: found.dev(),
                inode: found.ino(),
                offset,
            },
            is_anew: !is_same && from.offset > 0,
        })
    }

    /// The next piece; `None` when no whole line is left.
    pub fn piece(&mut self) -> io::Result<Option<Piece<'_>>> {
        if self.line.capacity() > ROOMY {
            self.line = Vec::new();
        }
        let start = self.place.offset;
        let mut length = self.read_line(LONGEST_LINE + 1)?;
        let mut is_whole = self.line.ends_with(b"\n");
        let is_too_long = !is_whole && length > LONGEST_LINE;
        while is_too_long && !is_whole {
            let more = self.read_line(to_u64(BLOCK))?;
            if more == 0 {
                break;
            }
            length = length.saturating_add(more);
            is_whole = self.line.ends_with(b"\n");
        }
        if !is_whole {
            return Ok(None);
        }
        let end = start.saturating_add(length);
        self.place.offset = end;
        if is_too_long {
            return Ok(Some(Piece::TooLong { start, end }));
        }
        let bytes = self.line.strip_suffix(b"\n").unwrap_or(&self.line);
        Ok(Some(Piece::Line { start, end, bytes }))
    }

    /// Where the next reader goes on.
    pub fn place(&self) -> ReadPosition {
        self.place
    }

    /// Whether the file was replaced or cut short, so that it is read from its beginning.
    pub fn is_anew(&self) -> bool {
        self.is_anew
    }

    /// How many bytes were read from the file.
    pub fn bytes_read(&self) -> u64 {
        self.input.get_ref().bytes
    }

    fn read_line(&mut self, limit: u64) -> io::Result<u64> {
        self.line.clear();
        let read = (&mut self.input).take(limit).read_until(b'\n', &mut self.line)?;
        Ok(to_u64(read))
    }
}

/// Whether a line can begin there: what was rewritten in place seldom has its line ends where the old one had them.
fn follows_a_line(file: &File, offset: u64) -> io::Result<bool> {
    let Some(before) = offset.checked_sub(1) else {
        return Ok(true);
    };
    let mut byte = [0];
    Ok(file.read_at(&mut byte, before)? == 1 && byte == *b"\n")
}

fn to_u64(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

/// Counts what is really read.
#[derive(Debug)]
struct Counted {
    rest: Take<File>,
    bytes: u64,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.rest.read(buffer)?;
        self.bytes = self.bytes.saturating_add(to_u64(read));
        Ok(read)
    }
}

#[cfg(test)]
mod tests;
