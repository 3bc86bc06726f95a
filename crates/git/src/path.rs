//! Paths inside a repository: bytes, relative to its root, and never able to lead out of it or into git's own files.

use std::ffi::OsStr;
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// A relative path of at least one component, separated by `/`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RepoPath(Vec<u8>);

/// Why a text is no path of a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PathFault {
    /// Nothing, a leading, trailing or doubled slash.
    #[error("it has an empty component")]
    Empty,
    /// `.` or `..`.
    #[error("it has a component `.` or `..`")]
    Dots,
    /// A zero byte.
    #[error("it contains a zero byte")]
    Zero,
    /// Git's own folder, in any spelling some file system takes for it.
    #[error("it leads into `.git`")]
    GitFolder,
    /// Longer than a path can be.
    #[error("it is too long")]
    TooLong,
}

/// What the kernel takes as a path.
pub(crate) const LONGEST: usize = 4096;

impl RepoPath {
    /// The path these bytes spell, if it stays inside and out of `.git`.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Result<Self, PathFault> {
        let bytes = bytes.into();
        if bytes.len() > LONGEST {
            return Err(PathFault::TooLong);
        }
        for component in bytes.split(|byte| *byte == b'/') {
            check(component)?;
        }
        Ok(Self(bytes))
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The same for the system.
    pub fn to_path(&self) -> &Path {
        Path::new(OsStr::from_bytes(&self.0))
    }

    /// Its components, outermost first.
    pub fn components(&self) -> impl Iterator<Item = &[u8]> {
        self.0.split(|byte| *byte == b'/')
    }

    /// The last component.
    pub fn name(&self) -> &[u8] {
        self.0.rsplit(|byte| *byte == b'/').next().unwrap_or(&self.0)
    }

    /// The folder it is in; none at the root.
    pub fn parent(&self) -> Option<Self> {
        let cut = self.0.iter().rposition(|byte| *byte == b'/')?;
        self.0.get(..cut).map(|bytes| Self(bytes.to_vec()))
    }

    /// Whether it lies below that folder.
    pub fn is_below(&self, folder: &Self) -> bool {
        self.0
            .strip_prefix(folder.as_bytes())
            .is_some_and(|rest| rest.first() == Some(&b'/'))
    }
}

impl fmt::Debug for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.escape_ascii())
    }
}

/// Lossy: for people, after control characters were taken out elsewhere.
impl fmt::Display for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf8_lossy(&self.0))
    }
}

/// Whether one component may stand in a path.
pub(crate) fn check(component: &[u8]) -> Result<(), PathFault> {
    match component {
        b"" => Err(PathFault::Empty),
        b"." | b".." => Err(PathFault::Dots),
        _ if component.contains(&0) => Err(PathFault::Zero),
        _ if is_git_folder(component) => Err(PathFault::GitFolder),
        _ => Ok(()),
    }
}

/// Whether some file system would take this name for `.git`.
fn is_git_folder(name: &[u8]) -> bool {
    let seen = without_ignored(name);
    let seen = seen.split(|byte| *byte == b':').next().unwrap_or_default();
    let end = seen
        .iter()
        .rposition(|byte| !matches!(byte, b'.' | b' '))
        .map_or(0, |last| last + 1);
    let seen = seen.get(..end).unwrap_or_default();
    seen.eq_ignore_ascii_case(b".git") || seen.eq_ignore_ascii_case(b"git~1")
}

/// The name without the characters that HFS+ ignores when it compares names.
fn without_ignored(name: &[u8]) -> Vec<u8> {
    match std::str::from_utf8(name) {
        Ok(text) => text
            .chars()
            .filter(|letter| {
                !matches!(letter, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
            })
            .collect::<String>()
            .into_bytes(),
        Err(_) => name.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_names_pass_whatever_their_bytes() {
        for name in [
            &b"a"[..],
            b"src/lib.rs",
            b".gitignore",
            b".github/x",
            b"a\xff\xfe",
            b"a b/c\n",
            b"git",
            b"x.git",
        ] {
            assert_eq!(RepoPath::new(name).unwrap().as_bytes(), name);
        }
    }

    #[test]
    fn what_leads_out_or_into_git_is_refused() {
        for (name, fault) in [
            (&b""[..], PathFault::Empty),
            (b"/etc", PathFault::Empty),
            (b"a//b", PathFault::Empty),
            (b"a/", PathFault::Empty),
            (b"a/../b", PathFault::Dots),
            (b"./a", PathFault::Dots),
            (b"a\0b", PathFault::Zero),
            (b".git/config", PathFault::GitFolder),
            (b"sub/.GIT/config", PathFault::GitFolder),
            (b".git. /x", PathFault::GitFolder),
            (b"GIT~1", PathFault::GitFolder),
            (b".git::$INDEX_ALLOCATION/x", PathFault::GitFolder),
            (".g\u{200c}it".as_bytes(), PathFault::GitFolder),
        ] {
            assert_eq!(RepoPath::new(name), Err(fault), "{}", name.escape_ascii());
        }
        assert_eq!(RepoPath::new(vec![b'a'; 5000]), Err(PathFault::TooLong));
    }

    #[test]
    fn parents_and_names_split_at_the_last_slash() {
        let path = RepoPath::new(&b"a/b/c"[..]).unwrap();
        assert_eq!(path.name(), b"c");
        assert_eq!(path.parent(), RepoPath::new(&b"a/b"[..]).ok());
        assert_eq!(RepoPath::new(&b"a"[..]).unwrap().parent(), None);
        assert!(path.is_below(&RepoPath::new(&b"a"[..]).unwrap()));
        assert!(!path.is_below(&RepoPath::new(&b"a/b/c"[..]).unwrap()));
    }
}
