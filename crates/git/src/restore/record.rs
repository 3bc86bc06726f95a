//! A journal on disk: it appears whole, belongs to whoever holds its lock, and outlives its writer.

use std::fs::{DirBuilder, File};
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, Mode, OFlags, flock};
use rustix::io::Errno;

use super::journal::{Journal, JournalFault, JournalId};

/// About a million paths.
const LARGEST: u64 = 256 * 1024 * 1024;
/// Before the id of a journal that is being written.
const DRAFT: &str = "draft.";
/// Before the id of one that is settled, while what belongs to it is removed.
const CLOSED: &str = "closed.";
/// Before the id of one that could not be read, and was forgotten.
const UNREADABLE: &str = "unreadable.";

/// A journal that is open and locked. Dropping it leaves it for recovery.
#[derive(Debug)]
pub struct OpenJournal {
    file: File,
    path: PathBuf,
    /// What it says.
    pub journal: Journal,
    /// Whether all contents are staged.
    pub is_staged: bool,
}

/// What was found under a journal's name.
#[derive(Debug)]
pub enum FoundJournal {
    /// A journal nobody else works on.
    Free(OpenJournal),
    /// A process is at work on it.
    Live,
    /// Nothing any more.
    Gone,
    /// Bytes that are no journal of ours.
    Unreadable,
}

impl OpenJournal {
    /// Writes a journal, already locked when its name appears. Its bytes are durable then; its name becomes so with
    /// the contents.
    pub fn create(folder: &Path, journal: Journal) -> io::Result<Self> {
        make_private(folder)?;
        let _alone = lock_folder(folder)?;
        let bytes = journal.written().map_err(io::Error::other)?;
        let draft = folder.join(format!("{DRAFT}{}", journal.id));
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::RDWR | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut file = File::from(rustix::fs::open(&draft, flags, Mode::RUSR | Mode::WUSR)?);
        let published = (|| {
            flock(&file, FlockOperation::NonBlockingLockExclusive)?;
            file.write_all(&bytes)?;
            file.sync_all()?;
            fs_err::hard_link(&draft, folder.join(journal.id.as_str()))
        })();
        let removed = fs_err::remove_file(&draft);
        published.and(removed)?;
        Ok(Self {
            file,
            path: folder.join(journal.id.as_str()),
            journal,
            is_staged: false,
        })
    }

    /// Takes over a journal that was left behind.
    pub fn open(folder: &Path, id: &JournalId) -> io::Result<FoundJournal> {
        Self::open_at(folder.join(id.as_str()), id)
    }

    /// Takes over a journal that was settled, but whose stage folder may still be there.
    pub fn open_closed(folder: &Path, id: &JournalId) -> io::Result<FoundJournal> {
        Self::open_at(folder.join(format!("{CLOSED}{id}")), id)
    }

