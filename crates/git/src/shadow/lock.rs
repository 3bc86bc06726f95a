//! Locks of the kernel's: held by one process at a time, and never left behind by one that was killed.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, Mode, OFlags};
use rustix::io::Errno;

use super::{Shadow, ShadowError};

/// A lock that is held until it is dropped. Its file stays: removing it would let two others hold one lock each.
#[derive(Debug)]
pub(super) struct Lock {
    pub(super) file: File,
    pub(super) path: PathBuf,
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing is not enough: a process that another thread is just starting has the file open until it runs.
        let _ = rustix::fs::flock(&self.file, FlockOperation::Unlock);
    }
}

impl Shadow {
    /// Waits for the lock of this name.
    pub(super) fn lock(&self, name: &str) -> Result<Lock, ShadowError> {
        let (file, path) = open(&self.folder, name)?;
        loop {
            match rustix::fs::flock(&file, FlockOperation::LockExclusive) {
                Ok(()) => return Ok(Lock { file, path }),
                Err(Errno::INTR) => {}
                Err(error) => return Err(io::Error::from(error).into()),
            }
        }
    }

    /// The lock of this name, if nobody holds it now.
    pub(super) fn try_lock(&self, name: &str) -> Result<Option<Lock>, ShadowError> {
        let (file, path) = open(&self.folder, name)?;
        match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Some(Lock { file, path })),
            Err(Errno::WOULDBLOCK) => Ok(None),
            Err(error) => Err(io::Error::from(error).into()),
        }
    }
}

fn open(shadow: &Path, name: &str) -> Result<(File, PathBuf), ShadowError> {
    let folder = shadow.join("locks");
    fs_err::create_dir_all(&folder)?;
    let path = folder.join(name);
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let file = rustix::fs::open(&path, flags, Mode::RUSR | Mode::WUSR).map_err(io::Error::from)?;
    Ok((File::from(file), path))
}
