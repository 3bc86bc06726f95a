//! Who gives a command: a person, or an agent that the token in its command names.

use crate::failure::{Failure, FailureKind};
use crate::person;
use daemon::clock;
use daemon::environment::Environment;
use engine::id::{ActorId, ProjectId, WorktreeId};
use store::table::actors::{self, Actor};
use store::table::{counters, sessions, tokens};
use store::{Db, Moment, Store, StoreError};

/// How often somebody came with a token that nobody was given.
const UNKNOWN: &str = "unknown token";

/// See the module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Caller {
    /// Somebody outside of every agent.
    Person,
    /// An agent, by the token that its call was given.
    Agent(ActorId),
    /// An agent whose command carries no token: for what it reads, the main thread of its session, where that is known.
    Unnamed(Option<ActorId>),
}

impl Caller {
    /// Who calls. A token that nobody was given is refused, and counted.
    pub fn of(
        environment: &Environment,
        store: Option<&mut Store>,
        token: Option<&str>,
    ) -> Result<Self, Failure> {
        if let Some(token) = token {
            return bearer(store, token);
        }
        if person::agent_here(environment).is_none() {
            return Ok(Self::Person);
        }
        let above = person::agent_above(environment);
        let main = match (store, above) {
            (Some(store), Some(agent)) => sessions::mains_of_process(&store.read(), &agent.into())?.pop(),
            (None, _) | (_, None) => None,
        };
        Ok(Self::Unnamed(main.map(|main| main.id)))
    }

    /// Refuses an agent that nothing tells apart from others of its session.
    pub fn must_be_known(&self) -> Result<(), Failure> {
        match self {
            Self::Person | Self::Agent(_) => Ok(()),
            Self::Unnamed(_) => Err(Failure::saying(
                FailureKind::NeedsPerson,
                "an agent runs this, and nothing says which of its session it is",
            )
            .hint("run it as a command of its own, so that the hook sees it")),
        }
    }

    /// Whether a person calls.
    pub fn is_person(&self) -> bool {
        *self == Self::Person
    }

    /// The row of whoever calls, at work in a place. A person gets one with their first command.
    pub fn actor(
        &self,
        db: &Db,
        place: (Option<ProjectId>, Option<WorktreeId>),
        now: Moment,
    ) -> Result<Option<Actor>, StoreError> {
        match self {
            Self::Person => {
                let user = rustix::process::getuid().as_raw();
                actors::person(db, user, place, now).map(Some)
            }
            Self::Agent(id) | Self::Unnamed(Some(id)) => actors::by_id(db, *id),
            Self::Unnamed(None) => Ok(None),
        }
    }
}

fn bearer(store: Option<&mut Store>, token: &str) -> Result<Caller, Failure> {
    if let Some(store) = store {
        if let Some(bearer) = tokens::bearer(&store.read(), token)? {
            return Ok(Caller::Agent(bearer.actor));
        }
        let mut tx = store.begin()?;
        tx.unit(|db| counters::note(db, UNKNOWN, "a command with `--as`", clock::now()))?;
        tx.commit()?;
    }
    Err(Failure::saying(
        FailureKind::NeedsPerson,
        "this token belongs to no call that runs now; it was recorded",
    )
    .hint("leave `--as` out: the hook adds it where it belongs"))
}
