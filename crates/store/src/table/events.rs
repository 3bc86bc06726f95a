//! Events: every report of every agent, in the order it was decided, with what was answered.

use crate::client::ClientProcess;
use crate::db::{Db, RowFields, column_of};
use crate::migration::Migration;
use crate::payload::Payload;
use crate::table::payloads;
use crate::{StoreError, fault};
use engine::id::{
    ActorId, AgentId, AgentKind, ClientSessionId, DeliveryId, EventSeq, ProjectId, PromptId, SessionId,
    ToolUseId, WorktreeId,
};
use engine::time::Timestamp;
use rusqlite::named_params;

mod act;
mod log;
mod named;
mod reply;

pub use act::{ACTS, PersonAct, note_act};
pub use log::{LogFilter, PathFilter, list};
pub use named::{tools_seen, was_named};
pub use reply::{StoredReply, replace_reply, reply_of, reply_of_delivery, reply_of_open_call, set_reply};

pub(crate) const MIGRATIONS: &[Migration] = &[
    Migration {
        version: 1,
        oldest_reader: 1,
        // Rows are dropped oldest first and the newest never, so a sequence number never names two events.
        sql: "CREATE TABLE events (
        seq INTEGER PRIMARY KEY,
        at INTEGER NOT NULL,
        project_id INTEGER REFERENCES projects (id),
        worktree_id INTEGER REFERENCES worktrees (id),
        actor_id INTEGER REFERENCES actors (id),
        session_id INTEGER REFERENCES sessions (id),
        event TEXT NOT NULL,
        tool TEXT,
        tool_use_id TEXT,
        delivery TEXT NOT NULL UNIQUE,
        prompt_id TEXT,
        client_pid INTEGER,
        client_pid_started INTEGER,
        target TEXT,
        input TEXT,
        outcome TEXT,
        duration_ms INTEGER,
        decision_us INTEGER,
        degraded TEXT,
        facts TEXT,
        reply_exit INTEGER,
        reply BLOB,
        reply_stderr BLOB
    ) STRICT;
    CREATE INDEX events_of_call ON events (actor_id, tool_use_id) WHERE tool_use_id IS NOT NULL;
    CREATE INDEX events_of_project ON events (project_id, seq);",
    },
    Migration {
        version: 4,
        oldest_reader: 1,
        // Whatever a log is asked for, its newest lines are found without looking at others. Whole paths begin with a
        // slash; what lies between that and the next character is one.
        sql: "CREATE INDEX events_of_kind ON events (project_id, event, tool);
    CREATE INDEX events_of_actor ON events (actor_id);
    CREATE INDEX events_of_path ON events (project_id, target) WHERE substr(target, 1, 1) = '/';",
    },
];

/// An event turns out to be another actor's.
pub fn set_actor(
    db: &Db,
    seq: EventSeq,
    actor: ActorId,
    session: Option<SessionId>,
) -> Result<(), StoreError> {
    db.execute(
        "UPDATE events SET actor_id = :actor, session_id = COALESCE(:session, session_id) WHERE seq = :seq",
        named_params! { ":actor": actor.0, ":session": session.map(|id| id.0), ":seq": seq.0 },
    )?;
    Ok(())
}

/// A permission that an actor asked the person for.
#[derive(Debug, Clone, PartialEq)]
pub struct AskedPermission {
    /// The event that asked.
    pub event: EventSeq,
    /// When it came.
    pub at: Timestamp,
    /// The tool it is about.
    pub tool: String,
}

/// The last permission that an actor asked the person for.
pub fn asked_permission(db: &Db, actor: ActorId) -> Result<Option<AskedPermission>, StoreError> {
    db.one(
        "SELECT seq, at, tool FROM events INDEXED BY events_of_actor
         WHERE actor_id = :actor AND event = 'PermissionRequest' AND tool IS NOT NULL
             AND seq > COALESCE((SELECT MIN(event) FROM calls WHERE actor_id = :actor AND closed_at IS NULL), 9e18)
         ORDER BY seq DESC LIMIT 1",
        named_params! { ":actor": actor.0 },
        |row| {
            Ok(AskedPermission {
                event: EventSeq(row.take()?),
                at: Timestamp(row.take()?),
                tool: row.take()?,
            })
        },
    )
}

