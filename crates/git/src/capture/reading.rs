//! Reads a file that somebody may be writing: at most twice, never beyond a limit, and with the truth about whether
//! it stood still.

use std::fs::File;
use std::io::{self, Read, Seek};

use crate::nofollow::{self, BelowFault, NameInFolder};
use crate::stat::Stat;

/// A file's bytes.
#[derive(Debug)]
pub struct FileBytes {
    pub bytes: Vec<u8>,
    /// The file when the last byte had been read.
    pub stat: Stat,
    /// It changed while it was read, both times.
    pub moving: bool,
}

/// Why there are no bytes.
#[derive(Debug)]
pub enum ReadFailure {
    TooLarge(u64),
    Fault(BelowFault),
}

/// The bytes of the file at a spot, if it has at most `limit`. `after_bytes` is called whenever the last byte was read.
pub fn read(
    spot: &NameInFolder<'_>,
    limit: u64,
    after_bytes: &mut dyn FnMut(),
) -> Result<FileBytes, ReadFailure> {
    let mut file = spot.open_file().map_err(ReadFailure::Fault)?;
    let first = once(&mut file, limit, after_bytes)?;
    if !first.moving {
        return Ok(first);
    }
    file.rewind().map_err(fault)?;
    once(&mut file, limit, after_bytes)
}

fn once(file: &mut File, limit: u64, after_bytes: &mut dyn FnMut()) -> Result<FileBytes, ReadFailure> {
    let before = nofollow::of_open(file).map_err(fault)?;
    if before.size > limit {
        return Err(ReadFailure::TooLarge(before.size));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(before.size).unwrap_or(0));
    let mut rest = Read::by_ref(file).take(limit.saturating_add(1));
    rest.read_to_end(&mut bytes).map_err(fault)?;
    after_bytes();
    let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    let after = nofollow::of_open(file).map_err(fault)?;
    if length > limit {
        return Err(ReadFailure::TooLarge(after.size.max(length)));
    }
    Ok(FileBytes {
        bytes,
        stat: after,
        moving: before != after || length != after.size,
    })
}

fn fault(error: io::Error) -> ReadFailure {
    ReadFailure::Fault(BelowFault::Io(error))
}

#[cfg(test)]
mod tests;
