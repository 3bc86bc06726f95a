//! Actors: the main thread of a session, or one subagent. Identity is what the payload says, nothing else.

use crate::db::{Db, RowFields};
use crate::migration::Migration;
use crate::{Boot, Moment, StoreError};
use engine::facts::OtherActor;
use engine::id::{ActorId, ActorKey, AgentId, AgentKind, ClientSessionId, ProjectId, ToolUseId, WorktreeId};
use engine::lease::ActorLabel;
use engine::time::Timestamp;
use rusqlite::named_params;
use std::path::PathBuf;

mod conversation;
mod merging;
mod search;
mod sighting;

pub use conversation::{
    Conversation, agents_like, begin_run, conversation, conversations_in, conversations_like, fix_alias,
    main_of, record_fork, set_forked_from,
};
pub(crate) use merging::merge;
pub use merging::part;
pub(crate) use search::named;
pub use search::of_session;
pub use sighting::{Sighting, ensure, person, see};

pub(crate) const MIGRATIONS: &[Migration] = &[
    Migration {
        version: 1,
        oldest_reader: 1,
        sql: "CREATE TABLE actors (
        id INTEGER PRIMARY KEY,
        agent_kind TEXT NOT NULL,
        client_session_id TEXT NOT NULL,
        agent_id TEXT NOT NULL, -- '' is the main thread
        agent_type TEXT,
        project_id INTEGER REFERENCES projects (id),
        worktree_id INTEGER REFERENCES worktrees (id),
        cwd BLOB,
        parent_id INTEGER REFERENCES actors (id),
        spawn_call TEXT,
        description TEXT,
        label TEXT NOT NULL,
        state TEXT NOT NULL DEFAULT 'live',
        end_reason TEXT,
        announced INTEGER NOT NULL DEFAULT 0,
        turn_open INTEGER NOT NULL DEFAULT 0,
        first_seen INTEGER NOT NULL,
        last_seen INTEGER NOT NULL,
        missing_since INTEGER,
        UNIQUE (agent_kind, client_session_id, agent_id)
    ) STRICT;
    CREATE INDEX actors_live ON actors (project_id, label) WHERE state = 'live';",
    },
    Migration {
        version: 2,
        oldest_reader: 1,
        sql: "ALTER TABLE actors ADD COLUMN run INTEGER NOT NULL DEFAULT 0; -- how often a subagent began
    ALTER TABLE actors ADD COLUMN alias TEXT; -- of the session, on its main thread
    ALTER TABLE actors ADD COLUMN forked_from TEXT; -- the client's id of the session it is a copy of",
    },
    Migration {
        version: 4,
        oldest_reader: 1,
        sql: "ALTER TABLE actors ADD COLUMN boot_id INTEGER; -- the start of the machine that last_ms counts from
    ALTER TABLE actors ADD COLUMN last_ms INTEGER; -- its newest event by the boot clock
    ALTER TABLE actors ADD COLUMN merged_into INTEGER REFERENCES actors (id); -- the agent this id turned out to be
    CREATE INDEX actors_missing ON actors (missing_since) WHERE state = 'live' AND missing_since IS NOT NULL;",
    },
];

/// At most so many others are told of.
const MOST_OTHERS: i64 = 50;
/// Steps up that are looked at.
const DEEPEST: usize = 32;

/// Without a daemon nobody notices that a process is gone: who was silent for a day is not worth telling.
const SILENT_MS: i64 = 24 * 60 * 60 * 1000;

/// Whether an actor is at work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActorState {
    /// It may act at any time.
    Live,
    /// It is done.
    Ended,
    /// Its process is gone.
    Lost,
}

impl ActorState {
    /// The word for it in the store and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Ended => "ended",
            Self::Lost => "lost",
        }
    }

    fn parse(word: &str) -> Self {
        match word {
            "live" => Self::Live,
            "lost" => Self::Lost,
            _ => Self::Ended,
        }
    }
}

