//! Remembers where a folder belongs, as long as one look says that nothing changed.
//!
//! Only for folders that are a worktree's root themselves, where most agents stay: below it, a new repository could
//! appear on the way up, and finding that out costs as much as looking again.

use git::place::{Place, find};
use std::collections::HashMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// More than anybody works in at once; beyond it, all are looked up again.
const MOST: usize = 256;

/// See the module.
#[derive(Default)]
pub struct PlaceCache {
    known: Mutex<HashMap<PathBuf, (GitDirStamp, Arc<Place>)>>,
}

/// What changes when a `.git` is replaced, or anything directly in it is.
#[derive(Debug, PartialEq, Eq)]
struct GitDirStamp {
    device: u64,
    inode: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl GitDirStamp {
    fn of(folder: &Path) -> Option<Self> {
        let found = fs_err::metadata(folder.join(".git")).ok()?;
        Some(Self {
            device: found.dev(),
            inode: found.ino(),
            modified: (found.mtime(), found.mtime_nsec()),
            changed: (found.ctime(), found.ctime_nsec()),
        })
    }
}

impl PlaceCache {
    /// Where a folder belongs.
    pub fn of(&self, folder: &Path) -> Arc<Place> {
        let Some(stamp) = GitDirStamp::of(folder) else {
            return Arc::new(find(folder));
        };
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((then, place)) = known.get(folder)
            && *then == stamp
        {
            return Arc::clone(place);
        }
        let place = Arc::new(find(folder));
        if known.len() >= MOST {
            known.clear();
        }
        known.insert(folder.to_owned(), (stamp, Arc::clone(&place)));
        place
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use git::place::PlaceKind;

    fn repository(folder: &Path) {
        for inner in [".git/objects", ".git/refs"] {
            fs_err::create_dir_all(folder.join(inner)).unwrap();
        }
        fs_err::write(folder.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    }

    #[test]
    fn a_known_root_is_not_looked_up_again_until_its_git_folder_changes() {
        let world = tempfile::tempdir().unwrap();
        repository(world.path());
        let places = PlaceCache::default();
        let first = places.of(world.path());
        assert_eq!(first.project.kind, PlaceKind::Git);
        assert!(Arc::ptr_eq(&first, &places.of(world.path())));
        fs_err::remove_dir_all(world.path().join(".git")).unwrap();
        assert_eq!(places.of(world.path()).project.kind, PlaceKind::Folder);
        repository(world.path());
        assert_eq!(places.of(world.path()).project.kind, PlaceKind::Git);
    }

    #[test]
    fn a_repository_that_appears_between_is_seen_at_once() {
        let world = tempfile::tempdir().unwrap();
        repository(world.path());
        let inner = world.path().join("vendor/lib");
        fs_err::create_dir_all(&inner).unwrap();
        let places = PlaceCache::default();
        let outside = places.of(&inner).project.key.clone();
        repository(&world.path().join("vendor"));
        assert_ne!(places.of(&inner).project.key, outside);
    }
}
