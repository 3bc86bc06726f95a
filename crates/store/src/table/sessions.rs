//! Sessions: one context window of one actor each. A window is never resumed; the next one names it as its previous.

use crate::client::ClientProcess;
use crate::db::{Db, RowFields, bytes_of};
use crate::migration::Migration;
use crate::table::actors::{self, Actor};
use crate::{StoreError, life};
use engine::id::{ActorId, ActorKey, ClientSessionId, ProjectId, SessionId, WorktreeId};
use engine::time::Timestamp;
use rusqlite::named_params;
use std::path::{Path, PathBuf};

mod structure;
mod window;

pub use structure::{captured, newest_of, set_structure, structure};
pub(crate) use window::{
    WindowStart, adopt, end_of_actor, follow, is_untouched, latest_of_process, previous_of,
};

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    version: 1,
    oldest_reader: 1,
    sql: "CREATE TABLE sessions (
        id INTEGER PRIMARY KEY,
        actor_id INTEGER NOT NULL REFERENCES actors (id),
        worktree_id INTEGER REFERENCES worktrees (id),
        client_session_id TEXT NOT NULL,
        prev_session_id INTEGER REFERENCES sessions (id),
        parent_session_id INTEGER REFERENCES sessions (id),
        source TEXT NOT NULL,
        model TEXT,
        opened_at INTEGER NOT NULL,
        ended_at INTEGER,
        end_reason TEXT,
        transcript_path BLOB,
        client_pid INTEGER,
        client_pid_started INTEGER,
        attended INTEGER,
        entrypoint TEXT,
        env TEXT,
        structure TEXT,
        identity TEXT NOT NULL DEFAULT 'agent' -- 'session': this client does not tell its subagents apart
    ) STRICT;
    CREATE UNIQUE INDEX sessions_open ON sessions (actor_id) WHERE ended_at IS NULL;
    CREATE INDEX sessions_of_actor ON sessions (actor_id);
    CREATE INDEX sessions_of_process ON sessions (client_pid, client_pid_started);",
}];

/// A row of `sessions`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Its row.
    pub id: SessionId,
    /// Whose window.
    pub actor: ActorId,
    /// Where it works.
    pub worktree: Option<WorktreeId>,
    /// The client's id, shared by all windows of one conversation.
    pub client_session: ClientSessionId,
    /// The window before.
    pub previous: Option<SessionId>,
    /// The window of the agent that started this one.
    pub parent: Option<SessionId>,
    /// How it came to be; `unseen` where no start was reported.
    pub source: String,
    /// The model, where known.
    pub model: Option<String>,
    /// When it opened.
    pub opened_at: Timestamp,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// Why it ended.
    pub end_reason: Option<String>,
    /// The client's transcript.
    pub transcript: Option<PathBuf>,
    /// The process it runs in.
    pub client: Option<ClientProcess>,
    /// Whether a person sits before it.
    pub attended: Option<bool>,
    /// The client's word for how it was started.
    pub entrypoint: Option<String>,
}

/// What the environment of the hook says about a session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionEnvironment {
    /// Whether a person sits before it.
    pub attended: Option<bool>,
    /// The client's word for how it was started.
    pub entrypoint: Option<String>,
    /// The variables that may be kept, as a JSON object.
    pub env: Option<String>,
}

/// Open windows of one process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveProcess {
    /// The process.
    pub client: ClientProcess,
    /// Its open windows.
    pub sessions: Vec<SessionId>,
}

/// The open window of an actor; one is made where none was reported.
pub fn ensure(
    db: &Db,
    actor: ActorId,
    worktree: Option<WorktreeId>,
    client: &ClientProcess,
    transcript: Option<&Path>,
    at: Timestamp,
) -> Result<SessionId, StoreError> {
    let open = db.one(
        "SELECT id, worktree_id, client_pid, client_pid_started, transcript_path
         FROM sessions WHERE actor_id = :actor AND ended_at IS NULL",
        named_params! { ":actor": actor.0 },
        |row| {
            let id: i64 = row.take()?;
            let worktree = row.take::<Option<_>>()?.map(WorktreeId);
            let process = ClientProcess::from_columns(row.take()?, row.take()?);
            Ok((id, worktree, process, row.optional_path()?))
        },
    )?;
    let Some((id, known_worktree, known_client, known_transcript)) = open else {
        return window::create(db, actor, worktree, client, transcript, at);
    };
    let is_same = (worktree.is_none() || worktree == known_worktree)
        && known_client == Some(*client)
        && (transcript.is_none() || transcript == known_transcript.as_deref());
    if !is_same {
        // The newest process is the one whose end ends the window.
        db.execute(
            "UPDATE sessions SET worktree_id = COALESCE(:worktree, worktree_id), client_pid = :pid,
                 client_pid_started = :started, transcript_path = COALESCE(:transcript, transcript_path)
             WHERE id = :id",
            named_params! {
                ":worktree": worktree.map(|id| id.0),
                ":pid": client.pid_column(),
                ":started": client.started_column(),
                ":transcript": transcript.map(bytes_of),
                ":id": id,
            },
        )?;
    }
    Ok(SessionId(id))
}

