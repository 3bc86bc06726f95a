//! Jobs of a worktree: one worker each does them in order, apart from everybody else's.

use super::{Job, columns, end, has_twin, known, read};
use crate::StoreError;
use crate::db::{Db, RowFields};
use engine::effect::{JobKind, NewJob};
use engine::id::{EventSeq, JobId, ProjectId, SessionId, WorktreeId};
use engine::time::Timestamp;
use rusqlite::named_params;

/// Work to be done for a worktree.
#[derive(Debug, Clone, Copy)]
pub struct WorktreeJob<'a> {
    /// What to do. Two worktrees may have the same key.
    pub job: &'a NewJob,
    /// For which worktree.
    pub worktree: WorktreeId,
    /// The event that caused it.
    pub event: EventSeq,
    /// Where.
    pub project: Option<ProjectId>,
    /// For which window.
    pub session: Option<SessionId>,
    /// What else is to be known, as JSON.
    pub detail: Option<&'a str>,
    /// Not to be done sooner.
    pub not_before: Option<Timestamp>,
}

/// A worktree with work to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueuedWorktree {
    /// Which.
    pub worktree: WorktreeId,
    /// When the first of its jobs may be done; `None` at once.
    pub not_before: Option<Timestamp>,
}

/// What became of a job that was queued.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Added {
    /// It waits.
    New,
    /// It became one with the same job, which waited already.
    Joined {
        /// When they may be done; `None` at once.
        not_before: Option<Timestamp>,
    },
}

/// Queues a job of a worktree. The same one that still waits becomes one with it: the place of the old one, the event
/// and the detail of the new one, and the earlier time of both.
pub fn add_for(db: &Db, new: &WorktreeJob<'_>, at: Timestamp) -> Result<Added, StoreError> {
    let key = key_of(new.worktree, &new.job.key);
    let waiting = db.one(
        "SELECT id, not_before FROM jobs WHERE kind = :kind AND key = :key AND state = 'queued'",
        named_params! { ":kind": new.job.kind.as_str(), ":key": key },
        |row| Ok((row.take::<i64>()?, row.take::<Option<_>>()?.map(Timestamp))),
    )?;
    if let Some((id, due)) = waiting {
        let not_before = due.zip(new.not_before).map(|(one, other)| one.min(other));
        db.execute(
            "UPDATE jobs SET event = :event, session_id = :session, detail = :detail, not_before = :not_before
             WHERE id = :id",
            named_params! {
                ":event": new.event.0,
                ":session": new.session.map(|id| id.0),
                ":detail": new.detail,
                ":not_before": not_before.map(|at| at.0),
                ":id": id,
            },
        )?;
        return Ok(Added::Joined { not_before });
    }
    db.execute(
        "INSERT INTO jobs (kind, key, event, project_id, session_id, worktree_id, detail, not_before, queued_at)
         VALUES (:kind, :key, :event, :project, :session, :worktree, :detail, :not_before, :at)",
        named_params! {
            ":kind": new.job.kind.as_str(),
            ":key": key,
            ":event": new.event.0,
            ":project": new.project.map(|id| id.0),
            ":session": new.session.map(|id| id.0),
            ":worktree": new.worktree.0,
            ":detail": new.detail,
            ":not_before": new.not_before.map(|at| at.0),
            ":at": at.0,
        },
    )?;
    Ok(Added::New)
}

/// The same job, if it still waits: what the new one adds to it can be put together first.
pub fn queued_for(db: &Db, worktree: WorktreeId, job: &NewJob) -> Result<Option<Job>, StoreError> {
    db.one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM jobs WHERE kind = :kind AND key = :key AND state = 'queued'"
        ),
        named_params! { ":kind": job.kind.as_str(), ":key": key_of(worktree, &job.key) },
        |row| read_for(row, worktree),
    )
}

/// Lets a job that waits be done at once and by itself: the next one of its key does not join it. False if none waits.
pub fn part(db: &Db, worktree: WorktreeId, job: &NewJob) -> Result<bool, StoreError> {
    let parted = db.execute(
        "UPDATE jobs SET key = key || '/' || id, not_before = NULL
         WHERE kind = :kind AND key = :key AND state = 'queued'",
        named_params! { ":kind": job.kind.as_str(), ":key": key_of(worktree, &job.key) },
    )?;
    Ok(parted > 0)
}

/// Whether somebody does this job right now.
pub fn is_running(db: &Db, worktree: WorktreeId, job: &NewJob) -> Result<bool, StoreError> {
    db.exists(
        "SELECT 1 FROM jobs WHERE state = 'running' AND ended_at IS NULL AND kind = :kind AND key = :key",
        named_params! { ":kind": job.kind.as_str(), ":key": key_of(worktree, &job.key) },
    )
}

