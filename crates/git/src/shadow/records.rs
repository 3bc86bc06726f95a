//! Trees and commits that were read or written lately, so that one cut reads none of them twice.
//!
//! An id names one content for good: nothing here is ever out of date. Whether an object is still there is another
//! question, which is never asked here.

use std::collections::HashMap;
use std::sync::Arc;

use gix::objs::Kind;

use crate::object::Id;

/// Half of what is kept. When the young are this large they become the old, and what was old is let go.
const HALF: usize = 2 * 1024 * 1024;

/// One tree or commit.
#[derive(Debug, Clone)]
pub(super) struct ShadowRecord {
    pub(super) kind: Kind,
    pub(super) bytes: Arc<[u8]>,
    /// A tree that was found to be one git would have written.
    pub(super) is_sound: bool,
}

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Records {
    young: HashMap<Id, ShadowRecord>,
    old: HashMap<Id, ShadowRecord>,
    /// How large the young are.
    size: usize,
}

impl Records {
    /// The record of this id, which is young again.
    pub(super) fn of(&mut self, id: Id) -> Option<ShadowRecord> {
        if let Some(record) = self.young.get(&id) {
            return Some(record.clone());
        }
        let record = self.old.remove(&id)?;
        self.keep(id, record.clone());
        Some(record)
    }

    /// Keeps a record for a while; one that is too large for that is not kept.
    pub(super) fn keep(&mut self, id: Id, record: ShadowRecord) {
        let length = record.bytes.len();
        if length > HALF {
            return;
        }
        if self.size + length > HALF {
            self.old = std::mem::take(&mut self.young);
            self.size = 0;
        }
        if let Some(before) = self.young.insert(id, record) {
            self.size -= before.bytes.len();
        }
        self.size += length;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: usize) -> Id {
        format!("{number:040x}").parse().unwrap()
    }

    fn record(length: usize) -> ShadowRecord {
        ShadowRecord {
            kind: Kind::Tree,
            bytes: vec![0; length].into(),
            is_sound: false,
        }
    }

    #[test]
    fn what_is_asked_for_stays_and_the_rest_makes_room() {
        let mut records = Records::default();
        records.keep(id(0), record(10));
        for number in 1..100 {
            records.keep(id(number), record(HALF / 10));
            assert!(records.of(id(0)).is_some(), "{number}");
        }
        assert!(records.of(id(1)).is_none());
        let kept = records.young.values().chain(records.old.values());
        assert!(kept.map(|record| record.bytes.len()).sum::<usize>() <= 2 * HALF);
    }

    #[test]
    fn a_record_that_is_kept_twice_counts_once_and_a_huge_one_not_at_all() {
        let mut records = Records::default();
        for _ in 0..3 {
            records.keep(id(1), record(100));
        }
        records.keep(id(2), record(HALF + 1));
        assert_eq!(records.size, 100);
        assert!(records.of(id(2)).is_none());
    }
}
