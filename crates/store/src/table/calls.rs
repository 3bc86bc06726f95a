//! Tool calls: opened by the event before a tool runs, closed by whatever shows that it is over.

use crate::StoreError;
use crate::client::ClientProcess;
use crate::db::{Db, RowFields, column_of};
use crate::migration::Migration;
use crate::table::touches;
use engine::id::{ActorId, ActorKey, EventSeq, ProjectId, ToolUseId, WorktreeId};
use engine::lifecycle::{CallEnd, OpenCall};
use engine::time::Timestamp;
use engine::tool::Background;
use rusqlite::named_params;

mod writer;

pub(crate) use writer::settle;
pub use writer::{
    CallReach, WritingCall, begin, end, end_batch, ending_of_named, let_go, roamed_since, set_reach,
    set_reach_of, writer_of, writers_since,
};

pub(crate) const MIGRATIONS: &[Migration] = &[
    Migration {
        version: 1,
        oldest_reader: 1,
        sql: "CREATE TABLE calls (
        event INTEGER PRIMARY KEY, -- the event that opened it
        actor_id INTEGER NOT NULL REFERENCES actors (id),
        tool_use_id TEXT NOT NULL,
        tool TEXT NOT NULL,
        opened_at INTEGER NOT NULL,
        closed_at INTEGER,
        how TEXT,
        client_pid INTEGER NOT NULL,
        client_pid_started INTEGER NOT NULL,
        spawn_type TEXT,
        spawn_description TEXT,
        spawn_background TEXT, -- yes, no, unsaid; NULL where the call starts no agent
        spawned_actor INTEGER REFERENCES actors (id)
    ) STRICT;
    CREATE UNIQUE INDEX calls_open ON calls (actor_id, tool_use_id) WHERE closed_at IS NULL;
    CREATE INDEX calls_spawn ON calls (actor_id, tool_use_id) WHERE spawn_background IS NOT NULL;
    CREATE INDEX calls_spawned ON calls (spawned_actor) WHERE spawned_actor IS NOT NULL;",
    },
    Migration {
        version: 2,
        oldest_reader: 1,
        sql: "ALTER TABLE calls ADD COLUMN worktree_id INTEGER REFERENCES worktrees (id);
    ALTER TABLE calls ADD COLUMN reach TEXT; -- none, named, shell: what it may write
    ALTER TABLE calls ADD COLUMN closed_event INTEGER; -- NULL on a closed call: no event told of its end
    CREATE INDEX calls_writing ON calls (worktree_id, closed_event) WHERE reach <> 'none';",
    },
    Migration {
        version: 5,
        oldest_reader: 1,
        sql: "ALTER TABLE calls ADD COLUMN task TEXT; -- the client's id of what it left in the background
    CREATE INDEX calls_of_task ON calls (task) WHERE task IS NOT NULL;",
    },
    Migration {
        version: 6,
        oldest_reader: 1,
        // Nanoseconds since 1970, by the clock that files are dated with.
        sql: "ALTER TABLE calls ADD COLUMN asked INTEGER; -- when it was told of
    ALTER TABLE calls ADD COLUMN began INTEGER; -- when it was let go
    ALTER TABLE calls ADD COLUMN ended INTEGER; -- when its end was told
    ALTER TABLE calls ADD COLUMN until INTEGER; -- when the end of its batch was told: hooks of the client run until then",
    },
];

/// A row of `calls`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The event that opened it.
    pub event: EventSeq,
    /// Who called.
    pub actor: ActorId,
    /// The client's id.
    pub id: ToolUseId,
    /// The tool.
    pub tool: String,
    /// When it opened.
    pub opened_at: Timestamp,
    /// When it closed.
    pub closed_at: Option<Timestamp>,
    /// How it closed.
    pub how: Option<String>,
    /// The process it was made in.
    pub client: Option<ClientProcess>,
    /// For calls that start an agent: what they say about it.
    pub spawn: Option<SpawnRow>,
}

/// What a call says about the agent it starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpawnRow {
    /// The kind asked for.
    pub agent_type: Option<String>,
    /// The short description.
    pub description: Option<String>,
    /// Whether the caller goes on meanwhile.
    pub background: Background,
    /// The agent, once it is known.
    pub agent: Option<ActorId>,
}

macro_rules! columns {
    () => {
        "calls.event, calls.actor_id, tool_use_id, tool, opened_at, closed_at, how, client_pid, client_pid_started, \
         spawn_background, spawn_type, spawn_description, spawned_actor"
    };
}

