//! Jobs: work for after the reply, as rows, so that a crash loses none and none runs twice at once.

use crate::StoreError;
use crate::db::{Db, RowFields};
use crate::migration::Migration;
use engine::effect::{JobKind, NewJob};
use engine::id::{EventSeq, JobId, ProjectId, SessionId, WorktreeId};
use engine::time::Timestamp;
use rusqlite::named_params;

mod worktree;

pub use worktree::{
    Added, QueuedWorktree, WorktreeJob, add_for, awaits_checkpoint, due_for, is_busy, is_running, part,
    postpone, put_off, queued_for, take_one, worktrees_with_jobs,
};

pub(crate) const MIGRATIONS: &[Migration] = &[
    Migration {
        version: 1,
        oldest_reader: 1,
        sql: "CREATE TABLE jobs (
        id INTEGER PRIMARY KEY,
        kind TEXT NOT NULL,
        key TEXT NOT NULL,
        event INTEGER NOT NULL,
        project_id INTEGER REFERENCES projects (id),
        session_id INTEGER REFERENCES sessions (id),
        state TEXT NOT NULL DEFAULT 'queued', -- queued, running, done, failed, lost
        owner TEXT,
        attempts INTEGER NOT NULL DEFAULT 0,
        error TEXT,
        queued_at INTEGER NOT NULL,
        started_at INTEGER,
        ended_at INTEGER
    ) STRICT;
    CREATE UNIQUE INDEX jobs_queued ON jobs (kind, key) WHERE state = 'queued';
    CREATE INDEX jobs_unfinished ON jobs (state) WHERE ended_at IS NULL;",
    },
    Migration {
        version: 2,
        oldest_reader: 1,
        sql: "ALTER TABLE jobs ADD COLUMN worktree_id INTEGER REFERENCES worktrees (id);
    ALTER TABLE jobs ADD COLUMN detail TEXT; -- JSON
    ALTER TABLE jobs ADD COLUMN not_before INTEGER;
    CREATE INDEX jobs_of_worktree ON jobs (worktree_id, id) WHERE state = 'queued' AND worktree_id IS NOT NULL;",
    },
];

/// A job whose owner died so often is given up: it may be what kills them.
const MOST_ATTEMPTS: i64 = 3;

/// A job someone has taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// Its row.
    pub id: JobId,
    /// What to do.
    pub kind: JobKind,
    /// To what.
    pub key: String,
    /// The event that caused it.
    pub event: EventSeq,
    /// Where.
    pub project: Option<ProjectId>,
    /// For which window.
    pub session: Option<SessionId>,
    /// For which worktree; `None` for work that concerns no single one.
    pub worktree: Option<WorktreeId>,
    /// What else is to be known, as JSON.
    pub detail: Option<String>,
    /// Counted from one.
    pub attempt: u64,
}

macro_rules! columns {
    () => {
        "id, kind, key, event, project_id, session_id, worktree_id, detail, attempts"
    };
}
use columns;

/// Queues a job; false if the same one is waiting already.
pub fn add(
    db: &Db,
    job: &NewJob,
    event: EventSeq,
    project: Option<ProjectId>,
    session: Option<SessionId>,
    at: Timestamp,
) -> Result<bool, StoreError> {
    let added = db.execute(
        "INSERT INTO jobs (kind, key, event, project_id, session_id, queued_at)
         VALUES (:kind, :key, :event, :project, :session, :at)
         ON CONFLICT (kind, key) WHERE state = 'queued' DO NOTHING",
        named_params! {
            ":kind": job.kind.as_str(),
            ":key": job.key,
            ":event": event.0,
            ":project": project.map(|id| id.0),
            ":session": session.map(|id| id.0),
            ":at": at.0,
        },
    )?;
    Ok(added > 0)
}

/// Takes the oldest waiting job this version knows for `owner`. Those of a worktree are left to its own worker.
pub fn take(db: &Db, owner: &str, now: Timestamp) -> Result<Option<Job>, StoreError> {
    db.one(
        concat!(
            "UPDATE jobs SET state = 'running', owner = :owner, started_at = :now, attempts = attempts + 1
             WHERE id = (SELECT MIN(id) FROM jobs WHERE state = 'queued' AND ended_at IS NULL
                 AND worktree_id IS NULL AND (not_before IS NULL OR not_before <= :now)
                 AND instr(',' || :known || ',', ',' || kind || ',') > 0)
             RETURNING ",
            columns!()
        ),
        named_params! { ":owner": owner, ":now": now.0, ":known": known() },
        read,
    )
}

/// Whether there is anything for [`take`]: looking takes no turn from those who write.
pub fn has_any(db: &Db, now: Timestamp) -> Result<bool, StoreError> {
    db.exists(
        "SELECT 1 FROM jobs WHERE state = 'queued' AND ended_at IS NULL AND worktree_id IS NULL
             AND (not_before IS NULL OR not_before <= :now)",
        named_params! { ":now": now.0 },
    )
}

/// The kinds this version knows, as one text.
fn known() -> String {
    JobKind::ALL.map(JobKind::as_str).join(",")
}

