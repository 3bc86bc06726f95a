//! The folder among git's own files in which a commit is prepared, one at a time per worktree.

use std::fs::File;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fs_err::os::unix::fs::OpenOptionsExt as _;
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use super::{CommitRefusal, NotMade};
use crate::deadline::Deadline;
use crate::object::Id;
use crate::place::Place;
use crate::small_file;

/// As long a lock is waited for, ours or git's.
pub const PATIENCE: Duration = Duration::from_secs(2);
/// Between two looks at a lock.
const PAUSE: Duration = Duration::from_millis(10);

/// The folder, held by this process until it is dropped.
pub struct Workshop {
    pub worktree: PathBuf,
    pub git_dir: PathBuf,
    folder: PathBuf,
    _lock: File,
}

impl Workshop {
    /// Waits for its turn, and clears away what a crash has left.
    pub fn enter(place: &Place) -> Result<Self, NotMade> {
        let (Some(worktree), Some(git_dir)) = (&place.worktree, &place.git_dir) else {
            return Err(NotMade::NoWorktree);
        };
        let folder = git_dir.join("toprope");
        match std::fs::DirBuilder::new().mode(0o700).create(&folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error.into()),
            Ok(()) | Err(_) => {}
        }
        let lock = taken(&folder.join("commit.lock"))?;
        let workshop = Self {
            worktree: worktree.clone(),
            git_dir: git_dir.clone(),
            folder,
            _lock: lock,
        };
        workshop.release_index();
        workshop.clear();
        Ok(workshop)
    }

    /// A file of ours.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// The person's index.
    pub fn index(&self) -> PathBuf {
        self.git_dir.join("index")
    }

    /// Where git and everybody else says that the index is theirs for a moment.
    pub fn index_lock(&self) -> PathBuf {
        self.git_dir.join("index.lock")
    }

    /// The file that `index.lock` is another name of while it is ours.
    pub fn lock_mark(&self) -> PathBuf {
        self.file("index-lock")
    }

    /// Gives the index back, if it is we who hold it.
    pub fn release_index(&self) {
        use std::os::unix::fs::MetadataExt;
        let identity = |path: &Path| {
            fs_err::symlink_metadata(path)
                .ok()
                .map(|metadata| (metadata.dev(), metadata.ino()))
        };
        let mark = identity(&self.lock_mark());
        if mark.is_some() && mark == identity(&self.index_lock()) {
            let _ = fs_err::remove_file(self.index_lock());
        }
        let _ = fs_err::remove_file(self.lock_mark());
    }

    /// Writes down what is about to happen.
    pub fn note(&self, head: Id, checkpoint: &str) -> io::Result<()> {
        let mut file = fs_err::OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(note_in(&self.git_dir))?;
        io::Write::write_all(&mut file, format!("{head}\n{checkpoint}\n").as_bytes())?;
        file.sync_all()
    }

    /// What was written down and not done with: where `HEAD` was, and the checkpoint.
    pub fn noted(&self) -> Option<(Id, String)> {
        let text = small_file::read(&note_in(&self.git_dir), 4096).ok()?;
        let text = String::from_utf8(text).ok()?;
        let mut lines = text.lines();
        Some((lines.next()?.parse().ok()?, lines.next()?.to_owned()))
    }

    /// It is done with.
    pub fn forget(&self) {
        let _ = fs_err::remove_file(note_in(&self.git_dir));
    }

    fn clear(&self) {
        for name in ["commit-index", "followed-index"] {
            for leftover in [name.to_owned(), format!("{name}.lock")] {
                let _ = fs_err::remove_file(self.file(&leftover));
            }
        }
    }
}

impl Drop for Workshop {
    fn drop(&mut self) {
        self.clear();
    }
}

/// Where what is about to happen is written down.
pub fn note_in(git_dir: &Path) -> PathBuf {
    git_dir.join("toprope/commit-note")
}

fn taken(path: &Path) -> Result<File, NotMade> {
    let file = fs_err::OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(path)?
        .into_file();
    let deadline = Deadline::after(PATIENCE);
    loop {
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(file),
            Err(Errno::WOULDBLOCK | Errno::INTR) if !deadline.has_passed() => pause(),
            Err(Errno::WOULDBLOCK | Errno::INTR) => return Err(CommitRefusal::IndexLocked.into()),
            Err(error) => return Err(io::Error::from(error).into()),
        }
    }
}

/// Lets a moment pass. A lock that is a mere file tells nobody when it goes.
pub fn pause() {
    let moment = rustix::event::Timespec::try_from(PAUSE).ok();
    let _ = rustix::event::poll(&mut [], moment.as_ref());
}