    fn open_at(path: PathBuf, id: &JournalId) -> io::Result<FoundJournal> {
        let flags = OFlags::RDWR | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let mut file = match rustix::fs::open(&path, flags, Mode::empty()) {
            Ok(file) => File::from(file),
            Err(Errno::NOENT) => return Ok(FoundJournal::Gone),
            Err(Errno::ISDIR | Errno::LOOP | Errno::NXIO) => return Ok(FoundJournal::Unreadable),
            Err(error) => return Err(error.into()),
        };
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(Errno::WOULDBLOCK) => return Ok(FoundJournal::Live),
            Err(error) => return Err(error.into()),
        }
        // Whoever had the lock may have closed the journal before giving it back.
        match fs_err::symlink_metadata(&path) {
            Ok(named) if named.ino() == file.metadata()?.ino() => {}
            Ok(_) => return Ok(FoundJournal::Gone),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(FoundJournal::Gone),
            Err(error) => return Err(error),
        }
        let Some(bytes) = read(&mut file)? else {
            return Ok(FoundJournal::Unreadable);
        };
        Ok(match Journal::read(id, &bytes) {
            Ok((journal, is_staged)) => FoundJournal::Free(Self {
                file,
                path,
                journal,
                is_staged,
            }),
            Err(_) => FoundJournal::Unreadable,
        })
    }

    /// Reads a journal without taking it over; none if it is gone.
    pub fn peek(folder: &Path, id: &JournalId) -> io::Result<Option<Result<Journal, JournalFault>>> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let mut file = match rustix::fs::open(folder.join(id.as_str()), flags, Mode::empty()) {
            Ok(file) => File::from(file),
            Err(Errno::NOENT) => return Ok(None),
            Err(Errno::LOOP | Errno::NXIO) => return Ok(Some(Err(JournalFault::Id))),
            Err(error) => return Err(error.into()),
        };
        let Some(bytes) = read(&mut file)? else {
            return Ok(Some(Err(JournalFault::Id)));
        };
        Ok(Some(Journal::read(id, &bytes).map(|(journal, _)| journal)))
    }

    /// Says that all contents are staged, synced. From here on, a restore that is cut short can be finished.
    pub fn mark_staged(&mut self) -> io::Result<()> {
        let mark = self.journal.mark().map_err(io::Error::other)?;
        self.file.write_all(&mark)?;
        self.file.sync_all()?;
        self.is_staged = true;
        Ok(())
    }

    /// The folder it is in, open: to make its name durable.
    pub fn folder(&self) -> io::Result<OwnedFd> {
        let folder = self.path.parent().unwrap_or(&self.path);
        Ok(fs_err::File::open(folder)?.into_file().into())
    }

    /// Says that nothing is left to finish or take back: only what belongs to the journal is still to be removed.
    pub fn retire(&mut self) -> io::Result<()> {
        let path = self.path.with_file_name(format!("{CLOSED}{}", self.journal.id));
        fs_err::rename(&self.path, &path)?;
        self.path = path;
        self.sync_name()
    }

    /// Removes the journal. One that was retired may come back with the power: it is removed again.
    pub fn remove(self) -> io::Result<()> {
        fs_err::remove_file(&self.path)
    }

    fn sync_name(&self) -> io::Result<()> {
        self.path.parent().map_or(Ok(()), sync_folder)
    }
}

/// A process just forked holds the descriptor too, until it runs its program; the lock must not last that long.
impl Drop for OpenJournal {
    fn drop(&mut self) {
        let _ = flock(&self.file, FlockOperation::Unlock);
    }
}

/// The journals of a folder.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct JournalList {
    /// Those not settled, by id.
    pub open: Vec<JournalId>,
    /// Those settled, with something left to be removed.
    pub closed: Vec<JournalId>,
}

/// All journals of the folder. Drafts that nobody finished are removed.
pub fn list(folder: &Path) -> io::Result<JournalList> {
    let entries = match fs_err::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(JournalList::default()),
        Err(error) => return Err(error),
    };
    let mut listed = JournalList::default();
    let mut drafts = Vec::new();
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        let Some(name) = name.to_str() else { continue };
        if name.starts_with(DRAFT) {
            drafts.push(entry.path());
        } else if let Some(id) = name.strip_prefix(CLOSED) {
            listed.closed.extend(JournalId::new(id));
        } else {
            listed.open.extend(JournalId::new(name));
        }
    }
    listed.open.sort();
    listed.closed.sort();
    remove_drafts(folder, drafts)?;
    Ok(listed)
}

/// Takes a journal that cannot be read out of the way, without destroying it.
pub fn set_aside(folder: &Path, id: &JournalId) -> io::Result<()> {
    fs_err::rename(folder.join(id.as_str()), folder.join(format!("{UNREADABLE}{id}")))?;
    sync_folder(folder)
}

/// A folder for our own eyes, with what leads to it.
pub fn make_private(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Makes names durable.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    fs_err::File::open(folder)?.sync_all()
}

/// Whoever writes a draft holds the folder's lock meanwhile: those found under it have nobody.
fn remove_drafts(folder: &Path, drafts: Vec<PathBuf>) -> io::Result<()> {
    if drafts.is_empty() {
        return Ok(());
    }
    let _alone = lock_folder(folder)?;
    for draft in drafts {
        match fs_err::remove_file(draft) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
    }
    Ok(())
}

/// Keeps others from making or sweeping drafts, until it is dropped.
fn lock_folder(folder: &Path) -> io::Result<File> {
    let folder = fs_err::File::open(folder)?.into_file();
    flock(&folder, FlockOperation::LockExclusive)?;
    Ok(folder)
}

/// All of a regular file of a size a journal can have.
fn read(file: &mut File) -> io::Result<Option<Vec<u8>>> {
    let metadata = file.metadata()?;
    if !metadata.is_file() || metadata.len() > LARGEST {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    file.take(LARGEST).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

#[cfg(test)]
mod tests;
