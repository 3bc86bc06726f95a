//! What a person answers: yes for a while, no, no longer. No event of an agent leads here.

use super::{AnswerEffect, ApprovalId, ApprovalSubject, RequestState, Via, by_id};
use crate::StoreError;
use crate::db::{Db, bytes_of, column_of};
use engine::id::{ClientSessionId, ProjectId};
use engine::time::Timestamp;
use rusqlite::named_params;

/// The longest an approval lasts.
const LONGEST_MS: u64 = 24 * 60 * 60 * 1000;
/// The most often it can be used.
const MOST_USES: u64 = 20;

/// A person's yes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grant {
    /// For how long; at most a day.
    pub ttl_ms: u64,
    /// How often; at least once, at most twenty times.
    pub times: u64,
    /// How the person said so.
    pub via: Via,
    /// When.
    pub at: Timestamp,
}

impl Grant {
    fn uses(&self) -> i64 {
        column_of(self.times.clamp(1, MOST_USES))
    }

    fn until(&self) -> i64 {
        self.at.0.saturating_add(column_of(self.ttl_ms.min(LONGEST_MS)))
    }
}

/// A yes to a command nobody asked about yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InAdvance<'a> {
    /// The id it gets.
    pub id: &'a ApprovalId,
    /// Which command.
    pub subject: ApprovalSubject<'a>,
    /// Where.
    pub project: Option<ProjectId>,
    /// The command as a person may see it.
    pub shown: &'a str,
}

/// Grants a request that waits.
pub fn grant(db: &Db, id: &ApprovalId, grant: &Grant) -> Result<AnswerEffect, StoreError> {
    let changed = db.execute(
        "UPDATE approvals SET state = 'granted', uses_left = :uses, expires_at = :until, via = :via, granted_at = :at
         WHERE id = :id AND state = 'pending'",
        named_params! {
            ":uses": grant.uses(),
            ":until": grant.until(),
            ":via": grant.via.as_str(),
            ":at": grant.at.0,
            ":id": id.as_str(),
        },
    )?;
    answered(db, id, changed)
}

/// Grants a command before it was ever stopped.
pub fn grant_in_advance(db: &Db, advance: &InAdvance<'_>, grant: &Grant) -> Result<(), StoreError> {
    db.execute(
        "INSERT INTO approvals (id, project_id, session, agent, command_hash, cwd, rule_id, shown, state, uses_left,
             expires_at, asked_at, via, granted_at)
         VALUES (:id, :project, :session, '', :command, :cwd, '', :shown, 'granted', :uses, :until, :at, :via, :at)",
        named_params! {
            ":id": advance.id.as_str(),
            ":project": advance.project.map(|id| id.0),
            ":session": advance.subject.session.as_str(),
            ":command": advance.subject.command.bytes(),
            ":cwd": bytes_of(advance.subject.cwd),
            ":shown": advance.shown,
            ":uses": grant.uses(),
            ":until": grant.until(),
            ":via": grant.via.as_str(),
            ":at": grant.at.0,
        },
    )?;
    Ok(())
}

/// Refuses a request that waits.
pub fn refuse(db: &Db, id: &ApprovalId, via: Via) -> Result<AnswerEffect, StoreError> {
    let changed = db.execute(
        "UPDATE approvals SET state = 'refused', via = :via WHERE id = :id AND state = 'pending'",
        named_params! { ":via": via.as_str(), ":id": id.as_str() },
    )?;
    answered(db, id, changed)
}

/// Takes a grant back, as far as it was not used.
pub fn revoke(db: &Db, id: &ApprovalId, via: Via) -> Result<AnswerEffect, StoreError> {
    let changed = db.execute(
        "UPDATE approvals SET state = 'refused', uses_left = 0, via = :via WHERE id = :id AND state = 'granted'",
        named_params! { ":via": via.as_str(), ":id": id.as_str() },
    )?;
    answered(db, id, changed)
}

/// Ends the grants whose time is over, and says how many.
pub fn expire(db: &Db, now: Timestamp) -> Result<usize, StoreError> {
    db.execute(
        "UPDATE approvals SET state = 'expired', uses_left = 0 WHERE state = 'granted' AND expires_at <= :now",
        named_params! { ":now": now.0 },
    )
}

/// A session is over: nobody waits for an answer to its requests any more. What was granted lasts its time.
pub fn expire_session(db: &Db, session: &ClientSessionId) -> Result<usize, StoreError> {
    db.execute(
        "UPDATE approvals SET state = 'expired' WHERE session = :session AND state = 'pending'",
        named_params! { ":session": session.as_str() },
    )
}

fn answered(db: &Db, id: &ApprovalId, changed: usize) -> Result<AnswerEffect, StoreError> {
    if changed > 0 {
        return Ok(AnswerEffect::Done);
    }
    Ok(match by_id(db, id)? {
        Some(approval) => AnswerEffect::Already(approval.state),
        None => AnswerEffect::Unknown,
    })
}

impl AnswerEffect {
    /// The state a request was found in, where the answer came too late.
    pub fn already(self) -> Option<RequestState> {
        match self {
            Self::Already(state) => Some(state),
            Self::Done | Self::Unknown => None,
        }
    }
}
