use super::*;
use fs_err as fs;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use tempfile::TempDir;

/// A worktree with a file `path`, and a stage folder with a slot `0`, each with these contents if any.
struct Pair {
    folder: TempDir,
    worktree: OwnedFd,
    stage: OwnedFd,
}

impl Pair {
    fn new(contents: [Option<&str>; 3]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let open = |name: &str| {
            let path = folder.path().join(name);
            fs::create_dir(&path).unwrap();
            OwnedFd::from(fs::File::open(&path).unwrap().into_file())
        };
        let pair = Self {
            worktree: open("worktree"),
            stage: open("stage"),
            folder,
        };
        for (name, content) in NAMES.iter().zip(contents) {
            if let Some(content) = content {
                fs::write(pair.folder.path().join(name), content).unwrap();
            }
        }
        pair
    }

    fn spots(&self) -> (Spot<'_>, Spot<'_>) {
        let path = Spot {
            folder: self.worktree.as_fd(),
            name: OsStr::new("path"),
        };
        let slot = Spot {
            folder: self.stage.as_fd(),
            name: OsStr::new("0"),
        };
        (path, slot)
    }

    fn contents(&self) -> [Option<String>; 3] {
        NAMES.map(|name| fs::read_to_string(self.folder.path().join(Path::new(name))).ok())
    }
}

const NAMES: [&str; 3] = ["worktree/path", "stage/0", "stage/0.aside"];

fn texts(contents: [Option<&str>; 3]) -> [Option<String>; 3] {
    contents.map(|content| content.map(str::to_owned))
}

#[test]
fn two_files_change_places_at_once_or_in_steps() {
    for exchange in [swap, in_steps] {
        let pair = Pair::new([Some("from"), Some("to"), None]);
        let (path, slot) = pair.spots();
        exchange(path, slot).unwrap();
        assert_eq!(pair.contents(), texts([Some("to"), Some("from"), None]));
        exchange(path, slot).unwrap();
        assert_eq!(pair.contents(), texts([Some("from"), Some("to"), None]));
    }
}

#[test]
fn either_place_may_be_empty() {
    let pair = Pair::new([None, Some("to"), None]);
    let (path, slot) = pair.spots();
    swap(path, slot).unwrap();
    assert_eq!(pair.contents(), texts([Some("to"), None, None]));
    swap(path, slot).unwrap();
    assert_eq!(pair.contents(), texts([None, Some("to"), None]));
}

#[test]
fn nothing_is_moved_over_what_is_there() {
    let pair = Pair::new([Some("mine"), Some("to"), None]);
    let (path, slot) = pair.spots();
    assert_eq!(
        shift(slot, path).unwrap_err().kind(),
        io::ErrorKind::AlreadyExists
    );
    assert_eq!(pair.contents(), texts([Some("mine"), Some("to"), None]));
}

#[test]
fn steps_that_were_cut_short_are_completed_or_taken_back() {
    let cut = [
        // After the first step: taken back.
        ([None, Some("to"), Some("from")], [Some("from"), Some("to"), None]),
        // After the second: completed.
        ([Some("to"), None, Some("from")], [Some("to"), Some("from"), None]),
        // Somebody made a file in between: theirs stays, and what was there is kept.
        (
            [Some("mine"), Some("to"), Some("from")],
            [Some("mine"), Some("from"), None],
        ),
        // Not cut short at all.
        ([Some("from"), Some("to"), None], [Some("from"), Some("to"), None]),
    ];
    for (found, settled) in cut {
        let pair = Pair::new(found);
        let (path, slot) = pair.spots();
        settle(path, slot).unwrap();
        assert_eq!(pair.contents(), texts(settled));
    }
}
