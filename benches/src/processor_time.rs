//! How long a process was on a processor: what work costs, however long it had to wait for its turn.

use rustix::time::{ClockId, clock_gettime};
use std::path::Path;
use std::time::Duration;

/// What the calling thread has used.
pub fn own() -> Duration {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    let seconds = u64::try_from(now.tv_sec).unwrap_or_default();
    Duration::new(seconds, u32::try_from(now.tv_nsec).unwrap_or_default())
}

/// What it has used since then.
pub fn since(began: Duration) -> Duration {
    own().saturating_sub(began)
}

/// What the calling thread uses for some work, and what comes of that.
pub fn used<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let began = own();
    let done = work();
    (since(began), done)
}

/// What the threads of a process that still run have used; `None` where the system does not tell.
pub fn of(pid: u32) -> Option<Duration> {
    let threads = fs_err::read_dir(Path::new("/proc").join(pid.to_string()).join("task")).ok()?;
    let used = threads.filter_map(|thread| nanoseconds(&thread.ok()?.path().join("schedstat")));
    Some(Duration::from_nanos(used.sum()))
}

/// The first of the scheduler's three numbers.
fn nanoseconds(path: &Path) -> Option<u64> {
    fs_err::read_to_string(path).ok()?.split(' ').next()?.parse().ok()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn work_shows_in_the_processor_time() {
        let before = of(std::process::id()).unwrap();
        let mut number = 1_u64;
        while of(std::process::id()).unwrap() <= before {
            number = std::hint::black_box(number.wrapping_mul(3));
        }
    }
}
