//! The line of checkpoints of one worktree: a ref that moves by compare-and-swap and never backwards.
//!
//! Among ourselves a lock of the kernel orders the moves, which ends with its process. Git's own lock file is made and
//! honoured as well, for whoever runs git in the shadow by hand; it is a second name of our lock, so that one left
//! behind by a killed process is known to be ours and removed at once.

use std::fmt;
use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::lock::Lock;
use super::objects::touch_file;
use super::site::digest;
use super::{Shadow, ShadowError};
use crate::object::Id;
use crate::small_file;

/// Where the lines are.
const FOLDER: &str = "refs/toprope/shadow";
/// A ref is one id; anything much longer is none.
const REF_LIMIT: u64 = 4096;
const PACKED_LIMIT: u64 = 16 * 1024 * 1024;
/// Git holds its lock for moments. One this old was left behind.
const STALE: Duration = Duration::from_secs(10);

/// The name of a line: 12 digits that stand for a worktree.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Track(String);

impl Track {
    /// The line of the worktree git calls by this name; the main worktree has the empty name.
    pub fn of(worktree_name: &[u8]) -> Self {
        Self(digest(worktree_name, 12))
    }

    /// The ref that holds its tip.
    pub fn ref_name(&self) -> String {
        format!("{FOLDER}/{}", self.0)
    }

    fn parse(name: &str) -> Option<Self> {
        let is_line = name.len() == 12 && name.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        is_line.then(|| Self(name.to_owned()))
    }
}

