//! Reads the few settings of a repository that say where its files are and how its objects are named. Includes are not followed.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use crate::small_file;

/// Larger files are not a repository's settings, and are taken as empty.
const LIMIT: u64 = 1024 * 1024;

/// What a repository's own settings say about its place.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GitConfig {
    /// `core.bare`: there is no working tree.
    pub bare: Option<bool>,
    /// `core.worktree`: the working tree is elsewhere. Relative to the git directory.
    pub worktree: Option<PathBuf>,
    /// `extensions.objectFormat`: how objects are named; absent, it is SHA-1.
    pub object_format: Option<Vec<u8>>,
    /// `extensions.worktreeConfig`: `config.worktree` counts as well.
    has_worktree_file: bool,
}

impl GitConfig {
    /// The settings of the repository whose common directory this is.
    pub fn read(common_dir: &Path) -> Self {
        let mut config = Self::default();
        config.overlay(&common_dir.join("config"));
        if config.has_worktree_file {
            config.overlay(&common_dir.join("config.worktree"));
        }
        config
    }

    fn overlay(&mut self, path: &Path) {
        if let Ok(text) = small_file::read(path, LIMIT) {
            self.parse(&text);
        }
    }

    fn parse(&mut self, text: &[u8]) {
        let mut section = Vec::new();
        let mut rest = text;
        while let Some((&first, after)) = rest.split_first() {
            match first {
                b'[' => (section, rest) = header(after),
                b'#' | b';' => rest = after_line(rest),
                byte if byte.is_ascii_whitespace() => rest = after,
                _ => {
                    let end = rest.iter().position(|byte| b"=\n#;".contains(byte));
                    let (key, tail) = rest.split_at(end.unwrap_or(rest.len()));
                    let given = tail.strip_prefix(b"=").map(value);
                    rest = given.as_ref().map_or(tail, |(_, tail)| tail);
                    let key = key.trim_ascii().to_ascii_lowercase();
                    self.set(&section, &key, given.map(|(value, _)| value));
                }
            }
        }
    }

    fn set(&mut self, section: &[u8], key: &[u8], value: Option<Vec<u8>>) {
        match (section, key) {
            (b"core", b"bare") => self.bare = Some(is_true(value.as_deref())),
            (b"core", b"worktree") => {
                self.worktree = value.map(|path| PathBuf::from(OsString::from_vec(path)));
            }
            (b"extensions", b"objectformat") => self.object_format = value,
            (b"extensions", b"worktreeconfig") => self.has_worktree_file = is_true(value.as_deref()),
            _ => {}
        }
    }
}

/// The name between the brackets, in lower case, and what follows. A subsection keeps its quotes, so it matches nothing.
fn header(text: &[u8]) -> (Vec<u8>, &[u8]) {
    let mut is_quoted = false;
    let mut is_escaped = false;
    let end = text.iter().position(|&byte| {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => is_quoted = !is_quoted,
            b']' => return !is_quoted,
            b'\n' => return true,
            _ => {}
        }
        false
    });
    let (name, tail) = text.split_at(end.unwrap_or(text.len()));
    (name.to_ascii_lowercase(), tail.get(1..).unwrap_or_default())
}

/// One value without its quotes, escapes and comment, and what follows its line.
fn value(text: &[u8]) -> (Vec<u8>, &[u8]) {
    let mut value = Vec::new();
    let mut kept = 0;
    let mut is_quoted = false;
    let mut rest = text;
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        match first {
            b'\n' => break,
            b'#' | b';' if !is_quoted => {
                rest = after_line(after);
                break;
            }
            b'"' => is_quoted = !is_quoted,
            b'\\' => {
                let (escaped, after) = escape(after);
                rest = after;
                value.extend(escaped);
                kept = value.len();
                continue;
            }
            byte if byte.is_ascii_whitespace() && !is_quoted => {
                if !value.is_empty() {
                    value.push(byte);
                }
                continue;
            }
            byte => value.push(byte),
        }
        kept = value.len();
    }
    value.truncate(kept);
    (value, rest)
}

/// The byte a backslash stands for: none at the end of a line, which it continues.
fn escape(text: &[u8]) -> (Option<u8>, &[u8]) {
    let text = text
        .strip_prefix(b"\r")
        .filter(|rest| rest.starts_with(b"\n"))
        .unwrap_or(text);
    match text.split_first() {
        Some((b'\n', rest)) => (None, rest),
        Some((b'n', rest)) => (Some(b'\n'), rest),
        Some((b't', rest)) => (Some(b'\t'), rest),
        Some((b'b', rest)) => (Some(8), rest),
        Some((&byte, rest)) => (Some(byte), rest),
        None => (None, text),
    }
}

fn after_line(text: &[u8]) -> &[u8] {
    let end = text.iter().position(|&byte| byte == b'\n');
    end.and_then(|end| text.get(end + 1..)).unwrap_or_default()
}

/// A key without a value is true, as git has it.
fn is_true(value: Option<&[u8]>) -> bool {
    let Some(value) = value else { return true };
    [&b"true"[..], b"yes", b"on", b"1"]
        .iter()
        .any(|word| value.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests;