/// The open call of an actor with this id.
pub fn open(db: &Db, actor: ActorId, id: &ToolUseId) -> Result<Option<Call>, StoreError> {
    db.one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM calls WHERE actor_id = :actor AND tool_use_id = :id AND closed_at IS NULL"
        ),
        named_params! { ":actor": actor.0, ":id": id.as_str() },
        read,
    )
}

/// The newest call of an actor with this id, open or not.
pub fn newest(db: &Db, actor: ActorId, id: &ToolUseId) -> Result<Option<Call>, StoreError> {
    db.one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM calls WHERE event = (SELECT MAX(seq) FROM events
                 WHERE actor_id = :actor AND tool_use_id = :id AND seq IN (SELECT event FROM calls))"
        ),
        named_params! { ":actor": actor.0, ":id": id.as_str() },
        read,
    )
}

/// The agent that a call started, once it is known.
pub fn spawned_by(db: &Db, actor: ActorId, id: &ToolUseId) -> Result<Option<ActorId>, StoreError> {
    Ok(spawn(db, actor, id)?.and_then(|call| call.spawn?.agent))
}

/// The call an event opened.
pub fn opened_by(db: &Db, event: EventSeq) -> Result<Option<Call>, StoreError> {
    let sql = concat!("SELECT ", columns!(), " FROM calls WHERE event = :event");
    db.one(sql, named_params! { ":event": event.0 }, read)
}

/// Every open call of an actor, oldest first.
pub fn open_of(db: &Db, actor: ActorId) -> Result<Vec<Call>, StoreError> {
    db.all(
        concat!(
            "SELECT ",
            columns!(),
            " FROM calls WHERE actor_id = :actor AND closed_at IS NULL ORDER BY event"
        ),
        named_params! { ":actor": actor.0 },
        read,
    )
}

/// Whether an actor ever called anything, as far as the log goes back.
pub fn has_any(db: &Db, actor: ActorId) -> Result<bool, StoreError> {
    db.exists(
        "SELECT 1 FROM events WHERE actor_id = :actor AND tool_use_id IS NOT NULL",
        named_params! { ":actor": actor.0 },
    )
}

/// Whether an actor has an open call.
pub fn has_open(db: &Db, actor: ActorId) -> Result<bool, StoreError> {
    db.exists(
        "SELECT 1 FROM calls WHERE actor_id = :actor AND closed_at IS NULL",
        named_params! { ":actor": actor.0 },
    )
}

/// Whether an actor waits for the agent that this call of it runs in the foreground.
pub fn is_blocked_by(db: &Db, actor: ActorId, call: &ToolUseId) -> Result<bool, StoreError> {
    db.exists(
        "SELECT 1 FROM calls WHERE actor_id = :actor AND closed_at IS NULL AND spawn_background = 'no'
             AND tool_use_id = :call",
        named_params! { ":actor": actor.0, ":call": call.as_str() },
    )
}

/// Whether a call of an agent of this project is open, or closed since a moment.
pub fn is_any_open(db: &Db, project: ProjectId, since: Timestamp) -> Result<bool, StoreError> {
    db.exists(
        "SELECT 1 FROM actors JOIN calls ON calls.actor_id = actors.id
         WHERE actors.project_id = :project AND actors.state = 'live'
             AND (calls.closed_at IS NULL OR calls.closed_at >= :since)",
        named_params! { ":project": project.0, ":since": since.0 },
    )
}

/// Who makes a call, where, and by which event.
pub(crate) struct CallOwner<'a> {
    pub actor: ActorId,
    pub worktree: Option<WorktreeId>,
    pub event: EventSeq,
    pub client: &'a ClientProcess,
    pub at: Timestamp,
}

/// How calls end, and which event tells of it: none where a process is gone.
#[derive(Clone, Copy)]
pub(crate) struct Closing {
    pub how: CallEnd,
    pub event: Option<EventSeq>,
    pub at: Timestamp,
}

