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

/// The right to rely on the commits that are held, until it is dropped or its process ends.
#[derive(Debug)]
pub struct BasesLock(#[expect(dead_code, reason = "held for its lock")] Lock);

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing is not enough: a process that another thread is just starting has the file open until it runs.
        let _ = rustix::fs::flock(&self.file, FlockOperation::Unlock);
    }
}

impl Shadow {
    /// Waits for the lock of this name.
    pub(super) fn lock(&self, name: &str) -> Result<Lock, ShadowError> {
        self.flock(name, FlockOperation::LockExclusive)
    }

    fn flock(&self, name: &str, operation: FlockOperation) -> Result<Lock, ShadowError> {
        let (file, path) = open(&self.folder, name)?;
        loop {
            match rustix::fs::flock(&file, operation) {
                Ok(()) => return Ok(Lock { file, path }),
                Err(Errno::INTR) => {}
                Err(error) => return Err(io::Error::from(error).into()),
            }
        }
    }

    /// Keeps the commits that checkpoints are made on from being let go, until it is dropped. Many may hold it.
    pub fn lock_bases(&self) -> Result<BasesLock, ShadowError> {
        self.flock("bases", FlockOperation::LockShared).map(BasesLock)
    }

    /// Waits until nobody is about to make a checkpoint, and holds everybody off who wants to.
    pub fn lock_bases_alone(&self) -> Result<BasesLock, ShadowError> {
        self.flock("bases", FlockOperation::LockExclusive).map(BasesLock)
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
    let path = folder.join(name);
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let opened = || rustix::fs::open(&path, flags, Mode::RUSR | Mode::WUSR);
    let file = match opened() {
        Err(Errno::NOENT) => {
            fs_err::create_dir_all(&folder)?;
            opened()
        }
        file => file,
    };
    let file = file.map_err(io::Error::from)?;
    Ok((File::from(file), path))
}
