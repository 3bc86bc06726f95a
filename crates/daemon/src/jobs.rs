//! Work that comes after the reply. Jobs are rows: what a crash leaves undone, the next daemon does, once.

use crate::checkpoint;
use crate::checkpoint::worker::{WorkLimits, work};
use crate::clock;
use crate::launch;
use crate::process::Process;
use crate::pruning::{self, LONG_LOG, log_length};
use crate::server::Server;
use engine::effect::JobKind;
use engine::id::{SessionId, WorktreeId};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use store::table::jobs::{self, Job};
use store::table::{actors, counters, sessions};
use store::{Db, Store, StoreError, fault};

/// A project's structure that was late for the session start may take this long.
const STRUCTURE: Duration = Duration::from_secs(5);

/// Wakes the worker.
#[derive(Default)]
pub struct Signal {
    state: Mutex<QueueState>,
    changed: Condvar,
}

#[derive(Default)]
struct QueueState {
    rung: bool,
    closed: bool,
}

impl Signal {
    /// There may be work.
    pub fn ring(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).rung = true;
        self.changed.notify_one();
    }

    /// There will be no more work.
    pub fn close(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).closed = true;
        self.changed.notify_one();
    }

    /// Whether the daemon is leaving; what is left to do, the next one does.
    pub(crate) fn is_closed(&self) -> bool {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).closed
    }

    /// Waits for work, or until some is due; false once closed.
    fn wait(&self, due: Option<Duration>) -> bool {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let is_idle = |state: &mut QueueState| !state.rung && !state.closed;
        let mut state = match due {
            None => self
                .changed
                .wait_while(state, is_idle)
                .unwrap_or_else(PoisonError::into_inner),
            Some(due) => {
                let waited = self.changed.wait_timeout_while(state, due, is_idle);
                waited.unwrap_or_else(PoisonError::into_inner).0
            }
        };
        state.rung = false;
        !state.closed
    }
}

/// Starts the worker: first what an earlier daemon left, then whatever comes.
pub(crate) fn start(server: Arc<Server>) -> io::Result<JoinHandle<()>> {
    thread::Builder::new().name("jobs".to_owned()).spawn(move || {
        server.note_trouble("could not take over jobs", take_over(&server));
        server.jobs.ring();
        let database = server.world.home().database();
        let beside = Store::open_existing(&database, Duration::ZERO).ok();
        let mut due = None;
        while server.jobs.wait(due) {
            server.note_trouble("a job failed", run_all(&server));
            due = start_workers(&server).unwrap_or_else(|error| {
                server.note_trouble("jobs of worktrees could not be found", Err(error));
                None
            });
            server.note_trouble(
                "the log of the database could not be moved",
                advance(beside.as_ref(), &database),
            );
            server.note_trouble(
                "the size of the log could not be looked at",
                pruning::look(&server, beside.as_ref()),
            );
            due = due.into_iter().chain(server.memory.look()).min();
        }
    })
}

/// Moves the database's write-ahead log from a connection of its own, so that no event waits for the disk.
fn advance(beside: Option<&Store>, database: &Path) -> Result<(), StoreError> {
    match beside {
        Some(store) if log_length(database) > LONG_LOG => store.advance().map(drop),
        _ => Ok(()),
    }
}

/// Jobs whose process is gone belong to nobody.
fn take_over(server: &Server) -> Result<(), StoreError> {
    let mut store = server.writer.store();
    let mut tx = store.begin()?;
    tx.unit(requeue_lost)?;
    tx.commit()
}

/// Queues jobs again whose process is gone.
pub(crate) fn requeue_lost(db: &Db) -> Result<(), StoreError> {
    jobs::requeue_abandoned(db, &is_alive, clock::now()).map(drop)
}

fn run_all(server: &Arc<Server>) -> Result<(), StoreError> {
    while !server.jobs.is_closed() {
        let Some(job) = take(server)? else { break };
        fault::point("job-taken");
        if job.kind == JobKind::TidyCheckpoints {
            start_upkeep(server, job)?;
            continue;
        }
        let outcome = contained(server, &job);
        fault::point("job-done");
        end(server, &job, &outcome)?;
    }
    Ok(())
}

fn end(server: &Server, job: &Job, outcome: &Result<(), String>) -> Result<(), StoreError> {
    let mut store = server.writer.store();
    let mut tx = store.begin()?;
    tx.unit(|db| match outcome {
        Ok(()) => jobs::done(db, job.id, clock::now()),
        Err(why) => {
            if job.kind == JobKind::TidyCheckpoints {
                counters::note(db, checkpoint::worker::FAILED, why, clock::now())?;
            }
            jobs::failed(db, job.id, why, clock::now())
        }
    })?;
    tx.commit()
}

/// Packing may take minutes, so it is done beside all else. A daemon that leaves does not wait for it: the next does it
/// again.
fn start_upkeep(server: &Arc<Server>, job: Job) -> Result<(), StoreError> {
    let (keeper, of) = (Arc::clone(server), job.clone());
    let started = thread::Builder::new().name("upkeep".to_owned()).spawn(move || {
        let outcome = contained(&keeper, &job);
        keeper.note_trouble("a job could not be ended", end(&keeper, &job, &outcome));
    });
    match started {
        Ok(_) => Ok(()),
        Err(error) => end(server, &of, &Err(error.to_string())),
    }
}

