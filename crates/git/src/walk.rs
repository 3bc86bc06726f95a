//! Walks a folder that git knows nothing about, level by level, up to a fixed number of entries.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::deadline::Deadline;
use crate::tree::{ShownTree, TreeBuilder};

/// Beyond this the counts are lower bounds. Level by level means that the tree's shown part is complete first.
const ENTRIES: usize = 20_000;
/// Files deeper than this are not counted.
const DEPTH: usize = 6;
/// Folders full of what other tools made.
const SKIPPED: [&str; 3] = [".git", "node_modules", "target"];

/// The tree below a folder, or nothing if the deadline passed first. Symbolic links are files and not followed.
pub fn tree(root: &Path, deadline: Deadline) -> Option<ShownTree> {
    let mut tree = TreeBuilder::default();
    let mut seen = 0;
    let mut folders = VecDeque::from([(PathBuf::new(), 1)]);
    while let Some((folder, depth)) = folders.pop_front() {
        // A folder that cannot be read stays in the tree, with nothing in it.
        let Ok(entries) = fs_err::read_dir(root.join(&folder)) else {
            continue;
        };
        for entry in entries.flatten() {
            if seen == ENTRIES {
                return Some(tree.shown());
            }
            if deadline.has_passed() {
                return None;
            }
            seen += 1;
            let path = folder.join(entry.file_name());
            if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                tree.add(path.as_os_str().as_bytes());
            } else if !SKIPPED.iter().any(|name| entry.file_name() == OsStr::new(name)) {
                tree.add(&[path.as_os_str().as_bytes(), b"/"].concat());
                if depth < DEPTH {
                    folders.push_back((path, depth + 1));
                }
            }
        }
    }
    Some(tree.shown())
}

#[cfg(test)]
mod tests;
