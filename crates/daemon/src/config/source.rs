//! Reads one settings file: bounded, never waiting, and with a stamp that tells later whether it changed.

use super::document::{Holder, SettingsDocument};
use super::problem::SettingsProblem;
use fs_err::os::unix::fs::OpenOptionsExt as _;
use sha2::{Digest as _, Sha256};
use std::io::{ErrorKind, Read as _};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Largest settings file that is read.
const LARGEST: u64 = 1024 * 1024;

/// What told a file from its other versions when it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileStamp {
    /// The file.
    pub path: PathBuf,
    /// Whether it was there.
    pub exists: bool,
    /// Its size in bytes.
    pub size: u64,
    /// Its last change, in nanoseconds.
    pub mtime_ns: i128,
    /// The last change of its bytes, name or rights: unlike the one above, nobody can set it.
    pub ctime_ns: i128,
    /// Its number in the file system: a replaced file is another file.
    pub inode: u64,
}

impl FileStamp {
    /// The stamp of the file as it is now; one `stat`.
    pub fn of(path: &Path) -> Self {
        let nanoseconds = |seconds: i64, rest: i64| i128::from(seconds) * 1_000_000_000 + i128::from(rest);
        let found = fs_err::metadata(path).ok();
        let found = found.as_ref();
        Self {
            path: path.to_owned(),
            exists: found.is_some(),
            size: found.map_or(0, MetadataExt::size),
            mtime_ns: found.map_or(0, |file| nanoseconds(file.mtime(), file.mtime_nsec())),
            ctime_ns: found.map_or(0, |file| nanoseconds(file.ctime(), file.ctime_nsec())),
            inode: found.map_or(0, MetadataExt::ino),
        }
    }
}

/// One file as it was found. `broken` and `document` together mean: broken, but an earlier version still counts.
#[derive(Debug, Clone)]
pub(super) struct LoadedFile {
    pub stamp: FileStamp,
    pub document: Option<Arc<SettingsDocument>>,
    pub broken: Option<SettingsProblem>,
}

impl LoadedFile {
    /// Reads the file now. The stamp is taken first, so that a change while reading shows as one.
    pub(super) fn fresh(path: &Path, holder: Holder) -> Self {
        let stamp = FileStamp::of(path);
        let (document, broken) = match bytes(path) {
            Ok(None) => (None, None),
            Ok(Some(bytes)) => match SettingsDocument::parse(path, &bytes, holder) {
                Ok(document) => (Some(Arc::new(document)), None),
                Err(problem) => (None, Some(problem)),
            },
            Err(problem) => (None, Some(problem)),
        };
        Self {
            stamp,
            document,
            broken,
        }
    }
}

/// The hash that trust is given to.
pub fn digest(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// The file's bytes, or nothing if there is no file.
pub(super) fn bytes(path: &Path) -> Result<Option<Vec<u8>>, SettingsProblem> {
    let unreadable = |error: std::io::Error| {
        SettingsProblem::with_file(path, format!("cannot be read ({})", error.kind()))
    };
    let mut options = fs_err::OpenOptions::new();
    // Opening a pipe would otherwise wait for a writer that never comes.
    let flags = i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).unwrap_or_default();
    let file = match options.read(true).custom_flags(flags).open(path) {
        Ok(file) => file,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(unreadable(error)),
    };
    if !file.metadata().map_err(unreadable)?.is_file() {
        return Err(SettingsProblem::with_file(path, "is not a regular file"));
    }
    let mut bytes = Vec::new();
    file.take(LARGEST + 1)
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > LARGEST {
        return Err(SettingsProblem::with_file(path, "is larger than 1 MiB"));
    }
    Ok(Some(bytes))
}
