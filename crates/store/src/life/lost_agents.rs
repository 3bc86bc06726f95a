//! Agents that vanish without a word: their client says which still run, and the others are over once they are silent.

use super::expire::is_missing;
use super::{Acting, LeaseMoment, Occasion, end};
use crate::StoreError;
use crate::db::Db;
use crate::label;
use crate::table::actors::{self, Actor};
use engine::id::AgentId;

/// The client of the acting agent said which agents of the session run.
pub(super) fn note(db: &Db, acting: &Acting<'_>, running: &[AgentId]) -> Result<(), StoreError> {
    let occasion = acting.occasion();
    for agent in actors::live_of_session(db, acting.key)? {
        if !can_be_missing(&agent) {
            continue;
        }
        if is_running(db, &agent, running)? {
            if agent.missing_since.is_some() {
                actors::set_missing(db, agent.id, None)?;
            }
            continue;
        }
        let since = agent.missing_since.unwrap_or(acting.at);
        actors::set_missing(db, agent.id, Some(since))?;
        let missing = Actor {
            missing_since: Some(since),
            ..agent
        };
        if is_missing(&missing, &occasion.now) {
            end::agent(db, &missing, end::MISSING, occasion)?;
        }
    }
    Ok(())
}

/// Ends every agent that its client no longer lists and that was silent for long enough. Says how many.
pub fn end_missing(db: &Db, now: &LeaseMoment) -> Result<usize, StoreError> {
    let mut ended = 0;
    for agent in actors::missing(db)? {
        if is_missing(&agent, now) {
            let occasion = Occasion {
                event: None,
                now: *now,
            };
            end::agent(db, &agent, end::MISSING, occasion)?;
            ended += 1;
        }
    }
    Ok(ended)
}

/// A main thread is never listed; a teammate is, under an id that no event carries.
fn can_be_missing(agent: &Actor) -> bool {
    let id = agent.key.agent.as_ref();
    id.is_some_and(|id| label::teammate(id.as_str()).is_none())
}

/// Whether an agent is listed, or works for one that is: only what runs in the background is listed itself.
fn is_running(db: &Db, agent: &Actor, running: &[AgentId]) -> Result<bool, StoreError> {
    let listed = |actor: &Actor| actor.key.agent.as_ref().is_some_and(|id| running.contains(id));
    Ok(listed(agent) || actors::above(db, agent.id)?.iter().any(listed))
}
