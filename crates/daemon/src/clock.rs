//! The one place that reads the clock.

use engine::time::Timestamp;
use std::sync::OnceLock;
use std::time::{Instant, SystemTime, UNIX_EPOCH};
use store::{Boot, Moment};

/// Microseconds since this process first asked; never turned back.
pub fn ticks() -> u64 {
    static FIRST: OnceLock<Instant> = OnceLock::new();
    u64::try_from(FIRST.get_or_init(Instant::now).elapsed().as_micros()).unwrap_or(u64::MAX)
}

/// Now, by both clocks.
pub fn moment() -> Moment {
    Moment {
        at: now(),
        boot: boot(),
    }
}

/// The clock that starts with the machine and goes on while it sleeps; nobody can set it.
pub fn boot() -> Option<Boot> {
    static THIS: OnceLock<Option<i64>> = OnceLock::new();
    let id = (*THIS.get_or_init(boot_id))?;
    let time = rustix::time::clock_gettime(RUNNING);
    let ms = time
        .tv_sec
        .saturating_mul(1000)
        .saturating_add(time.tv_nsec / 1_000_000);
    Some(Boot { id, ms })
}

/// Linux counts the time the machine sleeps on a clock of its own; on a Mac the plain one does.
#[cfg(target_os = "linux")]
const RUNNING: rustix::time::ClockId = rustix::time::ClockId::Boottime;
#[cfg(not(target_os = "linux"))]
const RUNNING: rustix::time::ClockId = rustix::time::ClockId::Monotonic;

/// A number for this start of the machine; `None` where it cannot be told from others.
#[cfg(target_os = "linux")]
fn boot_id() -> Option<i64> {
    let text = fs_err::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let digits: String = text.chars().filter(char::is_ascii_hexdigit).take(15).collect();
    i64::from_str_radix(&digits, 16).ok()
}

/// A number for this start of the machine; `None` where it cannot be told from others.
#[cfg(not(target_os = "linux"))]
fn boot_id() -> Option<i64> {
    None
}

/// No file that changes from now on is dated earlier, in nanoseconds since 1970: file systems date changes by a clock
/// that runs in steps.
pub fn earliest() -> i64 {
    nanoseconds(DATING)
}

/// No file that changed until now is dated later, in nanoseconds since 1970.
pub fn latest() -> i64 {
    nanoseconds(rustix::time::ClockId::Realtime)
}

fn nanoseconds(clock: rustix::time::ClockId) -> i64 {
    let time = rustix::time::clock_gettime(clock);
    time.tv_sec
        .saturating_mul(1_000_000_000)
        .saturating_add(time.tv_nsec)
}

#[cfg(target_os = "linux")]
const DATING: rustix::time::ClockId = rustix::time::ClockId::RealtimeCoarse;
#[cfg(not(target_os = "linux"))]
const DATING: rustix::time::ClockId = rustix::time::ClockId::Realtime;

/// The day of a moment where the person is: `2026-11-15`.
pub fn day(at: Timestamp) -> String {
    let moment = jiff::Timestamp::from_millisecond(at.0).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    moment.to_zoned(jiff::tz::TimeZone::system()).date().to_string()
}

/// Now, by the system's clock.
pub fn now() -> Timestamp {
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the one place that reads the clock"
    )]
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn the_boot_clock_runs_forward_within_one_start() {
        let (first, second) = (boot().unwrap(), boot().unwrap());
        assert_eq!(first.id, second.id);
        assert!(first.ms > 0 && second.ms >= first.ms);
    }
}
