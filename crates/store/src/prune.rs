//! Keeps the log within its days and its size: what is too old goes, then the oldest payloads, then the oldest rows.
//!
//! In steps, each bounded by rows: however long the log is, no step is longer than another, because hooks wait for it.

use crate::StoreError;
use crate::db::Db;
use crate::table::{
    approvals, calls, events, jobs, leases, notices, payloads, seen, session_paths, tickets, tokens, touches,
    turns, warnings,
};
use engine::id::EventSeq;
use engine::time::Timestamp;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;
const MIB: u64 = 1024 * 1024;

/// Rows per step of what may be large, or has much that belongs to it.
const ROWS: u64 = 16;

/// Rows per step of what is small.
const SMALL_ROWS: u64 = 256;

/// What a step dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PrunedRows {
    /// Payloads whose rows stay.
    pub payloads: usize,
    /// Events, with all that belongs to them.
    pub events: usize,
    /// There may be more to drop: take another step.
    pub more: bool,
}

/// One walk through everything that may have to go.
#[derive(Debug)]
pub struct Pass {
    now: Timestamp,
    cutoff: Timestamp,
    most: u64,
    sweeps: Vec<TableSweep>,
    has_expired: bool,
    is_shrinking: bool,
}

impl Pass {
    /// A walk that keeps so many days and so much.
    pub fn new(keep_days: u32, max_mib: u64, now: Timestamp) -> Self {
        Self {
            now,
            cutoff: Timestamp(now.0.saturating_sub(i64::from(keep_days).saturating_mul(DAY_MS))),
            most: max_mib.saturating_mul(MIB),
            sweeps: vec![
                TableSweep::of(jobs::ids, jobs::prune),
                TableSweep::of(warnings::ids, warnings::prune),
                TableSweep::of(turns::ids, turns::prune),
            ],
            has_expired: false,
            is_shrinking: false,
        }
    }

    /// Drops one bounded piece.
    pub fn step(&mut self, db: &Db) -> Result<PrunedRows, StoreError> {
        let events = drop_events(db, self.cutoff)?;
        let has_dropped = events > 0 || self.age(db)?;
        if has_dropped {
            return Ok(PrunedRows {
                events,
                payloads: 0,
                more: true,
            });
        }
        self.shrink(db)
    }

    /// Drops what is too old beside events; true if there may be more.
    fn age(&mut self, db: &Db) -> Result<bool, StoreError> {
        if !std::mem::replace(&mut self.has_expired, true) {
            approvals::expire(db, self.now)?;
        }
        let dropped = notices::prune(db, self.cutoff, SMALL_ROWS)?
            + approvals::prune(db, self.cutoff, SMALL_ROWS)?
            + leases::prune(db, self.cutoff, SMALL_ROWS)?
            + tickets::prune(db, self.cutoff, SMALL_ROWS)?;
        let Some(sweep) = self.sweeps.last_mut() else {
            return Ok(dropped > 0);
        };
        if !sweep.step(db, self.cutoff)? {
            self.sweeps.pop();
        }
        Ok(true)
    }

    /// Drops the oldest of a log that is too big, and some more, so that the next events do not begin it anew.
    fn shrink(&mut self, db: &Db) -> Result<PrunedRows, StoreError> {
        let enough = self.most - self.most / 16;
        let limit = if self.is_shrinking { enough } else { self.most };
        if used(db)? <= limit {
            return Ok(PrunedRows::default());
        }
        self.is_shrinking = true;
        let payloads = payloads::prune(db, ROWS)?;
        let events = if payloads == 0 {
            drop_events(db, self.now)?
        } else {
            0
        };
        Ok(PrunedRows {
            payloads,
            events,
            more: payloads + events > 0,
        })
    }
}

/// The first and the last id of a table.
type Ids = fn(&Db) -> Result<Option<(i64, i64)>, StoreError>;

/// Drops what is older than a moment between two ids.
type Prune = fn(&Db, Timestamp, (i64, i64)) -> Result<usize, StoreError>;

/// A walk along the ids of a table that no index orders by age.
#[derive(Debug)]
struct TableSweep {
    ids: Ids,
    prune: Prune,
    next: Option<i64>,
}

impl TableSweep {
    fn of(ids: Ids, prune: Prune) -> Self {
        Self {
            ids,
            prune,
            next: None,
        }
    }

    /// Looks at the next ids; false if these were the last.
    fn step(&mut self, db: &Db, before: Timestamp) -> Result<bool, StoreError> {
        let Some((first, last)) = (self.ids)(db)? else {
            return Ok(false);
        };
        let from = self.next.unwrap_or(first).max(first);
        let to = from.saturating_add_unsigned(SMALL_ROWS - 1);
        (self.prune)(db, before, (from, to))?;
        self.next = Some(to.saturating_add(1));
        Ok(to < last)
    }
}

/// Drops the oldest events before a moment, with the calls they opened and what those touched.
fn drop_events(db: &Db, before: Timestamp) -> Result<usize, StoreError> {
    let Some(up_to) = events::oldest_before(db, before, ROWS)? else {
        return Ok(0);
    };
    calls::prune(db, up_to)?;
    touches::prune(db, up_to)?;
    session_paths::prune(db, up_to)?;
    seen::prune(db, up_to)?;
    tokens::prune(db, up_to)?;
    events::prune(db, EventSeq(up_to.0))
}

/// Whether the log is bigger than it may be.
pub fn is_too_big(db: &Db, max_mib: u64) -> Result<bool, StoreError> {
    Ok(used(db)? > max_mib.saturating_mul(MIB))
}

/// Bytes in use. Free pages of the file are used again before it grows.
fn used(db: &Db) -> Result<u64, StoreError> {
    let pages = db.number("PRAGMA page_count", &[])?;
    let free = db.number("PRAGMA freelist_count", &[])?;
    Ok(pages
        .saturating_sub(free)
        .saturating_mul(db.number("PRAGMA page_size", &[])?))
}

#[cfg(test)]
mod tests;
