//! Keeps what a settings file was before Toprope wrote to it, outside the project and for its owner only.

use super::InstallProbe;
use super::error::InstallError;
use super::plan::InstallPlan;
use fs_err::os::unix::fs::OpenOptionsExt;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::fs::Permissions;
use std::io::{self, Write as _};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

#[cfg(test)]
mod tests;

/// The folder of all kept originals.
#[derive(Debug, Clone)]
pub struct Backups {
    folder: PathBuf,
}

/// What a settings file was before us, and what we made of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackupRecord {
    /// Its bytes, or `None` if it did not exist.
    pub original: Option<Vec<u8>>,
    /// Digests of every version we wrote, unless the person's edits are in between.
    pub written: Vec<String>,
    /// How many folders above the file we made.
    pub made_folders: usize,
}

impl BackupRecord {
    /// The record that stands before a plan is written over `before`.
    pub fn next(known: Option<Self>, before: Option<&[u8]>, plan: &InstallPlan, made_folders: usize) -> Self {
        let after = digest(&plan.bytes);
        match known {
            Some(mut record) if plan.had_entries => {
                if before.is_some_and(|bytes| record.is_ours_alone(bytes)) {
                    record.written.push(after);
                } else {
                    record.written.clear();
                }
                record
            }
            // A record whose entries are gone from the file tells of an installation that is over.
            Some(_) | None => Self {
                original: before.map(<[u8]>::to_vec),
                written: if plan.had_entries { Vec::new() } else { vec![after] },
                made_folders,
            },
        }
    }

    /// Whether these bytes are what we wrote, so that the original can simply come back.
    pub fn is_ours_alone(&self, bytes: &[u8]) -> bool {
        self.written.contains(&digest(bytes))
    }
}

impl Backups {
    /// Kept originals below Toprope's state folder.
    pub fn in_state(state: &Path) -> Self {
        Self {
            folder: state.join("backups"),
        }
    }

    /// The record of a file; `None` also if it cannot be trusted to be whole.
    pub fn load(&self, file: &Path) -> Result<Option<BackupRecord>, InstallError> {
        let folder = self.folder_of(file);
        let Some(bytes) = read(&folder.join("record.json"))? else {
            return Ok(None);
        };
        let original = read(&folder.join("original"))?;
        Ok(decode(&bytes, original))
    }

    /// Keeps a record before the file is written.
    pub fn keep(
        &self,
        file: &Path,
        record: &BackupRecord,
        probe: InstallProbe<'_>,
    ) -> Result<(), InstallError> {
        let kept = self.write(file, record, probe);
        kept.map_err(InstallError::io("keep the original settings"))
    }

    /// Drops the record of a file.
    pub fn forget(&self, file: &Path) -> Result<(), InstallError> {
        match fs_err::remove_dir_all(self.folder_of(file)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(InstallError::io("drop the kept original")(error))
            }
            Ok(()) | Err(_) => Ok(()),
        }
    }

    fn write(&self, file: &Path, record: &BackupRecord, probe: InstallProbe<'_>) -> io::Result<()> {
        let folder = self.folder_of(file);
        for folder in [&self.folder, &folder] {
            fs_err::create_dir_all(folder)?;
            fs_err::set_permissions(folder, Permissions::from_mode(0o700))?;
        }
        let original = folder.join("original");
        let is_kept = match (&record.original, fs_err::read(&original)) {
            (Some(bytes), Ok(kept)) => *bytes == kept,
            (Some(_) | None, _) => false,
        };
        if !is_kept {
            // Without its record an original counts for nothing, so the two never disagree.
            remove_if_there(&folder.join("record.json"))?;
            remove_if_there(&original)?;
            if let Some(bytes) = &record.original {
                write_whole(&original, bytes)?;
            }
        }
        probe("original-kept");
        write_whole(&folder.join("record.json"), &encode(file, record))
    }

    fn folder_of(&self, file: &Path) -> PathBuf {
        self.folder.join(digest(file.as_os_str().as_bytes()))
    }
}

fn encode(file: &Path, record: &BackupRecord) -> Vec<u8> {
    let value = json!({
        "version": 1,
        "path": file.display().to_string(),
        "original": record.original.as_deref().map(digest),
        "written": record.written,
        "made_folders": record.made_folders,
    });
    format!("{value:#}\n").into_bytes()
}

fn decode(bytes: &[u8], original: Option<Vec<u8>>) -> Option<BackupRecord> {
    let value: Value = serde_json::from_slice(bytes).ok()?;
    let original = match value.get("original")? {
        Value::Null => None,
        expected => Some(original.filter(|bytes| *expected == digest(bytes))?),
    };
    let written = value
        .get("written")?
        .as_array()?
        .iter()
        .map(|digest| digest.as_str().map(str::to_owned));
    Some(BackupRecord {
        original,
        written: written.collect::<Option<_>>()?,
        made_folders: usize::try_from(value.get("made_folders")?.as_u64()?).ok()?,
    })
}

fn digest(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        let _infallible = write!(text, "{byte:02x}");
    }
    text
}

fn read(path: &Path) -> Result<Option<Vec<u8>>, InstallError> {
    match fs_err::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(InstallError::io("read the kept original")(error)),
    }
}

fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs_err::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Writes a file so that it is there whole or not at all.
fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let staged = path.with_extension("new");
    remove_if_there(&staged)?;
    let mut file = fs_err::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&staged)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs_err::rename(&staged, path)?;
    match path.parent() {
        Some(folder) => fs_err::File::open(folder)?.sync_all(),
        None => Ok(()),
    }
}
