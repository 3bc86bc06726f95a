//! Who is meant: which of the recorded changes a rewind takes back, and what the others are called.

use super::change::RewindChange;
use super::wish::{RewindOwner, RewindTo};
use engine::id::{ActorId, CheckpointId, ToolUseId};
use engine::text::plain;
use git::plan::{PathAuthor, PlanScope};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use store::table::actors::{self, Actor, Conversation};
use store::table::checkpoint_files::ChangeOrigin;
use store::table::checkpoints::{Checkpoint, CheckpointKind};
use store::{Db, StoreError};

/// Characters of a client's id that people see.
const SHORT_SESSION: usize = 8;
/// Characters of a subagent's id that people see.
const SHORT_AGENT: usize = 4;

/// See the module.
pub struct RewindScope {
    members: Members,
    /// Those whose leases are no obstacle.
    owners: ScopeOwners,
    /// Asked for once, however many files they have changed.
    sessions: RefCell<BTreeMap<ActorId, String>>,
    agents: RefCell<BTreeMap<ActorId, String>>,
}

enum Members {
    Session(ActorId),
    Agents {
        session: ActorId,
        agents: BTreeSet<ActorId>,
    },
    All(Option<ActorId>),
    /// A rewind, by the checkpoint after it.
    Rewind(CheckpointId),
    /// A command: what its call did, and where nobody can tell it from its neighbours, what they did together.
    Command {
        call: Option<ToolUseId>,
        together: BTreeSet<CheckpointId>,
    },
}

/// Whose files are theirs to be put back.
enum ScopeOwners {
    Session(ActorId),
    Agents(BTreeSet<ActorId>),
    Nobody,
}

impl ScopeOwners {
    fn of(db: &Db, aim: &RewindTo) -> Result<Self, StoreError> {
        let whose = match aim {
            RewindTo::Back { whose, .. } => *whose,
            RewindTo::Undo(operation) => RewindOwner::of(operation.done.session, operation.done.actor),
        };
        Ok(match whose {
            RewindOwner::Session(session) | RewindOwner::All(Some(session)) => Self::Session(session),
            RewindOwner::Agent { agent, .. } => Self::Agents(with_those_below(db, agent)?),
            RewindOwner::All(None) => Self::Nobody,
        })
    }
}

impl RewindScope {
    /// Those whose changes are to be taken back. `together` are checkpoints in which a command is one of several.
    pub fn of(db: &Db, aim: &RewindTo, together: BTreeSet<CheckpointId>) -> Result<Self, StoreError> {
        let members = match aim {
            RewindTo::Back { whose, .. } => match *whose {
                RewindOwner::Session(session) => Members::Session(session),
                RewindOwner::All(session) => Members::All(session),
                RewindOwner::Agent { session, agent } => Members::Agents {
                    session,
                    agents: with_those_below(db, agent)?,
                },
            },
            RewindTo::Undo(operation) if operation.done.kind == CheckpointKind::Before => Members::Command {
                call: operation.done.tool_use_id.clone(),
                together,
            },
            RewindTo::Undo(operation) => Members::Rewind(operation.done.id.clone()),
        };
        Ok(Self {
            members,
            owners: ScopeOwners::of(db, aim)?,
            sessions: RefCell::default(),
            agents: RefCell::default(),
        })
    }

    /// How the plan treats what nobody of these did.
    pub fn scope(&self) -> PlanScope {
        match self.members {
            Members::All(_) => PlanScope::All,
            Members::Session(_) | Members::Agents { .. } | Members::Rewind(_) | Members::Command { .. } => {
                PlanScope::Some
            }
        }
    }

    /// Whether an actor is one of those whose changes are taken back; of an undo, of those it was done for.
    pub fn has(&self, db: &Db, actor: &Actor) -> Result<bool, StoreError> {
        match &self.owners {
            ScopeOwners::Session(session) => {
                let main = actors::by_key(db, &actor.key.main())?;
                Ok(actor.id == *session || main.is_some_and(|main| main.id == *session))
            }
            ScopeOwners::Agents(agents) => Ok(agents.contains(&actor.id)),
            ScopeOwners::Nobody => Ok(false),
        }
    }

    /// Whether a change is what an undo takes back.
    pub fn is_operation(&self, deed: &RewindChange) -> bool {
        match &self.members {
            Members::Rewind(id) => deed.checkpoint.as_ref() == Some(id),
            Members::Command { call, together } => {
                let is_of_call = call.is_some() && deed.call == *call;
                let is_together = deed.call.is_none()
                    && matches!(deed.origin, ChangeOrigin::Shell | ChangeOrigin::Shared)
                    && deed.checkpoint.as_ref().is_some_and(|id| together.contains(id));
                is_of_call || is_together
            }
            Members::Session(_) | Members::Agents { .. } | Members::All(_) => false,
        }
    }

