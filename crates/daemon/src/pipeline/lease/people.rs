//! Actors as messages name them, each looked up once.

use engine::id::ActorId;
use engine::lease::ActorLabel;
use std::cell::RefCell;
use std::collections::HashMap;
use store::table::actors::{self, Actor};
use store::{Db, StoreError};

/// See the module.
pub struct People<'a> {
    db: &'a Db,
    me: &'a Actor,
    known: RefCell<HashMap<ActorId, ActorLabel>>,
}

impl<'a> People<'a> {
    /// Nobody looked up yet.
    pub fn new(db: &'a Db, me: &'a Actor) -> Self {
        Self {
            db,
            me,
            known: RefCell::default(),
        }
    }

    /// An actor by its row.
    pub fn who(&self, id: ActorId) -> Result<ActorLabel, StoreError> {
        if let Some(known) = self.known.borrow().get(&id) {
            return Ok(known.clone());
        }
        let who = match actors::by_id(self.db, id)? {
            Some(actor) => ActorLabel {
                in_my_session: actor.key.agent_kind == self.me.key.agent_kind
                    && actor.key.session == self.me.key.session,
                ..actor.who()
            },
            None => ActorLabel {
                actor: id,
                label: "somebody".to_owned(),
                description: None,
                is_person: false,
                in_my_session: false,
            },
        };
        self.known.borrow_mut().insert(id, who.clone());
        Ok(who)
    }
}
