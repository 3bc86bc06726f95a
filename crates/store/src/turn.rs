//! Waiting for the write lock, of which there is one for all processes: who has waited longest looks most often.
//!
//! `SQLite` lets a waiter look ever more rarely. Among many writers the newest would win then, and the oldest wait in
//! vain.

use crate::StoreError;
use crate::db::Db;
use std::thread;
use std::time::{Duration, Instant};

/// Most waits are for one writer that is nearly done.
const AT_FIRST: Duration = Duration::from_millis(4);

/// Opens a write transaction as soon as no other is open, unless that takes too long.
pub(crate) fn take(db: &Db) -> Result<(), StoreError> {
    let since = Instant::now();
    db.connection().busy_timeout(Duration::ZERO)?;
    let taken = loop {
        let taken = db.execute("BEGIN IMMEDIATE", &[]);
        let waited = since.elapsed();
        if !matches!(taken, Err(StoreError::Busy)) || waited >= db.wait() {
            break taken;
        }
        sleep(pause(waited, db.wait()));
    };
    db.connection().busy_timeout(db.wait())?;
    taken.map(drop)
}

/// How long to look away after having waited so long of the time there is.
fn pause(waited: Duration, limit: Duration) -> Duration {
    if waited < AT_FIRST {
        return Duration::from_micros(500);
    }
    match waited.as_millis() * 4 / limit.as_millis().max(1) {
        0 => Duration::from_millis(8),
        1 => Duration::from_millis(6),
        2 => Duration::from_millis(3),
        _ => Duration::from_millis(1),
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the lock is in a file, and nobody tells when it is free"
)]
fn sleep(pause: Duration) {
    thread::sleep(pause);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_waits_longer_looks_more_often() {
        let limit = Duration::from_secs(3);
        let pauses: Vec<u128> = [0, 100, 1_000, 2_000, 2_900]
            .map(|waited| pause(Duration::from_millis(waited), limit).as_micros())
            .into();
        assert_eq!(pauses, [500, 8_000, 6_000, 3_000, 1_000]);
    }

    #[test]
    fn a_limit_of_nothing_is_no_reason_to_fail() {
        assert_eq!(pause(AT_FIRST, Duration::ZERO), Duration::from_millis(1));
    }
}
