//! Which call started which agent. Only what is certain is recorded: a parent that is not settled gives no privilege.

use super::Acting;
use crate::StoreError;
use crate::db::Db;
use crate::table::actors::{self, Actor, ActorOrigin, Sighting};
use crate::table::calls::{self, Call};
use crate::table::{seen, sessions};
use engine::id::{ActorId, ActorKey, AgentId, ToolUseId};

/// The kind of an agent that begins with the conversation of the one that starts it.
const FORK: &str = "fork";
/// More steps up than any chain of agents has.
const DEEPEST: usize = 32;

/// The client named the acting agent. Its call is known if only one can have started it.
pub(super) fn announce(db: &Db, acting: &Acting<'_>) -> Result<(), StoreError> {
    if acting.key.agent.is_none() {
        return Ok(());
    }
    actors::announce(db, acting.actor.id)?;
    let Some(agent_type) = acting.actor.agent_type.as_deref() else {
        return Ok(());
    };
    // A note of the client may have settled it since the event was read.
    let is_settled = actors::by_id(db, acting.actor.id)?.is_some_and(|actor| actor.parent.is_some());
    if is_settled {
        return Ok(());
    }
    let fitting = calls::unlinked_spawns(db, acting.key, agent_type, acting.actor.first_seen)?;
    if let [call] = fitting.as_slice() {
        settle(db, acting.actor.id, call.actor, Some(call), Some(&call.id))?;
    }
    Ok(())
}

/// A call of the acting agent said which agent it started.
pub(super) fn link(
    db: &Db,
    acting: &Acting<'_>,
    agent: &AgentId,
    id: Option<&ToolUseId>,
) -> Result<(), StoreError> {
    let call = match id {
        Some(id) => calls::spawn(db, acting.actor.id, id)?,
        None => None,
    };
    let child = child(db, acting, agent, call.as_ref())?;
    if is_ancestor(db, child, acting.actor)? {
        return Ok(());
    }
    if let Some(wrong) = call.as_ref().and_then(|call| call.spawn.as_ref()?.agent)
        && wrong != child
    {
        actors::unlink(db, wrong)?;
    }
    settle(db, child, acting.actor.id, call.as_ref(), id)
}

/// A note of the client says which call started an agent. It counts where that call was seen, asked for such an agent, and
/// started no other; false otherwise.
pub fn settle_by_note(
    db: &Db,
    child: &Actor,
    parent: Option<&AgentId>,
    id: &ToolUseId,
) -> Result<bool, StoreError> {
    let key = ActorKey {
        agent: parent.cloned(),
        ..child.key.clone()
    };
    let Some(parent) = actors::by_key(db, &key)? else {
        return Ok(false);
    };
    let Some(call) = calls::spawn(db, parent.id, id)? else {
        return Ok(false);
    };
    let fits = call.spawn.as_ref().is_some_and(|spawn| {
        spawn.agent.is_none_or(|agent| agent == child.id)
            && (spawn.agent_type.is_none() || spawn.agent_type == child.agent_type)
    });
    if !fits || is_ancestor(db, child.id, &parent)? {
        return Ok(false);
    }
    settle(db, child.id, parent.id, Some(&call), Some(id))?;
    Ok(true)
}

/// An agent did work. Where no event came from it, agents of this session cannot be told apart.
pub(super) fn doubt(
    db: &Db,
    acting: &Acting<'_>,
    agent: Option<&AgentId>,
    id: Option<&ToolUseId>,
) -> Result<(), StoreError> {
    let is_known = match (agent, id) {
        (Some(agent), _) => actors::by_key(db, &acting.key.sibling(agent.clone()))?.is_some(),
        (None, Some(id)) => calls::spawned_by(db, acting.actor.id, id)?.is_some(),
        (None, None) => false,
    };
    if is_known {
        return Ok(());
    }
    sessions::set_indistinct(db, acting.key)
}

/// The row of a started agent. It may have done nothing yet; one that is over stays so.
fn child(db: &Db, acting: &Acting<'_>, agent: &AgentId, call: Option<&Call>) -> Result<ActorId, StoreError> {
    let key = acting.key.sibling(agent.clone());
    actors::part(db, &key)?;
    if let Some(known) = actors::by_key(db, &key)? {
        return Ok(known.id);
    }
    let sighting = Sighting {
        key: &key,
        agent_type: call.and_then(|call| call.spawn.as_ref()?.agent_type.as_deref()),
        project: acting.actor.project,
        worktree: acting.actor.worktree,
        cwd: acting.actor.cwd.as_deref(),
        at: acting.at,
        boot: None,
    };
    Ok(actors::ensure(db, &sighting)?.id)
}

fn settle(
    db: &Db,
    child: ActorId,
    parent: ActorId,
    call: Option<&Call>,
    id: Option<&ToolUseId>,
) -> Result<(), StoreError> {
    let origin = ActorOrigin {
        parent,
        call: id,
        description: call.and_then(|call| call.spawn.as_ref()?.description.as_deref()),
    };
    actors::link(db, child, &origin)?;
    if actors::by_id(db, child)?.is_some_and(|child| child.agent_type.as_deref() == Some(FORK)) {
        seen::share(db, parent, child)?;
    }
    sessions::set_parent(db, child, parent)?;
    match call {
        Some(call) => calls::set_agent(db, call.event, child),
        None => Ok(()),
    }
}

/// Whether linking would close a circle: payloads can say anything.
pub(super) fn is_ancestor(db: &Db, candidate: ActorId, of: &Actor) -> Result<bool, StoreError> {
    let (mut id, mut parent) = (of.id, of.parent);
    for _ in 0..DEEPEST {
        if id == candidate {
            return Ok(true);
        }
        let Some(above) = parent else { return Ok(false) };
        (id, parent) = (above, actors::by_id(db, above)?.and_then(|actor| actor.parent));
    }
    Ok(true)
}
