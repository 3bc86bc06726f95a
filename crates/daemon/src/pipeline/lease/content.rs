//! What a file holds now: its stamp, and its hash where that is asked for. Bounded in bytes and in time.

use engine::hex::hex;
use engine::lease::{ContentIdentity, ContentStamp};
use sha2::{Digest, Sha256};
use std::fs::Metadata;
use std::io::Read;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::time::Instant;

/// Times of files are noted by a clock that may be so far behind.
pub const COARSENESS_MS: i64 = 20;
/// Read at once.
const CHUNK: usize = 65_536;

/// What tells cheaply that a file is still the same.
pub fn stamp(found: &Metadata) -> ContentStamp {
    ContentStamp {
        size: found.len(),
        mtime_ns: found
            .mtime()
            .saturating_mul(1_000_000_000)
            .saturating_add(found.mtime_nsec()),
        inode: found.ino(),
    }
}

/// The hash of what a file holds, if it is small enough and comes in time.
pub fn hash(path: &Path, found: &Metadata, most: u64, until: Instant) -> ContentIdentity {
    if !found.is_file() {
        return ContentIdentity::Nothing;
    }
    if found.len() > most {
        return ContentIdentity::TooBig;
    }
    hashed(path, most, until).map_or(ContentIdentity::Nothing, ContentIdentity::Hash)
}

/// How many lines a file has, if it is no longer than it was said to be. One without an end counts as well.
pub fn lines(path: &Path, size: u64) -> Option<u64> {
    let mut content = Vec::new();
    let mut rest = opened(path)?.take(size.saturating_add(1));
    rest.read_to_end(&mut content).ok()?;
    if u64::try_from(content.len()).ok()? > size {
        return None;
    }
    u64::try_from(content.split_inclusive(|byte| *byte == b'\n').count()).ok()
}

fn opened(path: &Path) -> Option<std::fs::File> {
    // What became a pipe since must not hold anybody up.
    std::fs::OpenOptions::new()
        .read(true)
        .custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed())
        .open(path)
        .ok()
}

fn hashed(path: &Path, most: u64, until: Instant) -> Option<String> {
    let mut rest = opened(path)?.take(most.saturating_add(1));
    let mut hasher = Sha256::new();
    let mut chunk = vec![0; CHUNK];
    let mut read = 0_u64;
    loop {
        if Instant::now() > until {
            return None;
        }
        let count = rest.read(&mut chunk).ok()?;
        if count == 0 {
            break;
        }
        read = read.saturating_add(u64::try_from(count).ok()?);
        hasher.update(chunk.get(..count)?);
    }
    (read <= most).then(|| hex(&hasher.finalize()))
}

#[cfg(test)]
mod tests;
