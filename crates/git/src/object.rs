//! What a tree holds: object ids, modes, and the state of one path.

use gix::ObjectId;
use std::fmt;
use std::str::FromStr;

/// The name of an object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(pub(crate) ObjectId);

impl Id {
    /// The first digits, as people read them.
    pub fn short(&self) -> String {
        self.0.to_hex_with_len(7).to_string()
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A text that names no object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not an object id")]
pub struct NotAnId;

impl FromStr for Id {
    type Err = NotAnId;

    fn from_str(text: &str) -> Result<Self, NotAnId> {
        ObjectId::from_hex(text.as_bytes()).map(Self).map_err(|_| NotAnId)
    }
}

/// What kind of thing a path is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EntryMode {
    /// A file.
    File,
    /// A file that can be run.
    Exec,
    /// A symbolic link; its content is the target.
    Link,
    /// A submodule or a nested repository: a commit's id and nothing else.
    Commit,
}

impl EntryMode {
    /// The way git writes it.
    pub fn octal(self) -> &'static str {
        match self {
            Self::File => "100644",
            Self::Exec => "100755",
            Self::Link => "120000",
            Self::Commit => "160000",
        }
    }

    /// The mode git writes this way; the group-writable files of very old trees are files.
    pub fn parse(octal: &str) -> Option<Self> {
        match octal {
            "100644" | "100664" => Some(Self::File),
            "100755" => Some(Self::Exec),
            "120000" => Some(Self::Link),
            "160000" => Some(Self::Commit),
            _ => None,
        }
    }
}

/// One leaf of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TreeLeaf {
    /// What it is.
    pub mode: EntryMode,
    /// Its content.
    pub id: Id,
}

/// What is at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PathState {
    /// Nothing.
    Absent,
    /// A file, a link or a commit.
    Present {
        /// The form git would store.
        entry: TreeLeaf,
        /// The bytes in the worktree, where they differ from the stored form.
        raw: Option<Id>,
    },
}

impl PathState {
    /// A leaf whose worktree bytes are its stored form.
    pub fn plain(entry: TreeLeaf) -> Self {
        Self::Present { entry, raw: None }
    }

    /// The stored form, if something is there.
    pub fn entry(&self) -> Option<TreeLeaf> {
        match self {
            Self::Absent => None,
            Self::Present { entry, .. } => Some(*entry),
        }
    }

    /// The object that holds the bytes of the worktree.
    pub fn bytes(&self) -> Option<Id> {
        match self {
            Self::Absent => None,
            Self::Present { entry, raw } => Some(raw.unwrap_or(entry.id)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_both_formats_survive_being_written_and_read() {
        for text in ["0123456789abcdef0123456789abcdef01234567", &"ab".repeat(32)] {
            assert_eq!(text.parse::<Id>().unwrap().to_string(), text);
        }
        assert_eq!("0123".parse::<Id>(), Err(NotAnId));
        assert_eq!("".parse::<Id>(), Err(NotAnId));
    }

    #[test]
    fn modes_are_found_by_what_git_writes() {
        for mode in [
            EntryMode::File,
            EntryMode::Exec,
            EntryMode::Link,
            EntryMode::Commit,
        ] {
            assert_eq!(EntryMode::parse(mode.octal()), Some(mode));
        }
        assert_eq!(EntryMode::parse("040000"), None);
    }
}
