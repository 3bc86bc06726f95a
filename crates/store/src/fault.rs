//! Named points at which a test can kill the process, to prove that a crash there loses nothing.
//!
//! Without the feature `faults` every point is nothing at all. With it, `TOPROPE_FAULT=<name>` aborts the process at
//! the first hit of that point, `TOPROPE_FAULT=<name>:3` at the third. An abort runs no destructors, so the files are
//! left as `kill -9` would leave them. `TOPROPE_FAULT=<name>:stop` makes it stand still there until it is told to go on.

/// Every point, in the order an event meets them; then those of a migration and of a job.
///
/// The store passes all of them itself but the last two: only whoever runs jobs knows when one is committed as taken.
pub const POINTS: [&str; 9] = [
    "before-begin",
    "after-begin",
    "after-insert",
    "after-effects",
    "before-commit",
    "after-commit",
    "migration-step",
    "job-taken",
    "job-done",
];

/// The points within an event at which files change hands: taken, given up, promised to the next in line.
pub const OF_LEASES: [&str; 3] = ["lease-take", "lease-end", "lease-offer"];

#[cfg(feature = "faults")]
type Watcher = Box<dyn FnMut(&str)>;

#[cfg(feature = "faults")]
thread_local! {
    static WATCHER: std::cell::RefCell<Option<Watcher>> = const { std::cell::RefCell::new(None) };
}

/// Tells somebody of every point this thread comes to, so that a test can see what a crash there would leave.
#[cfg(feature = "faults")]
pub fn watch(watcher: impl FnMut(&str) + 'static) {
    WATCHER.with(|known| *known.borrow_mut() = Some(Box::new(watcher)));
}

/// Tells nobody any more.
#[cfg(feature = "faults")]
pub fn unwatch() {
    WATCHER.with(|known| *known.borrow_mut() = None);
}

/// Dies here if the environment names this point.
#[cfg(feature = "faults")]
#[expect(
    clippy::disallowed_methods,
    reason = "fault points exist in test builds only and must reach every process of a test"
)]
pub fn point(name: &str) {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static HITS: AtomicUsize = AtomicUsize::new(0);

    WATCHER.with(|known| {
        // Somebody who comes to a point while looking is not told of it.
        if let Ok(mut watcher) = known.try_borrow_mut()
            && let Some(watcher) = watcher.as_mut()
        {
            watcher(name);
        }
    });
    let Ok(wanted) = std::env::var("TOPROPE_FAULT") else {
        return;
    };
    let (point, hit) = wanted.split_once(':').unwrap_or((&wanted, "1"));
    if point == name && hit == "stop" {
        let own = std::process::id().to_string();
        // Once: whoever was told to go on meets the point a second time.
        if HITS.fetch_add(1, Ordering::SeqCst) == 0 {
            let _ = std::process::Command::new("kill").args(["-STOP", &own]).status();
        }
        return;
    }
    if point == name && HITS.fetch_add(1, Ordering::SeqCst) + 1 == hit.parse().unwrap_or(1) {
        std::process::abort();
    }
}

/// Nothing: this build has no fault points.
#[cfg(not(feature = "faults"))]
#[inline]
pub fn point(_name: &str) {}
