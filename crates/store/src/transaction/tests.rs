//! A group of events shares one commit; each of them is all or nothing.

use crate::stage::Stage;
use crate::{StoreError, counters};
use std::panic::{AssertUnwindSafe, catch_unwind};

fn counted(stage: &Stage) -> Vec<String> {
    let counters = counters::list(&stage.read()).unwrap();
    counters.into_iter().map(|counter| counter.name).collect()
}

#[test]
fn an_event_that_fails_is_undone_alone() {
    let mut stage = Stage::new();
    let mut tx = stage.store.begin().unwrap();
    tx.unit(|db| counters::add(db, "first", 1)).unwrap();
    let failed = tx.unit(|db| {
        counters::add(db, "second", 1)?;
        Err::<(), _>(StoreError::Busy)
    });
    assert!(matches!(failed, Err(StoreError::Busy)));
    tx.unit(|db| counters::add(db, "third", 1)).unwrap();
    tx.commit().unwrap();
    assert_eq!(counted(&stage), ["first", "third"]);
}

#[test]
fn an_event_that_panics_leaves_nothing_half_done() {
    let mut stage = Stage::new();
    let mut tx = stage.store.begin().unwrap();
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        tx.unit(|db| -> Result<(), StoreError> {
            counters::add(db, "half", 1)?;
            panic!("a policy's mistake")
        })
    }));
    assert!(panicked.is_err());
    tx.unit(|db| counters::add(db, "whole", 1)).unwrap();
    tx.commit().unwrap();
    assert_eq!(counted(&stage), ["whole"]);
}

#[test]
fn a_group_without_a_commit_never_happened() {
    let mut stage = Stage::new();
    let mut tx = stage.store.begin().unwrap();
    tx.unit(|db| counters::add(db, "first", 1)).unwrap();
    drop(tx);
    assert!(counted(&stage).is_empty());
    stage.write(|db| counters::add(db, "later", 1));
    assert_eq!(counted(&stage), ["later"]);
}

#[test]
fn after_the_whole_group_was_undone_nothing_more_is_written_in_its_name() {
    let mut stage = Stage::new();
    let mut tx = stage.store.begin().unwrap();
    tx.unit(|db| counters::add(db, "first", 1)).unwrap();
    tx.connection().execute_batch("ROLLBACK").unwrap();
    let next = tx.unit(|db| counters::add(db, "second", 1));
    assert!(matches!(next, Err(StoreError::RolledBack)));
    assert!(matches!(tx.commit(), Err(StoreError::RolledBack)));
    assert!(counted(&stage).is_empty());
}

#[test]
fn an_event_alone_is_all_or_nothing_too() {
    let mut stage = Stage::new();
    let failed = stage.store.begin().unwrap().only(|db| {
        counters::add(db, "half", 1)?;
        Err::<(), _>(StoreError::Busy)
    });
    assert!(failed.is_err());
    assert!(counted(&stage).is_empty());
    stage
        .store
        .begin()
        .unwrap()
        .only(|db| counters::add(db, "whole", 1))
        .unwrap();
    assert_eq!(counted(&stage), ["whole"]);
}
