//! An agent that outlives its session: in the same process, the client calls it by the same id under the next session.

use crate::StoreError;
use crate::client::ClientProcess;
use crate::db::Db;
use crate::table::actors::{self, Actor, ActorState};
use crate::table::{calls, leases, notices, seen, sessions, tickets, tokens, turns};
use engine::lifecycle::TurnEnd;
use engine::time::Timestamp;

/// Why the row of an agent ended that goes on under another session.
const MOVED: &str = "moved";

/// Lets an agent's first event under a session go on where the same agent was under the one before: what it held, saw,
/// waited for and was owed is its own. Says who it is then, and who it was.
pub fn take_over(
    db: &Db,
    actor: Actor,
    client: &ClientProcess,
    at: Timestamp,
) -> Result<(Actor, Option<Actor>), StoreError> {
    if !actor.is_new || actor.key.agent.is_none() {
        return Ok((actor, None));
    }
    let Some(old) = before(db, &actor, client)? else {
        return Ok((actor, None));
    };
    let (from, to) = (old.id, actor.id);
    actors::go_on(db, from, to)?;
    calls::pass_on(db, from, to)?;
    tokens::pass_on(db, from, to)?;
    leases::pass_on(db, from, to)?;
    tickets::pass_on(db, from, to)?;
    seen::pass_on(db, from, to)?;
    notices::inherit(db, from, to)?;
    actors::end(db, from, ActorState::Ended, MOVED)?;
    turns::close(db, from, TurnEnd::Done, at)?;
    sessions::end_of_actor(db, from, MOVED, at)?;
    let actor = Actor {
        parent: old.parent,
        spawn_call: old.spawn_call.clone(),
        description: old.description.clone(),
        announced: old.announced,
        turn_open: old.turn_open,
        run: old.run,
        ..actor
    };
    Ok((actor, Some(old)))
}

/// The same agent under another session of the same process.
fn before(db: &Db, actor: &Actor, client: &ClientProcess) -> Result<Option<Actor>, StoreError> {
    for id in sessions::actors_of_process(db, client)? {
        let found = actors::by_id(db, id)?.filter(|other| {
            other.id != actor.id
                && other.state == ActorState::Live
                && other.key.agent == actor.key.agent
                && other.key.agent_kind == actor.key.agent_kind
        });
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}
