//! Carries out what an event means for sessions, turns, calls, agents, and what they hold.
//!
//! The engine says which steps an event takes; here they find their rows. Everything happens in the event's transaction.

use crate::client::ClientProcess;
use crate::db::Db;
use crate::table::actors::{self, Actor, ActorState};
use crate::table::calls::{self, CallOwner, Closing};
use crate::table::turn_prompts::Continuing;
use crate::table::{leases, turns};
use crate::{Boot, LeaseTerms, Moment, StoreError};
use engine::id::{ActorKey, EventSeq, PromptId, SessionId};
use engine::lifecycle::{CallEnd, LifecycleStep};
use engine::time::Timestamp;

mod end;
mod expire;
mod lost_agents;
mod merging;
mod offer;
mod release;
mod returning;
mod session_change;
mod spawn;
mod waits;
mod window;

pub(crate) use end::lose;
pub use expire::{ExpiryScope, holder_now, settle, settle_waits};
pub use lost_agents::end_missing;
pub use merging::{Merged, merge};
pub use offer::{offer_next, remind};
pub use release::{end_lease, end_worktree};
pub use session_change::take_over;
pub use spawn::settle_by_note;
pub use waits::{WaitRow, waits};

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
    /// When by the boot clock, where it was read.
    pub boot: Option<Boot>,
    /// On which terms files are held.
    pub terms: LeaseTerms,
    /// The prompt it belongs to.
    pub prompt_id: Option<&'a PromptId>,
}

/// A moment, and the terms on which files are held then.
#[derive(Debug, Clone, Copy)]
pub struct LeaseMoment {
    /// The moment.
    pub moment: Moment,
    /// The terms.
    pub terms: LeaseTerms,
}

impl From<Timestamp> for LeaseMoment {
    /// The built-in terms, by the wall's clock alone.
    fn from(at: Timestamp) -> Self {
        Self {
            moment: at.into(),
            terms: LeaseTerms::default(),
        }
    }
}

impl From<Moment> for LeaseMoment {
    /// The built-in terms.
    fn from(moment: Moment) -> Self {
        Self {
            moment,
            terms: LeaseTerms::default(),
        }
    }
}

/// When something ends, and which event tells of it: none where a process is gone.
#[derive(Debug, Clone, Copy)]
struct Occasion {
    event: Option<EventSeq>,
    now: LeaseMoment,
}

impl Occasion {
    fn at(self) -> Timestamp {
        self.now.moment.at
    }

    fn closing(self, how: CallEnd) -> Closing {
        Closing {
            how,
            event: self.event,
            at: self.at(),
        }
    }
}

impl Acting<'_> {
    fn occasion(&self) -> Occasion {
        Occasion {
            event: Some(self.event),
            now: LeaseMoment {
                moment: Moment {
                    at: self.at,
                    boot: self.boot,
                },
                terms: self.terms,
            },
        }
    }

    fn closing(&self, how: CallEnd) -> Closing {
        self.occasion().closing(how)
    }
}

/// Takes the steps in order, and says in which window the event ends up.
pub fn apply(db: &Db, steps: &[LifecycleStep], acting: &Acting<'_>) -> Result<SessionId, StoreError> {
    let mut session = acting.session;
    let occasion = acting.occasion();
    if acting.actor.was != ActorState::Live || returning::may_have_lost(acting.actor) {
        returning::bring_back(db, acting.actor, &occasion.now)?;
    }
    for step in steps {
        let acting = Acting { session, ..*acting };
        match step {
            LifecycleStep::OpenSession { source, model } => {
                session = window::open(db, &acting, source, model.as_deref())?;
            }
            LifecycleStep::EndSession { reason, keeps_agents } => {
                end::session(db, &acting, reason, *keeps_agents)?;
            }
            LifecycleStep::OpenTurn { prompt } => {
                let opening = turns::TurnStart {
                    actor: acting.actor.id,
                    session,
                    prompt_id: acting.prompt_id,
                    prompt,
                    event: acting.event,
                    at: acting.at,
                };
                turns::open(db, &opening)?;
                actors::set_turn_open(db, acting.actor.id, true)?;
            }
            LifecycleStep::ContinueTurn { report } => {
                if let Some(turn) = turns::launching(db, (acting.actor.id, acting.key), report)? {
                    let prompt = Continuing {
                        event: acting.event,
                        turn,
                        prompt_id: acting.prompt_id,
                        at: acting.at,
                    };
                    turns::resume(db, &prompt)?;
                }
                actors::set_turn_open(db, acting.actor.id, true)?;
            }
            LifecycleStep::CloseTurn { how } => {
                turns::close(db, acting.actor.id, *how, acting.at)?;
                actors::set_turn_open(db, acting.actor.id, false)?;
            }
            LifecycleStep::ReleaseTurn => release::turn(db, acting.actor, &occasion.now)?,
            LifecycleStep::OpenCall(call) => {
                let caller = CallOwner {
                    actor: acting.actor.id,
                    worktree: acting.actor.worktree,
                    event: acting.event,
                    client: acting.client,
                    at: acting.at,
                };
                if let Some(cut_off) = calls::record(db, &caller, call)? {
                    leases::move_call(db, cut_off, acting.event)?;
                }
            }
            LifecycleStep::CloseCall { id, how } => {
                let closed = calls::close(db, acting.actor.id, id, acting.closing(*how))?;
                release::calls(db, closed.as_slice(), *how, &occasion.now)?;
            }
            LifecycleStep::CloseCalls { how } => {
                // After a batch only a call in the background can still be open; all else that ends one ends them all.
                let spare_background = *how == CallEnd::NotRun;
                end::close_calls(db, acting.actor.id, spare_background, *how, occasion)?;
            }
            LifecycleStep::Announce => spawn::announce(db, &acting)?,
            LifecycleStep::DoubtIdentity { agent, call } => {
                spawn::doubt(db, &acting, agent.as_ref(), call.as_ref())?;
            }
            LifecycleStep::LinkAgent { agent, call } => spawn::link(db, &acting, agent, call.as_ref())?,
            LifecycleStep::ListAgents { running } => lost_agents::note(db, &acting, running)?,
            LifecycleStep::EndAgent { agent, reason } => {
                if let Some(agent) = actors::by_key(db, &acting.key.sibling(agent.clone()))? {
                    end::agent(db, &agent, reason, occasion)?;
                }
            }
            LifecycleStep::EndAgentsOf { calls, reason } => end::agents_of(db, &acting, calls, reason)?,
        }
    }
    Ok(session)
}

#[cfg(test)]
mod tests;
