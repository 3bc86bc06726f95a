//! Actors as messages name them, each looked up once.

use engine::id::ActorId;
use engine::lease::Who;
use std::cell::RefCell;
use std::collections::HashMap;
use store::table::actors::{self, Actor};
use store::{Db, StoreError};

/// See the module.
pub struct People<'a> {
    db: &'a Db,
    me: &'a Actor,
    known: RefCell<HashMap<ActorId, Who>>,
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
    pub fn who(&self, id: ActorId) -> Result<Who, StoreError> {
        if let Some(known) = self.known.borrow().get(&id) {
            return Ok(known.clone());
        }
        let actor = actors::by_id(self.db, id)?;
        let mine = |actor: &Actor| {
            actor.key.agent_kind == self.me.key.agent_kind && actor.key.session == self.me.key.session
        };
        let who = Who {
            actor: id,
            label: actor.as_ref().map_or("somebody", |actor| &actor.label).to_owned(),
            description: actor.as_ref().and_then(|actor| actor.description.clone()),
            is_person: actor.as_ref().is_some_and(|actor| actor.key.is_person()),
            in_my_session: actor.as_ref().is_some_and(mine),
        };
        self.known.borrow_mut().insert(id, who.clone());
        Ok(who)
    }
}