impl fmt::Display for Track {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The right to add to a line, until it is dropped or its process ends.
#[derive(Debug)]
pub struct LineLock(#[expect(dead_code, reason = "held until it is dropped")] Lock);

impl Shadow {
    /// The newest commit of a line; none if it has none yet.
    pub fn tip(&self, line: &Track) -> Result<Option<Id>, ShadowError> {
        let path = self.folder.join(line.ref_name());
        match small_file::read(&path, REF_LIMIT) {
            Ok(text) => self.ref_value(&path, &text).map(Some),
            Err(error) if is_absent(&error) => {
                let packed = self.packed()?;
                Ok(packed
                    .into_iter()
                    .find(|(name, _)| name == line)
                    .map(|(_, id)| id))
            }
            Err(error) => Err(refused(path, error)),
        }
    }

    /// All lines and their tips, in the order of their names.
    pub fn lines(&self) -> Result<Vec<(Track, Id)>, ShadowError> {
        let mut names: Vec<Track> = self.packed()?.into_iter().map(|(line, _)| line).collect();
        match fs_err::read_dir(self.folder.join(FOLDER)) {
            Ok(entries) => {
                for entry in entries {
                    names.extend(entry?.file_name().to_str().and_then(Track::parse));
                }
            }
            Err(error) if is_absent(&error) => {}
            Err(error) => return Err(error.into()),
        }
        names.sort();
        names.dedup();
        let mut lines = Vec::new();
        for line in names {
            if let Some(id) = self.tip(&line)? {
                lines.push((line, id));
            }
        }
        Ok(lines)
    }

    /// Moves a line from the tip the caller knows to a new one, or not at all.
    pub fn advance(&self, line: &Track, from: Option<Id>, to: Id) -> Result<(), ShadowError> {
        if !self.objects.knows(to) {
            return Err(ShadowError::Missing(to));
        }
        let path = self.folder.join(line.ref_name());
        let lock = self.lock(&format!("{line}.ref"))?;
        let _git = GitLock::take(&lock, &path)?;
        if self.tip(line)? != from {
            return Err(ShadowError::Raced);
        }
        // The lock makes the name ours; whatever a killed process left in it is overwritten.
        let new = self.folder.join("locks").join(format!("{line}.new"));
        fs_err::write(&new, format!("{to}\n"))?;
        fs_err::rename(&new, &path)?;
        Ok(())
    }

    /// Waits until no other process adds to this line.
    pub fn lock_line(&self, line: &Track) -> Result<LineLock, ShadowError> {
        self.lock(&format!("{line}.line")).map(LineLock)
    }

    /// The right to put files of this line's worktree back; none while another process has it.
    pub fn lock_rewinds(&self, line: &Track) -> Result<Option<LineLock>, ShadowError> {
        Ok(self.try_lock(&format!("{line}.rewind"))?.map(LineLock))
    }

    fn ref_value(&self, path: &Path, text: &[u8]) -> Result<Id, ShadowError> {
        let hex = std::str::from_utf8(text.trim_ascii_end()).ok();
        hex.and_then(|hex| hex.parse().ok())
            .filter(|id| self.objects.knows(*id))
            .ok_or_else(|| ShadowError::Damaged {
                path: path.to_path_buf(),
                fault: "names no object",
            })
    }

    /// The lines somebody's git moved into one file.
    fn packed(&self) -> Result<Vec<(Track, Id)>, ShadowError> {
        let path = self.folder.join("packed-refs");
        let text = match small_file::read(&path, PACKED_LIMIT) {
            Ok(text) => text,
            Err(error) if is_absent(&error) => return Ok(Vec::new()),
            Err(error) => return Err(refused(path, error)),
        };
        let parse = |line: &[u8]| {
            let (id, name) = std::str::from_utf8(line).ok()?.trim_end().split_once(' ')?;
            let name = name.strip_prefix(FOLDER)?.strip_prefix('/')?;
            let id = id.parse().ok().filter(|id| self.objects.knows(*id))?;
            Some((Track::parse(name)?, id))
        };
        Ok(text.split(|byte| *byte == b'\n').filter_map(parse).collect())
    }
}

/// Git's lock of a ref, removed when dropped.
struct GitLock(Option<PathBuf>);

impl GitLock {
    fn take(ours: &Lock, reference: &Path) -> Result<Self, ShadowError> {
        let path = reference.with_extension("lock");
        for _ in 0..3 {
            match fs_err::hard_link(&ours.path, &path) {
                Ok(()) => return Ok(Self(Some(path))),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => clear(&ours.file, &path)?,
                Err(error) if error.kind() == io::ErrorKind::NotFound => make_folder_of(&path)?,
                // A file system without second names: git is then not kept out, we ourselves still are.
                Err(_) => return Ok(Self(None)),
            }
        }
        Err(ShadowError::Raced)
    }
}

impl Drop for GitLock {
    fn drop(&mut self) {
        if let Some(path) = &self.0 {
            let _ = fs_err::remove_file(path);
        }
    }
}

/// Somebody removed the folder the lines are in; the line that is to move is a new one then.
fn make_folder_of(path: &Path) -> Result<(), ShadowError> {
    match path.parent() {
        Some(folder) => Ok(fs_err::create_dir_all(folder)?),
        None => Ok(()),
    }
}

/// Removes a lock file nobody can hold any more: one of ours, since we hold the lock it is a name of, or an old one.
fn clear(ours: &File, path: &Path) -> Result<(), ShadowError> {
    let found = match fs_err::symlink_metadata(path) {
        Ok(found) => found,
        Err(error) if is_absent(&error) => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    // The file system's own clock, so that both times are told by one.
    touch_file(ours)?;
    let own = ours.metadata()?;
    let is_ours = (own.dev(), own.ino()) == (found.dev(), found.ino());
    let age = own
        .modified()?
        .duration_since(found.modified()?)
        .unwrap_or_default();
    if is_ours || age > STALE {
        fs_err::remove_file(path)?;
        return Ok(());
    }
    Err(ShadowError::Raced)
}

fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

/// A ref that is something else than a small file is damage; all other errors are the file system's.
fn refused(path: PathBuf, error: io::Error) -> ShadowError {
    match error.kind() {
        io::ErrorKind::InvalidInput | io::ErrorKind::FileTooLarge | io::ErrorKind::IsADirectory => {
            ShadowError::Damaged {
                path,
                fault: "is not a small file",
            }
        }
        _ => ShadowError::Io(error),
    }
}
