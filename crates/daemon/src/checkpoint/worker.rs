//! Does the jobs of worktrees: one worker each, in the order they came, beside everybody else's.

use super::agent_label;
use super::cutter::{CutError, Cutter};
use super::intake::ReadingOrder;
use super::order::{Order, ScanOrder};
use super::reading::{self, AGAIN_MS, Read};
use crate::clock;
use crate::group_commit::GroupCommit;
use crate::jobs::{is_alive, owner, requeue_lost};
use crate::pipeline::PipelineContext;
use crate::process::Process;
use engine::effect::{Audience, JobKind, Owed};
use engine::id::{ActorId, WorktreeId};
use engine::settings::Settings;
use engine::time::Timestamp;
use git::scan::ScanError;
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use store::table::checkpoints::CheckpointKind;
use store::table::jobs::{self, Job};
use store::table::{calls, counters, notices, turns, worktrees};
use store::{Db, StoreError, fault};

/// Between two looks whether another process is done with a job.
const LOOK_AGAIN: Duration = Duration::from_millis(10);

/// Jobs that failed, with the reason of the newest.
pub const FAILED: &str = "checkpoint-failed";

/// When a commit that git is still busy with is looked for again; the last one counts from then on.
const LINK_AGAIN_MS: [i64; 6] = [100, 500, 2_000, 5_000, 15_000, 60_000];

/// The detail of a job that looked for commits before the checkpoints were cut.
const EARLY: &str = "early";

/// Folders outside git that hold more files than are looked after.
pub const TOO_MANY: &str = "too-many-files";

/// What a process may do of a worktree's jobs.
#[derive(Clone, Copy)]
pub struct WorkLimits<'a> {
    /// How long a look at the whole worktree may take; `None` leaves such jobs to somebody else.
    pub look: Option<Duration>,
    /// Whether it is time to leave: what is left to do, the next one does.
    pub is_over: &'a dyn Fn() -> bool,
}

/// Does a worktree's jobs until none is left that may be done now.
pub fn work(
    world: &PipelineContext,
    writer: &GroupCommit,
    worktree: WorktreeId,
    owner: &str,
    terms: WorkLimits<'_>,
) -> Result<(), StoreError> {
    take_over(writer)?;
    let mut left = HashSet::new();
    while !(terms.is_over)() {
        let mut due = writer.ask(|db| jobs::due_for(db, worktree, clock::now()))?;
        // Commits are recognised by the checkpoints that were cut before.
        due.sort_by_key(|job| job.kind == JobKind::LinkCommits);
        let mine = due
            .into_iter()
            .find(|job| !left.contains(&job.id) && terms.allow(job));
        let Some(job) = mine else { return Ok(()) };
        if !writer.change(|db| jobs::take_one(db, job.id, owner, clock::now()))? {
            continue;
        }
        fault::point("worktree-job-taken");
        let done = catch_unwind(AssertUnwindSafe(|| run(world, writer, worktree, &job, terms)));
        let outcome = done.unwrap_or_else(|_| Err("it panicked".to_owned()));
        writer.change(|db| match &outcome {
            Ok(JobResult::Yes) => jobs::done(db, job.id, clock::now()),
            Ok(JobResult::Later { until, detail }) => jobs::put_off(db, job.id, *until, detail, clock::now()),
            Ok(JobResult::NotHere) => jobs::postpone(db, job.id, clock::now(), clock::now()),
            Err(why) => {
                counters::note(db, FAILED, why, clock::now())?;
                tell(db, &job, why)?;
                jobs::failed(db, job.id, why, clock::now())
            }
        })?;
        left.insert(job.id);
    }
    Ok(())
}

/// Says once per session that its work is not kept.
fn tell(db: &Db, job: &Job, why: &str) -> Result<(), StoreError> {
    let Some(order) = Order::of(job).filter(|_| job.kind == JobKind::Checkpoint) else {
        return Ok(());
    };
    let owed = Owed {
        audience: Audience::Person,
        kind: "checkpoints.failed".to_owned(),
        key: order.session.map_or(0, |session| session.0).to_string(),
        text: format!(
            "A checkpoint could not be made: {}. What is changed now may not be kept. See: toprope doctor",
            engine::text::one_line(why, 200)
        ),
    };
    if notices::was_owed(db, &owed)? {
        return Ok(());
    }
    notices::owe(db, &owed, order.actor, clock::now())
}

/// Queues what a killed process was doing, so that whoever comes next does it.
fn take_over(writer: &GroupCommit) -> Result<(), StoreError> {
    let owners = writer.ask(jobs::owners)?;
    if owners.iter().all(|owner| is_alive(owner)) {
        return Ok(());
    }
    writer.change(requeue_lost)
}

