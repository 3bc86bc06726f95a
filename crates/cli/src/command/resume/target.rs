//! What is to be continued: which session, and after which of its turns.

use super::branch::{self, Choices};
use crate::command::checkpoint::address::{self, Address};
use crate::command::checkpoint::place::CheckpointPlace;
use crate::command::checkpoint::session;
use crate::failure::{Failure, FailureKind};
use ::daemon::environment::Environment;
use engine::id::ActorId;
use engine::text::one_line;
use store::table::actors::{self, Actor, Conversation};
use store::table::checkpoints::{self, AddressScope, Checkpoint, CheckpointKind};
use store::table::turns;

/// A point of a conversation.
#[derive(Debug, Clone)]
pub struct ResumeTarget {
    /// Its main thread.
    pub main: Actor,
    /// Its session.
    pub conversation: Conversation,
    /// The turn it goes on after; `None` where it had none.
    pub turn: Option<u64>,
    /// Whether that is its last turn.
    pub is_last: bool,
    /// The state of the files there.
    pub checkpoint: Option<Checkpoint>,
    /// The branch it was found by.
    pub branch: Option<String>,
}

/// What was asked for.
pub enum ResumeQuery {
    /// One point.
    One(Box<ResumeTarget>),
    /// Several sessions are linked to a branch.
    Several(Choices),
}

impl ResumeQuery {
    /// Reads what was asked for: an address, a branch, or a session, in this order.
    pub fn of(
        here: &CheckpointPlace,
        environment: &Environment,
        what: &str,
        session: Option<&str>,
    ) -> Result<Self, Failure> {
        let read = Address::parse(what);
        // Only digits can be both the beginning of an id and the name of something else.
        let may_be_other = read.as_ref().is_none_or(|read| matches!(read, Address::Id(_)));
        if read.is_some() {
            match address::find(here, environment, what, session) {
                Ok(found) => return ResumeTarget::at(here, &found.checkpoint, &found.address).map(Self::one),
                Err(failure) if !may_be_other => return Err(failure),
                Err(failure) => {
                    return Self::other(here, what)?.ok_or(failure);
                }
            }
        }
        Self::other(here, what)?.ok_or_else(|| {
            let shown = one_line(what, 80);
            Failure::saying(
                FailureKind::NoMatch,
                format!("\"{shown}\" is no checkpoint, no branch and no session of this project"),
            )
            .hint("toprope checkpoint list --all")
        })
    }

    /// One point.
    pub fn one(target: ResumeTarget) -> Self {
        Self::One(Box::new(target))
    }

    fn other(here: &CheckpointPlace, what: &str) -> Result<Option<Self>, Failure> {
        if let Some(found) = branch::find(here, what)? {
            return Ok(Some(found));
        }
        if session::like(here, what)?.is_empty() {
            return Ok(None);
        }
        let found = session::one_like(here, what)?;
        ResumeTarget::end_of(here, found.session).map(|target| Some(Self::one(target)))
    }
}

impl ResumeTarget {
    /// The end of a session.
    pub fn end_of(here: &CheckpointPlace, session: ActorId) -> Result<Self, Failure> {
        let (main, conversation) = known(here, session)?;
        let turn = here.read(|db| turns::range(db, session))?.map(|(_, last)| last);
        let scope = AddressScope {
            session,
            worktree: Some(here.worktree),
        };
        Ok(Self {
            main,
            conversation,
            turn,
            is_last: true,
            checkpoint: here.read(|db| checkpoints::nth_newest(db, &scope, 0, true))?,
            branch: None,
        })
    }

    /// The point of the conversation a checkpoint was made at. An address of a turn that changed nothing finds an
    /// earlier checkpoint, and still means that turn.
    pub fn at(here: &CheckpointPlace, checkpoint: &Checkpoint, address: &Address) -> Result<Self, Failure> {
        let session = checkpoint.session.ok_or_else(|| {
            Failure::saying(
                FailureKind::NoMatch,
                format!(
                    "checkpoint {} belongs to no session, so there is nothing to continue",
                    checkpoint.id
                ),
            )
        })?;
        let turn = match address {
            Address::Turn(number) => Some(*number),
            Address::Id(_)
            | Address::Newest(_)
            | Address::Start
            | Address::Point { .. }
            | Address::Agent { .. }
            | Address::Commit(_) => checkpoint
                .turn
                .filter(|_| checkpoint.kind != CheckpointKind::Baseline),
        };
        let turn = turn.ok_or_else(|| {
            Failure::saying(
                FailureKind::NoMatch,
                "there is no conversation before the first turn",
            )
            .hint("claude")
        })?;
        let (main, conversation) = known(here, session)?;
        let last = here.read(|db| turns::range(db, session))?.map(|(_, last)| last);
        Ok(Self {
            main,
            conversation,
            turn: Some(turn),
            is_last: last.is_none_or(|last| turn >= last),
            checkpoint: Some(checkpoint.clone()),
            branch: None,
        })
    }
}

fn known(here: &CheckpointPlace, session: ActorId) -> Result<(Actor, Conversation), Failure> {
    let gone = || Failure::saying(FailureKind::NoMatch, "the session is no longer known");
    let main = here.read(|db| actors::by_id(db, session))?.ok_or_else(gone)?;
    let conversation = here
        .read(|db| actors::conversation(db, session))?
        .ok_or_else(gone)?;
    Ok((main, conversation))
}
