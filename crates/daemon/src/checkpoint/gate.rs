//! Holds a call that may write until what came before it was read: nothing is overwritten unseen.

use engine::id::{ActorId, EventSeq};
use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// One worktree's gate.
#[derive(Default)]
pub struct Gate {
    state: Mutex<GateState>,
    changed: Condvar,
}

#[derive(Default)]
struct GateState {
    /// Files that were written and not yet read.
    unread: usize,
    /// The newest scan of each session that is of interest, by the session's main actor.
    scans: HashMap<ActorId, AwaitedScan>,
}

/// A scan and the event that asked for it.
#[derive(Clone, Copy)]
struct AwaitedScan {
    event: EventSeq,
    stage: ScanStage,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ScanStage {
    /// Nobody has waited for it yet.
    Awaited,
    /// A call has waited for it; the next one does not.
    WaitedFor,
    /// It ended before anybody expected it: its worker was quicker than the thread that answers the prompt.
    Ended,
}

/// More scans than this that ended unexpected, and they are forgotten: nobody asks for most of them.
const MOST_ENDED: usize = 1_000;

/// A wait that ran out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Overdue {
    /// What it was for.
    pub what: Late,
    /// How long the call really waited for it.
    pub waited: Duration,
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
pub struct GateLimits {
    /// For files that were written before it.
    pub reads: Duration,
    /// For the scan of its turn's prompt.
    pub scan: Duration,
}

/// A file is about to be read; until this is dropped, calls that may write wait.
pub struct ReadGuard(Arc<Gate>);

impl Drop for ReadGuard {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.unread = state.unread.saturating_sub(1);
        self.0.changed.notify_all();
    }
}

impl GateState {
    fn awaits_scan(&self, session: ActorId) -> bool {
        let scan = self.scans.get(&session);
        scan.is_some_and(|scan| scan.stage == ScanStage::Awaited)
    }
}

impl Gate {
    /// Something was written and will be read.
    pub fn reading(self: &Arc<Self>) -> ReadGuard {
        self.lock().unread += 1;
        ReadGuard(Arc::clone(self))
    }

    /// A prompt was given; its scan is on the way, unless it has ended already.
    pub fn expect_scan(&self, session: ActorId, event: EventSeq) {
        let mut state = self.lock();
        match state.scans.get(&session) {
            Some(known) if known.stage == ScanStage::Ended && known.event >= event => {
                state.scans.remove(&session);
            }
            _ => {
                let stage = ScanStage::Awaited;
                state.scans.insert(session, AwaitedScan { event, stage });
            }
        }
    }

    /// The scan that an event of a session asked for is done, or will not come.
    pub fn scanned(&self, session: ActorId, event: EventSeq) {
        let mut state = self.lock();
        match state.scans.get(&session) {
            // A later prompt's is still to come.
            Some(known) if known.event > event => return,
            Some(known) if known.stage != ScanStage::Ended => {
                state.scans.remove(&session);
            }
            _ => {
                if state.scans.len() >= MOST_ENDED {
                    state.scans.retain(|_, scan| scan.stage != ScanStage::Ended);
                }
                let stage = ScanStage::Ended;
                state.scans.insert(session, AwaitedScan { event, stage });
            }
        }
        drop(state);
        self.changed.notify_all();
    }

    /// Whether a call of this session would have to wait.
    pub fn is_closed(&self, session: ActorId) -> bool {
        let state = self.lock();
        state.unread > 0 || state.awaits_scan(session)
    }

    /// Whether no call of this session can have written since its prompt: its scan is on the way, and they wait for it.
    pub fn holds(&self, session: ActorId) -> bool {
        self.lock().awaits_scan(session)
    }

    /// Whether the call that asked for a scan no longer waits for it, or a later one was asked for. One that nobody expects
    /// yet is in time: its worker may be quicker than the thread that holds the call.
    pub fn is_too_late(&self, session: ActorId, event: EventSeq) -> bool {
        let state = self.lock();
        state.scans.get(&session).is_some_and(|scan| {
            scan.event > event || scan.event == event && scan.stage == ScanStage::WaitedFor
        })
    }