/// Does what is queued for a worktree and waits for what others have in hand, so that what follows sees all of it.
/// False if that took longer than `limit`.
pub fn settle(
    world: &PipelineContext,
    writer: &GroupCommit,
    worktree: WorktreeId,
    limit: Duration,
) -> Result<bool, StoreError> {
    let (until, owner) = (Instant::now() + limit, owner(Process::own()));
    loop {
        let is_over = || Instant::now() >= until;
        let terms = WorkLimits {
            look: Some(limit),
            is_over: &is_over,
        };
        work(world, writer, worktree, &owner, terms)?;
        if !writer.ask(|db| jobs::is_busy(db, worktree, clock::now()))? {
            return Ok(true);
        }
        if is_over() {
            return Ok(false);
        }
        thread::park_timeout(LOOK_AGAIN);
    }
}

/// What became of a job.
enum JobResult {
    Yes,
    /// It needs a look at the whole worktree, which is not for this process.
    NotHere,
    /// It is to be tried again, with this detail.
    Later {
        until: Timestamp,
        detail: String,
    },
}

impl WorkLimits<'_> {
    /// Whether this process may do a job: one without time to look does only what calls named.
    fn allow(&self, job: &Job) -> bool {
        self.look.is_some()
            || job.kind == JobKind::Checkpoint
                && Order::of(job).is_some_and(|order| order.look != ScanOrder::Always)
    }
}

fn run(
    world: &PipelineContext,
    writer: &GroupCommit,
    worktree: WorktreeId,
    job: &Job,
    terms: WorkLimits<'_>,
) -> Result<JobResult, String> {
    let failed = |error: StoreError| error.to_string();
    let read = match job.kind {
        // What was used counts even if the folder is gone.
        JobKind::ReadTranscript => Some(TranscriptUpdate::read(writer, job).map_err(failed)?),
        _ => None,
    };
    let row = writer.ask(|db| worktrees::by_id(db, worktree)).map_err(failed)?;
    let found = match row {
        Some(row) => world.worksite(&row.root).map_err(|error| error.to_string())?,
        None => None,
    };
    // The folder is gone, or has no files to keep.
    let Some((site, loaded)) = found else {
        return Ok(read.map_or(JobResult::Yes, |read| read.done));
    };
    let settings = &loaded.settings.checkpoints;
    let limit = Duration::from_millis(u64::from(settings.scan_timeout_ms));
    let cutter = Cutter {
        site: &site,
        writer,
        worktree,
        settings,
        limit: terms.look.unwrap_or_default().min(limit),
    };
    super::committing::recover(&cutter);
    let told = |error: CutError| error.to_string();
    match job.kind {
        JobKind::Checkpoint => {
            let Some(order) = Order::of(job) else {
                return Ok(JobResult::Yes);
            };
            let outcome = if is_too_late(&cutter, &order, world.since).map_err(failed)? {
                Ok(())
            } else {
                checkpoint(&cutter, &order, &loaded.settings)
            };
            if order.look == ScanOrder::Always
                && let (Some(session), Some(event)) = (order.session, order.event)
            {
                // Also when it failed: nobody shall wait for what will not come.
                site.gate.scanned(session, event);
            }
            match outcome {
                Err(CutError::NoTimeToLook) => return Ok(JobResult::NotHere),
                // A folder that is no project: nothing is kept here, and nothing is wrong.
                Err(CutError::Scan(error @ ScanError::TooMany { .. })) if !site.worktree.is_in_git() => {
                    let note = |db: &Db| counters::note(db, TOO_MANY, &error.to_string(), clock::now());
                    writer.change(note).map_err(failed)?;
                }
                outcome => outcome.map_err(told)?,
            }
        }
        JobKind::LinkCommits => {
            if settings.enabled {
                let linked = super::links::link_commits(&cutter).map_err(told)?;
                if linked.is_waiting || linked.was_early {
                    return Ok(link_again(job, linked.was_early));
                }
            }
        }
        JobKind::ReadTranscript => {
            if let Some(read) = read {
                read.seal(&cutter).map_err(told)?;
                return Ok(read.done);
            }
        }
        JobKind::LabelStep => super::step_label::write(writer, job).map_err(failed)?,
        JobKind::WarmScan => cutter.warm().map_err(told)?,
        // These belong to no worktree's worker.
        JobKind::CaptureStructure | JobKind::PruneLog | JobKind::TidyCheckpoints | JobKind::PutHooksBack => {}
    }
    Ok(JobResult::Yes)
}

