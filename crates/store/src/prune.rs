//! Keeps the log within its days and its size: what is too old goes, then the oldest payloads, then the oldest rows.

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

/// Rows per step. A whole run takes a few milliseconds, because hooks wait for it.
const STEP: u64 = 500;

/// Steps per run.
const STEPS: usize = 8;

/// What a run dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pruned {
    /// Payloads whose rows stay.
    pub payloads: usize,
    /// Events, with all that belongs to them.
    pub events: usize,
    /// There is more to drop: run again.
    pub more: bool,
}

/// Drops what the log keeps no longer, a bounded piece at a time.
pub fn run(db: &Db, keep_days: u32, max_mib: u64, now: Timestamp) -> Result<Pruned, StoreError> {
    let cutoff = Timestamp(now.0.saturating_sub(i64::from(keep_days).saturating_mul(DAY_MS)));
    let most = max_mib.saturating_mul(MIB);
    let mut pruned = Pruned::default();
    approvals::expire(db, now)?;
    for _ in 0..STEPS {
        let events = drop_events(db, cutoff)?;
        let rest = notices::prune(db, cutoff, STEP)?
            + warnings::prune(db, cutoff, STEP)?
            + approvals::prune(db, cutoff, STEP)?
            + jobs::prune(db, cutoff, STEP)?
            + leases::prune(db, cutoff, STEP)?
            + tickets::prune(db, cutoff, STEP)?
            + turns::prune(db, cutoff, STEP)?;
        let (mut payloads, mut oldest) = (0, 0);
        if events == 0 && used(db)? > most {
            payloads = payloads::prune(db, STEP)?;
            if payloads == 0 {
                oldest = drop_events(db, now)?;
            }
        }
        pruned.events += events + oldest;
        pruned.payloads += payloads;
        if events + rest + payloads + oldest == 0 {
            return Ok(pruned);
        }
    }
    pruned.more = true;
    Ok(pruned)
}

/// Drops the oldest events before a moment, with the calls they opened and what those touched.
fn drop_events(db: &Db, before: Timestamp) -> Result<usize, StoreError> {
    let Some(up_to) = events::oldest_before(db, before, STEP)? else {
        return Ok(0);
    };
    calls::prune(db, up_to)?;
    touches::prune(db, up_to)?;
    session_paths::prune(db, up_to)?;
    seen::prune(db, up_to)?;
    tokens::prune(db, up_to)?;
    events::prune(db, EventSeq(up_to.0))
}

/// Bytes in use. The file itself never shrinks; its free pages are used again.
fn used(db: &Db) -> Result<u64, StoreError> {
    let pages = db.number("PRAGMA page_count", &[])?;
    let free = db.number("PRAGMA freelist_count", &[])?;
    Ok(pages
        .saturating_sub(free)
        .saturating_mul(db.number("PRAGMA page_size", &[])?))
}

#[cfg(test)]
mod tests;
