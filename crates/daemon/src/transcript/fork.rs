//! A conversation up to a point as the transcript of a new session. The old file is only read.

use super::reader::LONGEST_LINE;
use agents::Agent;
use agents::transcript::Forked;
use engine::id::ClientSessionId;
use fs_err::os::unix::fs::OpenOptionsExt;
use rustix::fs::OFlags;
use std::ffi::OsString;
use std::io::{self, BufRead, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

/// Why a conversation could not be continued from a point.
#[derive(Debug, thiserror::Error)]
pub enum ForkError {
    /// This agent's sessions, or this one, cannot be made from another's.
    #[error("this agent's sessions cannot be continued from an earlier point")]
    Impossible,
    /// The point is not in the file: it was cut short, or another branch was taken.
    #[error("the transcript no longer holds the end of that turn")]
    NoLeaf,
    /// A line before the point is longer than any the client can have meant.
    #[error("the transcript has a line that is too long to be copied")]
    TooLong,
    /// The old file cannot be read, or the new one not be written; it may be there already.
    #[error("the new transcript cannot be written")]
    Io(#[from] io::Error),
}

/// The id of a copy that ends with a line, in the form the client gives its own: the same for the same point, and
/// another for the next copy of it.
pub fn derived_session(original: &ClientSessionId, leaf: &str, nth: u32) -> ClientSessionId {
    use sha2::{Digest as _, Sha256};
    let text = format!("{original}\n{leaf}\n{nth}");
    let digest = Sha256::digest(text.as_bytes());
    let mut bytes = [0; 16];
    for (byte, of_digest) in bytes.iter_mut().zip(digest) {
        *byte = of_digest;
    }
    let number = u128::from_be_bytes(bytes);
    // Version 4, variant 1, as the client's are.
    let number = number & !(0xf << 76) & !(0b11 << 62) | (4 << 76) | (0b10 << 62);
    let digits = format!("{number:032x}");
    let parts = [0..8, 8..12, 12..16, 16..20, 20..32];
    let parts: Vec<&str> = parts.into_iter().filter_map(|part| digits.get(part)).collect();
    ClientSessionId::new(parts.join("-"))
}

/// Writes the lines up to `leaf` beside the old transcript, under the new session's id, and says where.
///
/// `lines` is the old transcript's text, from the file or from where it was kept.
pub fn fork(
    agent: &dyn Agent,
    old: &Path,
    lines: &mut dyn BufRead,
    leaf: &str,
    session: &ClientSessionId,
) -> Result<PathBuf, ForkError> {
    let target = agent
        .forked_transcript(old, session)
        .ok_or(ForkError::Impossible)?;
    let draft = draft_of(&target);
    let written = write(&draft, lines, |line| agent.fork_line(line, leaf, session)).and_then(|()| {
        // A link instead of a rename: a file that is there already is never replaced.
        fs_err::hard_link(&draft, &target).map_err(ForkError::from)
    });
    let removed = fs_err::remove_file(&draft);
    written?;
    removed?;
    Ok(target)
}

fn draft_of(target: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(target.file_name().unwrap_or_default());
    name.push(".toprope");
    target.with_file_name(name)
}

fn write(draft: &Path, lines: &mut dyn BufRead, forked: impl Fn(&[u8]) -> Forked) -> Result<(), ForkError> {
    let file = fs_err::OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .custom_flags(OFlags::NOFOLLOW.bits().cast_signed())
        .open(draft)?;
    let mut output = BufWriter::new(file);
    let mut line = Vec::new();
    while read_line(lines, &mut line)? {
        match forked(line.strip_suffix(b"\n").unwrap_or(&line)) {
            Forked::LeftOut => {}
            Forked::Kept(line) => write_line(&mut output, &line)?,
            Forked::Leaf(line) => {
                write_line(&mut output, &line)?;
                let file = output.into_inner().map_err(io::IntoInnerError::into_error)?;
                return Ok(file.sync_all()?);
            }
        }
    }
    Err(ForkError::NoLeaf)
}

fn read_line(lines: &mut dyn BufRead, line: &mut Vec<u8>) -> Result<bool, ForkError> {
    line.clear();
    let read = lines.take(LONGEST_LINE + 1).read_until(b'\n', line)?;
    let is_too_long = u64::try_from(read).is_ok_and(|read| read > LONGEST_LINE) && !line.ends_with(b"\n");
    if is_too_long {
        return Err(ForkError::TooLong);
    }
    Ok(read > 0)
}

fn write_line(output: &mut impl Write, line: &[u8]) -> io::Result<()> {
    output.write_all(line)?;
    output.write_all(b"\n")
}

#[cfg(test)]
mod tests;
