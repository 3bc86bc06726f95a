//! Approvals: what a guard stopped and a person may let through, once, for one command in one folder of one session.

use crate::StoreError;
use crate::db::{Db, RowFields, bytes_of, column_of};
use crate::migration::Migration;
use crate::table::trusts::Fingerprint;
use engine::id::{AgentId, ClientSessionId, EventSeq, ProjectId};
use engine::time::Timestamp;
use rusqlite::named_params;
use std::path::{Path, PathBuf};

mod granting;
mod id;
mod spending;
mod state;

pub use granting::{Grant, InAdvance, expire, expire_session, grant, grant_in_advance, refuse, revoke};
pub use id::ApprovalId;
pub use spending::{Use, spend};
pub use state::{AnswerEffect, RequestState, Via};

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    version: 3,
    oldest_reader: 1,
    sql: "CREATE TABLE approvals (
        id TEXT PRIMARY KEY, -- g- and six characters
        project_id INTEGER REFERENCES projects (id),
        session TEXT NOT NULL, -- the client's id
        agent TEXT NOT NULL, -- who asked; '' is the main thread
        command_hash BLOB NOT NULL, -- SHA-256 of the exact bytes
        cwd BLOB NOT NULL,
        rule_id TEXT NOT NULL,
        shown TEXT NOT NULL, -- the command, redacted
        state TEXT NOT NULL, -- pending, granted, refused, used, expired
        uses_left INTEGER NOT NULL DEFAULT 0,
        expires_at INTEGER,
        asked_event INTEGER, -- NULL: granted in advance
        asked_at INTEGER NOT NULL,
        via TEXT, -- terminal, web, prompt
        granted_at INTEGER
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX approvals_pending ON approvals (session, command_hash, cwd, rule_id) WHERE state = 'pending';
    CREATE INDEX approvals_granted ON approvals (session, command_hash) WHERE state = 'granted';
    CREATE INDEX approvals_of_project ON approvals (project_id, asked_at) WHERE state = 'pending';
    CREATE INDEX approvals_over ON approvals (asked_at) WHERE state NOT IN ('pending', 'granted');
    CREATE TABLE approval_uses (
        approval TEXT NOT NULL REFERENCES approvals (id) ON DELETE CASCADE,
        tool_use_id TEXT NOT NULL,
        event INTEGER NOT NULL,
        at INTEGER NOT NULL,
        PRIMARY KEY (approval, tool_use_id)
    ) STRICT, WITHOUT ROWID;",
}];

/// Bytes of a shown command that are kept.
const LONGEST_SHOWN: usize = 2 * 1024;

/// Which command a person is asked about: a changed byte, another folder or another session is another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ApprovalSubject<'a> {
    /// The client's session.
    pub session: &'a ClientSessionId,
    /// The hash of the command's exact bytes.
    pub command: &'a Fingerprint,
    /// Where it would run.
    pub cwd: &'a Path,
}

/// A request that is left for a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request<'a> {
    /// The id it gets, unless the same is asked already.
    pub id: &'a ApprovalId,
    /// Which command.
    pub subject: ApprovalSubject<'a>,
    /// Where.
    pub project: Option<ProjectId>,
    /// The subagent that asks; `None` for the main thread.
    pub agent: Option<&'a AgentId>,
    /// The rule that stopped it.
    pub rule_id: &'a str,
    /// The command as a person may see it.
    pub shown: &'a str,
    /// The event that was denied.
    pub event: EventSeq,
    /// When.
    pub at: Timestamp,
}

/// A row of `approvals`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approval {
    /// Its id; no secret.
    pub id: ApprovalId,
    /// Where.
    pub project: Option<ProjectId>,
    /// The client's session.
    pub session: ClientSessionId,
    /// The subagent that asked; `None` for the main thread.
    pub agent: Option<AgentId>,
    /// The hash of the command's exact bytes.
    pub command: Fingerprint,
    /// Where it would run.
    pub cwd: PathBuf,
    /// The rule that stopped it; empty where it was granted in advance.
    pub rule_id: String,
    /// The command as a person may see it.
    pub shown: String,
    /// What became of it.
    pub state: RequestState,
    /// How often it may still be used.
    pub uses_left: u64,
    /// Until when.
    pub expires_at: Option<Timestamp>,
    /// The event that was denied; `None` where it was granted in advance.
    pub asked_event: Option<EventSeq>,
    /// When it was asked, or granted in advance.
    pub asked_at: Timestamp,
    /// How the person answered.
    pub via: Option<Via>,
    /// When it was granted.
    pub granted_at: Option<Timestamp>,
}

macro_rules! columns {
    () => {
        "id, project_id, session, agent, command_hash, cwd, rule_id, shown, state, uses_left, expires_at, asked_event, \
         asked_at, via, granted_at"
    };
}

