//! Who is who in a record: the session of an actor, and what a checkpoint says about whose work it holds.

use super::order::Order;
use engine::id::{ActorId, AgentId};
use store::table::actors::{self, Actor, Conversation};
use store::table::turns::{self, Turn};
use store::{Db, StoreError};

/// The main thread of an actor's session.
pub fn session_of(db: &Db, actor: ActorId) -> Result<Option<ActorId>, StoreError> {
    let Some(actor) = actors::by_id(db, actor)? else {
        return Ok(None);
    };
    actors::main_of(db, &actor).map(Some)
}

/// A session's name as people read it: the day and the first characters of the client's id.
pub fn short_alias(alias: &str) -> String {
    const DAY: usize = "2026-11-15-".len();
    const CHARACTERS: usize = 8;
    alias.chars().take(DAY + CHARACTERS).collect()
}

/// Everybody and everything a checkpoint is about.
#[derive(Debug, Clone, Default)]
pub struct ActorNames {
    /// The client's session.
    pub conversation: Option<Conversation>,
    /// Whose work ends in it.
    pub actor: Option<Actor>,
    /// Who started that actor.
    pub parent: Option<Actor>,
    /// The turn it belongs to.
    pub turn: Option<Turn>,
}

impl ActorNames {
    /// Looks them up.
    pub fn of(db: &Db, order: &Order) -> Result<Self, StoreError> {
        let conversation = match order.session {
            Some(session) => actors::conversation(db, session)?,
            None => None,
        };
        let actor = match order.actor {
            Some(actor) => actors::by_id(db, actor)?,
            None => None,
        };
        let parent = match actor.as_ref().and_then(|actor| actor.parent) {
            Some(parent) => actors::by_id(db, parent)?,
            None => None,
        };
        let turn = match (order.session, order.turn) {
            (Some(session), Some(number)) => turns::numbered(db, session, number)?,
            _ => None,
        };
        Ok(Self {
            conversation,
            actor,
            parent,
            turn,
        })
    }

    /// Where the turn's part of the conversation ends, as far as its lines were read: what follows is another turn's.
    pub fn conversation_end(&self) -> Option<u64> {
        self.turn.as_ref()?.transcript_end
    }

    /// The subagent's id; none for the main thread.
    pub fn agent(&self) -> Option<&AgentId> {
        self.actor.as_ref()?.key.agent.as_ref()
    }
}