/// A row of `actors`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Actor {
    /// Its row.
    pub id: ActorId,
    /// Who it is.
    pub key: ActorKey,
    /// The kind of agent.
    pub agent_type: Option<String>,
    /// Where its newest event came from.
    pub project: Option<ProjectId>,
    /// Where its newest event came from.
    pub worktree: Option<WorktreeId>,
    /// Where its newest event came from.
    pub cwd: Option<PathBuf>,
    /// Who started it; `None` for main threads and where it is not settled.
    pub parent: Option<ActorId>,
    /// The call that started it.
    pub spawn_call: Option<ToolUseId>,
    /// That call's description of the work.
    pub description: Option<String>,
    /// As people and agents know it.
    pub label: String,
    /// Whether it is at work.
    pub state: ActorState,
    /// Why it is not.
    pub end_reason: Option<String>,
    /// The client named this id itself.
    pub announced: bool,
    /// It is in the middle of a turn.
    pub turn_open: bool,
    /// Its first event.
    pub first_seen: Timestamp,
    /// Its newest event.
    pub last_seen: Timestamp,
    /// Since when the client no longer lists it.
    pub missing_since: Option<Timestamp>,
    /// For a subagent, how often it began; zero where no start was seen.
    pub run: u64,
    /// The agent that this id turned out to be another name of.
    pub merged_into: Option<ActorId>,
    /// This event made the row.
    pub is_new: bool,
    /// The state this event found it in: whoever was not live came back.
    pub was: ActorState,
    /// Its newest event by the boot clock, where that was read.
    pub last_boot: Option<Boot>,
    /// The event before this one; the same as its newest where no event was just seen.
    pub previous: Moment,
}

impl Actor {
    /// The actor as messages name it, to somebody of another session.
    pub fn who(&self) -> ActorLabel {
        ActorLabel {
            actor: self.id,
            label: self.label.clone(),
            description: self.description.clone(),
            is_person: self.key.is_person(),
            in_my_session: false,
        }
    }

    /// Its newest event by both clocks.
    pub fn last(&self) -> Moment {
        Moment {
            at: self.last_seen,
            boot: self.last_boot,
        }
    }
}

macro_rules! columns {
    () => {
        "state, id, agent_kind, client_session_id, agent_id, agent_type, project_id, worktree_id, cwd, parent_id, \
         spawn_call, description, label, end_reason, announced, turn_open, first_seen, last_seen, missing_since, run, \
         boot_id, last_ms, merged_into"
    };
}
use columns;

/// The actor with this identity. Of an id that turned out to be another agent's, that agent.
pub fn by_key(db: &Db, key: &ActorKey) -> Result<Option<Actor>, StoreError> {
    let found = db.one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM actors WHERE agent_kind = :kind AND client_session_id = :session AND agent_id = :agent"
        ),
        named_params! {
            ":kind": key.agent_kind.as_str(),
            ":session": key.session.as_str(),
            ":agent": key.agent.as_ref().map_or("", AgentId::as_str),
        },
        read,
    )?;
    match found.as_ref().and_then(|actor| actor.merged_into) {
        Some(itself) => by_id(db, itself),
        None => Ok(found),
    }
}

/// The actor in this row.
pub fn by_id(db: &Db, id: ActorId) -> Result<Option<Actor>, StoreError> {
    let sql = concat!("SELECT ", columns!(), " FROM actors WHERE id = :id");
    db.one(sql, named_params! { ":id": id.0 }, read)
}

/// The agents that an actor started, and those that they started in turn.
pub fn below(db: &Db, actor: ActorId) -> Result<Vec<ActorId>, StoreError> {
    db.all(
        "WITH RECURSIVE below (id) AS (SELECT id FROM actors WHERE parent_id = :actor
             UNION SELECT actors.id FROM actors JOIN below ON actors.parent_id = below.id)
         SELECT id FROM below ORDER BY id",
        named_params! { ":actor": actor.0 },
        |row| Ok(ActorId(row.take()?)),
    )
}

/// The live actors of a worktree that are in the middle of a turn, newest activity first.
pub fn working_in(db: &Db, worktree: WorktreeId) -> Result<Vec<Actor>, StoreError> {
    db.all(
        concat!(
            "SELECT ",
            columns!(),
            " FROM actors WHERE worktree_id = :worktree AND state = 'live' AND turn_open ORDER BY last_seen DESC, id DESC"
        ),
        named_params! { ":worktree": worktree.0 },
        read,
    )
}