/// Leaves a request for a person, and says under which id: asked again, the same one as before. An id that waits for
/// the same command because of another rule stands for both.
pub fn park(db: &Db, request: &Request<'_>) -> Result<ApprovalId, StoreError> {
    let waiting = pending_about(db, &request.subject)?;
    if waiting.iter().any(|(_, id)| id == request.id) {
        return Ok(request.id.clone());
    }
    let shown = request.shown;
    let shown = shown
        .get(..shown.floor_char_boundary(LONGEST_SHOWN))
        .unwrap_or(shown);
    let id: Option<String> = db.value(
        "INSERT INTO approvals (id, project_id, session, agent, command_hash, cwd, rule_id, shown, state, asked_event,
             asked_at)
         VALUES (:id, :project, :session, :agent, :command, :cwd, :rule, :shown, 'pending', :event, :at)
         ON CONFLICT (session, command_hash, cwd, rule_id) WHERE state = 'pending'
         DO UPDATE SET asked_event = excluded.asked_event, asked_at = excluded.asked_at
         RETURNING id",
        named_params! {
            ":id": request.id.as_str(),
            ":project": request.project.map(|id| id.0),
            ":session": request.subject.session.as_str(),
            ":agent": request.agent.map_or("", AgentId::as_str),
            ":command": request.subject.command.bytes(),
            ":cwd": bytes_of(request.subject.cwd),
            ":rule": request.rule_id,
            ":shown": shown,
            ":event": request.event.0,
            ":at": request.at.0,
        },
    )?;
    id.as_deref()
        .and_then(ApprovalId::parse)
        .ok_or(StoreError::Corrupt)
}

/// The requests that wait for a person, oldest first; of one project, or of all.
pub fn pending(db: &Db, project: Option<ProjectId>) -> Result<Vec<Approval>, StoreError> {
    db.all(
        concat!(
            "SELECT ",
            columns!(),
            " FROM approvals WHERE state = 'pending' AND (:project IS NULL OR project_id = :project)
             ORDER BY asked_at, id"
        ),
        named_params! { ":project": project.map(|id| id.0) },
        read,
    )
}

/// How many requests of a project wait for a person.
pub fn count_pending(db: &Db, project: ProjectId) -> Result<u64, StoreError> {
    db.number(
        "SELECT COUNT(*) FROM approvals WHERE state = 'pending' AND project_id = :project",
        named_params! { ":project": project.0 },
    )
}

/// The requests that wait about one command, by rule: what a repeated denial names.
pub fn pending_about(
    db: &Db,
    subject: &ApprovalSubject<'_>,
) -> Result<Vec<(String, ApprovalId)>, StoreError> {
    let found: Vec<(String, String)> = db.all(
        "SELECT rule_id, id FROM approvals
         WHERE session = :session AND command_hash = :command AND cwd = :cwd AND state = 'pending' ORDER BY rule_id",
        named_params! {
            ":session": subject.session.as_str(),
            ":command": subject.command.bytes(),
            ":cwd": bytes_of(subject.cwd),
        },
        |row| Ok((row.take()?, row.take()?)),
    )?;
    Ok(found
        .into_iter()
        .filter_map(|(rule, id)| Some((rule, ApprovalId::parse(&id)?)))
        .collect())
}

/// The approval with this id.
pub fn by_id(db: &Db, id: &ApprovalId) -> Result<Option<Approval>, StoreError> {
    let sql = concat!("SELECT ", columns!(), " FROM approvals WHERE id = :id");
    db.one(sql, named_params! { ":id": id.as_str() }, read)
}

/// The approval a person gave for exactly this command, here, in this session; the one that ends first.
pub fn live(db: &Db, subject: &ApprovalSubject<'_>, now: Timestamp) -> Result<Option<Approval>, StoreError> {
    db.one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM approvals WHERE session = :session AND command_hash = :command AND state = 'granted' AND cwd = :cwd
                 AND uses_left > 0 AND expires_at > :now
             ORDER BY expires_at, id LIMIT 1"
        ),
        named_params! {
            ":session": subject.session.as_str(),
            ":command": subject.command.bytes(),
            ":cwd": bytes_of(subject.cwd),
            ":now": now.0,
        },
        read,
    )
}

/// Drops what was decided long ago.
pub(crate) fn prune(db: &Db, before: Timestamp, limit: u64) -> Result<usize, StoreError> {
    db.execute(
        "DELETE FROM approvals WHERE id IN (SELECT id FROM approvals
             WHERE state NOT IN ('pending', 'granted') AND asked_at < :before LIMIT :limit)",
        named_params! { ":before": before.0, ":limit": column_of(limit) },
    )
}

fn read(row: &mut RowFields<'_>) -> rusqlite::Result<Approval> {
    let id: String = row.take()?;
    Ok(Approval {
        id: ApprovalId::parse(&id).ok_or(rusqlite::Error::InvalidQuery)?,
        project: row.take::<Option<_>>()?.map(ProjectId),
        session: ClientSessionId::new(row.take::<String>()?),
        agent: Some(row.take::<String>()?)
            .filter(|agent| !agent.is_empty())
            .map(AgentId::new),
        command: Fingerprint::from(row.take::<[u8; 32]>()?),
        cwd: row.path()?,
        rule_id: row.take()?,
        shown: row.take()?,
        state: RequestState::parse(&row.take::<String>()?),
        uses_left: row.count()?,
        expires_at: row.take::<Option<_>>()?.map(Timestamp),
        asked_event: row.take::<Option<_>>()?.map(EventSeq),
        asked_at: Timestamp(row.take()?),
        via: row.take::<Option<String>>()?.and_then(|word| Via::parse(&word)),
        granted_at: row.take::<Option<_>>()?.map(Timestamp),
    })
}

#[cfg(test)]
mod tests;
