//! The folders that come and go with a restore.

use std::collections::{BTreeMap, BTreeSet};
use std::os::fd::OwnedFd;

use rustix::fs::{AtFlags, Mode as Bits, fchmod, mkdirat, unlinkat};
use rustix::io::Errno;

use super::PathChange;
use super::durable::Batch;
use super::fault::Fault;
use super::journal::{Fate, FolderNote};
use super::order::ancestors;
use crate::nofollow::{BelowFault, OpenFolder};
use crate::object::PathState;
use crate::path::RepoPath;

/// What will happen to folders: the missing ones are made, those the deletions empty go.
pub fn noted(
    root: &OpenFolder,
    changes: &[PathChange],
    has_below: &dyn Fn(&RepoPath) -> bool,
) -> Result<Vec<FolderNote>, (RepoPath, Fault)> {
    // A link that goes by the same restore leaves room for a folder.
    let goes = |path: &RepoPath| {
        let mut changes = changes.iter();
        changes.any(|other| other.path == *path && other.to == PathState::Absent)
    };
    let mut notes = BTreeMap::new();
    for change in changes {
        for path in ancestors(&change.path) {
            if notes.contains_key(&path) {
                break;
            }
            let note = match (root.folder(&path), change.to) {
                (Ok(_), PathState::Absent) if !has_below(&path) => Some((Fate::Emptied, bits(root, &path))),
                (Err(BelowFault::Missing | BelowFault::NotAFolder), PathState::Present { .. }) => {
                    Some((Fate::Made, 0o777))
                }
                (Err(BelowFault::ThroughLink), PathState::Present { .. })
                    if goes(&path) || ancestors(&path).any(|above| goes(&above)) =>
                {
                    Some((Fate::Made, 0o777))
                }
                (Err(BelowFault::ThroughLink), _) => return Err((change.path.clone(), Fault::Link)),
                (Ok(_) | Err(_), _) => None,
            };
            if let Some((fate, bits)) = note {
                notes.insert(path.clone(), FolderNote { path, fate, bits });
            }
        }
    }
    Ok(notes.into_values().collect())
}

/// The open folder a path is in, made if it is missing.
pub fn parent_of(root: &OpenFolder, path: &RepoPath, notes: &[FolderNote]) -> Result<OwnedFd, Fault> {
    match root.parent(path) {
        Ok((folder, _)) => return Ok(folder),
        Err(BelowFault::Missing) => {}
        Err(fault) => return Err(fault.into()),
    }
    let mut missing: Vec<RepoPath> = ancestors(path).collect();
    missing.reverse();
    for folder in missing {
        match root.folder(&folder) {
            Ok(_) => {}
            Err(BelowFault::Missing) => make(root, &folder, notes)?,
            Err(fault) => return Err(fault.into()),
        }
    }
    let (folder, _) = root.parent(path)?;
    Ok(folder)
}

/// Removes the folders a deletion left empty.
pub fn remove_emptied(root: &OpenFolder, path: &RepoPath, notes: &[FolderNote]) {
    for folder in ancestors(path) {
        let goes = |note: &FolderNote| note.fate == Fate::Emptied && note.path == folder;
        if !notes.iter().any(goes) || remove(root, &folder).is_err() {
            return;
        }
    }
}

/// Removes the folders that were made, as far as they are empty.
pub fn remove_made(root: &OpenFolder, notes: &[FolderNote]) {
    for note in notes.iter().rev().filter(|note| note.fate == Fate::Made) {
        // What somebody else put in there keeps it; it is no part of the restore.
        let _ = remove(root, &note.path);
    }
}

/// Adds every folder in which a name comes or goes: the one of each path, and those around the folders that come or go.
pub fn gather(
    root: &OpenFolder,
    (changes, notes): (&[PathChange], &[FolderNote]),
    batch: &mut Batch,
) -> Result<(), Fault> {
    let of_paths = changes.iter().map(|change| change.path.parent());
    let of_folders = notes.iter().map(|note| note.path.parent());
    for folder in of_paths.chain(of_folders).collect::<BTreeSet<_>>() {
        let Some(folder) = folder else {
            batch.add(root.root().try_clone_to_owned()?)?;
            continue;
        };
        match root.folder(&folder) {
            Ok(open) => batch.add(open)?,
            // What is no folder any more holds none of the names.
            Err(BelowFault::Missing | BelowFault::NotAFolder | BelowFault::ThroughLink) => {}
            Err(fault) => return Err(fault.into()),
        }
    }
    Ok(())
}

fn bits(root: &OpenFolder, path: &RepoPath) -> u32 {
    let mode = root.metadata(path).map_or(0o777, |stat| stat.mode & 0o777);
    u32::try_from(mode).unwrap_or(0o777)
}

fn make(root: &OpenFolder, path: &RepoPath, notes: &[FolderNote]) -> Result<(), Fault> {
    let (parent, name) = root.parent(path)?;
    match mkdirat(&parent, name, Bits::from_raw_mode(0o777)) {
        Ok(()) | Err(Errno::EXIST) => {}
        Err(error) => return Err(error.into()),
    }
    if let Some(note) = notes
        .iter()
        .find(|note| note.fate == Fate::Emptied && note.path == *path)
    {
        fchmod(root.folder(path)?, Bits::from_raw_mode(note.bits))?;
    }
    Ok(())
}

fn remove(root: &OpenFolder, path: &RepoPath) -> Result<(), Fault> {
    let (parent, name) = root.parent(path)?;
    Ok(unlinkat(&parent, name, AtFlags::REMOVEDIR)?)
}
