//! What stands under a name right now, by its bytes.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::BorrowedFd;

use gix::hash::{Kind as Format, hasher};
use rustix::fs::{AtFlags, Mode as Bits, OFlags, openat, readlinkat, statat};
use rustix::io::Errno;

use super::journal::Modes;
use crate::nofollow::{BelowFault, OpenFolder, of_open};
use crate::object::{EntryMode, Id, PathState};
use crate::path::RepoPath;
use crate::stat::{FileKind, Stat};

/// What stands under a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameState {
    /// Nothing, or nothing but a folder.
    Absent {
        /// Whether a folder is there.
        is_folder: bool,
    },
    /// A file or a link.
    Present {
        /// What the system says of it.
        stat: Stat,
        /// The object with its bytes; none if they changed while they were read.
        bytes: Option<Id>,
    },
    /// A pipe, a socket, a device.
    Special,
}

impl NameState {
    /// Whether this is what the state says.
    pub fn is(&self, state: &PathState, modes: Modes) -> bool {
        match (self, state) {
            (Self::Absent { .. }, PathState::Absent) => true,
            (Self::Present { stat, bytes }, PathState::Present { entry, .. }) => {
                let is_kind = match (entry.mode, stat.kind) {
                    (EntryMode::File, FileKind::File) => modes == Modes::Ignored || !stat.is_executable(),
                    (EntryMode::Exec, FileKind::File) => modes == Modes::Ignored || stat.is_executable(),
                    (EntryMode::Link, FileKind::Link) => true,
                    _ => false,
                };
                is_kind && bytes.is_some() && *bytes == state.bytes()
            }
            _ => false,
        }
    }

    /// Whether this is still the very same file, by what the system says. Renaming it does not count.
    pub fn is_still(&self, later: &Stat) -> bool {
        match self {
            Self::Present { stat, bytes: Some(_) } => {
                let mark = |stat: &Stat| (stat.kind, stat.inode, stat.size, stat.mode, stat.modified);
                mark(stat) == mark(later)
            }
            Self::Present { bytes: None, .. } | Self::Absent { .. } | Self::Special => false,
        }
    }
}

/// Looks at a path. What lies below a file or a missing folder is absent; what lies behind a link is a fault.
pub fn at_path(below: &OpenFolder, path: &RepoPath, format: Format) -> Result<NameState, BelowFault> {
    match below.parent(path) {
        Ok((folder, name)) => at(rustix::fd::AsFd::as_fd(&folder), name, format).map_err(BelowFault::Io),
        Err(BelowFault::Missing | BelowFault::NotAFolder) => Ok(NameState::Absent { is_folder: false }),
        Err(fault) => Err(fault),
    }
}

/// Looks at a name in an open folder.
pub fn at(folder: BorrowedFd<'_>, name: &OsStr, format: Format) -> io::Result<NameState> {
    let Some(stat) = stat(folder, name)? else {
        return Ok(NameState::Absent { is_folder: false });
    };
    match stat.kind {
        FileKind::Folder => Ok(NameState::Absent { is_folder: true }),
        FileKind::Special(_) => Ok(NameState::Special),
        FileKind::Link => match readlinkat(folder, name, Vec::new()) {
            Ok(target) => Ok(NameState::Present {
                stat,
                bytes: hash(format, target.as_bytes())?,
            }),
            Err(error) => vanished(error, stat),
        },
        FileKind::File => {
            let flags =
                OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
            match openat(folder, name, flags, Bits::empty()) {
                Ok(file) => of_file(&File::from(file), format),
                Err(error) => vanished(error, stat),
            }
        }
    }
}

/// What the system says of a name.
pub fn stat(folder: BorrowedFd<'_>, name: &OsStr) -> io::Result<Option<Stat>> {
    match statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(found) => Ok(Some(Stat::of(&found))),
        Err(Errno::NOENT) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The object these bytes are.
pub fn hash(format: Format, bytes: &[u8]) -> io::Result<Option<Id>> {
    hash_stream(
        format,
        bytes,
        u64::try_from(bytes.len()).map_err(io::Error::other)?,
    )
}

/// It was there a moment ago, and is now something else: as good as changed.
fn vanished(error: Errno, stat: Stat) -> io::Result<NameState> {
    match error {
        Errno::NOENT | Errno::LOOP | Errno::INVAL | Errno::NXIO => {
            Ok(NameState::Present { stat, bytes: None })
        }
        error => Err(error.into()),
    }
}

fn of_file(file: &File, format: Format) -> io::Result<NameState> {
    let stat = of_open(file)?;
    if stat.kind != FileKind::File {
        return Ok(NameState::Present { stat, bytes: None });
    }
    let bytes = hash_stream(format, file, stat.size)?;
    let is_steady = of_open(file)? == stat;
    Ok(NameState::Present {
        stat,
        bytes: bytes.filter(|_| is_steady),
    })
}

/// The object of exactly this many bytes; none if there are more or fewer.
fn hash_stream(format: Format, mut from: impl Read, size: u64) -> io::Result<Option<Id>> {
    let mut sum = hasher(format);
    sum.update(format!("blob {size}\0").as_bytes());
    let mut buffer = vec![0; 64 * 1024];
    let mut seen: u64 = 0;
    loop {
        let count = match from.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let piece = buffer.get(..count).unwrap_or_default();
        sum.update(piece);
        seen = seen.saturating_add(u64::try_from(count).map_err(io::Error::other)?);
        if seen > size {
            return Ok(None);
        }
    }
    // Bytes made to collide with others are nobody's bytes.
    Ok(sum.try_finalize().ok().filter(|_| seen == size).map(Id))
}
