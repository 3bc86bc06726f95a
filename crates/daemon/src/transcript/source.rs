//! Opens a transcript, whose path came from a payload: a regular file of this user, in the agent's folder, or nothing.

use rustix::fs::{FileType, Mode, OFlags};
use rustix::io::Errno;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// Where a transcript is said to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TranscriptPath<'a> {
    /// The file.
    pub path: &'a Path,
    /// The folder it must be in, where that is known.
    pub folder: Option<&'a Path>,
}

/// Why a transcript is not read.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// The client has not written it yet, or it is gone.
    #[error("there is no transcript at {}", .0.display())]
    Missing(PathBuf),
    /// Its last part is a link.
    #[error("{} is a link", .0.display())]
    Link(PathBuf),
    /// A folder, a device, a pipe or a socket.
    #[error("{} is not a regular file", .0.display())]
    NotAFile(PathBuf),
    /// Somebody else's file.
    #[error("{} belongs to another user", .0.display())]
    OtherOwner(PathBuf),
    /// Not where this agent keeps its transcripts.
    #[error("{} is outside the agent's folder", .0.display())]
    Outside(PathBuf),
    /// It cannot be opened or read.
    #[error("{} cannot be read", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl TranscriptPath<'_> {
    /// Opens it for reading.
    pub fn open(&self) -> Result<File, Refused> {
        let path = self.place()?;
        // Without blocking: to open a pipe for reading would wait for somebody to write.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
        let file = rustix::fs::open(&path, flags, Mode::empty()).map_err(|errno| self.refusal(errno))?;
        let found = rustix::fs::fstat(&file).map_err(|errno| self.refusal(errno))?;
        if FileType::from_raw_mode(found.st_mode) != FileType::RegularFile {
            return Err(Refused::NotAFile(self.path.to_owned()));
        }
        if found.st_uid != rustix::process::geteuid().as_raw() {
            return Err(Refused::OtherOwner(self.path.to_owned()));
        }
        Ok(File::from(file))
    }

    /// The file's path, its folder without any link on the way.
    fn place(&self) -> Result<PathBuf, Refused> {
        let (Some(parent), Some(name)) = (self.path.parent(), self.path.file_name()) else {
            return Err(Refused::NotAFile(self.path.to_owned()));
        };
        if self.path.as_os_str().as_encoded_bytes().contains(&0) {
            return Err(Refused::Missing(self.path.to_owned()));
        }
        let parent = fs_err::canonicalize(parent).map_err(|error| self.failure(error))?;
        if let Some(folder) = self.folder {
            let folder = fs_err::canonicalize(folder).map_err(|error| self.failure(error))?;
            if !parent.starts_with(folder) {
                return Err(Refused::Outside(self.path.to_owned()));
            }
        }
        Ok(parent.join(name))
    }

    fn refusal(&self, errno: Errno) -> Refused {
        match errno {
            Errno::LOOP | Errno::MLINK => Refused::Link(self.path.to_owned()),
            Errno::NXIO => Refused::NotAFile(self.path.to_owned()),
            other => self.failure(other.into()),
        }
    }

    pub(super) fn failure(&self, error: io::Error) -> Refused {
        match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Refused::Missing(self.path.to_owned()),
            _ => Refused::Unreadable {
                path: self.path.to_owned(),
                source: error,
            },
        }
    }
}

#[cfg(test)]
mod tests;
