use super::*;
use crate::restore::journal::{Modes, StagePlace};
use fs_err as fs;
use std::os::unix::fs::PermissionsExt;
use tempfile::TempDir;

fn journal(id: &str) -> Journal {
    Journal {
        id: JournalId::new(id).unwrap(),
        worktree: Vec::new(),
        stage: StagePlace::Beside,
        modes: Modes::Kept,
        changes: Vec::new(),
        folders: Vec::new(),
    }
}

fn folder() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    (folder, path)
}

#[test]
fn a_journal_belongs_to_its_writer_until_that_lets_go() {
    let (_keep, folder) = folder();
    let mut record = OpenJournal::create(&folder, journal("one")).unwrap();
    let id = record.journal.id.clone();
    assert!(matches!(
        OpenJournal::open(&folder, &id).unwrap(),
        FoundJournal::Live
    ));
    record.mark_staged().unwrap();
    drop(record);
    let FoundJournal::Free(record) = OpenJournal::open(&folder, &id).unwrap() else {
        panic!("it is free");
    };
    assert!(record.is_staged);
    record.remove().unwrap();
    assert!(matches!(
        OpenJournal::open(&folder, &id).unwrap(),
        FoundJournal::Gone
    ));
}

#[test]
fn a_name_that_is_taken_is_not_taken_again() {
    let (_keep, folder) = folder();
    let first = OpenJournal::create(&folder, journal("one")).unwrap();
    let second = OpenJournal::create(&folder, journal("one")).unwrap_err();
    assert_eq!(second.kind(), io::ErrorKind::AlreadyExists);
    drop(first);
    assert_eq!(list(&folder).unwrap().open, [JournalId::new("one").unwrap()]);
}

#[test]
fn only_journals_are_listed_and_drafts_of_the_dead_are_removed() {
    let (_keep, folder) = folder();
    drop(OpenJournal::create(&folder, journal("two")).unwrap());
    let mut one = OpenJournal::create(&folder, journal("one")).unwrap();
    one.retire().unwrap();
    fs::write(folder.join("draft.three"), "half").unwrap();
    fs::write(folder.join("Not Ours"), "").unwrap();
    let id = |text| JournalId::new(text).unwrap();
    let listed = list(&folder).unwrap();
    assert_eq!((listed.open, listed.closed), (vec![id("two")], vec![id("one")]));
    assert!(!folder.join("draft.three").exists());
    assert_eq!(list(&folder.join("nowhere")).unwrap(), JournalList::default());
}

#[test]
fn what_is_no_file_is_unreadable_and_not_waited_for() {
    let (_keep, folder) = folder();
    make_private(&folder).unwrap();
    fs::create_dir(folder.join("folder")).unwrap();
    std::os::unix::fs::symlink("folder", folder.join("link")).unwrap();
    crate::fixture::make_pipe(&folder.join("pipe"));
    for name in ["folder", "link", "pipe"] {
        let id = JournalId::new(name).unwrap();
        assert!(
            matches!(OpenJournal::open(&folder, &id).unwrap(), FoundJournal::Unreadable),
            "{name}"
        );
        assert!(
            matches!(OpenJournal::peek(&folder, &id).unwrap(), Some(Err(_))),
            "{name}"
        );
    }
}

#[test]
fn the_folder_is_for_its_owner_alone() {
    let (_keep, folder) = folder();
    drop(OpenJournal::create(&folder, journal("one")).unwrap());
    let bits = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((bits(&folder), bits(&folder.join("one"))), (0o700, 0o600));
}
