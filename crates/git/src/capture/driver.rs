//! Runs the external filter of a path on its bytes, within a limit of time. Its words are git's: `%f` is the path,
//! quoted for the shell; the `process` form speaks git's packet protocol.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::time::Duration;

use crate::path::RepoPath;
use crate::run::{Git, GitError, Limits};
use crate::settings::Driver;

/// What a filter may take for one file.
pub const PATIENCE: Duration = Duration::from_secs(5);
/// The most that fits a packet beside its length.
const PACKET: usize = 65516;
const FLUSH: &[u8] = b"0000";

/// What the filter makes of the bytes, or what went wrong, for people.
pub fn clean(
    git: &Git,
    driver: &Driver,
    path: &RepoPath,
    bytes: &[u8],
    limits: Limits,
) -> Result<Vec<u8>, String> {
    let answer = match (&driver.process, &driver.clean) {
        (Some(process), _) => {
            // Room for the lengths between the packets.
            let room = limits.bytes.saturating_add(limits.bytes / 1000);
            let limits = Limits {
                bytes: room.saturating_add(4096),
                ..limits
            };
            git.filter(process, conversation(path, bytes), limits)
                .map(|said| content(&said).ok_or_else(|| "it did not take the file".to_owned()))
        }
        (None, Some(clean)) => git.filter(&named(clean, path), bytes.to_vec(), limits).map(Ok),
        (None, None) => return Ok(bytes.to_vec()),
    };
    answer.unwrap_or_else(|error| Err(reason(&error, limits)))
}

fn reason(error: &GitError, limits: Limits) -> String {
    match error {
        GitError::Late => format!("it did not end within {} s", limits.time.as_secs()),
        GitError::TooLong { limit } => format!("it wrote more than {limit} bytes"),
        GitError::Missing | GitError::Start(_) => "it could not be started".to_owned(),
        GitError::Failed { code, stderr } => {
            let said = String::from_utf8_lossy(stderr);
            let said = said.lines().next().unwrap_or_default();
            let end = code.map_or_else(|| "was killed".to_owned(), |code| format!("ended with {code}"));
            if said.is_empty() {
                format!("it {end}")
            } else {
                format!("it {end}: {said}")
            }
        }
    }
}

/// The command with the path in it.
fn named(command: &OsStr, path: &RepoPath) -> OsString {
    let mut words = Vec::new();
    let mut rest = command.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        match (first, after.split_first()) {
            (b'%', Some((b'f', after))) => {
                words.extend(quoted(path.as_bytes()));
                rest = after;
            }
            (b'%', Some((b'%', after))) => {
                words.push(b'%');
                rest = after;
            }
            _ => words.push(first),
        }
    }
    OsString::from_vec(words)
}

fn quoted(bytes: &[u8]) -> Vec<u8> {
    let mut quoted = vec![b'\''];
    for &byte in bytes {
        match byte {
            b'\'' => quoted.extend_from_slice(b"'\\''"),
            byte => quoted.push(byte),
        }
    }
    quoted.push(b'\'');
    quoted
}

/// All we have to say, at once: what the filter will answer is known beforehand.
fn conversation(path: &RepoPath, bytes: &[u8]) -> Vec<u8> {
    let mut said = Vec::with_capacity(bytes.len() + 4096);
    let mut say = |words: &[&[u8]]| {
        for word in words {
            said.extend_from_slice(format!("{:04x}", word.len() + 4).as_bytes());
            said.extend_from_slice(word);
        }
        said.extend_from_slice(FLUSH);
    };
    say(&[b"git-filter-client\n", b"version=2\n"]);
    say(&[b"capability=clean\n"]);
    say(&[
        b"command=clean\n",
        &[b"pathname=", path.as_bytes(), b"\n"].concat(),
    ]);
    say(&bytes.chunks(PACKET).collect::<Vec<_>>());
    said
}

/// What the filter made of the file, if it agreed to everything and reported success to the end.
fn content(answer: &[u8]) -> Option<Vec<u8>> {
    let mut packets = Packets(answer);
    let welcome = packets.list()?;
    let capabilities = packets.list()?;
    let status = packets.list()?;
    let content = packets.list()?;
    let last = packets.list()?;
    let says = |list: &[&[u8]], word: &[u8]| list.iter().any(|line| line.trim_ascii_end() == word);
    let is_agreed = says(&welcome, b"version=2") && says(&capabilities, b"capability=clean");
    let is_success = says(&status, b"status=success") && (last.is_empty() || says(&last, b"status=success"));
    (is_agreed && is_success).then(|| content.concat())
}

/// Packets that follow each other.
struct Packets<'text>(&'text [u8]);

impl<'text> Packets<'text> {
    /// The packets up to the next flush.
    fn list(&mut self) -> Option<Vec<&'text [u8]>> {
        let mut list = Vec::new();
        loop {
            let (digits, rest) = self.0.split_at_checked(4)?;
            let length = usize::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
            if length == 0 {
                self.0 = rest;
                return Some(list);
            }
            let (packet, rest) = rest.split_at_checked(length.checked_sub(4)?)?;
            list.push(packet);
            self.0 = rest;
        }
    }
}

#[cfg(test)]
mod tests;
