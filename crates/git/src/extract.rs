//! Writes a checkpoint into a folder of its own, beside whatever the worktree is doing.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode as Bits, OFlags, mkdirat, openat, symlinkat};
use rustix::io::Errno;

use crate::nofollow::{BelowFault, OpenFolder};
use crate::object::{EntryMode, Id, TreeLeaf};
use crate::path::RepoPath;
use crate::shadow::layout::ShadowLayout;
use crate::shadow::{Shadow, ShadowError};

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Extracted {
    /// How many files and links.
    pub written: usize,
    /// Submodules and nested repositories, of which a checkpoint only has a commit's id.
    pub left_out: Vec<RepoPath>,
}

/// Why nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum ExtractError {
    /// Something is in the folder already, or it is no folder.
    #[error("`{}` is not an empty folder", .0.display())]
    NotEmpty(PathBuf),
    /// The checkpoint could not be read.
    #[error(transparent)]
    Shadow(#[from] ShadowError),
    /// A file could not be written.
    #[error("{path} cannot be written")]
    Write {
        /// Which.
        path: RepoPath,
        /// Why.
        #[source]
        error: io::Error,
    },
    /// The folder itself could not be made.
    #[error("`{}` cannot be made", path.display())]
    Folder {
        /// Which.
        path: PathBuf,
        /// Why.
        #[source]
        error: io::Error,
    },
}

/// Writes all files of a checkpoint, with the ignored ones it has, into a folder that is new or empty.
///
/// If that fails, what was written is removed again.
pub fn extract(shadow: &Shadow, layout: &ShadowLayout, into: &Path) -> Result<Extracted, ExtractError> {
    let leaves = leaves(shadow, layout)?;
    let is_new = prepare(into)?;
    let written = OpenFolder::open_root(into)
        .map_err(|error| ExtractError::Folder {
            path: into.to_path_buf(),
            error,
        })
        .and_then(|root| write_all((shadow, layout), &root, &leaves));
    if written.is_err() {
        clear(into, is_new);
    }
    written
}

/// What is written where: files before links, so that no link can stand on the way of a file.
fn leaves(shadow: &Shadow, layout: &ShadowLayout) -> Result<Vec<(RepoPath, EntryMode, Id)>, ShadowError> {
    let mut leaves = Vec::new();
    for tree in [Some(layout.files), layout.ignored].into_iter().flatten() {
        for (path, entry) in shadow.leaves(tree)? {
            let raw = raw(shadow, layout, &path, entry)?;
            leaves.push((path, entry.mode, raw.unwrap_or(entry.id)));
        }
    }
    leaves.sort_by_key(|(_, mode, _)| *mode == EntryMode::Link);
    Ok(leaves)
}

/// The bytes the file had in the worktree, where they are not what git stores.
fn raw(
    shadow: &Shadow,
    layout: &ShadowLayout,
    path: &RepoPath,
    entry: TreeLeaf,
) -> Result<Option<Id>, ShadowError> {
    match (layout.raw, entry.mode) {
        (Some(tree), EntryMode::File | EntryMode::Exec) => Ok(shadow.entry(tree, path)?.map(|raw| raw.id)),
        (None, _) | (_, EntryMode::Link | EntryMode::Commit) => Ok(None),
    }
}

/// Makes the folder, or finds it empty. Says whether it is new.
fn prepare(into: &Path) -> Result<bool, ExtractError> {
    let fault = |error| ExtractError::Folder {
        path: into.to_path_buf(),
        error,
    };
    match fs_err::read_dir(into) {
        Ok(mut entries) => match entries.next() {
            None => Ok(false),
            Some(_) => Err(ExtractError::NotEmpty(into.to_path_buf())),
        },
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            Err(ExtractError::NotEmpty(into.to_path_buf()))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let mut builder = std::fs::DirBuilder::new();
            // What a checkpoint holds may be secret; whoever wants to share it can.
            builder.recursive(true).mode(0o700).create(into).map_err(fault)?;
            Ok(true)
        }
        Err(error) => Err(fault(error)),
    }
}

fn write_all(
    (shadow, layout): (&Shadow, &ShadowLayout),
    root: &OpenFolder,
    leaves: &[(RepoPath, EntryMode, Id)],
) -> Result<Extracted, ExtractError> {
    let mut extracted = Extracted::default();
    for (path, mode, id) in leaves {
        if *mode == EntryMode::Commit {
            extracted.left_out.push(path.clone());
            continue;
        }
        let content = shadow.blob(*id, u64::MAX)?;
        let bits = shadow.bits(layout, path);
        write(root, path, (*mode, bits), &content).map_err(|error| ExtractError::Write {
            path: path.clone(),
            error,
        })?;
        extracted.written += 1;
    }
    Ok(extracted)
}

/// With these permissions where they were narrower than usual.
fn write(
    root: &OpenFolder,
    path: &RepoPath,
    (mode, bits): (EntryMode, Option<u32>),
    content: &[u8],
) -> io::Result<()> {
    let folder = folder_of(root, path)?;
    let name = path.to_path().file_name().unwrap_or_default();
    if mode == EntryMode::Link {
        return Ok(symlinkat(content, &folder, name)?);
    }
    let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let usual = if mode == EntryMode::Exec { 0o777 } else { 0o666 };
    // Opened for writing, whatever it is afterwards.
    let made = bits.map_or(usual, |bits| bits | 0o200);
    let mut file = File::from(openat(&folder, name, flags, Bits::from_raw_mode(made))?);
    file.write_all(content)?;
    match bits {
        Some(bits) => Ok(rustix::fs::fchmod(&file, Bits::from_raw_mode(bits))?),
        None => Ok(()),
    }
}

/// The folder a path is in, made with what leads to it.
fn folder_of(root: &OpenFolder, path: &RepoPath) -> io::Result<OwnedFd> {
    match root.parent(path) {
        Ok((folder, _)) => return Ok(folder),
        Err(BelowFault::Missing) => {}
        Err(fault) => return Err(io::Error::other(fault)),
    }
    let mut above: Vec<RepoPath> = std::iter::successors(path.parent(), RepoPath::parent).collect();
    above.reverse();
    for folder in above {
        let (parent, name) = root.parent(&folder).map_err(io::Error::other)?;
        match mkdirat(&parent, name, Bits::from_raw_mode(0o777)) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let (folder, _) = root.parent(path).map_err(io::Error::other)?;
    Ok(folder)
}

/// Removes what was written: all of it is ours, the folder was empty.
fn clear(into: &Path, is_new: bool) {
    let Ok(entries) = fs_err::read_dir(into) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        // The first failure is the one to report.
        let _ = if is_folder {
            fs_err::remove_dir_all(path)
        } else {
            fs_err::remove_file(path)
        };
    }
    if is_new {
        let _ = fs_err::remove_dir(into);
    }
}

#[cfg(test)]
mod tests;