/// Records a call. An open one with the same id was cut off, and is told: the client makes it anew.
pub(crate) fn record(
    db: &Db,
    caller: &CallOwner<'_>,
    call: &OpenCall,
) -> Result<Option<EventSeq>, StoreError> {
    let cut_off = Closing {
        how: CallEnd::Interrupted,
        event: Some(caller.event),
        at: caller.at,
    };
    let cut_off = close(db, caller.actor, &call.id, cut_off)?;
    let spawn = call.spawn.as_ref();
    db.execute(
        "INSERT INTO calls (event, actor_id, worktree_id, tool_use_id, tool, opened_at, client_pid,
             client_pid_started, spawn_type, spawn_description, spawn_background)
         VALUES (:event, :actor, :worktree, :id, :tool, :at, :pid, :started, :type, :description, :background)",
        named_params! {
            ":event": caller.event.0,
            ":actor": caller.actor.0,
            ":worktree": caller.worktree.map(|id| id.0),
            ":id": call.id.as_str(),
            ":tool": call.tool,
            ":at": caller.at.0,
            ":pid": caller.client.pid_column(),
            ":started": caller.client.started_column(),
            ":type": spawn.and_then(|spawn| spawn.agent_type.as_deref()),
            ":description": spawn.and_then(|spawn| spawn.description.as_deref()),
            ":background": spawn.map(|spawn| word(spawn.background)),
        },
    )?;
    Ok(cut_off)
}

/// Keeps the client's id of what a call left in the background.
pub fn set_task(db: &Db, actor: ActorId, id: &ToolUseId, task: &str) -> Result<(), StoreError> {
    db.execute(
        "UPDATE calls SET task = :task WHERE event = (SELECT MAX(opened.event)
             FROM events JOIN calls AS opened ON opened.event = events.seq
             WHERE events.actor_id = :actor AND events.tool_use_id = :id)",
        named_params! { ":task": task, ":actor": actor.0, ":id": id.as_str() },
    )?;
    Ok(())
}

/// Closes the open call with this id, and tells which it was.
pub(crate) fn close(
    db: &Db,
    actor: ActorId,
    id: &ToolUseId,
    closing: Closing,
) -> Result<Option<EventSeq>, StoreError> {
    let closed: Option<i64> = db.value(
        "UPDATE calls SET closed_at = :at, how = :how, closed_event = :event
         WHERE actor_id = :actor AND tool_use_id = :id AND closed_at IS NULL
         RETURNING event",
        named_params! {
            ":at": closing.at.0,
            ":how": closing.how.as_str(),
            ":event": closing.event.map(|event| event.0),
            ":actor": actor.0,
            ":id": id.as_str(),
        },
    )?;
    match closing.how {
        CallEnd::NotRun => touches::abandon(db, actor, id).map(drop)?,
        // The event that closes it says itself what it touched.
        CallEnd::Done | CallEnd::Failed => {}
        // A call that was not open left nothing half done.
        CallEnd::Interrupted | CallEnd::SessionEnd if closed.is_none() => {}
        CallEnd::Interrupted | CallEnd::SessionEnd => touches::cut_off(db, actor, Some(id), closing.event)?,
    }
    Ok(closed.map(EventSeq))
}

/// Closes every open call of an actor; calls that start agents in the background can be spared. One that never ran
/// wrote nothing. Tells which they were.
pub(crate) fn close_all(
    db: &Db,
    actor: ActorId,
    spare_background: bool,
    closing: Closing,
) -> Result<Vec<EventSeq>, StoreError> {
    let closed = db.all(
        "UPDATE calls SET closed_at = :at, how = :how, closed_event = :event,
             reach = CASE WHEN :how = 'not_run' THEN 'none' ELSE reach END
         WHERE actor_id = :actor AND closed_at IS NULL AND NOT (:spare AND spawn_background IS 'yes')
         RETURNING event",
        named_params! {
            ":at": closing.at.0,
            ":how": closing.how.as_str(),
            ":event": closing.event.map(|event| event.0),
            ":actor": actor.0,
            ":spare": spare_background,
        },
        |row| Ok(EventSeq(row.take()?)),
    )?;
    match closing.how {
        CallEnd::NotRun => touches::abandon_all(db, actor)?,
        CallEnd::Done | CallEnd::Failed | CallEnd::Interrupted | CallEnd::SessionEnd => {
            touches::cut_off(db, actor, None, closing.event)?;
        }
    }
    Ok(closed)
}

/// The open calls of an actor, and the call that started it, are another row's.
pub(crate) fn pass_on(db: &Db, from: ActorId, to: ActorId) -> Result<(), StoreError> {
    db.execute(
        "UPDATE OR IGNORE calls SET actor_id = :to WHERE actor_id = :from AND closed_at IS NULL",
        named_params! { ":from": from.0, ":to": to.0 },
    )?;
    db.execute(
        "UPDATE calls SET spawned_actor = :to WHERE spawned_actor = :from",
        named_params! { ":from": from.0, ":to": to.0 },
    )?;
    Ok(())
}