    /// Waits until a call of this session may write, and says what it could not wait for.
    pub fn wait(&self, session: ActorId, patience: GateLimits) -> Vec<Overdue> {
        let mut late = Vec::new();
        let began = Instant::now();
        let overdue = |what: Late| Overdue {
            what,
            waited: began.elapsed(),
        };
        let awaited = |state: &mut GateState| state.awaits_scan(session);
        if !self.wait_while(began, patience.scan, awaited) {
            late.push(overdue(Late::Scan));
        }
        if let Some(scan) = self.lock().scans.get_mut(&session)
            && scan.stage == ScanStage::Awaited
        {
            scan.stage = ScanStage::WaitedFor;
        }
        if !self.wait_while(began, patience.reads, |state| state.unread > 0) {
            late.push(overdue(Late::Reads));
        }
        late
    }

    /// False if time ran out.
    fn wait_while(
        &self,
        began: Instant,
        limit: Duration,
        condition: impl FnMut(&mut GateState) -> bool,
    ) -> bool {
        let left = limit.saturating_sub(began.elapsed());
        let waited = self.changed.wait_timeout_while(self.lock(), left, condition);
        !waited.unwrap_or_else(PoisonError::into_inner).1.timed_out()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, GateState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    const MAIN: ActorId = ActorId(1);
    const PROMPT: EventSeq = EventSeq(7);
    const SHORT: GateLimits = GateLimits {
        reads: Duration::from_millis(1),
        scan: Duration::from_millis(1),
    };
    const LONG: GateLimits = GateLimits {
        reads: Duration::from_mins(1),
        scan: Duration::from_mins(1),
    };

    /// What a call could not wait for.
    fn missed(gate: &Gate, patience: GateLimits) -> Vec<Late> {
        let late = gate.wait(MAIN, patience);
        late.into_iter().map(|overdue| overdue.what).collect()
    }

    #[test]
    fn an_open_gate_lets_everybody_through() {
        let gate = Gate::default();
        assert!(!gate.is_closed(MAIN));
        assert_eq!(missed(&gate, SHORT), []);
    }

    #[test]
    fn a_call_waits_until_the_file_before_it_was_read() {
        let gate = Arc::new(Gate::default());
        let reading = gate.reading();
        assert!(gate.is_closed(MAIN));
        thread::scope(|scope| {
            let waiting = scope.spawn(|| missed(&gate, LONG));
            drop(reading);
            assert_eq!(waiting.join().unwrap(), []);
        });
    }

    #[test]
    fn the_first_call_of_a_turn_alone_waits_for_the_scan() {
        let gate = Gate::default();
        gate.expect_scan(MAIN, PROMPT);
        assert!(
            !gate.is_closed(ActorId(2)),
            "another session's prompt holds nobody here"
        );
        assert_eq!(missed(&gate, SHORT), [Late::Scan]);
        assert!(!gate.is_closed(MAIN));
        assert_eq!(missed(&gate, SHORT), []);
    }

    #[test]
    fn a_scan_that_ends_opens_the_gate() {
        let gate = Arc::new(Gate::default());
        gate.expect_scan(MAIN, PROMPT);
        thread::scope(|scope| {
            let waiting = scope.spawn(|| missed(&gate, LONG));
            gate.scanned(MAIN, PROMPT);
            assert_eq!(waiting.join().unwrap(), []);
        });
    }

    #[test]
    fn a_scan_that_ended_before_it_was_expected_holds_nobody() {
        let gate = Gate::default();
        gate.scanned(MAIN, PROMPT);
        gate.expect_scan(MAIN, PROMPT);
        assert!(!gate.is_closed(MAIN));
        gate.expect_scan(MAIN, EventSeq(8));
        assert!(gate.is_closed(MAIN), "the next prompt's is another one");
    }

    #[test]
    fn the_scan_of_an_earlier_prompt_does_not_open_the_gate_of_a_later_one() {
        let gate = Gate::default();
        gate.expect_scan(MAIN, PROMPT);
        gate.expect_scan(MAIN, EventSeq(8));
        gate.scanned(MAIN, PROMPT);
        assert!(gate.is_closed(MAIN));
        gate.scanned(MAIN, EventSeq(8));
        assert!(!gate.is_closed(MAIN));
    }

    #[test]
    fn scans_that_nobody_expects_are_forgotten_before_they_are_many() {
        let gate = Gate::default();
        gate.expect_scan(MAIN, PROMPT);
        for session in 2..5_000 {
            gate.scanned(ActorId(session), PROMPT);
        }
        assert!(gate.lock().scans.len() <= MOST_ENDED + 1);
        assert!(gate.is_closed(MAIN));
    }

    #[test]
    fn what_is_never_read_is_told() {
        let gate = Arc::new(Gate::default());
        let _reading = gate.reading();
        assert_eq!(missed(&gate, SHORT), [Late::Reads]);
    }
}
