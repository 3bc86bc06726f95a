//! Waiting for what another process does: looked for again and again, until a deadline.

use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(20);
const LOOK_AGAIN: Duration = Duration::from_millis(5);

/// Looks until something is there.
///
/// # Panics
/// If it is not there in time.
#[track_caller]
pub fn eventually<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let until = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < until, "{what}: not so within {PATIENCE:?}");
        a_moment(LOOK_AGAIN);
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "another process brings it about; there is nothing to wait on"
)]
fn a_moment(length: Duration) {
    std::thread::sleep(length);
}

/// Waits until files are dated later than now: the clock they are dated with runs in steps, and late.
///
/// A person is never as quick as that; a test is.
pub fn tick() {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Realtime);
    while dating() <= (now.tv_sec, now.tv_nsec) {
        a_moment(Duration::from_millis(1));
    }
}

#[cfg(target_os = "linux")]
const DATING: rustix::time::ClockId = rustix::time::ClockId::RealtimeCoarse;
#[cfg(not(target_os = "linux"))]
const DATING: rustix::time::ClockId = rustix::time::ClockId::Realtime;

fn dating() -> (i64, i64) {
    let time = rustix::time::clock_gettime(DATING);
    (time.tv_sec, time.tv_nsec)
}
