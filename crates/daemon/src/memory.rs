//! Gives back to the system what a large event needed: the allocator keeps it, and the daemon may live for days.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// Events from this size on are looked after.
const LARGE: u64 = 1024 * 1024;

/// A daemon that keeps no more than this is left alone.
const ENOUGH_KIB: u64 = 32 * 1024;

/// Between two looks, and how many there are at least and at most: what is still done after the reply keeps its memory a
/// little longer, and on a busy machine much longer.
const LOOK_AGAIN: Duration = Duration::from_millis(500);
const FEWEST_LOOKS: u32 = 8;
const LOOKS: u32 = 60;

/// How often is still to be looked.
#[derive(Default)]
pub(crate) struct MemoryTrimmer {
    looks: AtomicU32,
}

impl MemoryTrimmer {
    /// An event of this size was answered; true if its memory is to be looked after.
    pub(crate) fn note(&self, bytes: u64) -> bool {
        let is_large = bytes > LARGE;
        if is_large {
            self.looks.store(LOOKS, Ordering::Relaxed);
        }
        is_large
    }

    /// Gives back what can be given back, and says when to look again.
    pub(crate) fn look(&self) -> Option<Duration> {
        let looks = self.looks.load(Ordering::Relaxed).checked_sub(1)?;
        let is_enough = resident_kib().is_some_and(|kib| kib <= ENOUGH_KIB);
        if !is_enough {
            give_back();
        }
        let looks = looks_left(looks, is_enough);
        self.looks.store(looks, Ordering::Relaxed);
        (looks > 0).then_some(LOOK_AGAIN)
    }
}

/// A daemon that is small again is looked at a few times more, because the work after a reply may still grow.
fn looks_left(looks: u32, is_enough: bool) -> u32 {
    if is_enough && LOOKS - looks >= FEWEST_LOOKS {
        0
    } else {
        looks
    }
}

/// Resident memory, where the system tells.
pub(crate) fn resident_kib() -> Option<u64> {
    let text = fs_err::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse().ok()
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn give_back() {
    #[expect(unsafe_code, reason = "only the allocator itself can give its memory back")]
    // SAFETY: it locks what it looks at, and touches no memory that is in use.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Other allocators give memory back by themselves.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn give_back() {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_large_event_is_looked_after_and_only_for_a_while() {
        let memory = MemoryTrimmer::default();
        assert!(!memory.note(1_000) && memory.look().is_none());
        assert!(memory.note(LARGE + 1));
        // How many there are depends on what this process keeps.
        let looks = std::iter::from_fn(|| memory.look()).count();
        assert!((FEWEST_LOOKS - 1..LOOKS).contains(&u32::try_from(looks).unwrap()));
        assert_eq!(memory.look(), None);
    }

    #[test]
    fn a_daemon_that_is_small_again_is_left_alone_after_a_few_looks() {
        let after = |is_enough: bool| {
            let looks = std::iter::successors(Some(LOOKS), |looks| {
                let left = looks_left(looks.checked_sub(1)?, is_enough);
                (left > 0).then_some(left)
            });
            u32::try_from(looks.count()).unwrap()
        };
        assert_eq!((after(true), after(false)), (FEWEST_LOOKS, LOOKS));
    }
}