/// The ids of an actor's newest calls that start no agent, and that nobody else of its session made a call under.
pub fn own_ids(db: &Db, actor: ActorId, most: u64) -> Result<Vec<ToolUseId>, StoreError> {
    db.all(
        "SELECT tool_use_id FROM events
         WHERE actor_id = :actor AND tool_use_id IS NOT NULL
             AND NOT EXISTS (SELECT 1 FROM calls WHERE calls.actor_id = :actor
                 AND calls.tool_use_id = events.tool_use_id AND spawn_background IS NOT NULL)
             AND NOT EXISTS (SELECT 1 FROM actors AS me
                 JOIN actors AS other ON other.agent_kind = me.agent_kind
                     AND other.client_session_id = me.client_session_id AND other.id <> me.id
                 JOIN events AS theirs ON theirs.actor_id = other.id AND theirs.tool_use_id = events.tool_use_id
                 WHERE me.id = :actor)
         GROUP BY tool_use_id ORDER BY MAX(seq) DESC LIMIT :most",
        named_params! { ":actor": actor.0, ":most": column_of(most) },
        |row| Ok(ToolUseId::new(row.take::<String>()?)),
    )
}

/// The newest call with this id that starts an agent, open or not.
pub(crate) fn spawn(db: &Db, actor: ActorId, id: &ToolUseId) -> Result<Option<Call>, StoreError> {
    db.one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM calls WHERE actor_id = :actor AND tool_use_id = :id AND spawn_background IS NOT NULL
             ORDER BY event DESC LIMIT 1"
        ),
        named_params! { ":actor": actor.0, ":id": id.as_str() },
        read,
    )
}

/// The open calls of a client session that ask for this kind of agent and whose agent is not known yet.
pub(crate) fn unlinked_spawns(
    db: &Db,
    key: &ActorKey,
    agent_type: &str,
    until: Timestamp,
) -> Result<Vec<Call>, StoreError> {
    db.all(
        concat!(
            "SELECT ",
            columns!(),
            " FROM actors JOIN calls ON calls.actor_id = actors.id
             WHERE agent_kind = :kind AND client_session_id = :session AND closed_at IS NULL
                 AND spawn_background IS NOT NULL AND spawned_actor IS NULL AND spawn_type = :type
                 AND opened_at <= :until
             ORDER BY event"
        ),
        named_params! {
            ":kind": key.agent_kind.as_str(),
            ":session": key.session.as_str(),
            ":type": agent_type,
            ":until": until.0,
        },
        read,
    )
}

/// Records which agent a call started; whatever call was thought to have started it did not.
pub(crate) fn set_agent(db: &Db, call: EventSeq, agent: ActorId) -> Result<(), StoreError> {
    db.execute(
        "UPDATE calls SET spawned_actor = NULL WHERE spawned_actor = :agent AND event <> :call",
        named_params! { ":agent": agent.0, ":call": call.0 },
    )?;
    db.execute(
        "UPDATE calls SET spawned_actor = :agent WHERE event = :call",
        named_params! { ":agent": agent.0, ":call": call.0 },
    )?;
    Ok(())
}

/// Drops closed calls up to an event.
pub(crate) fn prune(db: &Db, up_to: EventSeq) -> Result<(), StoreError> {
    db.execute(
        "DELETE FROM calls WHERE event <= :up_to AND closed_at IS NOT NULL",
        named_params! { ":up_to": up_to.0 },
    )?;
    Ok(())
}

fn word(background: Background) -> &'static str {
    match background {
        Background::Yes => "yes",
        Background::No => "no",
        Background::Unsaid => "unsaid",
    }
}

fn background(word: &str) -> Background {
    match word {
        "yes" => Background::Yes,
        "no" => Background::No,
        _ => Background::Unsaid,
    }
}

fn read(row: &mut RowFields<'_>) -> rusqlite::Result<Call> {
    Ok(Call {
        event: EventSeq(row.take()?),
        actor: ActorId(row.take()?),
        id: ToolUseId::new(row.take::<String>()?),
        tool: row.take()?,
        opened_at: Timestamp(row.take()?),
        closed_at: row.take::<Option<_>>()?.map(Timestamp),
        how: row.take()?,
        client: ClientProcess::from_columns(row.take()?, row.take()?),
        spawn: match row.take::<Option<String>>()? {
            None => None,
            Some(word) => Some(SpawnRow {
                background: background(&word),
                agent_type: row.take()?,
                description: row.take()?,
                agent: row.take::<Option<_>>()?.map(ActorId),
            }),
        },
    })
}
