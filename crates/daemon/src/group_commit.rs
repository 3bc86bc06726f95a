//! The one seat from which the store is written. Whoever sits there takes along all who wait: one commit for many.
//!
//! An event joins the line and its thread looks whether the seat is free. If it is, that thread records everybody in
//! line, in the order they came, in one transaction, and tells each what became of it. If it is not, the thread goes on
//! with other work: whoever sits there looks at the line again before leaving. With nobody else there, no thread has to
//! wake up between an event and its commit.

use crate::judge::Judge;
use crate::pipeline::PreparedEvent;
use crate::pipeline::record::{RecordedEvent, record};
use std::ops::{Deref, DerefMut};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use store::{Db, Store, StoreError};

/// More events than this in line, and the next one is decided by its own process.
const LONGEST_LINE: usize = 512;

/// The store's one writing seat.
pub struct GroupCommit {
    seat: Mutex<Store>,
    line: Mutex<Vec<QueuedEvent>>,
    judge: Judge,
}

struct QueuedEvent {
    prepared: Arc<PreparedEvent>,
    then: OnCommit,
}

/// Told once what became of an event, after its commit.
type OnCommit = Box<dyn FnOnce(SubmitResult) + Send>;

/// What became of an event.
pub type SubmitResult = Result<RecordedEvent, SubmitError>;

/// Why an event could not be recorded here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SubmitError {
    /// Too many are waiting.
    #[error("too many events are waiting")]
    LineFull,
    /// The store refused; the text says why.
    #[error("{0}")]
    Store(String),
}

impl GroupCommit {
    /// A seat at this store, where events are decided by this judge.
    pub fn new(store: Store, judge: Judge) -> Self {
        Self {
            seat: Mutex::new(store),
            line: Mutex::default(),
            judge,
        }
    }

    /// Who decides.
    pub fn judge(&self) -> &Judge {
        &self.judge
    }

    /// The seat itself, for work that belongs to no event.
    pub fn store(&self) -> StoreGuard<'_> {
        let store = self.seat.lock().unwrap_or_else(PoisonError::into_inner);
        StoreGuard {
            writer: self,
            store: Some(store),
        }
    }

    /// Asks the store.
    pub fn ask<T>(&self, question: impl FnOnce(&Db) -> Result<T, StoreError>) -> Result<T, StoreError> {
        question(&self.store().read())
    }

    /// Changes the store, all or nothing.
    pub fn change<T>(&self, change: impl FnOnce(&Db) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let mut seat = self.store();
        let mut tx = seat.begin()?;
        let changed = tx.unit(change)?;
        tx.commit()?;
        Ok(changed)
    }

    /// Decides and records an event. `then` is told once it is committed, by whichever thread committed it.
    pub fn submit(&self, prepared: Arc<PreparedEvent>, then: impl FnOnce(SubmitResult) + Send + 'static) {
        let mut line = self.line();
        if line.len() >= LONGEST_LINE {
            drop(line);
            then(Err(SubmitError::LineFull));
            return;
        }
        line.push(QueuedEvent {
            prepared,
            then: Box::new(then),
        });
        drop(line);
        self.serve();
    }

    /// Serves the line until it is empty or somebody else sits in the seat.
    fn serve(&self) {
        while !self.line().is_empty() {
            let mut store = match self.seat.try_lock() {
                Ok(store) => store,
                Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
                Err(TryLockError::WouldBlock) => return,
            };
            let group = std::mem::take(&mut *self.line());
            let (prepared, waiting): (Vec<_>, Vec<_>) =
                group.into_iter().map(|one| (one.prepared, one.then)).unzip();
            let outcomes = contained(&mut store, &prepared, &self.judge);
            drop(store);
            for (then, outcome) in waiting.into_iter().zip(outcomes) {
                then(outcome);
            }
        }
    }

    fn line(&self) -> MutexGuard<'_, Vec<QueuedEvent>> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A group that makes us stumble is left to its hooks; who comes after it is served.
fn contained(store: &mut Store, group: &[Arc<PreparedEvent>], judge: &Judge) -> Vec<SubmitResult> {
    let stumbled = || Err(SubmitError::Store("recording it panicked".to_owned()));
    catch_unwind(AssertUnwindSafe(|| commit(store, group, judge)))
        .unwrap_or_else(|_| vec![stumbled(); group.len()])
}

/// Records a group in one transaction, each event whole or not at all.
fn commit(store: &mut Store, group: &[Arc<PreparedEvent>], judge: &Judge) -> Vec<SubmitResult> {
    let trouble = |error: StoreError| SubmitError::Store(error.to_string());
    if let [alone] = group {
        let recorded = store
            .begin()
            .and_then(|tx| tx.only(|db| record(db, alone, judge)));
        return vec![recorded.map_err(trouble)];
    }
    let committed = (|| -> Result<Vec<Result<RecordedEvent, StoreError>>, StoreError> {
        let mut tx = store.begin()?;
        let recorded = group
            .iter()
            .map(|prepared| tx.unit(|db| record(db, prepared, judge)));
        let recorded = recorded.collect();
        tx.commit()?;
        Ok(recorded)
    })();
    match committed {
        Ok(recorded) => recorded.into_iter().map(|one| one.map_err(trouble)).collect(),
        Err(error) => vec![Err(trouble(error)); group.len()],
    }
}

/// The writing seat, held for work that belongs to no event.
pub struct StoreGuard<'a> {
    writer: &'a GroupCommit,
    store: Option<MutexGuard<'a, Store>>,
}

/// Leaving the seat means looking at the line again: who came meanwhile went on, relying on it.
impl Drop for StoreGuard<'_> {
    fn drop(&mut self) {
        drop(self.store.take());
        self.writer.serve();
    }
}

impl Deref for StoreGuard<'_> {
    type Target = Store;

    fn deref(&self) -> &Store {
        self.store
            .as_deref()
            .expect("the store is taken out only when the seat is left")
    }
}

impl DerefMut for StoreGuard<'_> {
    fn deref_mut(&mut self) -> &mut Store {
        self.store
            .as_deref_mut()
            .expect("the store is taken out only when the seat is left")
    }
}

#[cfg(test)]
mod tests;
