//! Reaches what lies below a folder, component by component, and never through a symbolic link.
//!
//! Whoever can write below the folder can swap a parent for a link at any moment. Therefore each folder on the way is
//! held open while the next one is looked up in it; a path is never handed to the system whole.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::{AtFlags, Mode, OFlags, fstat, openat, readlinkat, statat};
use rustix::io::Errno;

use crate::path::RepoPath;
use crate::stat::{FileKind, Stat};

const FOLDER: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);
/// A pipe that got into the file's place must not keep the opener waiting.
const FILE: OFlags = OFlags::RDONLY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

/// A folder, and all that lies below it without a link in between.
#[derive(Debug)]
pub struct OpenFolder {
    root: OwnedFd,
}

/// Why a path cannot be reached.
#[derive(Debug, thiserror::Error)]
pub enum BelowFault {
    /// It, or a folder on the way, does not exist.
    #[error("it is not there")]
    Missing,
    /// A folder on the way is a symbolic link, or the file itself is one.
    #[error("a symbolic link is in the way")]
    ThroughLink,
    /// Something on the way is neither a folder nor a link.
    #[error("a file stands where a folder must be")]
    NotAFolder,
    /// It is there, but not a regular file.
    #[error("it is not a regular file")]
    NotAFile,
    /// The system refused.
    #[error("{0}")]
    Io(#[source] io::Error),
}

impl OpenFolder {
    /// Opens the folder itself; links in its own path are the caller's.
    pub fn open_root(root: &Path) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Self {
            root: rustix::fs::open(root, flags, Mode::empty())?,
        })
    }

    /// The folder itself.
    pub fn root(&self) -> BorrowedFd<'_> {
        self.root.as_fd()
    }

    /// The open folder a path is in, and the name it has there. Whether the name exists is not asked.
    pub fn parent<'path>(&self, path: &'path RepoPath) -> Result<(OwnedFd, &'path OsStr), BelowFault> {
        let folder = match path.parent() {
            Some(parent) => self.folder(&parent)?,
            None => self.root.try_clone().map_err(BelowFault::Io)?,
        };
        Ok((folder, OsStr::from_bytes(path.name())))
    }

    /// Opens a folder.
    pub fn folder(&self, path: &RepoPath) -> Result<OwnedFd, BelowFault> {
        let mut folder: Option<OwnedFd> = None;
        for component in path.components() {
            let within = folder.as_ref().map_or(self.root.as_fd(), AsFd::as_fd);
            folder = Some(step(within, OsStr::from_bytes(component))?);
        }
        folder.ok_or(BelowFault::Missing)
    }

    /// The place of a path, for one who asks more than one thing about it.
    pub fn spot<'path>(&self, path: &'path RepoPath) -> Result<NameInFolder<'path>, BelowFault> {
        let (folder, name) = self.parent(path)?;
        Ok(NameInFolder { folder, name })
    }

    /// What is at a path; a link is described itself.
    pub fn metadata(&self, path: &RepoPath) -> Result<Stat, BelowFault> {
        self.spot(path)?.metadata()
    }

    /// What the link at a path says.
    pub fn read_link(&self, path: &RepoPath) -> Result<Vec<u8>, BelowFault> {
        self.spot(path)?.read_link()
    }

    /// Opens a regular file, and nothing else.
    pub fn open_file(&self, path: &RepoPath) -> Result<File, BelowFault> {
        self.spot(path)?.open_file()
    }
}

/// A name in a folder that is held open.
#[derive(Debug)]
pub struct NameInFolder<'path> {
    folder: OwnedFd,
    name: &'path OsStr,
}

impl NameInFolder<'_> {
    /// What is there; a link is described itself.
    pub fn metadata(&self) -> Result<Stat, BelowFault> {
        look(self.folder.as_fd(), self.name)
    }

    /// What the link there says.
    pub fn read_link(&self) -> Result<Vec<u8>, BelowFault> {
        match readlinkat(&self.folder, self.name, Vec::new()) {
            Ok(target) => Ok(target.into_bytes()),
            Err(Errno::INVAL) => Err(BelowFault::NotAFile),
            Err(error) => Err(fault(error)),
        }
    }

    /// Opens a regular file, and nothing else.
    pub fn open_file(&self) -> Result<File, BelowFault> {
        // Opening alone can have effects on a device.
        match self.metadata()?.kind {
            FileKind::File => {}
            FileKind::Link => return Err(BelowFault::ThroughLink),
            FileKind::Folder | FileKind::Special(_) => return Err(BelowFault::NotAFile),
        }
        let file = match openat(&self.folder, self.name, FILE, Mode::empty()) {
            Ok(file) => File::from(file),
            Err(Errno::LOOP) => return Err(BelowFault::ThroughLink),
            Err(Errno::NXIO) => return Err(BelowFault::NotAFile),
            Err(error) => return Err(fault(error)),
        };
        match of_open(&file).map_err(BelowFault::Io)?.kind {
            FileKind::File => Ok(file),
            FileKind::Folder | FileKind::Link | FileKind::Special(_) => Err(BelowFault::NotAFile),
        }
    }
}

/// What an open file is now.
pub fn of_open(file: &File) -> io::Result<Stat> {
    Ok(Stat::of(&fstat(file)?))
}

/// Opens one folder inside another.
fn step(within: BorrowedFd<'_>, name: &OsStr) -> Result<OwnedFd, BelowFault> {
    match openat(within, name, FOLDER, Mode::empty()) {
        Ok(folder) => Ok(folder),
        // Systems disagree about which of the two a link gives.
        Err(Errno::LOOP | Errno::NOTDIR) => match look(within, name)?.kind {
            FileKind::Link => Err(BelowFault::ThroughLink),
            FileKind::File | FileKind::Folder | FileKind::Special(_) => Err(BelowFault::NotAFolder),
        },
        Err(error) => Err(fault(error)),
    }
}

fn look(folder: BorrowedFd<'_>, name: &OsStr) -> Result<Stat, BelowFault> {
    match statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(found) => Ok(Stat::of(&found)),
        Err(error) => Err(fault(error)),
    }
}

fn fault(error: Errno) -> BelowFault {
    match error {
        Errno::NOENT => BelowFault::Missing,
        error => BelowFault::Io(error.into()),
    }
}

#[cfg(test)]
mod tests;