/// When an actor went on after an event: it began another call, or its step or turn ended.
pub fn next_step(db: &Db, actor: ActorId, after: EventSeq) -> Result<Option<Timestamp>, StoreError> {
    let found = db.value(
        "SELECT at FROM events WHERE actor_id = :actor AND seq > :after
             AND event IN ('PreToolUse', 'PostToolBatch', 'UserPromptSubmit', 'Stop', 'StopFailure', 'SubagentStop')
         ORDER BY seq LIMIT 1",
        named_params! { ":actor": actor.0, ":after": after.0 },
    )?;
    Ok(found.map(Timestamp))
}

/// An event to be recorded.
#[derive(Debug, Clone, Copy)]
pub struct NewEvent<'a> {
    /// Which delivery brought it.
    pub delivery: &'a DeliveryId,
    /// When it came.
    pub at: Timestamp,
    /// Where; unknown where the payload could not be read.
    pub project: Option<ProjectId>,
    /// Where.
    pub worktree: Option<WorktreeId>,
    /// Who.
    pub actor: Option<ActorId>,
    /// In which window.
    pub session: Option<SessionId>,
    /// The client's name of the event.
    pub name: &'a str,
    /// The tool.
    pub tool: Option<&'a str>,
    /// The call.
    pub tool_use_id: Option<&'a ToolUseId>,
    /// What it is about, as one short text.
    pub target: Option<&'a str>,
    /// The tool's input, as short JSON.
    pub input: Option<&'a str>,
    /// What came, prepared.
    pub payload: &'a Payload,
    /// The process it came from.
    pub client: &'a ClientProcess,
    /// The prompt it belongs to.
    pub prompt_id: Option<&'a PromptId>,
    /// How long the tool took.
    pub duration_ms: Option<u64>,
    /// What policies knew, as JSON.
    pub facts: Option<&'a str>,
    /// Policies that could not judge, as JSON.
    pub degraded: Option<&'a str>,
}

/// Records an event. What every event of a call says of its input is kept with the first of them.
pub fn insert(db: &Db, event: &NewEvent<'_>) -> Result<EventSeq, StoreError> {
    let seq = db.insert(
        "INSERT INTO events (at, project_id, worktree_id, actor_id, session_id, event, tool, tool_use_id, delivery,
             prompt_id, client_pid, client_pid_started, target, input, duration_ms, degraded, facts)
         VALUES (:at, :project, :worktree, :actor, :session, :event, :tool, :tool_use_id, :delivery, :prompt_id, :pid,
             :started, :target, NULLIF(:input, (SELECT input FROM events WHERE actor_id = :actor
                 AND tool_use_id = :tool_use_id AND tool_use_id IS NOT NULL ORDER BY seq LIMIT 1)),
             :duration_ms, :degraded, :facts)",
        named_params! {
            ":at": event.at.0,
            ":project": event.project.map(|id| id.0),
            ":worktree": event.worktree.map(|id| id.0),
            ":actor": event.actor.map(|id| id.0),
            ":session": event.session.map(|id| id.0),
            ":event": event.name,
            ":tool": event.tool,
            ":tool_use_id": event.tool_use_id.map(ToolUseId::as_str),
            ":delivery": event.delivery.as_str(),
            ":prompt_id": event.prompt_id.map(PromptId::as_str),
            ":pid": event.client.pid_column(),
            ":started": event.client.started_column(),
            ":target": event.target,
            ":input": event.input,
            ":duration_ms": event.duration_ms.map(column_of),
            ":degraded": event.degraded,
            ":facts": event.facts,
        },
    )?;
    payloads::insert(db, EventSeq(seq), event.payload)?;
    fault::point("after-insert");
    Ok(EventSeq(seq))
}

/// Records which policies could not judge, as JSON.
pub fn set_degraded(db: &Db, seq: EventSeq, degraded: &str) -> Result<(), StoreError> {
    db.execute(
        "UPDATE events SET degraded = :degraded WHERE seq = :seq",
        named_params! { ":degraded": degraded, ":seq": seq.0 },
    )?;
    Ok(())
}

