//! How agents and sessions end, and what ends with them.

use super::{Acting, LeaseMoment, Occasion, release};
use crate::StoreError;
use crate::client::ClientProcess;
use crate::db::Db;
use crate::table::actors::{self, Actor, ActorState};
use crate::table::calls::{self, Call};
use crate::table::{notices, sessions, turns};
use engine::id::{ActorId, ActorKey};
use engine::lease::{EndReason, notice};
use engine::lifecycle::{CallEnd, SpawnCalls, TurnEnd};
use engine::time::Timestamp;
use engine::tool::Background;

/// Why an agent ended that its client listed no more.
pub(super) const MISSING: &str = "missing";

/// How an actor ends.
#[derive(Clone, Copy)]
struct ActorEnd<'a> {
    state: ActorState,
    reason: &'a str,
    calls: CallEnd,
    turn: TurnEnd,
    leases: EndReason,
}

/// A subagent is over.
pub(super) fn agent(db: &Db, agent: &Actor, reason: &str, occasion: Occasion) -> Result<(), StoreError> {
    let turn = match reason {
        "interrupted" => TurnEnd::Interrupted,
        "failed" => TurnEnd::Failed,
        _ => TurnEnd::Done,
    };
    let ending = ActorEnd {
        state: ActorState::Ended,
        reason,
        calls: CallEnd::Interrupted,
        turn,
        leases: match reason {
            // Nobody saw these end: they get back what nobody took, should they go on.
            "interrupted" | MISSING => EndReason::Interrupted,
            _ => EndReason::ActorEnd,
        },
    };
    end(db, agent, &ending, occasion)
}

/// The agents that calls of the acting agent started are over.
pub(super) fn agents_of(
    db: &Db,
    acting: &Acting<'_>,
    which: &SpawnCalls,
    reason: &str,
) -> Result<(), StoreError> {
    let agents = match which {
        SpawnCalls::One(id) => calls::spawn(db, acting.actor.id, id)?
            .and_then(|call| call.spawn?.agent)
            .map(|id| actors::by_id(db, id))
            .transpose()?
            .flatten()
            .into_iter()
            .collect(),
        SpawnCalls::Waiting => waited_for(db, acting.key, acting.actor.id)?,
    };
    for child in &agents {
        agent(db, child, reason, acting.occasion())?;
    }
    Ok(())
}

/// The client's session ends; where its agents outlive it, only its main thread does.
pub(super) fn session(
    db: &Db,
    acting: &Acting<'_>,
    reason: &str,
    keeps_agents: bool,
) -> Result<(), StoreError> {
    for actor in actors::live_of_session(db, acting.key)? {
        let is_main = actor.key.agent.is_none();
        if !is_main && keeps_agents {
            continue;
        }
        let ending = ActorEnd {
            state: ActorState::Ended,
            reason: if is_main { reason } else { "session_end" },
            calls: CallEnd::SessionEnd,
            turn: TurnEnd::Interrupted,
            leases: EndReason::SessionEnd,
        };
        end_alone(db, &actor, &ending, acting.occasion())?;
    }
    Ok(())
}

/// A process is gone, and with it every actor that had a window in it.
pub(crate) fn lose(db: &Db, client: &ClientProcess, now: LeaseMoment) -> Result<usize, StoreError> {
    let ending = ActorEnd {
        state: ActorState::Lost,
        reason: "process_gone",
        calls: CallEnd::Interrupted,
        turn: TurnEnd::Interrupted,
        leases: EndReason::ProcessGone,
    };
    let occasion = Occasion { event: None, now };
    let mut lost = 0;
    for id in sessions::actors_of_process(db, client)? {
        let Some(actor) = actors::by_id(db, id)? else {
            continue;
        };
        for other in actors::live_of_session(db, &actor.key)? {
            // An agent that did nothing yet has no window; another process may have taken over the others.
            let process = sessions::process_of(db, other.id)?;
            if process.is_none_or(|process| process == *client) {
                end_alone(db, &other, &ending, occasion)?;
                lost += 1;
            }
        }
        sessions::end_of_actor(db, id, ending.reason, now.moment.at)?;
    }
    Ok(lost)
}

