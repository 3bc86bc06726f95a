//! What stands in the way of a path: a link or a file on the way to it, a folder in its place, a twin of its name.

use std::os::fd::AsFd;

use rustix::fs::{Dir, Mode, OFlags, openat};

use crate::nofollow::{BelowFault, OpenFolder};
use crate::path::RepoPath;
use crate::plan::PathObstacle;
use crate::stat::FileKind;

/// More files than this in a folder are not named one by one: it is an obstacle all the same.
const MOST: usize = 10_000;
/// Folders within folders that are looked into.
const DEEPEST: usize = 64;

/// What makes a path of a working tree impossible to write as it stands.
pub fn obstacle(root: &OpenFolder, path: &RepoPath, ignore_case: bool) -> Option<PathObstacle> {
    let found = match root.metadata(path) {
        Err(BelowFault::ThroughLink | BelowFault::NotAFolder) => {
            // Which of them it is, is asked only where there is one.
            if let Some(parent) = on_the_way(root, path) {
                return Some(parent);
            }
            None
        }
        found => found.ok(),
    };
    match found {
        Some(found) if found.kind == FileKind::Folder => in_place(root, path),
        _ if ignore_case => twin(root, path).map(PathObstacle::CaseTwin),
        _ => None,
    }
}

/// The nearest parent to the root that is no folder.
fn on_the_way(root: &OpenFolder, path: &RepoPath) -> Option<PathObstacle> {
    let mut parents: Vec<RepoPath> = std::iter::successors(path.parent(), RepoPath::parent).collect();
    parents.reverse();
    for parent in parents {
        match root.folder(&parent) {
            Ok(_) => {}
            Err(BelowFault::ThroughLink) => return Some(PathObstacle::Link(parent)),
            Err(BelowFault::NotAFolder | BelowFault::NotAFile) => return Some(PathObstacle::File(parent)),
            // What is missing is made; what cannot be looked at shows itself when it is written.
            Err(BelowFault::Missing | BelowFault::Io(_)) => return None,
        }
    }
    None
}

/// A folder with something in it; one without goes by itself.
fn in_place(root: &OpenFolder, path: &RepoPath) -> Option<PathObstacle> {
    let mut below = Vec::new();
    files_below(root, path, DEEPEST, &mut below);
    (!below.is_empty()).then_some(PathObstacle::Folder(below))
}

/// What would have to go first, folders within that hold nothing among it.
fn files_below(root: &OpenFolder, folder: &RepoPath, depth: usize, found: &mut Vec<RepoPath>) {
    for name in names(root, Some(folder)) {
        if found.len() >= MOST {
            return;
        }
        let Some(path) = child(Some(folder), &name) else {
            // A name no checkpoint holds, and so no rewind removes: the folder itself stands for it.
            found.push(folder.clone());
            return;
        };
        let is_folder = root
            .metadata(&path)
            .is_ok_and(|stat| stat.kind == FileKind::Folder);
        let known = found.len();
        if is_folder && depth > 0 {
            files_below(root, &path, depth - 1, found);
        }
        if found.len() == known {
            found.push(path);
        }
    }
}

/// A path beside this one that is the same to a file system without upper and lower case.
fn twin(root: &OpenFolder, path: &RepoPath) -> Option<RepoPath> {
    let parent = path.parent();
    let names = names(root, parent.as_ref());
    if names.iter().any(|name| name == path.name()) {
        return None;
    }
    let folded = folded(path.name());
    let twin = names.into_iter().find(|name| self::folded(name) == folded)?;
    child(parent.as_ref(), &twin)
}

fn folded(name: &[u8]) -> Vec<u8> {
    match std::str::from_utf8(name) {
        Ok(text) => text.to_lowercase().into_bytes(),
        Err(_) => name.to_ascii_lowercase(),
    }
}

fn names(root: &OpenFolder, folder: Option<&RepoPath>) -> Vec<Vec<u8>> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let opened = match folder {
        Some(folder) => root.folder(folder).ok(),
        None => openat(root.root(), ".", flags, Mode::empty()).ok(),
    };
    let Some(entries) = opened.and_then(|open| Dir::read_from(open.as_fd()).ok()) else {
        return Vec::new();
    };
    let names = entries
        .flatten()
        .map(|entry| entry.file_name().to_bytes().to_vec());
    names.filter(|name| name != b"." && name != b"..").collect()
}

fn child(folder: Option<&RepoPath>, name: &[u8]) -> Option<RepoPath> {
    let mut path = folder.map_or_else(Vec::new, |folder| [folder.as_bytes(), b"/"].concat());
    path.extend_from_slice(name);
    RepoPath::new(path).ok()
}

#[cfg(test)]
mod tests;
