//! Leaves a session's id for its commands, in the file that the client runs before each of them. Nothing here reads it back.

use crate::environment::SESSION;
use rustix::fs::{FileType, Mode, OFlags};
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;

/// Bytes of the longest id.
const LONGEST: usize = 128;

/// Adds the line that exports a session's id. The file is a script: an id that is more than a word is not written at all.
pub fn session(file: &Path, id: &str) -> io::Result<()> {
    if !is_word(id) || !file.is_absolute() {
        return Ok(());
    }
    let mut file = open(file)?;
    let length = file.metadata()?.len();
    // Another hook may have left its last line open.
    let mut last = [b'\n'];
    if let Some(before) = length.checked_sub(1) {
        file.read_exact_at(&mut last, before)?;
    }
    let line_end = if last == *b"\n" { "" } else { "\n" };
    file.write_all(format!("{line_end}export {SESSION}={id}\n").as_bytes())
}

fn is_word(id: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    (1..=LONGEST).contains(&id.len()) && id.bytes().all(is_plain)
}

/// A regular file of this user, made if there is none; a link, a pipe or a stranger's file is refused.
fn open(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDWR
        | OFlags::APPEND
        | OFlags::CREATE
        | OFlags::NOFOLLOW
        | OFlags::NONBLOCK
        | OFlags::CLOEXEC
        | OFlags::NOCTTY;
    let file = rustix::fs::open(path, flags, Mode::RUSR | Mode::WUSR)?;
    let found = rustix::fs::fstat(&file)?;
    let is_file = FileType::from_raw_mode(found.st_mode) == FileType::RegularFile;
    if !is_file || found.st_uid != rustix::process::geteuid().as_raw() {
        return Err(io::Error::other("the environment file is no file of ours"));
    }
    Ok(File::from(file))
}

#[cfg(test)]
mod tests;
