//! What somebody wants to be put back.

use engine::id::{ActorId, CheckpointId};
use git::path::RepoPath;
use store::table::checkpoints::{Checkpoint, UndoableOperation};

/// See the module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wish {
    /// What to.
    pub aim: RewindTo,
    /// Only these paths, and what is below them; all if there are none.
    pub only: Vec<RepoPath>,
    /// What becomes of paths in conflict.
    pub conflicts: Conflicts,
}

impl Wish {
    /// Whether a path is one of those that were asked for.
    pub(super) fn is_about(&self, path: &RepoPath) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| path == only || path.is_below(only))
    }
}

/// What files are put back to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RewindTo {
    /// A checkpoint, as far as somebody's changes go.
    Back {
        /// The checkpoint.
        to: Box<Checkpoint>,
        /// What the person calls it.
        name: String,
        /// Whose changes are taken back.
        whose: RewindOwner,
    },
    /// What was before an operation, a rewind or a command that destroyed something; where that is undone, what was
    /// before its undo.
    Undo(Box<UndoableOperation>),
}

/// Whose changes are taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RewindOwner {
    /// Those of a client's session, its subagents' among them.
    Session(ActorId),
    /// Those of one agent and of the agents it started.
    Agent {
        /// The main thread of its session.
        session: ActorId,
        /// The agent.
        agent: ActorId,
    },
    /// Everybody's; those of others than this session are asked for one by one, as conflicts.
    All(Option<ActorId>),
}

impl RewindOwner {
    /// The word for it on the command line and in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Self::Session(_) => "session",
            Self::Agent { .. } => "agent",
            Self::All(_) => "all",
        }
    }

    /// The session and the agent that what is put back counts as the work of.
    pub(super) fn owner(self) -> (Option<ActorId>, Option<ActorId>) {
        match self {
            Self::Session(session) => (Some(session), None),
            Self::Agent { session, agent } => (Some(session), Some(agent)),
            Self::All(_) => (None, None),
        }
    }

    /// Whose changes a checkpoint around a rewind says it was about.
    pub(super) fn of(session: Option<ActorId>, actor: Option<ActorId>) -> Self {
        match (session, actor) {
            (Some(session), Some(agent)) => Self::Agent { session, agent },
            (Some(session), None) => Self::Session(session),
            (None, _) => Self::All(None),
        }
    }
}

/// What becomes of paths that cannot be put back safely.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conflicts {
    /// Any of them stops everything.
    Refuse,
    /// They stay as they are.
    Skip,
    /// They are put back all the same; what they held is kept.
    Force,
}

impl RewindTo {
    /// The checkpoint that holds what files are put back to, for an undo by its id.
    pub fn target(&self) -> &CheckpointId {
        match self {
            Self::Back { to, .. } => &to.id,
            Self::Undo(operation) => &operation.before,
        }
    }

    /// Whether every path that differs is meant, whoever changed it.
    pub(super) fn is_about_all(&self) -> bool {
        match self {
            Self::Back { whose, .. } => matches!(whose, RewindOwner::All(_)),
            Self::Undo(_) => false,
        }
    }

    /// What the checkpoints around it are called.
    pub(super) fn labels(&self) -> (String, String) {
        match self {
            Self::Back { to, name, .. } => {
                let name = named(to, name);
                (format!("Before: rewind to {name}"), format!("Rewound to {name}"))
            }
            Self::Undo(operation) => {
                let what = operation_word(operation);
                let id = operation.id();
                let (act, done) = if operation.is_undone {
                    ("redo", "Redone")
                } else {
                    ("undo", "Undone")
                };
                (
                    format!("Before: {act} of {what} {id}"),
                    format!("{done}: {what} {id}"),
                )
            }
        }
    }

    /// The session and the agent that what is put back counts as the work of.
    pub(super) fn owner(&self) -> (Option<ActorId>, Option<ActorId>) {
        match self {
            Self::Back { whose, .. } => whose.owner(),
            Self::Undo(operation) => (operation.done.session, operation.done.actor),
        }
    }
}

/// What an operation is to people.
pub fn operation_word(operation: &UndoableOperation) -> &'static str {
    if operation.is_command() {
        "command"
    } else {
        "rewind"
    }
}

fn named(to: &Checkpoint, name: &str) -> String {
    if to.id.as_str().starts_with(name) {
        to.id.to_string()
    } else {
        format!("{name} ({})", to.id)
    }
}
