//! What a rewind is about: the checkpoint, and whose changes are taken back.

use crate::command::checkpoint::address::{Address, ResolvedCheckpoint, find};
use crate::command::checkpoint::entry;
use crate::command::checkpoint::place::CheckpointPlace;
use crate::command::checkpoint::session::{choose, title};
use crate::failure::{Failure, FailureKind};
use ::daemon::checkpoint::rewind::RewindOwner;
use ::daemon::checkpoint::rewind::scope::agent_name;
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
pub enum RewindScopeArg {
    /// Those of the session: its main agent and its subagents
    Session,
    /// Those of one agent and of the agents it started
    Agent,
    /// Everybody's
    All,
}

/// What was asked for.
pub struct RewindRequest<'a> {
    /// The address.
    pub at: &'a str,
    /// `--session`
    pub session: Option<&'a str>,
    /// `--scope`
    pub scope: Option<RewindScopeArg>,
    /// `--agent`
    pub agent: Option<&'a str>,
}

/// What a rewind is about.
pub struct RewindTarget {
    /// The checkpoint.
    pub checkpoint: Checkpoint,
    /// What the person calls it.
    pub name: String,
    /// Whose changes are taken back.
    pub whose: RewindOwner,
    /// The first line of the page.
    pub heading: String,
}

impl RewindTarget {
    /// Looks everything up.
    pub fn of(
        here: &CheckpointPlace,
        environment: &Environment,
        asked: &RewindRequest<'_>,
    ) -> Result<Self, Failure> {
        let found = find(here, environment, asked.at, asked.session)?;
        if found.checkpoint.worktree != here.worktree {
            return Err(elsewhere(here, &found.checkpoint)?);
        }
        let session = session(here, environment, asked, &found)?;
        let scope = match (asked.scope, asked.agent) {
            (Some(scope), _) => scope,
            (None, Some(_)) => RewindScopeArg::Agent,
            (None, None) => RewindScopeArg::Session,
        };
        let (whose, subject) = match (scope, &session) {
            (RewindScopeArg::All, session) => (
                RewindOwner::All(session.as_ref().map(|session| session.session)),
                "everything".to_owned(),
            ),
            (RewindScopeArg::Session | RewindScopeArg::Agent, None) => return Err(nobody()),
            (RewindScopeArg::Session, Some(session)) => {
                (RewindOwner::Session(session.session), title(session))
            }
            (RewindScopeArg::Agent, Some(session)) => {
                let agent = agent(here, asked, &found, session)?;
                let whose = RewindOwner::Agent {
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
    here: &CheckpointPlace,
    environment: &Environment,
    asked: &RewindRequest<'_>,
    found: &ResolvedCheckpoint,
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
fn agent(
    here: &CheckpointPlace,
    asked: &RewindRequest<'_>,
    found: &ResolvedCheckpoint,
    session: &Conversation,
) -> Result<Actor, Failure> {
    let by_id = |id: ActorId| here.read(|db| actors::by_id(db, id));
    let text = match (asked.agent, &found.address) {
        (Some("main"), _) => return by_id(session.session)?.ok_or_else(nobody),
        (Some(text), _) => text,
        (None, Address::Agent { id, .. }) => id,
        (None, _) => {
            let own = found.checkpoint.actor.map(by_id).transpose()?.flatten();
            return own.filter(|own| own.key.agent.is_some()).ok_or_else(|| {
                Failure::saying(
                    FailureKind::WrongUse,
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
            FailureKind::NoMatch,
            format!("this session has no agent \"{shown}\""),
        )),
        (Some(last), others) => {
            let all = others.iter().chain([&last]);
            let ids = all.filter_map(|agent| agent.key.agent.as_ref());
            let ids: Vec<String> = ids.map(|id| one_line(id.as_str(), 40)).collect();
            Err(Failure::saying(
                FailureKind::NoMatch,
                format!("\"{shown}\" fits {} agents: {}", ids.len(), ids.join(", ")),
            ))
        }
    }
}

fn elsewhere(here: &CheckpointPlace, checkpoint: &Checkpoint) -> Result<Failure, Failure> {
    let row = here.read(|db| worktrees::by_id(db, checkpoint.worktree))?;
    let root = row.map(|row| row.root).unwrap_or_default();
    Ok(Failure::saying(
        FailureKind::NoMatch,
        format!("{} is a checkpoint of another worktree", checkpoint.id),
    )
    .hint(format!("cd {}", path_word(root.as_os_str().as_bytes()))))
}

fn nobody() -> Failure {
    Failure::saying(FailureKind::NoMatch, "that checkpoint belongs to no session")
        .hint("`--scope all` takes back everybody's changes, `--session` names a session")
}
