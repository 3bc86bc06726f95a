//! What a rewind is about: the checkpoint, and whose changes are taken back.

use crate::command::checkpoint::address::{Address, Found, find};
use crate::command::checkpoint::entry;
use crate::command::checkpoint::place::Here;
use crate::command::checkpoint::session::{choose, title};
use crate::failure::{Failure, Kind};
use ::daemon::checkpoint::rewind::Whose;
use ::daemon::checkpoint::rewind::circle::agent_name;
use ::daemon::environment::Environment;
use clap::ValueEnum;
use engine::id::ActorId;
use engine::text::one_line;
use engine::text::path_word;
use std::os::unix::ffi::OsStrExt;
use store::table::actors::{self, Actor, Conversation};
use store::table::checkpoints::Checkpoint;
use store::table::worktrees;

/// Whose changes are taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Scope {
    /// Those of the session: its main agent and its subagents
    Session,
    /// Those of one agent and of the agents it started
    Agent,
    /// Everybody's
    All,
}

/// What was asked for.
pub struct Asked<'a> {
    /// The address.
    pub at: &'a str,
    /// `--session`
    pub session: Option<&'a str>,
    /// `--scope`
    pub scope: Option<Scope>,
    /// `--agent`
    pub agent: Option<&'a str>,
}

/// What a rewind is about.
pub struct Target {
    /// The checkpoint.
    pub checkpoint: Checkpoint,
    /// What the person calls it.
    pub name: String,
    /// Whose changes are taken back.
    pub whose: Whose,
    /// The first line of the page.
    pub heading: String,
}

impl Target {
    /// Looks everything up.
    pub fn of(here: &Here, environment: &Environment, asked: &Asked<'_>) -> Result<Self, Failure> {
        let found = find(here, environment, asked.at, asked.session)?;
        if found.checkpoint.worktree != here.worktree {
            return Err(elsewhere(here, &found.checkpoint)?);
        }
        let session = session(here, environment, asked, &found)?;
        let scope = match (asked.scope, asked.agent) {
            (Some(scope), _) => scope,
            (None, Some(_)) => Scope::Agent,
            (None, None) => Scope::Session,
        };
        let (whose, subject) = match (scope, &session) {
            (Scope::All, session) => (
                Whose::All(session.as_ref().map(|session| session.session)),
                "everything".to_owned(),
            ),
            (Scope::Session | Scope::Agent, None) => return Err(nobody()),
            (Scope::Session, Some(session)) => (Whose::Session(session.session), title(session)),
            (Scope::Agent, Some(session)) => {
                let agent = agent(here, asked, &found, session)?;
                let whose = Whose::Agent {
                    session: session.session,
                    agent: agent.id,
                };
                (whose, format!("{} of {}", agent_name(&agent), title(session)))
            }
        };
        let name = one_line(asked.at, 40);
        let heading = format!(
            "Rewind {subject} to {name} \"{}\" ({})",
            entry::label(&found.checkpoint),
            found.checkpoint.id
        );
        Ok(Self {
            checkpoint: found.checkpoint,
            name,
            whose,
            heading,
        })
    }
}

/// The session whose changes are meant: the one the address was read in, or the checkpoint's own.
fn session(
    here: &Here,
    environment: &Environment,
    asked: &Asked<'_>,
    found: &Found,
) -> Result<Option<Conversation>, Failure> {
    if let Some(chosen) = &found.session {
        return Ok(Some(chosen.conversation.clone()));
    }
    if asked.session.is_none()
        && let Some(own) = found.checkpoint.session
    {
        return Ok(here.read(|db| actors::conversation(db, own))?);
    }
    Ok(choose(here, environment, asked.session)?.map(|chosen| chosen.conversation))
}

/// The agent that is meant: the named one, that of the address, or the one whose checkpoint it is.
fn agent(here: &Here, asked: &Asked<'_>, found: &Found, session: &Conversation) -> Result<Actor, Failure> {
    let by_id = |id: ActorId| here.read(|db| actors::by_id(db, id));
    let text = match (asked.agent, &found.address) {
        (Some("main"), _) => return by_id(session.session)?.ok_or_else(nobody),
        (Some(text), _) => text,
        (None, Address::Agent { id, .. }) => id,
        (None, _) => {
            let own = found.checkpoint.actor.map(by_id).transpose()?.flatten();
            return own.filter(|own| own.key.agent.is_some()).ok_or_else(|| {
                Failure::saying(
                    Kind::WrongUse,
                    "`--scope agent` needs `--agent`, and that checkpoint is no agent's",
                )
            });
        }
    };
    let main = by_id(session.session)?.ok_or_else(nobody)?;
    let mut fitting = here.read(|db| actors::agents_like(db, &main.key, text))?;
    let shown = one_line(text, 80);
    match (fitting.pop(), fitting.as_slice()) {
        (Some(only), []) => Ok(only),
        (None, _) => Err(Failure::saying(
            Kind::NoMatch,
            format!("this session has no agent \"{shown}\""),
        )),
        (Some(last), others) => {
            let all = others.iter().chain([&last]);
            let ids = all.filter_map(|agent| agent.key.agent.as_ref());
            let ids: Vec<String> = ids.map(|id| one_line(id.as_str(), 40)).collect();
            Err(Failure::saying(
                Kind::NoMatch,
                format!("\"{shown}\" fits {} agents: {}", ids.len(), ids.join(", ")),
            ))
        }
    }
}

fn elsewhere(here: &Here, checkpoint: &Checkpoint) -> Result<Failure, Failure> {
    let row = here.read(|db| worktrees::by_id(db, checkpoint.worktree))?;
    let root = row.map(|row| row.root).unwrap_or_default();
    Ok(Failure::saying(
        Kind::NoMatch,
        format!("{} is a checkpoint of another worktree", checkpoint.id),
    )
    .hint(format!("cd {}", path_word(root.as_os_str().as_bytes()))))
}

fn nobody() -> Failure {
    Failure::saying(Kind::NoMatch, "that checkpoint belongs to no session")
        .hint("`--scope all` takes back everybody's changes, `--session` names a session")
}
