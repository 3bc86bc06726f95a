use super::*;
use crate::object::{EntryMode, Id, PathState, TreeLeaf};
use proptest::prelude::*;

fn state(mode: EntryMode, digit: char) -> PathState {
    let id: Id = digit.to_string().repeat(40).parse().unwrap();
    PathState::plain(TreeLeaf { mode, id })
}

fn path(name: &[u8]) -> RepoPath {
    RepoPath::new(name).unwrap()
}

fn journal() -> Journal {
    let raw = PathState::Present {
        entry: state(EntryMode::File, 'c').entry().unwrap(),
        raw: state(EntryMode::File, 'd').bytes(),
    };
    Journal {
        id: JournalId::new("c0de55aa0912").unwrap(),
        worktree: b"linked \xff%".to_vec(),
        stage: StagePlace::Beside,
        modes: Modes::Kept,
        changes: vec![
            PathChange {
                path: path(b"gone/new.rs"),
                from: state(EntryMode::Exec, 'a'),
                to: PathState::Absent,
            },
            PathChange {
                path: path(b"a b\n\xff%"),
                from: state(EntryMode::Link, 'b'),
                to: raw,
            },
        ],
        folders: vec![FolderNote {
            path: path(b"gone"),
            fate: Fate::Emptied,
            bits: 0o750,
        }],
    }
}

fn read(bytes: &[u8]) -> Result<(Journal, bool), JournalFault> {
    Journal::read(&journal().id, bytes)
}

fn marked() -> Vec<u8> {
    let mut bytes = journal().written().unwrap();
    bytes.extend(journal().mark().unwrap());
    bytes
}

#[test]
fn a_journal_is_read_as_it_was_written() {
    assert_eq!(read(&journal().written().unwrap()), Ok((journal(), false)));
    assert_eq!(read(&marked()), Ok((journal(), true)));
}

#[test]
fn it_can_be_read_by_people() {
    let text = String::from_utf8(marked()).unwrap();
    let lines: Vec<&str> = text.lines().map(|line| line.get(..26).unwrap_or(line)).collect();
    assert_eq!(
        lines[..6],
        [
            "toprope-restore 1",
            "id c0de55aa0912",
            "worktree =linked%20%ff%25",
            "stage beside",
            "modes kept",
            "change 100755:aaaaaaaaaaaa",
        ]
    );
    assert!(text.contains(" a%20b%0a%ff%25\nfolder emptied 750 gone\nend "));
}

#[test]
fn a_mark_that_was_cut_short_is_none() {
    let unmarked = journal().written().unwrap().len();
    let marked = marked();
    for length in unmarked..marked.len() {
        assert_eq!(read(&marked[..length]), Ok((journal(), false)));
    }
}

#[test]
fn a_journal_that_was_cut_or_changed_anywhere_is_refused() {
    let whole = marked();
    let unmarked = journal().written().unwrap().len();
    for length in 0..unmarked {
        assert!(read(&whole[..length]).is_err(), "cut after {length}");
    }
    for place in 0..whole.len() {
        let mut edited = whole.clone();
        edited[place] ^= 1;
        assert!(read(&edited).is_err(), "changed at {place}");
    }
}

/// The bytes with one text in place of another, and the checksum made right again.
fn forged(from: &str, to: &str) -> Vec<u8> {
    let text = String::from_utf8(journal().written().unwrap()).unwrap();
    let (body, _) = text.split_once("end ").unwrap();
    assert!(body.contains(from));
    let mut bytes = body.replace(from, to).into_bytes();
    let end = text::seal("end", &bytes).unwrap();
    bytes.extend(end);
    bytes
}

#[test]
fn even_with_a_right_checksum_no_path_leads_out_and_no_value_is_spelled_twice() {
    let forgeries = [
        (" gone/new.rs", " ../new.rs"),
        (" gone/new.rs", " /etc/passwd"),
        (" gone/new.rs", " .git/hooks/pre-commit"),
        (" gone/new.rs", " gone/%00"),
        (" gone/new.rs", " gon%65/new.rs"),
        ("folder emptied 750 gone", "folder emptied 750 .."),
        ("folder emptied 750", "folder emptied 4777"),
        ("folder emptied 750", "folder emptied 0750"),
        ("id c0de55aa0912", "id another"),
        ("id c0de55aa0912", "id ../../x"),
        ("100755:aaaa", "160000:aaaa"),
        ("100755:aaaa", "100755:AAAA"),
        ("toprope-restore 1", "toprope-restore 2"),
        ("stage beside\n", ""),
        ("stage beside\n", "stage beside\nstage beside\n"),
        ("stage beside", "stage /tmp"),
        ("modes kept\n", "modes kept\nrun rm -rf\n"),
        (" a%20b%0a%ff%25", " gone/new.rs"),
    ];
    for (from, to) in forgeries {
        assert!(read(&forged(from, to)).is_err(), "{from} -> {to}");
    }
    assert!(
        read(&forged("modes kept", "modes ignored")).is_ok(),
        "the forger's hand is good"
    );
}

#[test]
fn ids_are_plain_names() {
    for good in ["a", "c0de55aa0912", "0-1"] {
        assert!(JournalId::new(good).is_ok());
    }
    for bad in ["", "-a", "A", "a/b", "..", "a.b", "a b", "ä", &"a".repeat(65)] {
        assert_eq!(JournalId::new(bad), Err(JournalFault::Id), "{bad}");
    }
}

proptest! {
    #[test]
    fn any_bytes_are_refused_or_are_a_journal_of_ours(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        if let Ok((journal, _)) = read(&bytes) {
            prop_assert!(bytes.starts_with(&journal.written().unwrap()));
        }
    }

    #[test]
    fn any_worktree_name_and_any_path_survive(name in proptest::collection::vec(any::<u8>(), 0..40),
                                              at in proptest::collection::vec(any::<u8>(), 1..40)) {
        let Ok(at) = RepoPath::new(at) else { return Ok(()) };
        let mut journal = journal();
        journal.worktree = name;
        journal.changes.truncate(1);
        journal.changes[0].path = at;
        let read = read(&journal.written().unwrap());
        prop_assert_eq!(read, Ok((journal, false)));
    }
}