/// Moves an event to the window it opened.
pub(crate) fn set_session(db: &Db, seq: EventSeq, session: SessionId) -> Result<(), StoreError> {
    db.execute(
        "UPDATE events SET session_id = :session WHERE seq = :seq",
        named_params! { ":session": session.0, ":seq": seq.0 },
    )?;
    Ok(())
}

/// An event as the log shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventRow {
    /// Its number.
    pub seq: EventSeq,
    /// When it came.
    pub at: Timestamp,
    /// Where.
    pub project: Option<ProjectId>,
    /// Where.
    pub worktree: Option<WorktreeId>,
    /// Who; `None` where the payload did not say.
    pub actor: Option<EventActor>,
    /// In which window.
    pub session: Option<SessionId>,
    /// The client's name of the event.
    pub name: String,
    /// The tool.
    pub tool: Option<String>,
    /// The call: the same for the events before and after it.
    pub tool_use_id: Option<ToolUseId>,
    /// The prompt it belongs to.
    pub prompt_id: Option<PromptId>,
    /// What it is about.
    pub target: Option<String>,
    /// The tool's input, as short JSON.
    pub input: Option<String>,
    /// What came of it; `None` until the reply is known.
    pub outcome: Option<String>,
    /// How long the tool took.
    pub duration_ms: Option<u64>,
    /// How long the decision took.
    pub decision_us: Option<u64>,
    /// Policies that could not judge, as JSON.
    pub degraded: Option<String>,
    /// What policies knew, as JSON.
    pub facts: Option<String>,
}

impl EventRow {
    /// Whether the person did it, with a command of ours.
    pub fn is_persons(&self) -> bool {
        self.actor.is_none() && ACTS.contains(&self.name.as_str())
    }
}

/// Who acted, as far as a line of the log needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventActor {
    /// Its row.
    pub id: ActorId,
    /// As people know it.
    pub label: String,
    /// The agent program.
    pub agent_kind: AgentKind,
    /// The client's session.
    pub session: ClientSessionId,
    /// The subagent; `None` for the main thread.
    pub agent: Option<AgentId>,
}

macro_rules! rows {
    () => {
        "SELECT seq, at, events.project_id, events.worktree_id, events.actor_id, label, agent_kind, client_session_id, agent_id, \
         session_id, event, tool, tool_use_id, prompt_id, target, \
         COALESCE(input, (SELECT input FROM events AS first WHERE first.actor_id = events.actor_id \
             AND first.tool_use_id = events.tool_use_id AND first.tool_use_id IS NOT NULL ORDER BY first.seq LIMIT 1)), \
         outcome, duration_ms, decision_us, degraded, facts FROM events LEFT JOIN actors ON actors.id = events.actor_id"
    };
}
use rows;

/// The newest event there is; zero before the first.
pub fn newest(db: &Db) -> Result<EventSeq, StoreError> {
    let seq = db.value("SELECT MAX(seq) FROM events", &[])?;
    Ok(EventSeq(seq.flatten().unwrap_or(0)))
}

/// The event with this number.
pub fn by_seq(db: &Db, seq: EventSeq) -> Result<Option<EventRow>, StoreError> {
    let sql = concat!(rows!(), " WHERE seq = :seq");
    db.one(sql, named_params! { ":seq": seq.0 }, read)
}

/// Every event of one call of an actor, oldest first.
pub fn of_call(db: &Db, actor: ActorId, id: &ToolUseId) -> Result<Vec<EventRow>, StoreError> {
    let sql = concat!(
        rows!(),
        " WHERE events.actor_id = :actor AND tool_use_id = :id AND tool_use_id IS NOT NULL ORDER BY seq"
    );
    db.all(sql, named_params! { ":actor": actor.0, ":id": id.as_str() }, read)
}

/// The newest event of an actor.
pub fn last_of_actor(db: &Db, actor: ActorId) -> Result<Option<EventRow>, StoreError> {
    let sql = concat!(
        rows!(),
        " WHERE events.actor_id = :actor ORDER BY seq DESC LIMIT 1"
    );
    db.one(sql, named_params! { ":actor": actor.0 }, read)
}

