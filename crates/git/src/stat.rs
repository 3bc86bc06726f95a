//! What the system says of one file without opening it.

use rustix::fs::{FileType, Mode as Bits};

/// What is there, and what tells it from its earlier and later selves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stat {
    /// What kind of thing it is.
    pub kind: FileKind,
    /// Its length in bytes.
    pub size: u64,
    /// Type and permission bits as the system has them.
    pub mode: u64,
    /// Its number on its file system.
    pub inode: u64,
    /// When its content last changed, in nanoseconds since 1970.
    pub modified: i128,
    /// When anything about it last changed, in nanoseconds since 1970.
    pub changed: i128,
}

/// What kind of thing a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link.
    Link,
    /// A pipe, socket or device, by its name for people.
    Special(&'static str),
}

impl Stat {
    /// Whether its owner may run it: all that git keeps of the permissions.
    pub fn is_executable(&self) -> bool {
        self.mode & u64::from(Bits::XUSR.bits()) != 0
    }

    pub(crate) fn of(found: &rustix::fs::Stat) -> Self {
        Self {
            kind: kind(FileType::from_raw_mode(found.st_mode)),
            size: u64::try_from(found.st_size).unwrap_or(0),
            mode: u64::from(found.st_mode),
            inode: found.st_ino,
            modified: moment(i128::from(found.st_mtime), i128::from(found.st_mtime_nsec)),
            changed: moment(i128::from(found.st_ctime), i128::from(found.st_ctime_nsec)),
        }
    }
}

fn moment(seconds: i128, nanoseconds: i128) -> i128 {
    seconds * 1_000_000_000 + nanoseconds
}

fn kind(found: FileType) -> FileKind {
    match found {
        FileType::RegularFile => FileKind::File,
        FileType::Directory => FileKind::Folder,
        FileType::Symlink => FileKind::Link,
        FileType::Fifo => FileKind::Special("a named pipe"),
        FileType::Socket => FileKind::Special("a socket"),
        FileType::CharacterDevice | FileType::BlockDevice => FileKind::Special("a device"),
        FileType::Unknown => FileKind::Special("of an unknown kind"),
    }
}
