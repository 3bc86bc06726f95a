//! The shadow: a bare repository of our own beside the user's, which reads their objects and writes only its own.
//!
//! Whatever a checkpoint needs is either an object of the shadow itself or held by the commit the checkpoint was made
//! on. So "it exists already" is asked of the shadow's own objects alone: what the user's store holds today may be
//! pruned tomorrow.

mod adopt;
mod commit;
mod diff;
mod edit;
mod error;
mod folder;
pub mod layout;
mod line;
mod lock;
mod loose;
mod make;
mod objects;
mod own;
mod packs;
mod reach;
mod records;
mod site;
pub mod tidy;
mod trailer;
mod tree;

use std::fs::Metadata;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

pub use commit::{Commit, CommitAuthor, NewCommit};
pub use diff::Delta;
pub use error::ShadowError;
pub use layout::ShadowLayout;
pub use line::{LineLock, Track};
pub use lock::BasesLock;
pub use make::ShadowFiles;
pub use site::{ObjectFormat, ShadowSite};
pub use trailer::trailers;

use crate::object::Id;
use gix::objs::Kind;
use objects::Objects;

/// The unit that the system counts room on a disk in.
const BLOCK: u64 = 512;

/// One shadow repository, opened. It can be sent to another thread, and each thread opens its own.
pub struct Shadow {
    folder: PathBuf,
    objects: Objects,
}

impl Shadow {
    /// The repository's folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Where the journals of operations under way are.
    pub fn journal_folder(&self) -> PathBuf {
        self.folder.join("journal")
    }

    /// How many bytes our own objects take on the disk, as `du` counts them.
    pub fn size(&self) -> io::Result<u64> {
        self.size_where(|_| true)
    }

    /// How many bytes those of our own objects take that are older: only these can be removed.
    pub fn size_older(&self, than: SystemTime) -> io::Result<u64> {
        self.size_where(|file| file.modified().is_ok_and(|modified| modified < than))
    }

    fn size_where(&self, counts: impl Fn(&Metadata) -> bool) -> io::Result<u64> {
        let mut total = 0;
        for entry in fs_err::read_dir(self.objects.folder())? {
            let folder = entry?.path();
            // Whatever is moved or removed meanwhile takes no room.
            let Ok(files) = fs_err::read_dir(&folder) else {
                continue;
            };
            let folder = fs_err::metadata(&folder).ok();
            let files = files.flatten().filter_map(|file| file.metadata().ok());
            let counted = files.chain(folder).filter(&counts);
            total += counted.map(|found| found.blocks() * BLOCK).sum::<u64>();
        }
        Ok(total)
    }

    /// Whether one of our own objects was written or touched since.
    pub fn has_younger(&self, than: SystemTime) -> Result<bool, ShadowError> {
        Ok(own::Own::list(&self.objects)?.recent(than).next().is_some())
    }

    /// How this repository names its objects.
    pub fn format(&self) -> ObjectFormat {
        self.objects.format()
    }

    /// The id a blob of these bytes has, without writing it.
    pub fn hash_blob(&self, bytes: &[u8]) -> Result<Id, ShadowError> {
        self.objects.hash(Kind::Blob, bytes)
    }

    /// Keeps these bytes as an object of our own, unless it is one already.
    pub fn write_blob(&self, bytes: &[u8]) -> Result<Id, ShadowError> {
        self.objects.write(Kind::Blob, bytes)
    }

    /// Keeps these bytes under the id they have, without asking whether they are kept already.
    pub fn add_blob(&self, id: Id, bytes: &[u8]) -> Result<(), ShadowError> {
        self.objects.add(id, Kind::Blob, bytes)
    }

    /// Makes an object of our own as young as a new one, so that it is not tidied away before something refers to it.
    /// False if it is none of ours.
    pub fn renew(&self, id: Id) -> bool {
        self.objects.knows(id) && self.objects.renew(id)
    }

    /// Forgets what was read before, so that what was damaged since then is noticed.
    pub fn forget(&self) {
        self.objects.forget();
    }

    /// Whether the object is one of our own. What the user's store holds does not count.
    pub fn owns(&self, id: Id) -> bool {
        self.objects.owns(id)
    }

    /// Whether the content of a blob can be had, wherever it is kept. It is not read.
    pub fn has_blob(&self, id: Id) -> bool {
        matches!(self.objects.kind(id), Ok(Kind::Blob))
    }

    /// The content of a blob of at most `limit` bytes, wherever it is kept; what is read has the id it was asked by.
    pub fn blob(&self, id: Id, limit: u64) -> Result<Vec<u8>, ShadowError> {
        let bytes = self.objects.read(id, Kind::Blob, limit)?;
        if self.hash_blob(&bytes)? == id {
            Ok(bytes)
        } else {
            Err(ShadowError::Corrupt {
                id,
                reason: "its content has another id".to_owned(),
            })
        }
    }
}

#[cfg(test)]
mod tests;