/// The jobs of a worktree that this version knows and that may be done now, oldest first.
pub fn due_for(db: &Db, worktree: WorktreeId, now: Timestamp) -> Result<Vec<Job>, StoreError> {
    db.all(
        concat!(
            "SELECT ",
            columns!(),
            " FROM jobs WHERE worktree_id = :worktree AND worktree_id IS NOT NULL AND state = 'queued'
                 AND (not_before IS NULL OR not_before <= :now)
                 AND instr(',' || :known || ',', ',' || kind || ',') > 0
             ORDER BY id"
        ),
        named_params! { ":worktree": worktree.0, ":now": now.0, ":known": known() },
        |row| read_for(row, worktree),
    )
}

/// Takes a job that waits; false if somebody else was quicker.
pub fn take_one(db: &Db, id: JobId, owner: &str, now: Timestamp) -> Result<bool, StoreError> {
    let taken = db.execute(
        "UPDATE jobs SET state = 'running', owner = :owner, started_at = :now, attempts = attempts + 1
         WHERE id = :id AND state = 'queued'",
        named_params! { ":owner": owner, ":now": now.0, ":id": id.0 },
    )?;
    Ok(taken > 0)
}

/// The worktrees that have jobs this version knows, and when the first of each may be done.
pub fn worktrees_with_jobs(db: &Db) -> Result<Vec<QueuedWorktree>, StoreError> {
    db.all(
        "SELECT worktree_id, NULLIF(MIN(COALESCE(not_before, 0)), 0) FROM jobs
         WHERE state = 'queued' AND worktree_id IS NOT NULL AND instr(',' || :known || ',', ',' || kind || ',') > 0
         GROUP BY worktree_id ORDER BY worktree_id",
        named_params! { ":known": known() },
        |row| {
            Ok(QueuedWorktree {
                worktree: WorktreeId(row.take()?),
                not_before: row.take::<Option<_>>()?.map(Timestamp),
            })
        },
    )
}

/// Whether a worktree has a checkpoint that is still to be cut.
pub fn awaits_checkpoint(db: &Db, worktree: WorktreeId) -> Result<bool, StoreError> {
    db.exists(
        "SELECT 1 FROM jobs WHERE worktree_id = :worktree AND state = 'queued' AND kind = :kind",
        named_params! { ":worktree": worktree.0, ":kind": JobKind::Checkpoint.as_str() },
    )
}

/// Whether a worktree has a job that is due or in somebody's hands.
pub fn is_busy(db: &Db, worktree: WorktreeId, now: Timestamp) -> Result<bool, StoreError> {
    db.exists(
        "SELECT 1 FROM jobs WHERE worktree_id = :worktree AND ended_at IS NULL
             AND (state = 'running' OR state = 'queued' AND (not_before IS NULL OR not_before <= :now))",
        named_params! { ":worktree": worktree.0, ":now": now.0 },
    )
}

/// Puts a job back that someone has taken, to be done later. One that waits anew does the work of both.
pub fn postpone(db: &Db, id: JobId, until: Timestamp, now: Timestamp) -> Result<(), StoreError> {
    if has_twin(db, id)? {
        return end(db, id, "done", None, now);
    }
    db.execute(
        "UPDATE jobs SET state = 'queued', owner = NULL, started_at = NULL, attempts = 0, not_before = :until
         WHERE id = :id AND state = 'running' AND ended_at IS NULL",
        named_params! { ":until": until.0, ":id": id.0 },
    )?;
    Ok(())
}

/// Puts a job back that someone has taken, to be done later with another detail.
pub fn put_off(db: &Db, id: JobId, until: Timestamp, detail: &str, now: Timestamp) -> Result<(), StoreError> {
    db.execute(
        "UPDATE jobs SET detail = :detail WHERE id = :id",
        named_params! { ":detail": detail, ":id": id.0 },
    )?;
    postpone(db, id, until, now)
}

/// The key as it is stored: one index tells all waiting jobs apart, whosever they are.
fn key_of(worktree: WorktreeId, key: &str) -> String {
    format!("{worktree}:{key}")
}

fn read_for(row: &mut RowFields<'_>, worktree: WorktreeId) -> rusqlite::Result<Job> {
    let job = read(row)?;
    let prefix = key_of(worktree, "");
    let key = job.key.strip_prefix(&prefix).unwrap_or(&job.key).to_owned();
    Ok(Job { key, ..job })
}
