//! Folds any number of file names into a tree of depth two that fits a screen.

use std::collections::{BTreeMap, BTreeSet};

use crate::state::TreeLine;

/// More would not be read.
const LINES: usize = 60;

/// A tree in the making. It keeps counts of folders and only as many names of files as can be shown.
#[derive(Debug, Default)]
pub struct TreeBuilder {
    folders: BTreeMap<Vec<u8>, u64>,
    /// By depth, then name: the files nearest to the root are shown first.
    files: BTreeSet<(usize, Vec<u8>)>,
    file_count: usize,
}

/// A tree as it is shown.
#[derive(Debug, PartialEq, Eq)]
pub struct ShownTree {
    pub entries: Vec<TreeLine>,
    pub left_out: usize,
}

impl TreeBuilder {
    /// Adds one file by its path below the root. A path that ends with a slash is a folder not looked into.
    pub fn add(&mut self, path: &[u8]) {
        let slashes = path
            .iter()
            .enumerate()
            .filter(|(_, byte)| **byte == b'/')
            .map(|(at, _)| at);
        let mut depth = 0;
        for slash in slashes.take(2) {
            self.folder(
                path.get(..=slash).unwrap_or(path),
                u64::from(!path.ends_with(b"/")),
            );
            depth += 1;
        }
        if depth < 2 && !path.ends_with(b"/") && !path.is_empty() {
            self.file(depth, path);
        }
    }

    fn folder(&mut self, path: &[u8], files: u64) {
        if let Some(count) = self.folders.get_mut(path) {
            *count += files;
        } else {
            self.folders.insert(path.to_vec(), files);
        }
    }

    fn file(&mut self, depth: usize, path: &[u8]) {
        self.file_count += 1;
        self.files.insert((depth, path.to_vec()));
        if self.files.len() > LINES {
            self.files.pop_last();
        }
    }

    /// Folders first, then files. The folders with the most files stay; a folder never stays without its parent.
    pub fn shown(self) -> ShownTree {
        let total = self.folders.len() + self.file_count;
        let mut folders: Vec<(Vec<u8>, u64)> = self.folders.into_iter().collect();
        // Stable: among equals the name decides, and a parent's name comes before its children's.
        folders.sort_by_key(|(_, files)| std::cmp::Reverse(*files));
        folders.truncate(LINES);
        folders.sort();
        let room = LINES - folders.len();
        let folders = folders.into_iter().map(|(path, files)| TreeLine {
            path: String::from_utf8_lossy(&path).into_owned(),
            files: Some(files),
        });
        let files = self.files.into_iter().take(room).map(|(_, path)| TreeLine {
            path: String::from_utf8_lossy(&path).into_owned(),
            files: None,
        });
        let entries: Vec<TreeLine> = folders.chain(files).collect();
        ShownTree {
            left_out: total - entries.len(),
            entries,
        }
    }
}

/// The tree of names ended by NUL bytes. A file in conflict is listed once per side, and counted once.
pub fn of_listing(listing: &[u8]) -> ShownTree {
    let mut tree = TreeBuilder::default();
    let mut last: &[u8] = b"";
    for path in listing.split(|&byte| byte == 0) {
        if path != last {
            tree.add(path);
            last = path;
        }
    }
    tree.shown()
}

#[cfg(test)]
mod tests;