/// The newest event of a project.
pub fn last_of(db: &Db, project: ProjectId) -> Result<Option<EventRow>, StoreError> {
    let sql = concat!(
        rows!(),
        " WHERE events.project_id = :project ORDER BY seq DESC LIMIT 1"
    );
    db.one(sql, named_params! { ":project": project.0 }, read)
}

/// How many events there are. Reads all of an index.
pub fn count(db: &Db) -> Result<u64, StoreError> {
    db.number("SELECT COUNT(*) FROM events", &[])
}

/// The names of all events that ever came. Each is found by one look into an index, however many events there are.
pub fn fired(db: &Db) -> Result<Vec<String>, StoreError> {
    db.values(
        "WITH RECURSIVE places (project) AS (SELECT NULL UNION ALL SELECT id FROM projects),
             kinds (project, event) AS (
                 SELECT project, (SELECT MIN(event) FROM events WHERE project_id IS places.project) FROM places
                 UNION ALL
                 SELECT project, (SELECT MIN(event) FROM events
                     WHERE project_id IS kinds.project AND event > kinds.event)
                 FROM kinds WHERE event IS NOT NULL)
         SELECT DISTINCT event FROM kinds WHERE event IS NOT NULL ORDER BY event",
        &[],
    )
}

/// How long the newest decisions took, in microseconds, newest first.
pub fn latency(db: &Db, limit: u64) -> Result<Vec<u64>, StoreError> {
    let found: Vec<i64> = db.values(
        "SELECT decision_us FROM events WHERE decision_us IS NOT NULL ORDER BY seq DESC LIMIT :limit",
        named_params! { ":limit": column_of(limit) },
    )?;
    Ok(found
        .into_iter()
        .filter_map(|micros| u64::try_from(micros).ok())
        .collect())
}

/// The newest of the oldest `limit` events that are older than `before`, the newest of all left out.
pub(crate) fn oldest_before(db: &Db, before: Timestamp, limit: u64) -> Result<Option<EventSeq>, StoreError> {
    let found = db.value::<Option<i64>>(
        "SELECT MAX(seq) FROM (SELECT seq, at FROM events ORDER BY seq LIMIT :limit)
         WHERE at < :before AND seq < (SELECT MAX(seq) FROM events)",
        named_params! { ":before": before.0, ":limit": column_of(limit) },
    )?;
    Ok(found.flatten().map(EventSeq))
}

/// Drops events up to this one, with their verdicts and payloads.
pub(crate) fn prune(db: &Db, up_to: EventSeq) -> Result<usize, StoreError> {
    db.execute(
        "DELETE FROM events WHERE seq <= :up_to",
        named_params! { ":up_to": up_to.0 },
    )
}

fn read(row: &mut RowFields<'_>) -> rusqlite::Result<EventRow> {
    Ok(EventRow {
        seq: EventSeq(row.take()?),
        at: Timestamp(row.take()?),
        project: row.take::<Option<_>>()?.map(ProjectId),
        worktree: row.take::<Option<_>>()?.map(WorktreeId),
        actor: read_actor(row)?,
        session: row.take::<Option<_>>()?.map(SessionId),
        name: row.take()?,
        tool: row.take()?,
        tool_use_id: row.take::<Option<String>>()?.map(ToolUseId::new),
        prompt_id: row.take::<Option<String>>()?.map(PromptId::new),
        target: row.take()?,
        input: row.take()?,
        outcome: row.take()?,
        duration_ms: row.optional_count()?,
        decision_us: row.optional_count()?,
        degraded: row.take()?,
        facts: row.take()?,
    })
}

fn read_actor(row: &mut RowFields<'_>) -> rusqlite::Result<Option<EventActor>> {
    let id: Option<i64> = row.take()?;
    let (label, kind): (Option<String>, Option<String>) = (row.take()?, row.take()?);
    let (session, agent): (Option<String>, Option<String>) = (row.take()?, row.take()?);
    Ok(id.map(|id| EventActor {
        id: ActorId(id),
        label: label.unwrap_or_default(),
        agent_kind: AgentKind::new(kind.unwrap_or_default()),
        session: ClientSessionId::new(session.unwrap_or_default()),
        agent: agent.filter(|agent| !agent.is_empty()).map(AgentId::new),
    }))
}

#[cfg(test)]
mod tests;