/// Whether the look before a call comes after it was let go: what it finds is for the look after the call. A process that
/// began later than the call does not hold it.
fn is_too_late(cutter: &Cutter<'_>, order: &Order, since: Timestamp) -> Result<bool, StoreError> {
    let (Some(CheckpointKind::Outside), Some(session), Some(event)) =
        (CheckpointKind::from_word(&order.kind), order.session, order.event)
    else {
        return Ok(false);
    };
    let Some(call) = cutter.read(|db| calls::opened_by(db, event))? else {
        return Ok(false);
    };
    Ok(call.closed_at.is_some() || call.opened_at < since || cutter.site.gate.is_too_late(session, event))
}

/// Cuts what was ordered, with as much of the conversation as there is.
fn checkpoint(cutter: &Cutter<'_>, order: &Order, settings: &Settings) -> Result<(), CutError> {
    let kind = CheckpointKind::from_word(&order.kind);
    if matches!(
        kind,
        Some(CheckpointKind::Turn | CheckpointKind::Interrupted | CheckpointKind::AgentStop)
    ) && let Some(actor) = order.actor
    {
        reading::read_before(cutter.writer, actor)?;
    }
    let cut = cutter.cut(order, &[])?;
    if let (Some(CheckpointKind::AgentStart | CheckpointKind::AgentStop), Some(agent)) = (kind, order.actor) {
        // What an agent is for may have become known while this was cut.
        cutter.writer.change(|db| agent_label::complete(db, agent))?;
    }
    if kind == Some(CheckpointKind::Turn) {
        super::committing::commit_turn(cutter, order, &cut, settings)?;
        // The checkpoint is cut either way; whoever tidies next meets the same trouble and says so.
        let _ = super::retention::watch(cutter, order.event);
    }
    Ok(())
}

/// Later, when what it waits for is over: a checkpoint, soon, or an operation of git's that a person may take their
/// time for.
fn link_again(job: &Job, is_soon: bool) -> JobResult {
    let known = job.detail.as_deref().and_then(|tries| tries.parse().ok());
    let tries: usize = known.filter(|_| !is_soon).unwrap_or(0);
    let wait = LINK_AGAIN_MS.get(tries).or(LINK_AGAIN_MS.last()).copied();
    let detail = if is_soon {
        EARLY.to_owned()
    } else {
        tries.saturating_add(1).to_string()
    };
    JobResult::Later {
        until: Timestamp(clock::now().0 + wait.unwrap_or_default()),
        detail,
    }
}

/// A conversation that was read on, and what follows from it.
struct TranscriptUpdate {
    whose: Option<ActorId>,
    read: Read,
    done: JobResult,
}

impl TranscriptUpdate {
    fn read(writer: &GroupCommit, job: &Job) -> Result<Self, StoreError> {
        let detail = job.detail.as_deref();
        let order: Option<ReadingOrder> = detail.and_then(|detail| serde_json::from_str(detail).ok());
        let Some(order) = order else {
            return Ok(Self {
                whose: None,
                read: Read::default(),
                done: JobResult::Yes,
            });
        };
        let whose = Some(order.actor);
        let read = reading::read_on(writer, &order)?;
        let tries = usize::try_from(order.tries).ok();
        let wait = tries.and_then(|tries| AGAIN_MS.get(tries));
        let done = match wait.filter(|_| read.awaits_more) {
            Some(wait) => JobResult::Later {
                until: Timestamp(clock::now().0 + wait),
                detail: serde_json::to_string(&ReadingOrder {
                    tries: order.tries + 1,
                    ..order
                })
                .unwrap_or_default(),
            },
            None => JobResult::Yes,
        };
        Ok(Self { whose, read, done })
    }

    /// Adds what is complete now to the checkpoints it belongs to.
    fn seal(&self, cutter: &Cutter<'_>) -> Result<(), CutError> {
        if !(cutter.settings.enabled && cutter.settings.transcript) {
            return Ok(());
        }
        let Some(whose) = self.whose else { return Ok(()) };
        // Also those whose seal a killed process did not write.
        for turn in cutter.read(|db| turns::complete_without_seal(db, whose))? {
            cutter.seal(turn)?;
        }
        match self.read.ended {
            Some(agent) => cutter.seal_agent(agent),
            None => Ok(()),
        }
    }
}

/// The worktrees somebody works for.
#[derive(Default)]
pub struct Workers {
    busy: Mutex<HashSet<WorktreeId>>,
}

impl Workers {
    /// Takes a worktree, unless somebody works for it already.
    pub fn begin(&self, worktree: WorktreeId) -> bool {
        self.lock().insert(worktree)
    }

    /// Nobody works for it any more.
    pub fn end(&self, worktree: WorktreeId) {
        self.lock().remove(&worktree);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashSet<WorktreeId>> {
        self.busy.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