    /// Who did it, as the plan sees it.
    pub fn by(&self, db: &Db, deed: &RewindChange) -> Result<PathAuthor, StoreError> {
        let label = self.who(db, deed)?;
        if self.is_operation(deed) {
            return Ok(PathAuthor::Scope(label));
        }
        if let Some(doubt) = deed.doubt.filter(|_| self.may_mean(deed)) {
            return Ok(PathAuthor::Doubt(doubt.to_string()));
        }
        let is_member = match (&self.members, deed.origin) {
            (_, ChangeOrigin::Outside) => return Ok(PathAuthor::Outside),
            (Members::Session(session) | Members::All(Some(session)), ChangeOrigin::Shared) => {
                match deed.session {
                    None => return Ok(PathAuthor::Shared { beyond_scope: true }),
                    Some(own) if own == *session => return Ok(PathAuthor::Shared { beyond_scope: false }),
                    Some(_) => false,
                }
            }
            (Members::Agents { session, .. }, ChangeOrigin::Shared) => {
                if deed.session.is_none_or(|own| own == *session) {
                    return Ok(PathAuthor::Shared { beyond_scope: true });
                }
                false
            }
            (Members::Session(session) | Members::All(Some(session)), _) => deed.session == Some(*session),
            (Members::Agents { agents, .. }, _) => deed.actor.is_some_and(|actor| agents.contains(&actor)),
            (Members::All(None) | Members::Rewind(_) | Members::Command { .. }, _) => false,
        };
        Ok(if is_member {
            PathAuthor::Scope(label)
        } else {
            PathAuthor::Other(label)
        })
    }

    /// Whether a change that is in doubt may be one of those that are taken back.
    fn may_mean(&self, deed: &RewindChange) -> bool {
        let is_of = |session: &ActorId| deed.session.is_none_or(|own| own == *session);
        match &self.members {
            Members::Session(session) | Members::All(Some(session)) => is_of(session),
            Members::Agents { session, agents } => match deed.actor {
                Some(actor) => agents.contains(&actor),
                None => is_of(session),
            },
            Members::All(None) | Members::Rewind(_) | Members::Command { .. } => false,
        }
    }

    /// Who did it, as people read it.
    pub fn who(&self, db: &Db, deed: &RewindChange) -> Result<String, StoreError> {
        let own = match self.members {
            Members::Session(session) | Members::Agents { session, .. } => Some(session),
            Members::All(session) => session,
            Members::Rewind(_) | Members::Command { .. } => None,
        };
        match (deed.origin, deed.actor, deed.session) {
            (ChangeOrigin::Outside, _, _) => Ok(PathAuthor::Outside.who().to_owned()),
            (ChangeOrigin::Rewind, _, _) => Ok("a rewind".to_owned()),
            (_, Some(actor), session) if session.is_some() && session == own => self.agent(db, actor),
            (_, _, Some(session)) => self.session(db, session),
            (_, Some(actor), None) => self.agent(db, actor),
            (_, None, None) => Ok("several agents".to_owned()),
        }
    }

    fn session(&self, db: &Db, session: ActorId) -> Result<String, StoreError> {
        if let Some(known) = self.sessions.borrow().get(&session) {
            return Ok(known.clone());
        }
        let found = actors::conversation(db, session)?;
        let name = found.map_or_else(
            || "another session".to_owned(),
            |found| format!("session {}", session_name(&found)),
        );
        self.sessions.borrow_mut().insert(session, name.clone());
        Ok(name)
    }

    fn agent(&self, db: &Db, actor: ActorId) -> Result<String, StoreError> {
        if let Some(known) = self.agents.borrow().get(&actor) {
            return Ok(known.clone());
        }
        let found = actors::by_id(db, actor)?;
        let name = found.map_or_else(|| "an agent".to_owned(), |found| agent_name(&found));
        self.agents.borrow_mut().insert(actor, name.clone());
        Ok(name)
    }
}

/// An agent, and those it started.
fn with_those_below(db: &Db, agent: ActorId) -> Result<BTreeSet<ActorId>, StoreError> {
    let mut agents = BTreeSet::from([agent]);
    agents.extend(actors::below(db, agent)?);
    Ok(agents)
}

/// `the main agent`, `subagent a3f2`.
pub fn agent_name(actor: &Actor) -> String {
    match &actor.key.agent {
        None => "the main agent".to_owned(),
        Some(id) => format!("subagent {}", shortened(id.as_str(), SHORT_AGENT)),
    }
}

/// A session's name as people see it: the day it was first seen, and the first characters of its id.
pub fn session_name(conversation: &Conversation) -> String {
    let id = conversation.client_session.as_str();
    let day = conversation
        .alias
        .as_deref()
        .and_then(|alias| alias.strip_suffix(id));
    format!(
        "{}{}",
        plain(day.unwrap_or_default()),
        shortened(id, SHORT_SESSION)
    )
}

fn shortened(id: &str, length: usize) -> String {
    plain(id).chars().take(length).collect()
}

/// The checkpoints in which a command's doing cannot be told from its neighbours': the first after it that holds
/// changes several calls may have made.
pub fn together(
    before: &Checkpoint,
    later: &[(CheckpointId, Option<u64>, RewindChange)],
) -> BTreeSet<CheckpointId> {
    let is_mixed = |deed: &RewindChange| {
        deed.call.is_none()
            && match deed.origin {
                ChangeOrigin::Shared => true,
                ChangeOrigin::Shell => deed.actor == before.actor,
                ChangeOrigin::Tool | ChangeOrigin::Outside | ChangeOrigin::Rewind => false,
            }
    };
    let first = later
        .iter()
        .find(|(_, turn, deed)| *turn == before.turn && is_mixed(deed));
    first.map(|(id, _, _)| id.clone()).into_iter().collect()
}
