//! One agent under two ids: what was done under the one that nobody announced is the known agent's.

use super::{LeaseMoment, Occasion, end, release, spawn};
use crate::StoreError;
use crate::db::Db;
use crate::table::actors::{self, Actor, ActorState};
use crate::table::{calls, events, leases, notices, seen, sessions, tickets, tokens, touches, turns};
use engine::id::EventSeq;
use engine::lease::EndReason;
use engine::lifecycle::{CallEnd, TurnEnd};

/// Why a window ended whose agent goes on in another.
const MERGED: &str = "merged";

/// Two ids of one agent.
#[derive(Debug, Clone, Copy)]
pub struct Merged<'a> {
    /// The id that nobody announced.
    pub alias: &'a Actor,
    /// The agent it is.
    pub agent: &'a Actor,
    /// The event that shows it.
    pub event: EventSeq,
    /// That event is the alias's own: the agent is at work. Otherwise what an agent that is over held is free.
    pub acts: bool,
}

/// Lets an agent have what it holds, waits for, saw and is owed under an id that nobody announced, and from now on be
/// meant by that id. False, and nothing changed, where these cannot be one agent or are known to be.
pub fn merge(db: &Db, merged: &Merged<'_>, now: &LeaseMoment) -> Result<bool, StoreError> {
    let (alias, agent) = (merged.alias, merged.agent);
    if !can_be_one(db, alias, agent)? || !actors::merge(db, alias.id, agent.id)? {
        return Ok(false);
    }
    let (from, to) = (alias.id, agent.id);
    for call in calls::open_of(db, from)? {
        events::set_actor(db, call.event, to, None)?;
    }
    touches::pass_on(db, from, to)?;
    calls::pass_on(db, from, to)?;
    tokens::pass_on(db, from, to)?;
    leases::pass_on(db, from, to)?;
    tickets::pass_on(db, from, to)?;
    for lease in leases::held_by(db, to)? {
        if lease.holder() == to {
            tickets::used(db, to, &lease.key)?;
        }
    }
    seen::pass_on(db, from, to)?;
    notices::inherit(db, from, to)?;
    let occasion = Occasion {
        event: Some(merged.event),
        now: *now,
    };
    // Of two calls under one id only one can go on.
    end::close_calls(db, from, false, CallEnd::Interrupted, occasion)?;
    turns::close(db, from, TurnEnd::Done, now.moment.at)?;
    sessions::end_of_actor(db, from, MERGED, now.moment.at)?;
    if !merged.acts && agent.state != ActorState::Live {
        release::actor(db, to, EndReason::ActorEnd, now)?;
    }
    Ok(true)
}

/// Whether two rows can be one agent: subagents of one session, one of them announced, and neither below the other.
fn can_be_one(db: &Db, alias: &Actor, agent: &Actor) -> Result<bool, StoreError> {
    let fits = alias.id != agent.id
        && alias.key.agent.is_some()
        && agent.key.agent.is_some()
        && alias.key.main() == agent.key.main()
        && !alias.announced
        && agent.announced
        && agent.merged_into.is_none();
    Ok(fits && !spawn::is_ancestor(db, alias.id, agent)? && !spawn::is_ancestor(db, agent.id, alias)?)
}
