//! The agents that are at work in a project, subagents below whoever started them.

use crate::moment;
use engine::id::{ActorId, ProjectId};
use engine::policy::guard::redact;
use engine::time::Timestamp;
use serde::Serialize;
use std::path::Path;
use store::table::actors::{self, Actor};
use store::table::events::{self, EventRow};
use store::table::sessions::{self, Session};
use store::table::worktrees;
use store::{Db, StoreError};

/// One live agent.
#[derive(Debug, Serialize)]
pub struct AgentEntry {
    pub label: String,
    pub agent_kind: String,
    pub session_id: String,
    pub agent_id: Option<String>,
    /// The label of whoever started it.
    pub parent: Option<String>,
    pub description: Option<String>,
    pub model: Option<String>,
    pub worktree: Option<String>,
    /// In the middle of a turn.
    pub working: bool,
    pub since: String,
    pub last_event: Option<LastEvent>,
    #[serde(skip)]
    pub last_seen: Timestamp,
    /// How many agents are above it.
    #[serde(skip)]
    pub depth: usize,
}

/// The newest event of an agent.
#[derive(Debug, Serialize)]
pub struct LastEvent {
    pub seq: i64,
    pub at: String,
    pub event: String,
    pub tool: Option<String>,
    pub target: Option<String>,
}

/// The live agents of a project: newest activity first, subagents right after whoever started them.
pub fn live(db: &Db, project: ProjectId) -> Result<Vec<AgentEntry>, StoreError> {
    let here = LiveAgents {
        actors: actors::list(db, Some(project), true)?,
        windows: sessions::list(db, Some(project), true)?,
    };
    let mut agents = Vec::new();
    let is_live = |id: ActorId| here.actors.iter().any(|actor| actor.id == id);
    for top in here
        .actors
        .iter()
        .filter(|actor| actor.parent.is_none_or(|parent| !is_live(parent)))
    {
        add(db, &here, top, 0, &mut agents)?;
    }
    Ok(agents)
}

/// Everybody at work, and their open windows.
struct LiveAgents {
    actors: Vec<Actor>,
    windows: Vec<Session>,
}

/// Every actor has one parent, so that this ends; damaged rows that are their own ancestors are below nobody.
fn add(
    db: &Db,
    here: &LiveAgents,
    actor: &Actor,
    depth: usize,
    agents: &mut Vec<AgentEntry>,
) -> Result<(), StoreError> {
    agents.push(agent(db, here, actor, depth)?);
    for child in here.actors.iter().filter(|other| other.parent == Some(actor.id)) {
        add(db, here, child, depth + 1, agents)?;
    }
    Ok(())
}

fn agent(db: &Db, here: &LiveAgents, actor: &Actor, depth: usize) -> Result<AgentEntry, StoreError> {
    let parent = here.actors.iter().find(|other| actor.parent == Some(other.id));
    let worktree = actor
        .worktree
        .map(|id| worktrees::by_id(db, id))
        .transpose()?
        .flatten();
    let window = here.windows.iter().find(|window| window.actor == actor.id);
    let root = worktree.as_ref().map(|worktree| worktree.root.as_path());
    Ok(AgentEntry {
        label: actor.label.clone(),
        agent_kind: actor.key.agent_kind.to_string(),
        session_id: actor.key.session.to_string(),
        agent_id: actor.key.agent.as_ref().map(ToString::to_string),
        parent: parent.map(|parent| parent.label.clone()),
        description: actor.description.clone(),
        model: window.and_then(|window| window.model.clone()),
        worktree: root.map(|root| root.to_string_lossy().into_owned()),
        working: actor.turn_open,
        since: moment::rfc3339(actor.first_seen),
        last_event: events::last_of_actor(db, actor.id)?.map(|row| last_event(row, root)),
        last_seen: actor.last_seen,
        depth,
    })
}

fn last_event(row: EventRow, root: Option<&Path>) -> LastEvent {
    let below = |target: String| match root.and_then(|root| Path::new(&target).strip_prefix(root).ok()) {
        Some(below) if !below.as_os_str().is_empty() => below.to_string_lossy().into_owned(),
        Some(_) | None => target,
    };
    LastEvent {
        seq: row.seq.0,
        at: moment::rfc3339(row.at),
        event: row.name,
        tool: row.tool,
        target: row.target.map(below).map(|target| redact::text(&target)),
    }
}
