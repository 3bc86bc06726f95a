//! Decides in the hook's own process when no daemon can: the same pipeline against the same database.

use crate::checkpoint::hold::{Hold, Unread};
use crate::checkpoint::worker::{WorkLimits, work};
use crate::client::said;
use crate::clock;
use crate::environment::Environment;
use crate::frame::reply::PrintedReply;
use crate::frame::request::{Header, HookRequest};
use crate::group_commit::GroupCommit;
use crate::home::Home;
use crate::jobs::owner;
use crate::judge::Judge;
use crate::pipeline::record::RecordedEvent;
use crate::pipeline::unrecorded::{self, Trouble};
use crate::pipeline::{EventSubject, PipelineContext, PreparedEvent};
use crate::process::Process;
use engine::event::EventKind;
use engine::policy::ORDER;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use store::{Store, StoreError};

/// How long another writer may hold the database before an event is decided without it.
const DATABASE_WAIT: Duration = Duration::from_secs(2);

/// How long a look at the whole worktree may take in a hook; the agent waits for its end.
const LONGEST_LOOK: Duration = Duration::from_secs(5);

/// Whether a daemon has the event as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Handover {
    /// No: what is not recorded here is recorded nowhere.
    None,
    /// One was sent the event and did not answer: it may have recorded it, or do so when it can.
    ToDaemon,
}

/// What came of an event without a daemon, and what is left to do once the answer is out.
pub struct Decided {
    /// What the hook prints.
    pub printed: PrintedReply,
    rest: Option<RemainingWork>,
}

/// Work of an event that was answered.
struct RemainingWork {
    world: PipelineContext,
    writer: GroupCommit,
    prepared: Arc<PreparedEvent>,
    recorded: RecordedEvent,
}

impl Decided {
    fn only(printed: PrintedReply) -> Self {
        Self { printed, rest: None }
    }

    /// Does what can be done without a daemon: files that were written are read, what is known is kept. The rest stays
    /// in the queue for whoever comes next.
    pub fn finish(self) {
        let Some(rest) = self.rest else { return };
        // Nobody is left to tell; the jobs say for themselves what failed.
        let _ = catch_unwind(AssertUnwindSafe(|| rest.finish()));
    }
}

impl RemainingWork {
    fn finish(&self) -> Result<(), StoreError> {
        if let Some(unread) = Unread::of(&self.world, &self.prepared, &self.recorded.after) {
            unread.read(&self.world, &self.writer)?;
        }
        let EventSubject::Event(subject) = &self.prepared.subject else {
            return Ok(());
        };
        let Some(worktree) = self.recorded.worktree.filter(|_| self.recorded.after.has_jobs) else {
            return Ok(());
        };
        let ends_a_turn = matches!(
            subject.event.kind,
            EventKind::TurnEnd { .. } | EventKind::TurnFailed { .. }
        );
        let terms = WorkLimits {
            look: ends_a_turn.then_some(LONGEST_LOOK),
            is_over: &|| false,
        };
        work(&self.world, &self.writer, worktree, &owner(Process::own()), terms)
    }
}

/// Answers one event without a daemon, whatever happens on the way.
pub fn decide(
    home: &Home,
    environment: &Environment,
    header: Header,
    body: Vec<u8>,
    handover: Handover,
) -> Decided {
    // What panics is contained and recorded; the agent reads our stderr and must find only our own words there.
    std::panic::set_hook(Box::new(|_| {}));
    let request = HookRequest { header, body };
    catch_unwind(AssertUnwindSafe(|| {
        decide_here(home, environment, request, handover)
    }))
    .unwrap_or_else(|_| Decided::only(said("stumbled over this event; it was not judged")))
}

fn decide_here(home: &Home, environment: &Environment, request: HookRequest, handover: Handover) -> Decided {
    let world = PipelineContext::new(home.clone(), environment);
    let mut prepared = world.prepare(request, clock::moment());
    world.answer(&mut prepared);
    world.look_at_named(&mut prepared);
    let prepared = Arc::new(prepared);
    match open(home).and_then(|store| record(store, &prepared)) {
        Ok((mut recorded, writer)) => {
            world.mark_if_disabled(&prepared);
            // A hint: without it nothing is missing.
            let _ = prepared.export_session();
            let hold = Hold::of(&world, &prepared, &recorded.after, recorded.worktree);
            // Nothing is queued here, so there is nothing to wait for but the state before a destructive command.
            let kept = hold.map_or(Ok(None), |hold| hold.keep(&writer));
            recorded = recorded.after_keeping(&prepared, &kept, &writer);
            Decided {
                printed: recorded.printed.clone(),
                rest: Some(RemainingWork {
                    world,
                    writer,
                    prepared,
                    recorded,
                }),
            }
        }
        Err(why) => {
            let trouble = Trouble { why: &why, handover };
            Decided::only(unrecorded::decide(home, &prepared, &Judge::new(ORDER), trouble))
        }
    }
}

/// With nobody else in line, the outcome is known when `submit` returns.
fn record(store: Store, prepared: &Arc<PreparedEvent>) -> Result<(RecordedEvent, GroupCommit), String> {
    let outcome = Arc::new(OnceLock::new());
    let told = Arc::clone(&outcome);
    let writer = GroupCommit::new(store, Judge::new(ORDER));
    writer.submit(Arc::clone(prepared), move |outcome| {
        // Told once: nobody else fills it.
        let _ = told.set(outcome);
    });
    match outcome.get() {
        Some(Ok(recorded)) => Ok((recorded.clone(), writer)),
        Some(Err(trouble)) => Err(trouble.to_string()),
        None => Err("the event was lost on the way".to_owned()),
    }
}

fn open(home: &Home) -> Result<Store, String> {
    home.make().map_err(|error| error.to_string())?;
    Store::open(&home.database(), DATABASE_WAIT).map_err(|error| error.to_string())
}