/// Keeps what the environment says; what it does not say stays as it was.
pub fn describe(db: &Db, id: SessionId, surroundings: &SessionEnvironment) -> Result<(), StoreError> {
    db.execute(
        "UPDATE sessions SET attended = COALESCE(:attended, attended), entrypoint = COALESCE(:entrypoint, entrypoint),
             env = COALESCE(:env, env)
         WHERE id = :id",
        named_params! {
            ":attended": surroundings.attended,
            ":entrypoint": surroundings.entrypoint,
            ":env": surroundings.env,
            ":id": id.0,
        },
    )?;
    Ok(())
}

/// What an actor's newest window keeps of its environment for its jobs, as JSON.
pub fn environment_of(db: &Db, actor: ActorId) -> Result<Option<String>, StoreError> {
    let found: Option<Option<String>> = db.value(
        "SELECT env FROM sessions WHERE actor_id = :actor AND env IS NOT NULL ORDER BY id DESC LIMIT 1",
        named_params! { ":actor": actor.0 },
    )?;
    Ok(found.flatten())
}

macro_rules! columns {
    () => {
        "sessions.id, actor_id, sessions.worktree_id, sessions.client_session_id, prev_session_id, parent_session_id, \
         source, model, opened_at, ended_at, sessions.end_reason, transcript_path, client_pid, client_pid_started, \
         attended, entrypoint"
    };
}

/// The transcript of an actor's newest window that names one.
pub fn transcript_of(db: &Db, actor: ActorId) -> Result<Option<PathBuf>, StoreError> {
    db.one(
        "SELECT transcript_path FROM sessions WHERE actor_id = :actor AND transcript_path IS NOT NULL
         ORDER BY id DESC LIMIT 1",
        named_params! { ":actor": actor.0 },
        |row| {
            let path = row.path()?;
            Ok(path)
        },
    )
}

/// Whether the session of an actor goes on from a conversation that is older than itself.
pub fn may_be_copy(db: &Db, actor: ActorId) -> Result<bool, StoreError> {
    db.exists(
        "SELECT 1 FROM sessions JOIN actors ON actors.id = sessions.actor_id
         WHERE sessions.actor_id = :actor AND (source IN ('fork', 'resume') OR forked_from IS NOT NULL)",
        named_params! { ":actor": actor.0 },
    )
}

/// The window in this row.
pub fn by_id(db: &Db, id: SessionId) -> Result<Option<Session>, StoreError> {
    let sql = concat!("SELECT ", columns!(), " FROM sessions WHERE id = :id");
    db.one(sql, named_params! { ":id": id.0 }, read)
}

/// The windows of a project's actors, or of all, newest first.
pub fn list(db: &Db, project: Option<ProjectId>, only_open: bool) -> Result<Vec<Session>, StoreError> {
    db.all(
        concat!(
            "SELECT ",
            columns!(),
            " FROM sessions JOIN actors ON actors.id = sessions.actor_id
             WHERE (:project IS NULL OR project_id = :project) AND (NOT :only_open OR ended_at IS NULL)
             ORDER BY sessions.id DESC"
        ),
        named_params! { ":project": project.map(|id| id.0), ":only_open": only_open },
        read,
    )
}

/// Every process that has an open window.
pub fn live_processes(db: &Db) -> Result<Vec<LiveProcess>, StoreError> {
    let open = db.all(
        "SELECT client_pid, client_pid_started, id FROM sessions WHERE ended_at IS NULL
         ORDER BY client_pid, client_pid_started, id",
        &[],
        |row| {
            let client = ClientProcess::from_columns(row.take()?, row.take()?);
            Ok((client, SessionId(row.take()?)))
        },
    )?;
    let mut processes: Vec<LiveProcess> = Vec::new();
    for (client, session) in open {
        let Some(client) = client else { continue };
        match processes.last_mut() {
            Some(last) if last.client == client => last.sessions.push(session),
            _ => processes.push(LiveProcess {
                client,
                sessions: vec![session],
            }),
        }
    }
    Ok(processes)
}