/// The agents of a project, or of all, newest activity first. A person is none.
pub fn list(db: &Db, project: Option<ProjectId>, only_live: bool) -> Result<Vec<Actor>, StoreError> {
    db.all(
        concat!(
            "SELECT ",
            columns!(),
            " FROM actors
             WHERE (:project IS NULL OR project_id = :project) AND (NOT :only_live OR state = 'live')
                 AND agent_kind <> 'person'
             ORDER BY last_seen DESC, id DESC"
        ),
        named_params! { ":project": project.map(|id| id.0), ":only_live": only_live },
        read,
    )
}

/// The other live actors of a project, newest activity first.
pub fn others(
    db: &Db,
    project: ProjectId,
    except: ActorId,
    now: Timestamp,
) -> Result<Vec<OtherActor>, StoreError> {
    db.all(
        "SELECT other.label, other.description, other.last_seen, worktrees.root,
             other.worktree_id IS (SELECT worktree_id FROM actors WHERE id = :except)
         FROM actors AS other LEFT JOIN worktrees ON worktrees.id = other.worktree_id
         WHERE other.project_id = :project AND other.state = 'live' AND other.id <> :except
             AND other.last_seen >= :since AND other.agent_kind <> 'person'
         ORDER BY other.last_seen DESC, other.id DESC LIMIT :most",
        named_params! {
            ":project": project.0,
            ":except": except.0,
            ":since": now.0.saturating_sub(SILENT_MS),
            ":most": MOST_OTHERS,
        },
        |row| {
            let (label, description, last_seen) = (row.take()?, row.take()?, Timestamp(row.take()?));
            let root = row.optional_path()?;
            let is_here: bool = row.take()?;
            let folder = root.as_deref().and_then(|root| root.file_name());
            Ok(OtherActor {
                label,
                description,
                place: folder
                    .filter(|_| !is_here)
                    .map(|name| name.to_string_lossy().into_owned()),
                last_seen,
            })
        },
    )
}

/// The live actors of a client session, main thread included.
pub(crate) fn live_of_session(db: &Db, key: &ActorKey) -> Result<Vec<Actor>, StoreError> {
    db.all(
        concat!(
            "SELECT ",
            columns!(),
            " FROM actors
             WHERE agent_kind = :kind AND client_session_id = :session AND state = 'live' ORDER BY id"
        ),
        named_params! { ":kind": key.agent_kind.as_str(), ":session": key.session.as_str() },
        read,
    )
}

/// Ends an actor that is still live; false if it had ended before.
pub(crate) fn end(db: &Db, id: ActorId, state: ActorState, reason: &str) -> Result<bool, StoreError> {
    let ended = db.execute(
        "UPDATE actors SET state = :state, end_reason = :reason, turn_open = 0 WHERE id = :id AND state = 'live'",
        named_params! { ":state": state.as_str(), ":reason": reason, ":id": id.0 },
    )?;
    Ok(ended > 0)
}

/// Live agents that their client no longer lists, longest first.
pub(crate) fn missing(db: &Db) -> Result<Vec<Actor>, StoreError> {
    db.all(
        concat!(
            "SELECT ",
            columns!(),
            " FROM actors WHERE state = 'live' AND missing_since IS NOT NULL ORDER BY missing_since"
        ),
        &[],
        read,
    )
}

/// Notes since when the client no longer lists an actor; `None` where it does.
pub(crate) fn set_missing(db: &Db, id: ActorId, since: Option<Timestamp>) -> Result<(), StoreError> {
    db.execute(
        "UPDATE actors SET missing_since = :since WHERE id = :id",
        named_params! { ":since": since.map(|at| at.0), ":id": id.0 },
    )?;
    Ok(())
}

/// Who started an actor, who started that one, and so on.
pub fn above(db: &Db, actor: ActorId) -> Result<Vec<Actor>, StoreError> {
    let mut found = Vec::new();
    let mut next = by_id(db, actor)?.and_then(|actor| actor.parent);
    while let Some(id) = next.filter(|_| found.len() < DEEPEST) {
        let Some(above) = by_id(db, id)? else { break };
        next = above.parent;
        found.push(above);
    }
    Ok(found)
}

