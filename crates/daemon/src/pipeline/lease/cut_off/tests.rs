use super::*;
use engine::lease::{FileKey, Means};

/// When calls are judged here: no time on a file is old enough to tell anything.
const JUDGED: Timestamp = Timestamp(0);

struct Folder(tempfile::TempDir);

impl Folder {
    fn with(content: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        fs_err::write(folder.path().join("a.txt"), content).expect("a file");
        Self(folder)
    }

    fn file(&self) -> PathBuf {
        self.0.path().join("a.txt")
    }

    /// The file as a call finds it that is about to do this to it.
    fn found(&self, how: FileChangeKind) -> FileTarget {
        let found = std::fs::metadata(self.file()).ok();
        FileTarget {
            key: FileKey {
                worktree: None,
                path: self.file().to_string_lossy().into_owned(),
                file_id: None,
            },
            root: None,
            shown: "a.txt".to_owned(),
            how,
            means: Means::Tool,
            exists: found.is_some(),
            folder: false,
            background: false,
            moved: false,
            incidental: false,
            untracked: false,
            tracked: false,
            leasable: true,
            stamp: found.as_ref().map(stamp),
            content: found.map_or(ContentIdentity::Nothing, |found| {
                hash(&self.file(), &found, MOST_BYTES, Instant::now() + PATIENCE)
            }),
        }
    }

    fn is_written(&self, before: &FileTarget) -> bool {
        let found = std::fs::metadata(self.file()).ok();
        let until = Instant::now() + PATIENCE;
        changed(before, JUDGED, &self.file(), found.as_ref(), until).is_some()
    }

    fn removed(self) -> Self {
        fs_err::remove_file(self.file()).expect("it was there");
        self
    }
}

#[test]
fn other_content_was_written_and_the_same_content_was_not() {
    let folder = Folder::with("one\n");
    let before = folder.found(FileChangeKind::Overwrite);
    assert!(!folder.is_written(&before));
    fs_err::write(folder.file(), "two\n").expect("a file");
    assert!(folder.is_written(&before));
    fs_err::write(folder.file(), "one\n").expect("a file");
    assert!(!folder.is_written(&before));
}

#[test]
fn what_is_there_now_and_was_not_before_was_written() {
    let folder = Folder::with("").removed();
    let before = folder.found(FileChangeKind::Overwrite);
    assert!(!folder.is_written(&before));
    fs_err::write(folder.file(), "").expect("a file");
    assert!(folder.is_written(&before));
}

#[test]
fn what_is_gone_was_removed_by_a_call_that_removes() {
    let folder = Folder::with("one\n");
    let (remover, writer) = (
        folder.found(FileChangeKind::Remove),
        folder.found(FileChangeKind::Change),
    );
    let folder = folder.removed();
    assert!(folder.is_written(&remover));
    assert!(!folder.is_written(&writer));
}

#[test]
fn where_no_content_is_known_size_and_time_tell() {
    let folder = Folder::with("one\n");
    let before = FileTarget {
        content: ContentIdentity::TooBig,
        ..folder.found(FileChangeKind::Change)
    };
    assert!(!folder.is_written(&before));
    fs_err::write(folder.file(), "longer\n").expect("a file");
    assert!(folder.is_written(&before));
}
