use super::*;
use crate::install::plan::plan;
use crate::install::tests::{Place, at, options, unwatched};

fn record(original: Option<&[u8]>) -> BackupRecord {
    BackupRecord {
        original: original.map(<[u8]>::to_vec),
        written: vec![digest(b"new")],
        made_folders: 1,
    }
}

fn kept_in(place: &Place) -> PathBuf {
    place.backups().folder_of(&place.settings())
}

#[test]
fn a_record_comes_back_as_it_was_kept() {
    let place = Place::new();
    for original in [Some(&b"\xff\x00 any bytes"[..]), Some(b""), None] {
        let record = record(original);
        place
            .backups()
            .keep(&place.settings(), &record, &unwatched)
            .unwrap();
        assert_eq!(place.backups().load(&place.settings()).unwrap(), Some(record));
    }
    place.backups().forget(&place.settings()).unwrap();
    assert_eq!(place.backups().load(&place.settings()).unwrap(), None);
    place.backups().forget(&place.settings()).unwrap();
}

#[test]
fn a_record_that_is_not_whole_counts_for_nothing() {
    let place = Place::new();
    let spoil = |file: &str, bytes: &[u8]| {
        place
            .backups()
            .keep(&place.settings(), &record(Some(b"old")), &unwatched)
            .unwrap();
        fs_err::write(kept_in(&place).join(file), bytes).unwrap();
        place.backups().load(&place.settings()).unwrap()
    };
    assert_eq!(spoil("original", b"ol"), None);
    assert_eq!(spoil("record.json", b"{\"original\""), None);
    assert_eq!(spoil("record.json", b"{}"), None);
}

#[test]
fn settings_may_hold_secrets_so_only_their_owner_reads_what_is_kept() {
    let place = Place::with(b"{\"env\": {\"TOKEN\": \"x\"}}");
    place.init(&options()).unwrap();
    let mode = |path: &Path| fs_err::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&kept_in(&place)), 0o700);
    assert_eq!(mode(&kept_in(&place).join("original")), 0o600);
    assert_eq!(mode(&kept_in(&place).join("record.json")), 0o600);
}

#[test]
fn a_repair_adds_to_the_record_and_keeps_the_first_original() {
    let before = b"{}";
    let first = plan(Some(before), &options()).unwrap();
    let record = BackupRecord::next(None, Some(before), &first, 1);
    let second = plan(Some(&first.bytes), &at("/moved/toprope")).unwrap();
    let record = BackupRecord::next(Some(record), Some(&first.bytes), &second, 0);
    assert_eq!(
        (record.original.as_deref(), record.made_folders),
        (Some(&before[..]), 1)
    );
    assert!(record.is_ours_alone(&first.bytes) && record.is_ours_alone(&second.bytes));
}

#[test]
fn a_repair_over_somebodys_edit_never_brings_the_original_back_whole() {
    let first = plan(Some(b"{}"), &options()).unwrap();
    let record = BackupRecord::next(None, Some(b"{}"), &first, 0);
    let edited = String::from_utf8(first.bytes.clone())
        .unwrap()
        .replacen('{', "{\"a\": 1,", 1);
    let second = plan(Some(edited.as_bytes()), &at("/moved/toprope")).unwrap();
    let record = BackupRecord::next(Some(record), Some(edited.as_bytes()), &second, 0);
    assert!(!record.is_ours_alone(&second.bytes));
}

#[test]
fn a_record_of_an_installation_that_is_over_gives_way() {
    let first = plan(Some(b"{}"), &options()).unwrap();
    let old = BackupRecord::next(None, Some(b"{}"), &first, 1);
    let again = plan(Some(b"{\"a\": 1}"), &options()).unwrap();
    let record = BackupRecord::next(Some(old), Some(b"{\"a\": 1}"), &again, 0);
    assert_eq!(
        (record.original.as_deref(), record.made_folders),
        (Some(&b"{\"a\": 1}"[..]), 0)
    );
}

#[test]
fn an_original_that_already_had_our_entries_is_kept_but_never_brought_back() {
    let theirs = plan(None, &at("/theirs/toprope")).unwrap().bytes;
    let repair = plan(Some(&theirs), &options()).unwrap();
    let record = BackupRecord::next(None, Some(&theirs), &repair, 0);
    assert_eq!(record.original.as_deref(), Some(theirs.as_slice()));
    assert!(!record.is_ours_alone(&repair.bytes));
}