/// Ends an actor, and the agents it was waiting for: nobody would take their results.
fn end(db: &Db, actor: &Actor, ending: &ActorEnd<'_>, occasion: Occasion) -> Result<(), StoreError> {
    let children = waited_for(db, &actor.key, actor.id)?;
    if end_alone(db, actor, ending, occasion)? {
        for child in &children {
            agent(db, child, "interrupted", occasion)?;
        }
    }
    Ok(())
}

/// Ends an actor with its calls, turn and window; false if it had ended before.
fn end_alone(db: &Db, actor: &Actor, ending: &ActorEnd<'_>, occasion: Occasion) -> Result<bool, StoreError> {
    if !actors::end(db, actor.id, ending.state, ending.reason)? {
        return Ok(false);
    }
    close_calls(db, actor.id, false, ending.calls, occasion)?;
    turns::close(db, actor.id, ending.turn, occasion.at())?;
    sessions::end_of_actor(db, actor.id, ending.reason, occasion.at())?;
    release::actor(db, actor.id, ending.leases, &occasion.now)?;
    drop_notices(db, actor.id)?;
    if let Some(parent) = actor.parent
        && actors::by_id(db, parent)?.is_some_and(|parent| parent.state == ActorState::Live)
    {
        // What is left is about what it did.
        notices::inherit(db, actor.id, parent)?;
    }
    Ok(true)
}

/// What an actor was owed for its next call goes with it.
fn drop_notices(db: &Db, actor: ActorId) -> Result<(), StoreError> {
    for kind in notice::OF_THE_NEXT_CALL {
        notices::withdraw_kind(db, actor, kind)?;
    }
    Ok(())
}

/// Closes every open call of an actor, and with them what they hold without having written it.
pub(super) fn close_calls(
    db: &Db,
    actor: ActorId,
    spare_background: bool,
    how: CallEnd,
    occasion: Occasion,
) -> Result<(), StoreError> {
    let closed = calls::close_all(db, actor, spare_background, occasion.closing(how))?;
    release::calls(db, &closed, how, &occasion.now)
}

/// The live agents an actor waits for: those its open calls are known to have started, and those nothing else can have.
fn waited_for(db: &Db, key: &ActorKey, actor: ActorId) -> Result<Vec<Actor>, StoreError> {
    let mut waiting = calls::open_of(db, actor)?;
    waiting.retain(is_waiting);
    let mut agents = Vec::new();
    for call in &waiting {
        let Some(spawn) = &call.spawn else { continue };
        match (spawn.agent, spawn.agent_type.as_deref()) {
            (Some(agent), _) => agents.extend(actors::by_id(db, agent)?),
            (None, Some(agent_type)) => agents.extend(unclaimed(db, key, agent_type, &waiting)?),
            (None, None) => {}
        }
    }
    Ok(agents)
}

fn is_waiting(call: &Call) -> bool {
    call.spawn
        .as_ref()
        .is_some_and(|spawn| spawn.background != Background::Yes)
}

/// Agents of a kind without a known parent, if `calls` are all that can have started them.
fn unclaimed(db: &Db, key: &ActorKey, agent_type: &str, calls: &[Call]) -> Result<Vec<Actor>, StoreError> {
    let spawns = calls::unlinked_spawns(db, key, agent_type, Timestamp(i64::MAX))?;
    let Some(first) = spawns.iter().map(|call| call.opened_at).min() else {
        return Ok(Vec::new());
    };
    if !spawns.iter().all(|spawn| calls.contains(spawn)) {
        return Ok(Vec::new());
    }
    let mut agents = actors::live_of_session(db, key)?;
    agents.retain(|agent| {
        agent.announced
            && agent.key.agent.is_some()
            && agent.parent.is_none()
            && agent.agent_type.as_deref() == Some(agent_type)
            && agent.first_seen >= first
    });
    Ok(agents)
}
