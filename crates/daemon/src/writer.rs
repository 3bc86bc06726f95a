//! The one seat from which the store is written. Whoever sits there takes along all who wait: one commit for many.
//!
//! An event joins the line and then asks for the seat. Whoever gets it first records every event in the line, in the
//! order they came, in one transaction; the others find theirs done. With nobody else there, no thread has to wake up.

use crate::judge::Judge;
use crate::pipeline::Prepared;
use crate::pipeline::record::{Recorded, record};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use store::{Store, StoreError};

/// More events than this in line, and the next one is decided by its own process.
const LONGEST_LINE: usize = 256;

/// The store's one writing seat.
pub struct Writer {
    seat: Mutex<Store>,
    line: Mutex<Vec<Waiting>>,
}

struct Waiting {
    prepared: Arc<Prepared>,
    outcome: Arc<OnceLock<Outcome>>,
}

/// What became of an event.
pub type Outcome = Result<Recorded, Trouble>;

/// Why an event could not be recorded here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Trouble {
    /// Too many are waiting.
    #[error("too many events are waiting")]
    LineFull,
    /// The store refused; the text says why.
    #[error("{0}")]
    Store(String),
}

impl Writer {
    /// A seat at this store.
    pub fn new(store: Store) -> Self {
        Self {
            seat: Mutex::new(store),
            line: Mutex::new(Vec::new()),
        }
    }

    /// The store itself, for work that belongs to no event.
    pub fn store(&self) -> MutexGuard<'_, Store> {
        self.seat.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Decides and records one event; back once it is committed.
    pub fn submit(&self, prepared: &Arc<Prepared>, judge: &Judge) -> Outcome {
        let outcome = Arc::new(OnceLock::new());
        {
            let mut line = self.line.lock().unwrap_or_else(PoisonError::into_inner);
            if line.len() >= LONGEST_LINE {
                return Err(Trouble::LineFull);
            }
            line.push(Waiting {
                prepared: Arc::clone(prepared),
                outcome: Arc::clone(&outcome),
            });
        }
        let mut store = self.store();
        if outcome.get().is_none() {
            let group = std::mem::take(&mut *self.line.lock().unwrap_or_else(PoisonError::into_inner));
            record_group(&mut store, group, judge);
        }
        drop(store);
        Arc::into_inner(outcome)
            .and_then(OnceLock::into_inner)
            .unwrap_or_else(|| Err(Trouble::Store("the event was lost".into())))
    }
}

fn record_group(store: &mut Store, group: Vec<Waiting>, judge: &Judge) {
    let (slots, prepared): (Vec<_>, Vec<_>) = group
        .into_iter()
        .map(|waiting| (waiting.outcome, waiting.prepared))
        .unzip();
    match commit_group(store, prepared, judge) {
        Ok(outcomes) => {
            for (slot, outcome) in slots.into_iter().zip(outcomes) {
                // Nobody else fills this slot: only the holder of the seat does.
                let _ = slot.set(outcome.map_err(|error| Trouble::Store(error.to_string())));
            }
        }
        Err(error) => {
            for slot in slots {
                let _ = slot.set(Err(Trouble::Store(error.to_string())));
            }
        }
    }
}

fn commit_group(
    store: &mut Store,
    group: Vec<Arc<Prepared>>,
    judge: &Judge,
) -> Result<Vec<Result<Recorded, StoreError>>, StoreError> {
    let mut tx = store.begin()?;
    let outcomes = group
        .into_iter()
        .map(|prepared| tx.unit(|db| record(db, &prepared, judge)))
        .collect();
    tx.commit()?;
    Ok(outcomes)
}
