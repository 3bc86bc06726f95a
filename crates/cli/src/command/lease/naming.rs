//! Actors as lists and sentences name them, each looked up once.

use engine::id::ActorId;
use engine::lease::ActorLabel;
use engine::text::one_line;
use std::collections::BTreeMap;
use store::table::actors::{self, Actor};
use store::{Db, StoreError};

/// Characters of a task that are shown.
const LONGEST_TASK: usize = 40;

/// See the module.
#[derive(Debug, Default)]
pub struct HolderNames {
    known: BTreeMap<ActorId, Actor>,
    /// Whether a person reads them.
    pub to_person: bool,
}

impl HolderNames {
    /// Nobody looked up yet, for a person or for an agent.
    pub fn to(to_person: bool) -> Self {
        Self {
            known: BTreeMap::new(),
            to_person,
        }
    }

    /// Looks an actor up.
    pub fn learn(&mut self, db: &Db, id: ActorId) -> Result<(), StoreError> {
        if !self.known.contains_key(&id)
            && let Some(actor) = actors::by_id(db, id)?
        {
            self.known.insert(id, actor);
        }
        Ok(())
    }

    /// An actor that was looked up.
    pub fn actor(&self, id: ActorId) -> Option<&Actor> {
        self.known.get(&id)
    }

    /// The label; to agents, a person is the user.
    pub fn label(&self, id: ActorId) -> String {
        match self.actor(id) {
            Some(actor) if actor.key.is_person() && !self.to_person => "the user".to_owned(),
            Some(actor) => one_line(&actor.label, LONGEST_TASK),
            None => "somebody".to_owned(),
        }
    }

    /// The label with the task in quotes.
    pub fn with_task(&self, id: ActorId) -> String {
        let task = self.actor(id).and_then(|actor| actor.description.as_deref());
        match task.map(str::trim).filter(|task| !task.is_empty()) {
            Some(task) => format!("{} \"{}\"", self.label(id), quotable(task)),
            None => self.label(id),
        }
    }

    /// The same of an actor that was not looked up here.
    pub fn who(&self, who: &ActorLabel) -> String {
        if who.is_person && self.to_person {
            one_line(&who.label, LONGEST_TASK)
        } else {
            who.shown_within()
        }
    }
}

/// Foreign text that does not leave its quotation marks.
pub fn quotable(text: &str) -> String {
    one_line(text, LONGEST_TASK).replace('"', "'")
}
