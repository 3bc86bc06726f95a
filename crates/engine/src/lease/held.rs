//! Leases as a decision sees them: live ones only, with ages instead of moments.

use super::key::FileKey;
use crate::id::{ActorId, LeaseId};
use crate::text::one_line;

/// Characters of a label or a task that are shown.
const LONGEST: usize = 40;

/// An actor, as it is named in messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActorLabel {
    /// Its row.
    pub actor: ActorId,
    /// As people and agents know it: `reviewer@a91c`.
    pub label: String,
    /// The task it was started with.
    pub description: Option<String>,
    /// The person, not an agent.
    pub is_person: bool,
    /// It belongs to the client session of the event's actor.
    pub in_my_session: bool,
}

/// The two kinds of leases.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LeaseKind {
    /// Taken by writing.
    Edit,
    /// Taken by `toprope lease reserve`.
    Reserve,
}

/// A live `edit` lease.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldLease {
    /// Its row.
    pub lease: LeaseId,
    /// The file; of a lease on the whole worktree the path is [`WHOLE_TREE`].
    pub key: FileKey,
    /// The path as messages show it; the command of a lease on the whole worktree.
    pub shown: String,
    /// Who may write: the borrower of a lent lease, else the owner.
    pub who: ActorLabel,
    /// Whose lease it is.
    pub owner: ActorId,
    /// To whom it is lent.
    pub lent_to: Option<ActorId>,
    /// How long it has been held, by the boot clock where that is possible.
    pub held_ms: u64,
    /// How long ago the last successful write was; `None` before the first.
    pub last_write_ms: Option<u64>,
    /// Successful writes.
    pub writes: u64,
    /// A call that writes it is open.
    pub open_call: bool,
    /// A command in the background may write it.
    pub background: bool,
    /// It is held for its call alone: git does not track what the command writes.
    pub call_only: bool,
    /// The holder asked the person for permission, and the call that it asked for is still open.
    pub permission: Option<PermissionQuestion>,
}

/// A question to the person that a holder waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PermissionQuestion {
    /// How long ago it was asked.
    pub ago_ms: u64,
    /// It certainly has no answer yet; a command that was allowed runs for a while.
    pub is_open: bool,
}

/// The pattern of a lease on a whole worktree.
pub const EVERYTHING: &str = "**";
/// What stands for its path: no file's path in a worktree begins with a slash, and one may be called `**`.
pub const WHOLE_TREE: &str = "/**";

/// A live `reserve` lease.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reserved {
    /// Its row.
    pub lease: LeaseId,
    /// Whose it is.
    pub who: ActorLabel,
    /// The path or glob, relative to the worktree.
    pub pattern: String,
    /// Why, in the words of whoever reserved it.
    pub reason: Option<String>,
    /// How long it still lasts.
    pub ends_in_ms: u64,
}

impl ActorLabel {
    /// As texts name it: the label, with the task in quotes.
    pub fn shown(&self) -> String {
        match (self.name(), self.task()) {
            (name, Some(task)) => format!("{name} (\"{task}\")"),
            (name, None) => name,
        }
    }

    /// The same, where parentheses stand around it.
    pub fn shown_within(&self) -> String {
        match (self.name(), self.task()) {
            (name, Some(task)) => format!("{name} \"{task}\""),
            (name, None) => name,
        }
    }

    /// What it is called, without its task.
    pub fn name(&self) -> String {
        if self.is_person {
            "the user".to_owned()
        } else {
            one_line(&self.label, LONGEST)
        }
    }

    /// Foreign text: it does not leave its quotation marks.
    fn task(&self) -> Option<String> {
        let task = self.description.as_deref().map(str::trim);
        let task = task.filter(|task| !task.is_empty() && !self.is_person)?;
        Some(one_line(task, LONGEST).replace('"', "'"))
    }
}

impl LeaseKind {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Edit, Self::Reserve];

    /// Its word in the store and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Edit => "edit",
            Self::Reserve => "reserve",
        }
    }

    /// The kind a word names.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }
}

impl HeldLease {
    /// Whether it is a command's lease on its whole worktree.
    pub fn is_everything(&self) -> bool {
        self.key.path == WHOLE_TREE
    }

    /// What tells an overlap with this lease from others.
    pub fn overlap_key(&self) -> String {
        format!("{} {}", self.lease.0, self.key.path)
    }

    /// Whether nothing was written under it, and nothing that is open or goes on in the background may be.
    pub fn is_unused(&self) -> bool {
        self.writes == 0 && !self.open_call && !self.background
    }
}
