//! A moment after which an answer is too late, and work that is waited for only until then.

use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

/// Longer budgets mean the same as this one, and arithmetic with it cannot overflow.
const LONGEST: Duration = Duration::from_hours(24);

/// A moment after which an answer is too late.
#[derive(Debug, Clone, Copy)]
pub struct Deadline(Instant);

impl Deadline {
    /// The moment `budget` from now.
    pub fn after(budget: Duration) -> Self {
        Self(Instant::now() + budget.min(LONGEST))
    }

    /// The time left, zero once it has passed.
    pub fn remaining(self) -> Duration {
        self.0.saturating_duration_since(Instant::now())
    }

    /// Nothing that finishes now is still in time.
    pub fn has_passed(self) -> bool {
        self.remaining().is_zero()
    }
}

/// Work under way on a thread of its own. A thread stuck in the file system is left behind, not waited for.
pub struct DeadlineTask<T>(Receiver<T>);

impl<T: Send + 'static> DeadlineTask<T> {
    /// Begins the work at once.
    pub fn start(work: impl FnOnce() -> T + Send + 'static) -> Self {
        let (sender, receiver) = mpsc::sync_channel(1);
        // Without a thread the sender is dropped, and the work counts as late.
        let _ = thread::Builder::new()
            .name("git-work".to_owned())
            .spawn(move || sender.send(work()));
        Self(receiver)
    }

    /// The result, or nothing if it is not there by the deadline. A result that is there is taken even later.
    pub fn finish(self, deadline: Deadline) -> Option<T> {
        self.0.recv_timeout(deadline.remaining()).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_that_is_done_in_time_is_handed_over() {
        let deadline = Deadline::after(Duration::MAX);
        assert_eq!(DeadlineTask::start(|| 7).finish(deadline), Some(7));
    }

    #[test]
    fn work_that_never_ends_is_left_behind() {
        let (_never, forever) = mpsc::channel::<()>();
        let work = DeadlineTask::start(move || forever.recv().is_ok());
        assert_eq!(work.finish(Deadline::after(Duration::ZERO)), None);
    }

    #[test]
    fn a_result_that_waits_is_taken_after_the_deadline_too() {
        let (sender, receiver) = mpsc::sync_channel(1);
        sender.send(7).unwrap();
        assert_eq!(
            DeadlineTask(receiver).finish(Deadline::after(Duration::ZERO)),
            Some(7)
        );
    }

    #[test]
    fn work_that_panics_is_late_and_takes_nobody_with_it() {
        let work: DeadlineTask<u8> = DeadlineTask::start(|| std::panic::resume_unwind(Box::new(())));
        assert_eq!(work.finish(Deadline::after(Duration::from_mins(1))), None);
    }
}