/// Has somebody work for every worktree that has jobs, and says when the next one is due.
fn start_workers(server: &Arc<Server>) -> Result<Option<Duration>, StoreError> {
    let waiting = jobs::worktrees_with_jobs(&server.writer.store().read())?;
    let now = clock::now();
    let mut due: Option<Duration> = None;
    for one in waiting {
        match one.not_before.filter(|at| *at > now) {
            Some(at) => {
                let left = Duration::from_millis(at.since(now));
                due = Some(due.map_or(left, |due| due.min(left)));
            }
            None => start_worker(server, one.worktree),
        }
    }
    Ok(due)
}

/// Has somebody work for a worktree, unless somebody does.
pub(crate) fn start_worker(server: &Arc<Server>, worktree: WorktreeId) {
    if !server.workers.begin(worktree) {
        return;
    }
    let worker = Arc::clone(server);
    let started = server.crew.open(move || {
        let is_over = || worker.jobs.is_closed();
        let terms = WorkLimits {
            look: Some(Duration::MAX),
            is_over: &is_over,
        };
        let done = catch_unwind(AssertUnwindSafe(|| {
            work(&worker.world, &worker.writer, worktree, &owner(worker.own), terms)
        }));
        worker.workers.end(worktree);
        match done {
            Ok(done) => worker.note_trouble("a worktree's job failed", done),
            Err(_) => worker.note_trouble("a worktree's job", Err("panicked")),
        }
        // What came after the last look at the queue is found by another.
        worker.jobs.ring();
    });
    if let Err(error) = started {
        server.workers.end(worktree);
        server.note_trouble("nobody works for a worktree", Err(error));
    }
}

fn take(server: &Server) -> Result<Option<Job>, StoreError> {
    let mut store = server.writer.store();
    if !jobs::has_any(&store.read(), clock::now())? {
        return Ok(None);
    }
    let mut tx = store.begin()?;
    let job = tx.unit(|db| jobs::take(db, &owner(server.own), clock::now()))?;
    tx.commit()?;
    Ok(job)
}

/// Runs a job; one that panics has failed, and the next one runs.
fn contained(server: &Arc<Server>, job: &Job) -> Result<(), String> {
    match catch_unwind(AssertUnwindSafe(|| run(server, job))) {
        Ok(outcome) => outcome,
        Err(_) => Err("it panicked".to_owned()),
    }
}

fn run(server: &Arc<Server>, job: &Job) -> Result<(), String> {
    let told = |error: StoreError| error.to_string();
    match job.kind {
        JobKind::CaptureStructure => capture_structure(server, job).map_err(told),
        JobKind::PruneLog => {
            pruning::start(server);
            Ok(())
        }
        JobKind::TidyCheckpoints => {
            let worktree = job.key.parse().map(WorktreeId);
            let Ok(worktree) = worktree else { return Ok(()) };
            let done = checkpoint::retention::tidy_at(&server.world, &server.writer, worktree);
            done.map_err(|error| error.to_string())
        }
        JobKind::PutHooksBack => put_hooks_back(server, job),
        // These belong to worktrees, whose workers take them.
        JobKind::Checkpoint
        | JobKind::LabelStep
        | JobKind::LinkCommits
        | JobKind::ReadTranscript
        | JobKind::WarmScan => Ok(()),
    }
}

/// Puts our entries back where a change took them out: what the agent reads next calls us again.
fn put_hooks_back(server: &Server, job: &Job) -> Result<(), String> {
    let settings = Path::new(&job.key).parent().unwrap_or(Path::new("/"));
    let cwd = match job.session {
        Some(session) => folder_of(server, session).map_err(|error| error.to_string())?,
        None => None,
    };
    let place = server.world.place_of(cwd.as_deref().unwrap_or(settings));
    let root = place.worktree.as_deref().unwrap_or(&place.project.root);
    let config = Some(settings).filter(|folder| **folder != root.join(".claude"));
    match launch::put_back(root, config) {
        Ok(true) => Ok(()),
        Ok(false) => Err(format!("our hooks could not be put back into {}", job.key)),
        Err(error) => Err(error.to_string()),
    }
}

/// Stores the structure that was late for its session's start, so that it can be looked up.
fn capture_structure(server: &Server, job: &Job) -> Result<(), StoreError> {
    let Some(session) = job.session else { return Ok(()) };
    let Some(folder) = folder_of(server, session)? else {
        return Ok(());
    };
    let state = server.world.project_state(&folder, STRUCTURE);
    let text = serde_json::to_string(&state).unwrap_or_default();
    let mut store = server.writer.store();
    let mut tx = store.begin()?;
    tx.unit(|db| sessions::set_structure(db, session, &text))?;
    tx.commit()
}

fn folder_of(server: &Server, session: SessionId) -> Result<Option<PathBuf>, StoreError> {
    let store = server.writer.store();
    let db = store.read();
    let Some(session) = sessions::by_id(&db, session)? else {
        return Ok(None);
    };
    Ok(actors::by_id(&db, session.actor)?.and_then(|actor| actor.cwd))
}

/// A job's owner as it is stored: a process that cannot be mistaken for a later one.
pub fn owner(process: Process) -> String {
    format!("{}@{}", process.pid, process.started)
}

/// The process a stored owner means.
/// Whether the process that took a job still runs.
pub(crate) fn is_alive(owner: &str) -> bool {
    parse_owner(owner).is_some_and(Process::is_alive)
}

fn parse_owner(owner: &str) -> Option<Process> {
    let (pid, started) = owner.split_once('@')?;
    Some(Process {
        pid: pid.parse().ok()?,
        started: started.parse().ok()?,
    })
}
