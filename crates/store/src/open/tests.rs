//! The file: created private, opened by many at once, refused with a reason that can be acted upon.

use super::*;
use crate::stage::{Stage, WAIT, main_of};
use crate::{counters, events};
use engine::event::StartSource;
use std::sync::Barrier;
use std::thread;

#[test]
fn a_new_database_is_the_users_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("toprope.db");
    let store = Store::open(&path, WAIT).unwrap();
    counters::list(&store.read()).unwrap();
    for name in ["toprope.db", "toprope.db-wal", "toprope.db-shm"] {
        let mode = fs_err::metadata(folder.path().join(name))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
    assert!(store.examine(Depth::Whole).unwrap().damage.is_empty());
}

#[test]
fn many_first_openers_at_once_all_get_in() {
    for _ in 0..5 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("toprope.db");
        let barrier = Barrier::new(16);
        thread::scope(|scope| {
            for _ in 0..16 {
                scope.spawn(|| {
                    barrier.wait();
                    let mut store = Store::open(&path, WAIT).unwrap();
                    let mut tx = store.begin().unwrap();
                    tx.unit(|db| counters::add(db, "opened", 1)).unwrap();
                    tx.commit().unwrap();
                });
            }
        });
        let store = Store::open_existing(&path, WAIT).unwrap();
        assert_eq!(counters::list(&store.read()).unwrap()[0].count, 16);
    }
}

#[test]
fn what_is_not_there_is_neither_made_nor_an_accident() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("toprope.db");
    let error = Store::open_existing(&path, WAIT).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("there is no database at {}", path.display())
    );
    assert!(!path.exists());
    let lost = folder.path().join("gone/toprope.db");
    let error = Store::open(&lost, WAIT).unwrap_err();
    assert!(matches!(error, StoreError::CannotOpen { .. }), "{error:?}");
}

#[test]
fn another_program_that_holds_the_lock_is_waited_for_and_then_named() {
    let mut stage = Stage::new();
    let mut other = Store::open(&stage.path(), Duration::ZERO).unwrap();
    let held = stage.store.begin().unwrap();
    let error = other.begin().unwrap_err();
    assert!(matches!(error, StoreError::Busy), "{error:?}");
    drop(held);
    other.begin().unwrap();
}

#[test]
fn a_file_that_is_no_database_is_damaged_and_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("toprope.db");
    let text = "not a database, but somebody's notes\n".repeat(200);
    fs_err::write(&path, &text).unwrap();
    let error = Store::open(&path, WAIT).unwrap_err();
    assert!(matches!(error, StoreError::Corrupt), "{error:?}");
    assert_eq!(fs_err::read_to_string(&path).unwrap(), text);
}

#[test]
fn a_full_disk_undoes_the_event_and_says_so() {
    let mut stage = Stage::new();
    stage.starts(&main_of("7c1e"), StartSource::Startup);
    let connection = stage.store.db.connection();
    let pages: i64 = connection
        .pragma_query_value(None, "page_count", |row| row.get(0))
        .unwrap();
    connection
        .pragma_update_and_check(None, "max_page_count", pages, |_| Ok(()))
        .unwrap();
    let mut tx = stage.store.begin().unwrap();
    let error = tx
        .unit(|db| {
            counters::note(db, "kept", "no", engine::time::Timestamp(1))?;
            counters::note(db, "big", &"x".repeat(100_000), engine::time::Timestamp(1))
        })
        .unwrap_err();
    assert!(matches!(error, StoreError::Full), "{error:?}");
    drop(tx);
    assert!(counters::list(&stage.read()).unwrap().is_empty());
    assert_eq!(events::fired(&stage.read()).unwrap().len(), 1);
}

#[test]
fn a_database_that_may_not_be_written_says_so_and_can_still_be_read() {
    let mut stage = Stage::new();
    let connection = stage.store.db.connection();
    connection.execute_batch("PRAGMA query_only = ON").unwrap();
    let error = stage.store.begin().unwrap_err();
    assert!(matches!(error, StoreError::ReadOnly), "{error:?}");
    assert!(counters::list(&stage.read()).unwrap().is_empty());
}

#[test]
fn a_checkpoint_empties_the_log_beside_the_file() {
    let mut stage = Stage::new();
    stage.starts(&main_of("7c1e"), StartSource::Startup);
    let log = stage.path().with_file_name("toprope.db-wal");
    assert!(fs_err::metadata(&log).unwrap().len() > 0);
    stage.store.checkpoint().unwrap();
    assert_eq!(fs_err::metadata(&log).unwrap().len(), 0);
}

#[test]
fn free_pages_are_given_back_a_few_at_a_time_until_the_file_is_small() {
    let mut stage = Stage::new();
    stage.write(|db| {
        db.execute("CREATE TABLE noise (body BLOB)", &[])?;
        db.execute(
            "WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 500)
             INSERT INTO noise SELECT zeroblob(8000) FROM n",
            &[],
        )
    });
    stage.prompts(&main_of("7c1e"), "the last page of the file is not free");
    stage.write(|db| db.execute("DELETE FROM noise", &[]));
    stage.store.checkpoint().unwrap();
    let length = || fs_err::metadata(stage.path()).unwrap().len();
    let before = length();
    assert!(before > 4_000_000, "{before}");
    let mut slices = 1;
    let mut store = Store::open_existing(&stage.path(), WAIT).unwrap();
    while store.give_back().unwrap() {
        slices += 1;
    }
    store.checkpoint().unwrap();
    assert!(slices > 5, "{slices}");
    assert!(length() < 1_500_000, "{}", length());
    assert!(store.examine(Depth::Whole).unwrap().damage.is_empty());
    assert_eq!(events::fired(&store.read()).unwrap(), ["UserPromptSubmit"]);
}
