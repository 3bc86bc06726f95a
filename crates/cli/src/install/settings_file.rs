//! A settings file on disk: read whole, replaced whole or not at all.

use super::InstallProbe;
use super::error::InstallError;
use fs_err::os::unix::fs::OpenOptionsExt;
use std::ffi::OsString;
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

#[cfg(test)]
mod tests;

/// A settings file by its real path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsFile {
    path: PathBuf,
}

impl SettingsFile {
    /// The file at a path without links.
    pub fn new(path: PathBuf) -> Self {
        Self { path }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its bytes, or `None` if it does not exist.
    pub fn read(&self) -> Result<Option<Vec<u8>>, InstallError> {
        match fs_err::read(&self.path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(InstallError::io("read the settings")(error)),
        }
    }

    /// Refuses a file its owner protected. Replacing it would succeed, which is why this is asked first.
    pub fn check_writable(&self) -> Result<(), InstallError> {
        let metadata = match fs_err::metadata(&self.path) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(InstallError::io("look at the settings")(error)),
        };
        if metadata.permissions().readonly() {
            return Err(InstallError::ReadOnly {
                path: self.path.clone(),
            });
        }
        let opened = fs_err::OpenOptions::new().write(true).open(&self.path);
        opened.map(drop).map_err(|error| writing(error, &self.path))
    }

    /// The folders above it that do not exist, the innermost first.
    pub fn missing_folders(&self) -> Vec<PathBuf> {
        let above = self.path.ancestors().skip(1);
        above
            .take_while(|folder| !folder.exists())
            .map(Path::to_owned)
            .collect()
    }

    /// Its folder and as many above it as were made for it, the innermost first.
    pub fn made_folders(&self, count: usize) -> Vec<PathBuf> {
        self.path
            .ancestors()
            .skip(1)
            .take(count)
            .map(Path::to_owned)
            .collect()
    }

    /// Makes the folders above it.
    pub fn make_folders(&self) -> Result<(), InstallError> {
        let Some(folder) = self.path.parent() else {
            return Ok(());
        };
        fs_err::create_dir_all(folder).map_err(|error| writing(error, folder))
    }

    /// Puts new bytes in the place of those that were read, if nobody else did in the meantime.
    pub fn replace(
        &self,
        before: Option<&[u8]>,
        after: &[u8],
        probe: InstallProbe<'_>,
    ) -> Result<(), InstallError> {
        self.sweep();
        let staged = StagedFile::write(&self.path, after)?;
        probe("staged");
        self.check_unchanged(before)?;
        staged.take_place_of(&self.path)?;
        probe("replaced");
        Ok(())
    }

    /// Deletes it, if it still holds what was read.
    pub fn delete(&self, before: &[u8], probe: InstallProbe<'_>) -> Result<(), InstallError> {
        self.sweep();
        probe("staged");
        self.check_unchanged(Some(before))?;
        fs_err::remove_file(&self.path).map_err(|error| writing(error, &self.path))?;
        sync_folder(&self.path)?;
        probe("replaced");
        Ok(())
    }

    fn check_unchanged(&self, before: Option<&[u8]>) -> Result<(), InstallError> {
        if self.read()?.as_deref() == before {
            return Ok(());
        }
        Err(InstallError::Changed {
            path: self.path.clone(),
        })
    }

    /// Removes what an interrupted run left beside the file. Litter is no reason to fail.
    fn sweep(&self) {
        let (Some(folder), Some(prefix)) = (self.path.parent(), staged_prefix(&self.path)) else {
            return;
        };
        let Ok(entries) = fs_err::read_dir(folder) else {
            return;
        };
        for entry in entries.flatten() {
            let name = entry.file_name();
            if name.as_encoded_bytes().starts_with(prefix.as_encoded_bytes()) {
                fs_err::remove_file(entry.path()).ok();
            }
        }
    }
}

/// A complete file beside the one it will replace; gone again if it never does.
struct StagedFile {
    path: PathBuf,
    is_placed: bool,
}

impl StagedFile {
    fn write(target: &Path, bytes: &[u8]) -> Result<Self, InstallError> {
        let mut name = staged_prefix(target).ok_or_else(|| InstallError::NotAFile {
            path: target.to_owned(),
        })?;
        name.push(std::process::id().to_string());
        let staged = Self {
            path: target.with_file_name(name),
            is_placed: false,
        };
        staged.fill(target, bytes).map_err(|error| {
            let folder = target.parent().unwrap_or(target);
            writing(error, folder)
        })?;
        Ok(staged)
    }

    fn fill(&self, target: &Path, bytes: &[u8]) -> io::Result<()> {
        let existing = match fs_err::metadata(target) {
            Ok(metadata) => Some(metadata),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let mut options = fs_err::OpenOptions::new();
        options.write(true).create_new(true);
        if existing.is_some() {
            // Settings can hold secrets: nobody may read them in the moment before the mode is set.
            options.mode(0o600);
        }
        let mut file = options.open(&self.path)?;
        file.write_all(bytes)?;
        if let Some(existing) = existing {
            let fresh = file.metadata()?;
            if (fresh.uid(), fresh.gid()) != (existing.uid(), existing.gid()) {
                fs_err::os::unix::fs::chown(&self.path, Some(existing.uid()), Some(existing.gid()))?;
            }
            fs_err::set_permissions(&self.path, existing.permissions())?;
        }
        file.sync_all()
    }

    fn take_place_of(mut self, target: &Path) -> Result<(), InstallError> {
        fs_err::rename(&self.path, target).map_err(|error| writing(error, target))?;
        self.is_placed = true;
        sync_folder(target)
    }
}

impl Drop for StagedFile {
    fn drop(&mut self) {
        if !self.is_placed {
            fs_err::remove_file(&self.path).ok();
        }
    }
}

/// `.settings.json.toprope-`: hidden, and recognisably ours.
fn staged_prefix(target: &Path) -> Option<OsString> {
    let mut prefix = OsString::from(".");
    prefix.push(target.file_name()?);
    prefix.push(".toprope-");
    Some(prefix)
}

/// Makes a rename in the file's folder outlast a power cut.
fn sync_folder(file: &Path) -> Result<(), InstallError> {
    let Some(folder) = file.parent() else {
        return Ok(());
    };
    let synced = fs_err::File::open(folder).and_then(|folder| folder.sync_all());
    synced.map_err(InstallError::io("make the change last"))
}

fn writing(error: io::Error, path: &Path) -> InstallError {
    match error.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => InstallError::ReadOnly {
            path: path.to_owned(),
        },
        _ => InstallError::io("write the settings")(error),
    }
}
