//! Holds a call that may write until what came before it was read: nothing is overwritten unseen.

use engine::id::ActorId;
use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// One worktree's gate.
#[derive(Default)]
pub struct Gate {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// Files that were written and not yet read.
    unread: usize,
    /// Prompts whose scan has not ended, by the session's main actor.
    scans: HashMap<ActorId, PromptScan>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum PromptScan {
    /// Nobody has waited for it yet.
    Awaited,
    /// A call has waited for it; the next one does not.
    WaitedFor,
}

/// What a call waited for in vain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Late {
    /// Files another call wrote were not read in time.
    Reads,
    /// The scan of this turn's prompt was not done in time.
    Scan,
}

/// How long a call waits at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// For files that were written before it.
    pub reads: Duration,
    /// For the scan of its turn's prompt.
    pub scan: Duration,
}

/// A file is about to be read; until this is dropped, calls that may write wait.
pub struct Reading(Arc<Gate>);

impl Drop for Reading {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.unread = state.unread.saturating_sub(1);
        self.0.changed.notify_all();
    }
}

impl Gate {
    /// Something was written and will be read.
    pub fn reading(self: &Arc<Self>) -> Reading {
        self.lock().unread += 1;
        Reading(Arc::clone(self))
    }

    /// A prompt was given; its scan is on the way.
    pub fn expect_scan(&self, session: ActorId) {
        self.lock().scans.insert(session, PromptScan::Awaited);
    }

    /// The scan of a session's prompt is done, or will not come.
    pub fn scanned(&self, session: ActorId) {
        self.lock().scans.remove(&session);
        self.changed.notify_all();
    }

    /// Whether a call of this session would have to wait.
    pub fn is_closed(&self, session: ActorId) -> bool {
        let state = self.lock();
        state.unread > 0 || state.scans.get(&session) == Some(&PromptScan::Awaited)
    }

    /// Whether no call of this session can have written since its prompt: its scan is on the way, and they wait for it.
    pub fn holds(&self, session: ActorId) -> bool {
        self.lock().scans.get(&session) == Some(&PromptScan::Awaited)
    }

    /// Waits until a call of this session may write, and says what it could not wait for.
    pub fn wait(&self, session: ActorId, patience: Patience) -> Vec<Late> {
        let mut late = Vec::new();
        let began = Instant::now();
        let awaited = |state: &mut State| state.scans.get(&session) == Some(&PromptScan::Awaited);
        if !self.wait_while(began, patience.scan, awaited) {
            late.push(Late::Scan);
        }
        if let Some(scan) = self.lock().scans.get_mut(&session) {
            *scan = PromptScan::WaitedFor;
        }
        if !self.wait_while(began, patience.reads, |state| state.unread > 0) {
            late.push(Late::Reads);
        }
        late
    }

    /// False if time ran out.
    fn wait_while(&self, began: Instant, limit: Duration, condition: impl FnMut(&mut State) -> bool) -> bool {
        let left = limit.saturating_sub(began.elapsed());
        let waited = self.changed.wait_timeout_while(self.lock(), left, condition);
        !waited.unwrap_or_else(PoisonError::into_inner).1.timed_out()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    const MAIN: ActorId = ActorId(1);
    const SHORT: Patience = Patience {
        reads: Duration::from_millis(1),
        scan: Duration::from_millis(1),
    };
    const LONG: Patience = Patience {
        reads: Duration::from_mins(1),
        scan: Duration::from_mins(1),
    };

    #[test]
    fn an_open_gate_lets_everybody_through() {
        let gate = Gate::default();
        assert!(!gate.is_closed(MAIN));
        assert_eq!(gate.wait(MAIN, SHORT), []);
    }

    #[test]
    fn a_call_waits_until_the_file_before_it_was_read() {
        let gate = Arc::new(Gate::default());
        let reading = gate.reading();
        assert!(gate.is_closed(MAIN));
        thread::scope(|scope| {
            let waiting = scope.spawn(|| gate.wait(MAIN, LONG));
            drop(reading);
            assert_eq!(waiting.join().unwrap(), []);
        });
    }

    #[test]
    fn the_first_call_of_a_turn_alone_waits_for_the_scan() {
        let gate = Gate::default();
        gate.expect_scan(MAIN);
        assert!(
            !gate.is_closed(ActorId(2)),
            "another session's prompt holds nobody here"
        );
        assert_eq!(gate.wait(MAIN, SHORT), [Late::Scan]);
        assert!(!gate.is_closed(MAIN));
        assert_eq!(gate.wait(MAIN, SHORT), []);
    }

    #[test]
    fn a_scan_that_ends_opens_the_gate() {
        let gate = Arc::new(Gate::default());
        gate.expect_scan(MAIN);
        thread::scope(|scope| {
            let waiting = scope.spawn(|| gate.wait(MAIN, LONG));
            gate.scanned(MAIN);
            assert_eq!(waiting.join().unwrap(), []);
        });
    }

    #[test]
    fn what_is_never_read_is_told() {
        let gate = Arc::new(Gate::default());
        let _reading = gate.reading();
        assert_eq!(gate.wait(MAIN, SHORT), [Late::Reads]);
    }
}
