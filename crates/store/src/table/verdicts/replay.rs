//! Recorded calls, one after the other, with what was known and said then: what a replay judges again.

use super::Explained;
use super::detail::detail_columns;
use crate::StoreError;
use crate::db::{Db, RowFields};
use crate::payload::{Payload, PayloadForm};
use engine::id::{AgentId, ClientSessionId, EventSeq, ProjectId};
use engine::time::Timestamp;
use rusqlite::named_params;
use std::ops::ControlFlow;

/// Which calls to go through.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReplayFilter {
    /// The client's name of the event before a call.
    pub event: String,
    /// Calls of these tools.
    pub tools: Vec<String>,
    /// The policy whose verdicts are wanted.
    pub policy: String,
    /// Not earlier.
    pub since: Option<Timestamp>,
    /// Of this client session: the beginning of its id.
    pub session: Option<String>,
    /// Of this project.
    pub project: Option<ProjectId>,
}

/// A recorded call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedCall {
    /// The event before it ran.
    pub event: EventSeq,
    /// When.
    pub at: Timestamp,
    /// The client's session.
    pub session: ClientSessionId,
    /// The subagent; `None` for the main thread.
    pub agent: Option<AgentId>,
    /// The tool.
    pub tool: String,
    /// What it was about, cut to what the log shows.
    pub target: Option<String>,
    /// All that came; `None` once the log has dropped it.
    pub payload: Option<Payload>,
    /// What the world answered then, as JSON.
    pub answers: Option<String>,
    /// What came of it.
    pub outcome: Option<String>,
    /// What the policy said; `None` where it was silent.
    pub verdict: Option<Explained>,
}

/// Hands every recorded call to `see`, oldest first, until it breaks. Nothing is gathered.
pub fn each(
    db: &Db,
    filter: &ReplayFilter,
    mut see: impl FnMut(RecordedCall) -> ControlFlow<()>,
) -> Result<(), StoreError> {
    let tools = serde_json::to_string(&filter.tools)
        .map_err(|error| StoreError::Bug(rusqlite::Error::ToSqlConversionFailure(Box::new(error))))?;
    db.each(
        concat!(
            "SELECT seq, at, client_session_id, agent_id, tool, target, events.facts, outcome,
                 form, length, head, sha256, body, verdicts.id IS NOT NULL, ",
            detail_columns!(),
            " FROM events JOIN actors ON actors.id = events.actor_id
             LEFT JOIN payloads ON payloads.event = seq
             LEFT JOIN verdicts ON verdicts.id = (SELECT MAX(id) FROM verdicts WHERE verdicts.event = seq
                 AND policy = :policy)
             WHERE events.event = :event AND tool IN (SELECT value FROM json_each(:tools))
                 AND (:since IS NULL OR at >= :since) AND (:project IS NULL OR events.project_id = :project)
                 AND (:session IS NULL OR substr(client_session_id, 1, length(:session)) = :session)
             ORDER BY seq"
        ),
        named_params! {
            ":event": filter.event,
            ":policy": filter.policy,
            ":tools": tools,
            ":since": filter.since.map(|since| since.0),
            ":project": filter.project.map(|id| id.0),
            ":session": filter.session,
        },
        |row| Ok(see(read(row)?)),
    )
}

fn read(row: &mut RowFields<'_>) -> rusqlite::Result<RecordedCall> {
    let (event, at) = (EventSeq(row.take()?), Timestamp(row.take()?));
    let session = ClientSessionId::new(row.take::<String>()?);
    let agent: String = row.take()?;
    let (tool, target, answers, outcome) = (row.take()?, row.take()?, row.take()?, row.take()?);
    Ok(RecordedCall {
        event,
        at,
        session,
        agent: Some(agent).filter(|agent| !agent.is_empty()).map(AgentId::new),
        tool,
        target,
        payload: payload(row)?,
        answers,
        outcome,
        verdict: if row.take()? {
            Some(super::read_explained(row)?)
        } else {
            None
        },
    })
}

fn payload(row: &mut RowFields<'_>) -> rusqlite::Result<Option<Payload>> {
    let form: Option<String> = row.take()?;
    let (length, head) = (row.optional_count()?, row.optional_count()?);
    let (sha256, body): (_, Option<Vec<u8>>) = (row.take()?, row.take()?);
    Ok(form.map(|form| Payload {
        form: PayloadForm::parse(&form),
        length: length.unwrap_or(0),
        head: head.unwrap_or(0),
        sha256,
        body: body.unwrap_or_default(),
    }))
}

#[cfg(test)]
mod tests;
