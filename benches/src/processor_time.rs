//! How long a process was on a processor: what work costs, however long it had to wait for its turn.

use std::path::Path;
use std::time::Duration;

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