/// Whether somebody was started by another, or by one that was.
pub(crate) fn is_below(db: &Db, actor: ActorId, other: ActorId) -> Result<bool, StoreError> {
    Ok(above(db, actor)?.iter().any(|above| above.id == other))
}

/// Marks whether the actor is in the middle of a turn.
pub(crate) fn set_turn_open(db: &Db, id: ActorId, open: bool) -> Result<(), StoreError> {
    db.execute(
        "UPDATE actors SET turn_open = :open WHERE id = :id AND turn_open <> :open",
        named_params! { ":open": open, ":id": id.0 },
    )?;
    Ok(())
}

/// The client named this id itself.
pub(crate) fn announce(db: &Db, id: ActorId) -> Result<(), StoreError> {
    db.execute(
        "UPDATE actors SET announced = 1, turn_open = 1 WHERE id = :id",
        named_params! { ":id": id.0 },
    )?;
    Ok(())
}

/// Who started an actor, with which call.
pub(crate) struct ActorOrigin<'a> {
    pub parent: ActorId,
    pub call: Option<&'a ToolUseId>,
    pub description: Option<&'a str>,
}

/// Settles who started an actor.
pub(crate) fn link(db: &Db, id: ActorId, origin: &ActorOrigin<'_>) -> Result<(), StoreError> {
    db.execute(
        "UPDATE actors SET parent_id = :parent, spawn_call = :call, description = :description, announced = 1
         WHERE id = :id",
        named_params! {
            ":parent": origin.parent.0,
            ":call": origin.call.map(ToolUseId::as_str),
            ":description": origin.description,
            ":id": id.0,
        },
    )?;
    Ok(())
}

/// An agent goes on in another row: who started it, and whom it started.
pub(crate) fn go_on(db: &Db, from: ActorId, to: ActorId) -> Result<(), StoreError> {
    db.execute(
        "UPDATE actors SET (parent_id, spawn_call, description, announced, turn_open, run) =
             (SELECT parent_id, spawn_call, description, announced, turn_open, run FROM actors WHERE id = :from)
         WHERE id = :to",
        named_params! { ":from": from.0, ":to": to.0 },
    )?;
    db.execute(
        "UPDATE actors SET parent_id = :to WHERE parent_id = :from",
        named_params! { ":from": from.0, ":to": to.0 },
    )?;
    Ok(())
}

/// Takes back a parent that turned out to be another's.
pub(crate) fn unlink(db: &Db, id: ActorId) -> Result<(), StoreError> {
    db.execute(
        "UPDATE actors SET parent_id = NULL, spawn_call = NULL, description = NULL WHERE id = :id",
        named_params! { ":id": id.0 },
    )?;
    Ok(())
}

fn read(row: &mut RowFields<'_>) -> rusqlite::Result<Actor> {
    let state = ActorState::parse(&row.take::<String>()?);
    let mut actor = Actor {
        id: ActorId(row.take()?),
        key: ActorKey {
            agent_kind: AgentKind::new(row.take::<String>()?),
            session: ClientSessionId::new(row.take::<String>()?),
            agent: Some(row.take::<String>()?)
                .filter(|agent| !agent.is_empty())
                .map(AgentId::new),
        },
        agent_type: row.take()?,
        project: row.take::<Option<_>>()?.map(ProjectId),
        worktree: row.take::<Option<_>>()?.map(WorktreeId),
        cwd: row.optional_path()?,
        parent: row.take::<Option<_>>()?.map(ActorId),
        spawn_call: row.take::<Option<String>>()?.map(ToolUseId::new),
        description: row.take()?,
        label: row.take()?,
        state,
        end_reason: row.take()?,
        announced: row.take()?,
        turn_open: row.take()?,
        first_seen: Timestamp(row.take()?),
        last_seen: Timestamp(row.take()?),
        missing_since: row.take::<Option<_>>()?.map(Timestamp),
        run: row.count()?,
        merged_into: None,
        is_new: false,
        was: state,
        last_boot: None,
        previous: Moment::from(Timestamp(0)),
    };
    actor.previous = Moment::from_columns(actor.last_seen.0, row.take()?, row.take()?);
    actor.last_boot = actor.previous.boot;
    actor.merged_into = row.take::<Option<_>>()?.map(ActorId);
    Ok(actor)
}