fn read(row: &mut RowFields<'_>) -> rusqlite::Result<Job> {
    let id = JobId(row.take()?);
    let kind: String = row.take()?;
    Ok(Job {
        id,
        kind: JobKind::parse(&kind).ok_or(rusqlite::Error::InvalidQuery)?,
        key: row.take()?,
        event: EventSeq(row.take()?),
        project: row.take::<Option<_>>()?.map(ProjectId),
        session: row.take::<Option<_>>()?.map(SessionId),
        worktree: row.take::<Option<_>>()?.map(WorktreeId),
        detail: row.take()?,
        attempt: row.count()?,
    })
}

/// The job is done.
pub fn done(db: &Db, id: JobId, at: Timestamp) -> Result<(), StoreError> {
    end(db, id, "done", None, at)
}

/// The job could not be done, and is not tried again.
pub fn failed(db: &Db, id: JobId, error: &str, at: Timestamp) -> Result<(), StoreError> {
    end(db, id, "failed", Some(error), at)
}

/// Queues jobs again whose owner died over them, and says how many. Those that killed too many owners are given up.
pub fn requeue_abandoned(
    db: &Db,
    is_alive: &dyn Fn(&str) -> bool,
    at: Timestamp,
) -> Result<usize, StoreError> {
    let running = db.all(
        "SELECT id, owner, attempts, kind, key FROM jobs WHERE state = 'running' AND ended_at IS NULL ORDER BY id",
        &[],
        |row| {
            let (id, owner): (i64, Option<String>) = (row.take()?, row.take()?);
            Ok((JobId(id), owner.unwrap_or_default(), row.take::<i64>()?))
        },
    )?;
    let mut requeued = 0;
    for (id, owner, attempts) in running {
        if is_alive(&owner) {
            continue;
        }
        if attempts >= MOST_ATTEMPTS || has_twin(db, id)? {
            end(db, id, "lost", Some("its process died"), at)?;
            continue;
        }
        requeued += db.execute(
            "UPDATE jobs SET state = 'queued', owner = NULL, started_at = NULL WHERE id = :id",
            named_params! { ":id": id.0 },
        )?;
    }
    Ok(requeued)
}

/// Everybody who has taken a job that is not over.
pub fn owners(db: &Db) -> Result<Vec<String>, StoreError> {
    db.all(
        "SELECT DISTINCT COALESCE(owner, '') FROM jobs WHERE state = 'running' AND ended_at IS NULL",
        &[],
        |row| {
            let owner: String = row.take()?;
            Ok(owner)
        },
    )
}

/// How many jobs wait.
pub fn waiting(db: &Db) -> Result<u64, StoreError> {
    db.number(
        "SELECT COUNT(*) FROM jobs WHERE state = 'queued' AND ended_at IS NULL",
        &[],
    )
}

/// How many jobs wait or are being done, but for the end of a conversation that is put off: nobody may ever write it.
pub fn at_hand(db: &Db, now: Timestamp) -> Result<u64, StoreError> {
    db.number(
        "SELECT COUNT(*) FROM jobs WHERE state IN ('queued', 'running') AND ended_at IS NULL
             AND NOT (kind = :reading AND state = 'queued' AND COALESCE(not_before, 0) > :now)",
        named_params! { ":now": now.0, ":reading": JobKind::ReadTranscript.as_str() },
    )
}

/// The first and the last id there is.
pub(crate) fn ids(db: &Db) -> Result<Option<(i64, i64)>, StoreError> {
    let sql = "SELECT (SELECT MIN(id) FROM jobs), (SELECT MAX(id) FROM jobs)";
    let found = db.one(sql, &[], |row| {
        Ok((row.take::<Option<i64>>()?, row.take::<Option<i64>>()?))
    })?;
    Ok(found.and_then(|(first, last)| first.zip(last)))
}

/// Drops old jobs that are over.
pub(crate) fn prune(db: &Db, before: Timestamp, (first, last): (i64, i64)) -> Result<usize, StoreError> {
    db.execute(
        "DELETE FROM jobs WHERE id BETWEEN :first AND :last AND ended_at < :before",
        named_params! { ":before": before.0, ":first": first, ":last": last },
    )
}

/// Whether the same job waits anew: it will do the work of both.
fn has_twin(db: &Db, id: JobId) -> Result<bool, StoreError> {
    db.exists(
        "SELECT 1 FROM jobs AS own JOIN jobs AS twin ON twin.kind = own.kind AND twin.key = own.key
         WHERE own.id = :id AND twin.state = 'queued'",
        named_params! { ":id": id.0 },
    )
}

fn end(db: &Db, id: JobId, state: &str, error: Option<&str>, at: Timestamp) -> Result<(), StoreError> {
    db.execute(
        "UPDATE jobs SET state = :state, error = :error, ended_at = :at WHERE id = :id AND ended_at IS NULL",
        named_params! { ":state": state, ":error": error, ":at": at.0, ":id": id.0 },
    )?;
    Ok(())
}

#[cfg(test)]
mod tests;
