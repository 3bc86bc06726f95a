//! The daemon: whether it serves, and how fast decisions are.

use super::check::DoctorCheck;
use crate::command::daemon::{DaemonState, find};
use crate::command::init::counted;
use crate::disk::size;
use ::daemon::home::Home;
use ::daemon::server;
use engine::text::one_line;
use store::table::events;
use store::{Db, StoreError};

/// How many of the newest decisions are looked at.
const NEWEST: u64 = 1_000;
/// With fewer than these, nothing is said about speed.
const ENOUGH: usize = 20;
/// Microseconds from which an ordinary, and the slowest, decision is too slow. A session's start may wait for git.
const SLOW_MEDIAN: u64 = 10_000;
const SLOW_TAIL: u64 = 1_000_000;

/// Looks at the daemon. None is as good as one that could start: hooks start it.
pub fn look(home: &Home) -> DoctorCheck {
    let status = match find(home) {
        DaemonState::Serving(status) => status,
        DaemonState::Silent(silent) => return DoctorCheck::warn("daemon", silent.told(), silent.hint()),
        DaemonState::Nobody => return absent(home),
    };
    let own = env!("CARGO_PKG_VERSION");
    if status.version != own {
        let text = format!("serving with version {}, but this is {own}", status.version);
        return DoctorCheck::warn("daemon", text, "toprope daemon restart");
    }
    let memory = status
        .resident_kib
        .map(|kib| format!(", {}", size(kib.saturating_mul(1024))))
        .unwrap_or_default();
    DoctorCheck::ok(
        "daemon",
        format!(
            "serving (pid {}, protocol {}{memory})",
            status.pid, status.protocol
        ),
    )
}

/// Whether one could start: where it cannot, every hook decides alone, and slower.
fn absent(home: &Home) -> DoctorCheck {
    match server::can_start(home) {
        Ok(()) => DoctorCheck::ok("daemon", "not running; the next hook starts it"),
        Err(error) => DoctorCheck::fail(
            "daemon",
            format!(
                "cannot start, so every hook decides alone: {}",
                one_line(&error.to_string(), 400)
            ),
            "toprope daemon run",
        ),
    }
}

/// Looks at how long the newest decisions took.
pub fn speed(db: &Db) -> Result<DoctorCheck, StoreError> {
    let mut took = events::latency(db, NEWEST)?;
    took.sort_unstable();
    let (Some(median), Some(tail)) = (part(&took, 50), part(&took, 99)) else {
        return Ok(DoctorCheck::ok("speed", "no decision yet"));
    };
    let newest = counted(took.len(), "decision");
    let text = format!(
        "p50 {}, p99 {} over the last {newest}",
        milliseconds(median),
        milliseconds(tail)
    );
    if is_slow(took.len(), median, tail) {
        return Ok(DoctorCheck::warn("speed", text, "toprope log --json"));
    }
    Ok(DoctorCheck::ok("speed", text))
}

/// Whether decisions are slow, and not only a few of them: the first one opens the database and reads all settings.
fn is_slow(count: usize, median: u64, tail: u64) -> bool {
    count >= ENOUGH && (median > SLOW_MEDIAN || tail > SLOW_TAIL)
}

/// The value below which so many percent lie.
fn part(sorted: &[u64], percent: usize) -> Option<u64> {
    let last = sorted.len().checked_sub(1)?;
    sorted.get(last.saturating_mul(percent).div_ceil(100)).copied()
}

fn milliseconds(micros: u64) -> String {
    format!("{}.{} ms", micros / 1000, micros % 1000 / 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_slow_decisions_are_slow_and_a_few_are_not() {
        assert!(!is_slow(ENOUGH - 1, SLOW_MEDIAN + 1, SLOW_TAIL + 1));
        assert!(is_slow(ENOUGH, SLOW_MEDIAN + 1, SLOW_TAIL));
        assert!(is_slow(ENOUGH, SLOW_MEDIAN, SLOW_TAIL + 1));
        assert!(!is_slow(ENOUGH, SLOW_MEDIAN, SLOW_TAIL));
    }

    #[test]
    fn parts_of_few_and_many_values_are_values_of_theirs() {
        assert_eq!(part(&[], 50), None);
        assert_eq!(part(&[7], 99), Some(7));
        let hundred: Vec<u64> = (1..=101).collect();
        assert_eq!((part(&hundred, 50), part(&hundred, 99)), (Some(51), Some(100)));
        assert_eq!(milliseconds(12_345), "12.3 ms");
    }
}
