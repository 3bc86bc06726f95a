//! The actors of sessions as a tree: each below whoever started it.

use crate::moment;
use engine::id::ActorId;
use engine::time::Timestamp;
use serde::Serialize;
use store::table::actors::{Actor, ActorState};

/// One actor. The order of the fields is that of the JSON object.
#[derive(Debug, Serialize)]
pub struct Entry {
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
    /// The label of whoever started it; none for main threads, and where it is not settled.
    pub parent: Option<String>,
    pub description: Option<String>,
    pub first_seen: String,
    pub last_seen: String,
    #[serde(skip)]
    pub seen: Timestamp,
    /// How many actors are above it.
    #[serde(skip)]
    pub depth: usize,
}

/// The actors of one session, parents before their children, otherwise in the order they came.
pub fn tree(actors: &[Actor]) -> Vec<Entry> {
    let mut entries = Vec::new();
    let is_here = |id: ActorId| actors.iter().any(|actor| actor.id == id);
    let tops = actors
        .iter()
        .filter(|actor| actor.parent.is_none_or(|parent| !is_here(parent)));
    for top in tops {
        add(actors, top, 0, &mut entries);
    }
    entries
}

/// Every actor has one parent, so that this ends; damaged rows that are their own ancestors are below nobody.
fn add(actors: &[Actor], actor: &Actor, depth: usize, entries: &mut Vec<Entry>) {
    entries.push(entry(actors, actor, depth));
    for child in actors.iter().filter(|other| other.parent == Some(actor.id)) {
        add(actors, child, depth + 1, entries);
    }
}

fn entry(actors: &[Actor], actor: &Actor, depth: usize) -> Entry {
    let parent = actors.iter().find(|other| actor.parent == Some(other.id));
    Entry {
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
        parent: parent.map(|parent| parent.label.clone()),
        description: actor.description.clone(),
        first_seen: moment::rfc3339(actor.first_seen),
        last_seen: moment::rfc3339(actor.last_seen),
        seen: actor.last_seen,
        depth,
    }
}
