//! Runs a round where it can be abandoned: a policy that never comes back must not take the daemon with it.
//!
//! Rounds run on a thread of their own. When one overruns its budget, the thread is given up, the policy it was stuck
//! in is skipped, and the round is decided again without it. A thread that was given up may spin for ever, so the
//! daemon retires soon after ([`Judge::has_lost_a_thread`]). A machine that stood still for a while is no reason to decide
//! without a policy: the budget is spent in slices, and a slice that lasted for ever counts as one.

use crate::clock;
use engine::event::Event;
use engine::facts::Facts;
use engine::policy::Policy;
use engine::round::{Round, RoundWatch, decide};
use engine::settings::Mode;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// Longer than any honest round on a busy machine; the price of one broken policy, once per event.
const BUDGET: Duration = Duration::from_secs(1);
/// The parts a budget is spent in.
const SLICES: u32 = 20;

/// Decides rounds under a budget.
pub struct Judge {
    policies: &'static [&'static dyn Policy],
    budget: Duration,
    bench: Mutex<Option<RoundThread>>,
    lost: AtomicBool,
}

/// The thread that decides, as seen from outside.
struct RoundThread {
    work: SyncSender<RoundTask>,
    rounds: Receiver<Round>,
}

#[derive(Clone)]
struct RoundTask {
    event: Arc<Event>,
    facts: Arc<Facts>,
    watch: Arc<RoundWatch>,
}

impl Judge {
    /// A judge over these policies.
    pub fn new(policies: &'static [&'static dyn Policy]) -> Self {
        Self::with_budget(policies, BUDGET)
    }

    /// A judge with a budget of its own.
    pub fn with_budget(policies: &'static [&'static dyn Policy], budget: Duration) -> Self {
        Self {
            policies,
            budget,
            bench: Mutex::new(None),
            lost: AtomicBool::new(false),
        }
    }

    /// The policies it asks, in order.
    pub fn policies(&self) -> &'static [&'static dyn Policy] {
        self.policies
    }

    /// Whether a thread had to be given up.
    pub fn has_lost_a_thread(&self) -> bool {
        self.lost.load(Ordering::Relaxed)
    }

    /// Decides one event, whatever its policies do.
    pub fn decide(&self, event: &Arc<Event>, facts: Facts) -> Round {
        if !self.concerns_anyone(event, &facts) {
            return decide(&[], event, &facts, &RoundWatch::default());
        }
        let facts = Arc::new(facts);
        let mut overran = Vec::new();
        while overran.len() < self.policies.len() {
            let watch = Arc::new(RoundWatch::skipping(overran.clone(), clock::ticks));
            let work = RoundTask {
                event: Arc::clone(event),
                facts: Arc::clone(&facts),
                watch: Arc::clone(&watch),
            };
            match self.try_decide(work) {
                Some(round) => return round,
                None => match self.policies.get(watch.asking()) {
                    Some(stuck) => overran.push(stuck.name()),
                    None => break,
                },
            }
        }
        // Every policy overran; what is left of the round is that they did.
        decide(
            self.policies,
            event,
            &facts,
            &RoundWatch::skipping(overran, clock::ticks),
        )
    }

    /// A policy that panics here is concerned: the round will record it.
    fn concerns_anyone(&self, event: &Event, facts: &Facts) -> bool {
        let concerned = || {
            let active = |policy: &&&dyn Policy| policy.mode(&facts.settings) != Mode::Off;
            self.policies
                .iter()
                .filter(active)
                .any(|policy| policy.concerns(event, facts))
        };
        catch_unwind(AssertUnwindSafe(concerned)).unwrap_or(true)
    }

    fn try_decide(&self, work: RoundTask) -> Option<Round> {
        let mut bench = self.bench.lock().unwrap_or_else(PoisonError::into_inner);
        let seated = match bench.take() {
            Some(seated) => seated,
            None => RoundThread::seat(self.policies)?,
        };
        if seated.work.send(work).is_err() {
            return None;
        }
        let round = seated.wait(self.budget);
        if round.is_some() {
            *bench = Some(seated);
        } else {
            self.lost.store(true, Ordering::Relaxed);
        }
        round
    }
}

impl RoundThread {
    /// The round, if it comes within the budget.
    fn wait(&self, budget: Duration) -> Option<Round> {
        for _ in 0..SLICES {
            match self.rounds.recv_timeout(budget / SLICES) {
                Ok(round) => return Some(round),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        }
        None
    }

    fn seat(policies: &'static [&'static dyn Policy]) -> Option<Self> {
        let (work, todo) = sync_channel::<RoundTask>(1);
        let (done, rounds) = sync_channel::<Round>(1);
        let judge = move || {
            while let Ok(RoundTask { event, facts, watch }) = todo.recv() {
                if done.send(decide(policies, &event, &facts, &watch)).is_err() {
                    break;
                }
            }
        };
        thread::Builder::new()
            .name("judge".to_owned())
            .spawn(judge)
            .ok()?;
        Some(Self { work, rounds })
    }
}

#[cfg(test)]
mod tests;
