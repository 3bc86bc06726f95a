//! How much lies at and below a path, counted up to a limit. Links are counted, never followed.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::deadline::Deadline;

/// How far to count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caps {
    /// Entries, folders among them.
    pub entries: u64,
    /// Bytes of files.
    pub bytes: u64,
    /// Time.
    pub time: Duration,
}

/// How much there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FolderSize {
    /// Bytes of all files.
    pub bytes: u64,
    /// Files, links and whatever else is no folder.
    pub files: u64,
    /// There is more than was counted.
    pub capped: bool,
}

/// Counts what lies at and below a path. What cannot be read counts as more.
pub fn measure(path: &Path, caps: Caps) -> FolderSize {
    let mut counting = Counting {
        extent: FolderSize::default(),
        entries: 0,
        caps,
        deadline: Deadline::after(caps.time),
    };
    let mut folders: Vec<PathBuf> = Vec::new();
    match fs_err::symlink_metadata(path) {
        Ok(found) if found.is_dir() => folders.push(path.to_path_buf()),
        Ok(found) => counting.file(found.len()),
        Err(_) => {}
    }
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs_err::read_dir(&folder) else {
            counting.extent.capped = true;
            continue;
        };
        for entry in entries.flatten() {
            if counting.is_over() {
                counting.extent.capped = true;
                return counting.extent;
            }
            match entry.metadata() {
                Ok(found) if found.is_dir() => folders.push(entry.path()),
                Ok(found) => counting.file(found.len()),
                Err(_) => counting.extent.capped = true,
            }
        }
    }
    counting.extent
}

struct Counting {
    extent: FolderSize,
    entries: u64,
    caps: Caps,
    deadline: Deadline,
}

impl Counting {
    fn file(&mut self, bytes: u64) {
        self.extent.files += 1;
        self.extent.bytes = self.extent.bytes.saturating_add(bytes);
    }

    /// Counts one entry; true once a limit is passed.
    fn is_over(&mut self) -> bool {
        self.entries += 1;
        self.entries > self.caps.entries
            || self.extent.bytes > self.caps.bytes
            || self.entries.is_multiple_of(64) && self.deadline.has_passed()
    }
}

#[cfg(test)]
mod tests;