/// Closes what a process left behind when it went away: windows, actors, turns, calls, leases. Says how many actors
/// that were.
pub fn close_lost(
    db: &Db,
    client: &ClientProcess,
    now: impl Into<life::LeaseMoment>,
) -> Result<usize, StoreError> {
    life::lose(db, client, now.into())
}

/// The main threads with an open window in this process.
pub fn mains_of_process(db: &Db, client: &ClientProcess) -> Result<Vec<Actor>, StoreError> {
    let mut mains = Vec::new();
    for id in actors_of_process(db, client)? {
        mains.extend(actors::by_id(db, id)?.filter(|actor| actor.key.agent.is_none()));
    }
    Ok(mains)
}

/// The actors with an open window in this process.
pub(crate) fn actors_of_process(db: &Db, client: &ClientProcess) -> Result<Vec<ActorId>, StoreError> {
    db.all(
        "SELECT actor_id FROM sessions
         WHERE client_pid = :pid AND client_pid_started = :started AND ended_at IS NULL ORDER BY id",
        named_params! { ":pid": client.pid_column(), ":started": client.started_column() },
        |row| Ok(ActorId(row.take()?)),
    )
}

/// The process of an actor's open window.
pub fn process_of(db: &Db, actor: ActorId) -> Result<Option<ClientProcess>, StoreError> {
    let found = db.one(
        "SELECT client_pid, client_pid_started FROM sessions WHERE actor_id = :actor AND ended_at IS NULL",
        named_params! { ":actor": actor.0 },
        |row| Ok(ClientProcess::from_columns(row.take()?, row.take()?)),
    )?;
    Ok(found.flatten())
}

/// Whether the client of a session does not tell its agents apart: all of them are one.
pub fn is_indistinct(db: &Db, key: &ActorKey) -> Result<bool, StoreError> {
    db.exists(
        "SELECT 1 FROM actors JOIN sessions ON sessions.actor_id = actors.id
         WHERE agent_kind = :kind AND actors.client_session_id = :session AND agent_id = '' AND identity = 'session'",
        named_params! { ":kind": key.agent_kind.as_str(), ":session": key.session.as_str() },
    )
}

/// From now on the agents of a session count as one.
pub(crate) fn set_indistinct(db: &Db, key: &ActorKey) -> Result<(), StoreError> {
    db.execute(
        "UPDATE sessions SET identity = 'session'
         WHERE ended_at IS NULL AND identity <> 'session' AND actor_id = (SELECT id FROM actors
             WHERE agent_kind = :kind AND client_session_id = :session AND agent_id = '')",
        named_params! { ":kind": key.agent_kind.as_str(), ":session": key.session.as_str() },
    )?;
    Ok(())
}

/// Names the window of the agent that started this actor.
pub(crate) fn set_parent(db: &Db, actor: ActorId, parent: ActorId) -> Result<(), StoreError> {
    db.execute(
        "UPDATE sessions SET parent_session_id =
             (SELECT above.id FROM sessions AS above WHERE above.actor_id = :parent AND above.ended_at IS NULL)
         WHERE actor_id = :actor AND ended_at IS NULL",
        named_params! { ":parent": parent.0, ":actor": actor.0 },
    )?;
    Ok(())
}

fn read(row: &mut RowFields<'_>) -> rusqlite::Result<Session> {
    Ok(Session {
        id: SessionId(row.take()?),
        actor: ActorId(row.take()?),
        worktree: row.take::<Option<_>>()?.map(WorktreeId),
        client_session: ClientSessionId::new(row.take::<String>()?),
        previous: row.take::<Option<_>>()?.map(SessionId),
        parent: row.take::<Option<_>>()?.map(SessionId),
        source: row.take()?,
        model: row.take()?,
        opened_at: Timestamp(row.take()?),
        ended_at: row.take::<Option<_>>()?.map(Timestamp),
        end_reason: row.take()?,
        transcript: row.optional_path()?,
        client: ClientProcess::from_columns(row.take()?, row.take()?),
        attended: row.take()?,
        entrypoint: row.take()?,
    })
}
