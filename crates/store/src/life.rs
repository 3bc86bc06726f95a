//! Carries out what an event means for sessions, turns, calls and agents.
//!
//! The engine says which steps an event takes; here they find their rows. Everything happens in the event's transaction.

use crate::StoreError;
use crate::client::ClientProcess;
use crate::db::Db;
use crate::table::actors::{self, Actor};
use crate::table::calls::{self, Caller, Closing};
use crate::table::turns;
use engine::id::{ActorKey, EventSeq, PromptId, SessionId};
use engine::lifecycle::{CallEnd, Step};
use engine::time::Timestamp;

mod end;
mod spawn;
mod window;

pub(crate) use end::lose;

/// Whose event it is.
#[derive(Debug, Clone, Copy)]
pub struct Acting<'a> {
    /// The actor, as [`actors::ensure`] found it.
    pub actor: &'a Actor,
    /// Its identity.
    pub key: &'a ActorKey,
    /// Its open window.
    pub session: SessionId,
    /// The event's row.
    pub event: EventSeq,
    /// The process it came from.
    pub client: &'a ClientProcess,
    /// When it came.
    pub at: Timestamp,
    /// The prompt it belongs to.
    pub prompt_id: Option<&'a PromptId>,
}

/// When something ends, and which event tells of it: none where a process is gone.
#[derive(Debug, Clone, Copy)]
struct Moment {
    event: Option<EventSeq>,
    at: Timestamp,
}

impl Moment {
    fn closing(self, how: CallEnd) -> Closing {
        Closing {
            how,
            event: self.event,
            at: self.at,
        }
    }
}

impl Acting<'_> {
    fn moment(&self) -> Moment {
        Moment {
            event: Some(self.event),
            at: self.at,
        }
    }

    fn closing(&self, how: CallEnd) -> Closing {
        self.moment().closing(how)
    }
}

/// Takes the steps in order, and says in which window the event ends up.
pub fn apply(db: &Db, steps: &[Step], acting: &Acting<'_>) -> Result<SessionId, StoreError> {
    let mut session = acting.session;
    for step in steps {
        let acting = Acting { session, ..*acting };
        match step {
            Step::OpenSession { source, model } => {
                session = window::open(db, &acting, source, model.as_deref())?;
            }
            Step::EndSession { reason, keeps_agents } => end::session(db, &acting, reason, *keeps_agents)?,
            Step::OpenTurn { origin, prompt } => {
                let opening = turns::Opening {
                    actor: acting.actor.id,
                    session,
                    prompt_id: acting.prompt_id,
                    origin: *origin,
                    prompt,
                    event: acting.event,
                    at: acting.at,
                };
                turns::open(db, &opening)?;
                actors::set_turn_open(db, acting.actor.id, true)?;
            }
            Step::CloseTurn { how } => {
                turns::close(db, acting.actor.id, *how, acting.at)?;
                actors::set_turn_open(db, acting.actor.id, false)?;
            }
            Step::OpenCall(call) => {
                let caller = Caller {
                    actor: acting.actor.id,
                    worktree: acting.actor.worktree,
                    event: acting.event,
                    client: acting.client,
                    at: acting.at,
                };
                calls::record(db, &caller, call)?;
            }
            Step::CloseCall { id, how } => calls::close(db, acting.actor.id, id, acting.closing(*how))?,
            Step::CloseCalls { how } => {
                // After a batch only a call in the background can still be open; all else that ends one ends them all.
                let spare_background = *how == CallEnd::NotRun;
                calls::close_all(db, acting.actor.id, spare_background, acting.closing(*how))?;
            }
            Step::Announce => spawn::announce(db, &acting)?,
            Step::LinkAgent { agent, call } => spawn::link(db, &acting, agent, call.as_ref())?,
            Step::EndAgent { agent, reason } => {
                if let Some(agent) = actors::by_key(db, &acting.key.sibling(agent.clone()))? {
                    end::agent(db, &agent, reason, acting.moment())?;
                }
            }
            Step::EndAgentsOf { calls, reason } => end::agents_of(db, &acting, calls, reason)?,
        }
    }
    Ok(session)
}

#[cfg(test)]
mod tests;
