//! The lock of the person's index, held as briefly as git holds it.

use super::workshop::{PATIENCE, Workshop, pause};
use super::{CommitRefusal, NotMade};
use crate::deadline::Deadline;
use std::io;
use std::path::Path;

/// The index is ours until this is dropped. A crash leaves a mark by which the lock is known as ours, and removed.
pub struct IndexLock<'shop>(&'shop Workshop);

impl<'shop> IndexLock<'shop> {
    /// Waits for the index, but not for long.
    pub fn take(workshop: &'shop Workshop) -> Result<Self, NotMade> {
        fs_err::write(workshop.lock_mark(), b"")?;
        // From here on the mark is cleared away, and the lock with it if it became ours.
        let lock = Self(workshop);
        let deadline = Deadline::after(PATIENCE);
        loop {
            match fs_err::hard_link(workshop.lock_mark(), workshop.index_lock()) {
                Ok(()) => return Ok(lock),
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error.into()),
                Err(_) if deadline.has_passed() => return Err(CommitRefusal::IndexLocked.into()),
                Err(_) => pause(),
            }
        }
    }

    /// Puts another index in the place of the person's, in one step.
    pub fn replace(self, with: &Path) -> io::Result<()> {
        let index = self.0.index();
        if let Ok(metadata) = fs_err::metadata(&index) {
            fs_err::set_permissions(with, metadata.permissions())?;
        }
        fs_err::File::open(with)?.sync_all()?;
        fs_err::rename(with, index)
    }
}

impl Drop for IndexLock<'_> {
    fn drop(&mut self) {
        self.0.release_index();
    }
}
