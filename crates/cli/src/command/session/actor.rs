//! The actors of sessions as a tree: each below whoever started it.

use crate::moment;
use engine::id::ActorId;
use engine::time::Timestamp;
use serde::Serialize;
use store::table::actors::{Actor, ActorState};
use store::table::{leases, tickets};
use store::{Db, StoreError};

/// One actor. The order of the fields is that of the JSON object.
#[derive(Debug, Serialize)]
pub struct ActorEntry {
    pub label: String,
    pub agent_kind: String,
    pub session_id: String,
    pub agent_id: Option<String>,
    pub agent_type: Option<String>,
    pub state: &'static str,
    pub end_reason: Option<String>,
    /// In the middle of a turn.
    pub working: bool,
    /// The client named this id itself.
    pub announced: bool,
    /// The label of the agent that this id turned out to be.
    pub merged_into: Option<String>,
    /// The label of whoever started it; none for main threads, and where it is not settled.
    pub parent: Option<String>,
    pub description: Option<String>,
    /// Files it may write, and patterns it reserved.
    pub holds: Vec<String>,
    /// Files it is in line for.
    pub waits: Vec<String>,
    pub first_seen: String,
    pub last_seen: String,
    #[serde(skip)]
    pub seen: Timestamp,
    /// How many actors are above it.
    #[serde(skip)]
    pub depth: usize,
}

/// The actors of one session, parents before their children, otherwise in the order they came.
pub fn tree(db: &Db, actors: &[Actor]) -> Result<Vec<ActorEntry>, StoreError> {
    let mut entries = Vec::new();
    let is_here = |id: ActorId| actors.iter().any(|actor| actor.id == id);
    let tops = actors
        .iter()
        .filter(|actor| actor.parent.is_none_or(|parent| !is_here(parent)));
    for top in tops {
        add(db, actors, top, &mut entries, 0)?;
    }
    Ok(entries)
}

/// Every actor has one parent, so that this ends; damaged rows that are their own ancestors are below nobody.
fn add(
    db: &Db,
    actors: &[Actor],
    actor: &Actor,
    entries: &mut Vec<ActorEntry>,
    depth: usize,
) -> Result<(), StoreError> {
    entries.push(entry(db, actors, actor, depth)?);
    for child in actors.iter().filter(|other| other.parent == Some(actor.id)) {
        add(db, actors, child, entries, depth + 1)?;
    }
    Ok(())
}

/// What it lent is its borrower's to write.
fn holds(db: &Db, actor: ActorId) -> Result<Vec<String>, StoreError> {
    let held = leases::held_by(db, actor)?.into_iter();
    let held = held.filter(|lease| lease.holder() == actor);
    Ok(held.map(|lease| lease.reach().to_owned()).collect())
}

fn waits(db: &Db, actor: ActorId) -> Result<Vec<String>, StoreError> {
    let tickets = tickets::of_actor(db, actor)?.into_iter();
    Ok(tickets.map(|ticket| ticket.key.path).collect())
}

fn entry(db: &Db, actors: &[Actor], actor: &Actor, depth: usize) -> Result<ActorEntry, StoreError> {
    let parent = actors.iter().find(|other| actor.parent == Some(other.id));
    let itself = actors.iter().find(|other| actor.merged_into == Some(other.id));
    Ok(ActorEntry {
        label: actor.label.clone(),
        agent_kind: actor.key.agent_kind.to_string(),
        session_id: actor.key.session.to_string(),
        agent_id: actor.key.agent.as_ref().map(ToString::to_string),
        agent_type: actor.agent_type.clone(),
        state: actor.state.as_str(),
        end_reason: actor
            .end_reason
            .clone()
            .filter(|_| actor.state != ActorState::Live),
        working: actor.state == ActorState::Live && actor.turn_open,
        announced: actor.announced,
        merged_into: itself.map(|itself| itself.label.clone()),
        parent: parent.map(|parent| parent.label.clone()),
        description: actor.description.clone(),
        holds: holds(db, actor.id)?,
        waits: waits(db, actor.id)?,
        first_seen: moment::rfc3339(actor.first_seen),
        last_seen: moment::rfc3339(actor.last_seen),
        seen: actor.last_seen,
        depth,
    })
}
