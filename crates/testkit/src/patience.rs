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
        pause();
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "another process brings it about; there is nothing to wait on"
)]
fn pause() {
    std::thread::sleep(LOOK_AGAIN);
}
