//! What is at a path a command names: what kind of thing, where it really is, and on which volume.

use std::ffi::OsString;
use std::fs::Metadata;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Component, Path, PathBuf};

/// What the kernel takes as a path; a longer one leads nowhere.
const LONGEST_PATH: usize = 4096;

/// What is at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathTarget {
    /// What kind of thing it is, the last link not followed; `None`: nothing is there.
    pub kind: Option<TargetKind>,
    /// The path without links through the longest prefix that exists; the last link followed.
    pub real: PathBuf,
    /// The same, but the last link not followed: what removing it removes.
    pub itself: PathBuf,
    /// Another file system begins here.
    pub is_mount: bool,
    /// Its volume does not tell upper from lower case.
    pub folds_case: bool,
    /// Its size; of a folder or a link nothing.
    pub bytes: u64,
}

/// What kind of thing a path leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TargetKind {
    /// A file.
    File,
    /// A folder.
    Folder,
    /// A link.
    Link,
    /// A disk or a part of one.
    BlockDevice,
    /// Something else: a pipe, a socket, a terminal.
    Other,
}

impl TargetKind {
    fn of(found: &Metadata) -> Self {
        let kind = found.file_type();
        if kind.is_symlink() {
            Self::Link
        } else if kind.is_dir() {
            Self::Folder
        } else if kind.is_file() {
            Self::File
        } else if kind.is_block_device() {
            Self::BlockDevice
        } else {
            Self::Other
        }
    }
}

/// Looks at an absolute path. A handful of system calls; nothing is opened.
pub fn look(path: &Path) -> Option<PathTarget> {
    if !path.is_absolute()
        || path.as_os_str().len() > LONGEST_PATH
        || path.as_os_str().as_bytes().contains(&0)
    {
        return None;
    }
    let found = fs_err::symlink_metadata(path).ok();
    let itself = match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => real(parent).join(name),
        _ => real(path),
    };
    let bytes = found
        .as_ref()
        .filter(|found| found.is_file())
        .map_or(0, Metadata::len);
    Some(PathTarget {
        kind: found.as_ref().map(TargetKind::of),
        real: real(path),
        is_mount: found.as_ref().is_some_and(|found| is_mount(path, found)),
        folds_case: found.as_ref().is_some_and(|found| folds_case(path, found)),
        itself,
        bytes,
    })
}

/// The path without links through the longest prefix that exists; below that, `..` goes back by name.
pub fn real(path: &Path) -> PathBuf {
    for ancestor in path.ancestors() {
        let Ok(found) = fs_err::canonicalize(ancestor) else {
            continue;
        };
        let mut whole = found;
        for part in path.strip_prefix(ancestor).unwrap_or(Path::new("")).components() {
            match part {
                Component::ParentDir => {
                    whole.pop();
                }
                Component::Normal(name) => whole.push(name),
                Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
            }
        }
        return whole;
    }
    path.to_path_buf()
}

/// A folder on another device than the one above it.
fn is_mount(path: &Path, found: &Metadata) -> bool {
    let above = path.parent().and_then(|parent| fs_err::metadata(parent).ok());
    found.is_dir() && above.is_some_and(|above| above.dev() != found.dev())
}

/// The name in the other case leads to the same thing.
fn folds_case(path: &Path, found: &Metadata) -> bool {
    let Some(name) = path.file_name() else {
        return false;
    };
    let swapped: Vec<u8> = name
        .as_bytes()
        .iter()
        .map(|byte| {
            if byte.is_ascii_lowercase() {
                byte.to_ascii_uppercase()
            } else {
                byte.to_ascii_lowercase()
            }
        })
        .collect();
    if swapped == name.as_bytes() {
        return false;
    }
    let twin = fs_err::symlink_metadata(path.with_file_name(OsString::from_vec(swapped)));
    // Two hard links may have such names, too; then less is told apart than could be.
    twin.is_ok_and(|twin| (twin.dev(), twin.ino()) == (found.dev(), found.ino()))
}

#[cfg(test)]
mod tests;
