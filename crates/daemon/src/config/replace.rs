//! Replaces a file as a whole: whoever reads it sees the old bytes or the new ones, never half.

use super::problem::shown;
use super::source;
use engine::text::path_word;
use fs_err::os::unix::fs::OpenOptionsExt as _;
use std::io::{ErrorKind, Write as _};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Names tried for the file beside it, should an earlier run have left some behind.
const MOST_NAMES: u32 = 16;

/// Why a file was not replaced. It is as it was.
#[derive(Debug, thiserror::Error)]
pub enum ReplaceError {
    /// The file may not be written.
    #[error("{path} is read-only", path = shown(.path))]
    ReadOnly {
        /// The file.
        path: PathBuf,
    },
    /// Someone else wrote it meanwhile.
    #[error("{path} changed while it was being edited", path = shown(.path))]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// The file system refused.
    #[error(transparent)]
    Refused(#[from] std::io::Error),
}

impl ReplaceError {
    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::ReadOnly { path } => {
                Some(format!("`chmod u+w {}`", path_word(path.as_os_str().as_bytes())))
            }
            Self::Changed { .. } => Some("run it again".to_owned()),
            Self::Refused(_) => None,
        }
    }
}

/// Puts the new bytes in place of the original ones (none: there was no file), keeping the file's permissions.
pub(super) fn replace(path: &Path, original: Option<&[u8]>, bytes: &[u8]) -> Result<(), ReplaceError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs_err::create_dir_all(folder)?;
    let permissions = match original {
        Some(_) => Some(fs_err::metadata(path)?.permissions()),
        None => None,
    };
    if permissions.as_ref().is_some_and(std::fs::Permissions::readonly) {
        return Err(ReplaceError::ReadOnly {
            path: path.to_owned(),
        });
    }
    let (mut file, beside) = create_beside(path)?;
    let written = write(&mut file, bytes, permissions)
        .map_err(ReplaceError::from)
        .and_then(|()| swap(path, original, &beside));
    if written.is_err() {
        // Already failing: a leftover that cannot be removed either changes nothing.
        drop(fs_err::remove_file(&beside));
    }
    written?;
    Ok(fs_err::File::open(folder)?.sync_all()?)
}

fn create_beside(path: &Path) -> std::io::Result<(fs_err::File, PathBuf)> {
    let name = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let mut attempt = 0;
    loop {
        let beside = path.with_file_name(format!(".{name}.{}-{attempt}", std::process::id()));
        let mut options = fs_err::OpenOptions::new();
        match options.write(true).create_new(true).mode(0o644).open(&beside) {
            Ok(file) => return Ok((file, beside)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists && attempt < MOST_NAMES => attempt += 1,
            Err(error) => return Err(error),
        }
    }
}

fn write(
    file: &mut fs_err::File,
    bytes: &[u8],
    permissions: Option<std::fs::Permissions>,
) -> std::io::Result<()> {
    file.write_all(bytes)?;
    if let Some(permissions) = permissions {
        file.set_permissions(permissions)?;
    }
    file.sync_all()
}

fn swap(path: &Path, original: Option<&[u8]>, beside: &Path) -> Result<(), ReplaceError> {
    let now = source::bytes(path).ok().flatten();
    if now.as_deref() != original {
        return Err(ReplaceError::Changed {
            path: path.to_owned(),
        });
    }
    Ok(fs_err::rename(beside, path)?)
}
