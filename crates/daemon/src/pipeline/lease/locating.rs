//! Which file a path means, however it is spelled: the innermost worktree around the real file, and the path in it.

use crate::checkpoint::naming::root_of;
use engine::lease::FileKey;
use engine::lease::key::LONGEST_SHOWN;
use git::place::Place;
use std::ffi::OsStr;
use std::fmt::Write;
use std::fs::Metadata;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use unicode_normalization::UnicodeNormalization;

/// What the kernel takes as a path.
const LONGEST: usize = 4096;
/// Below these nothing is a file of anybody's.
const NO_FILES: [&str; 3] = ["/dev", "/proc", "/sys"];

/// A file as the world has it.
#[derive(Debug, Clone)]
pub struct Located {
    /// Its worktree; `None` outside all of them.
    pub place: Option<Arc<Place>>,
    /// Which file it is. The worktree's row is not known here.
    pub key: FileKey,
    /// The path as messages show it.
    pub shown: String,
    /// Where it really is.
    pub real: PathBuf,
    /// What is there, links followed.
    pub found: Option<Metadata>,
}

impl Located {
    /// The path as messages show it to somebody who stands `here`: of another worktree's file the whole path, so that a
    /// command with it means that file.
    pub fn shown_from(&self, here: Option<&Arc<Place>>) -> String {
        let is_elsewhere = match (self.place.as_deref(), here) {
            (Some(there), Some(here)) => root_of(there) != root_of(here),
            (Some(_), None) | (None, _) => false,
        };
        if is_elsewhere {
            engine::text::one_line(&self.real.to_string_lossy(), LONGEST_SHOWN)
        } else {
            self.shown.clone()
        }
    }

    /// Whether a lease on it could mean anything: no device, pipe or socket.
    pub fn is_leasable(&self) -> bool {
        let is_special = |found: &Metadata| {
            let kind = found.file_type();
            kind.is_block_device() || kind.is_char_device() || kind.is_fifo() || kind.is_socket()
        };
        let is_kernels = NO_FILES.iter().any(|folder| self.real.starts_with(folder));
        !is_kernels && !self.found.as_ref().is_some_and(is_special)
    }
}

/// What locating asks of the world beside the file itself.
pub trait Surroundings {
    /// Where a folder belongs.
    fn place_of(&self, folder: &Path) -> Arc<Place>;
    /// Whether the volume of a worktree's root takes two spellings that differ in case for one.
    fn folds_case(&self, root: &Path) -> bool;
}

/// The file an absolute path means; `here` is where the agent stands. `None` if the path leads nowhere.
pub fn locate(path: &Path, here: Option<&Arc<Place>>, world: &impl Surroundings) -> Option<Located> {
    let bytes = path.as_os_str().as_bytes();
    if !path.is_absolute() || bytes.len() > LONGEST || bytes.contains(&0) {
        return None;
    }
    let found = match path.metadata() {
        Ok(found) => Some(found),
        // A loop of links, or a folder nobody may look into: the client's own call fails as well.
        Err(fault) if is_unreachable(&fault) => return None,
        Err(_) => None,
    };
    let real = git::target::real(path);
    let place = real
        .parent()
        .and_then(|folder| around(folder, &real, here, world));
    let root = place.as_deref().map(root_of);
    let inside = root.and_then(|root| real.strip_prefix(root).ok());
    let folds = root.is_some_and(|root| world.folds_case(root));
    let path = spelled(inside.unwrap_or(&real).as_os_str(), folds);
    let shown = engine::text::one_line(&inside.unwrap_or(&real).to_string_lossy(), LONGEST_SHOWN);
    let is_linked = found
        .as_ref()
        .is_some_and(|found| found.is_file() && found.nlink() > 1);
    let file_id = found
        .as_ref()
        .filter(|_| is_linked)
        .map(|found| format!("{}:{}", found.dev(), found.ino()));
    Some(Located {
        place: inside.is_some().then_some(place).flatten(),
        key: FileKey {
            worktree: None,
            path,
            file_id,
        },
        shown,
        real,
        found,
    })
}

fn is_unreachable(fault: &std::io::Error) -> bool {
    use rustix::io::Errno;
    let is = |errno: Errno| fault.raw_os_error() == Some(errno.raw_os_error());
    is(Errno::LOOP) || is(Errno::ACCESS) || is(Errno::NAMETOOLONG)
}

/// The innermost worktree around a folder. Outside git every folder looks like a project of its own, and git's own folder
/// is in no worktree: a file below the root the agent works in belongs there.
fn around(
    folder: &Path,
    real: &Path,
    here: Option<&Arc<Place>>,
    world: &impl Surroundings,
) -> Option<Arc<Place>> {
    let there = world.place_of(folder);
    if there.worktree.is_some() {
        return Some(there);
    }
    here.filter(|here| real.starts_with(root_of(here))).cloned()
}

/// A path as it is compared: one form of composed characters, one case where the volume knows but one. Bytes that are no
/// text are written out.
pub fn spelled(path: &OsStr, folds: bool) -> String {
    let mut text = String::new();
    for chunk in path.as_bytes().utf8_chunks() {
        text.extend(chunk.valid().nfc());
        for byte in chunk.invalid() {
            // Writing to a string cannot fail.
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    if folds { text.to_lowercase() } else { text }
}

#[cfg(test)]
mod tests;
