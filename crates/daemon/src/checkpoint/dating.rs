//! When a path changed, as the file system tells it.
//!
//! The system notes when anything about a file last changed, and no program can set that. Of a file that is gone, the
//! folder around it says when something in it last came or went: it was gone by then.

use git::object::PathState;
use git::path::RepoPath;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// When a change was made, in nanoseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Date {
    /// Then.
    At(i64),
    /// After the first and no later than the second.
    Within(i64, i64),
    /// Nobody can say.
    Unknown,
}

impl Date {
    /// When a state came to be, by the stamp that was found with it. What was there last time is known from `looked`.
    pub fn of(state: &PathState, stamp: Option<i64>, looked: i64) -> Self {
        match (state, stamp) {
            (PathState::Present { .. }, Some(at)) => Self::At(at),
            (PathState::Absent, Some(at)) if at >= looked => Self::Within(looked, at),
            (_, _) => Self::Unknown,
        }
    }
}

/// When what is at a path last changed; where nothing is, when something last came or went in the folder around it.
pub fn stamp(root: &Path, path: &RepoPath) -> Option<i64> {
    let inside = path.to_path();
    let mut here = root.to_path_buf();
    let mut found = fs_err::symlink_metadata(&here).ok()?;
    for part in inside.components() {
        // Nothing is below a link: what was there is gone since the link is.
        if !found.is_dir() {
            return stamp_around(&here);
        }
        here.push(part);
        match fs_err::symlink_metadata(&here) {
            Ok(next) => found = next,
            Err(_) => return Some(changed(&found)),
        }
    }
    if found.is_dir() {
        return stamp_around(&here);
    }
    Some(changed(&found))
}

/// When a folder itself last changed, or something in it came or went.
pub fn stamp_of_folder(root: &Path, folder: &RepoPath) -> Option<i64> {
    let found = fs_err::symlink_metadata(root.join(folder.to_path())).ok()?;
    Some(changed(&found))
}

/// Whether a link leads away on the way to a path.
pub fn is_below_link(root: &Path, path: &RepoPath) -> bool {
    std::iter::successors(path.parent(), RepoPath::parent)
        .any(|folder| root.join(folder.to_path()).is_symlink())
}

fn stamp_around(path: &Path) -> Option<i64> {
    let around = path.parent().map(PathBuf::from)?;
    fs_err::symlink_metadata(around).ok().map(|found| changed(&found))
}

fn changed(found: &Metadata) -> i64 {
    found
        .ctime()
        .saturating_mul(1_000_000_000)
        .saturating_add(found.ctime_nsec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock;

    fn path(name: &str) -> RepoPath {
        RepoPath::new(name).unwrap()
    }

    fn tick() -> i64 {
        let now = clock::latest();
        while clock::earliest() <= now {
            std::thread::yield_now();
        }
        clock::earliest()
    }

    #[test]
    fn a_file_is_dated_by_itself_and_what_is_gone_by_the_folder_around_it() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs_err::create_dir_all(root.join("d/e")).unwrap();
        fs_err::write(root.join("d/e/f"), "1").unwrap();
        fs_err::write(root.join("d/g"), "1").unwrap();
        let before = tick();
        assert!(stamp(root, &path("d/e/f")).unwrap() < before);
        fs_err::write(root.join("d/e/f"), "2").unwrap();
        assert!(stamp(root, &path("d/e/f")).unwrap() >= before);
        assert!(stamp(root, &path("d/g")).unwrap() < before);
        let later = tick();
        fs_err::remove_dir_all(root.join("d/e")).unwrap();
        let gone = stamp(root, &path("d/e/f")).unwrap();
        assert!(gone >= later && gone <= clock::latest());
        let last = tick();
        std::os::unix::fs::symlink("g", root.join("d/e")).unwrap();
        assert!(stamp(root, &path("d/e/f")).unwrap() >= last);
    }

    #[test]
    fn a_date_is_a_moment_a_span_or_nothing() {
        assert_eq!(Date::of(&PathState::Absent, Some(7), 5), Date::Within(5, 7));
        assert_eq!(Date::of(&PathState::Absent, Some(4), 5), Date::Unknown);
        assert_eq!(Date::of(&PathState::Absent, None, 5), Date::Unknown);
    }
}
