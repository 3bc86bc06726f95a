//! What is known about leases when a call is judged; read in the event's own transaction.
//!
//! Leases that are over (idle, expired, their process gone) were ended before: everything here is live.

use super::held::{ActorLabel, HeldLease, LeaseKind, Reserved};
use super::key::FileKey;
use super::seen::FileObservation;
use super::target::{FileTarget, Means};
use crate::id::{ActorId, LeaseId, WorktreeId};

/// Everything a decision about leases rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeaseFacts {
    /// Who asks.
    pub me: Me,
    /// The files the call writes, sorted by key, each with what is known of it.
    pub targets: Vec<TargetFacts>,
    /// The worktree that the call changes as a whole, and the command.
    pub bulk: Option<Bulk>,
    /// Others' live `edit` leases in what [`bulk`](Self::bulk) changes, else in the worktree of the event, oldest first, `**` left
    /// out. Read for bulk commands, and for sessions and agents that start.
    pub editing: Vec<HeldLease>,
    /// Another's live `**` in the worktree of [`bulk`](Self::bulk).
    pub everything: Option<HeldLease>,
    /// Live reservations in what [`bulk`](Self::bulk) changes, else in the worktree of the event. Read for bulk commands, and for sessions
    /// and agents that start.
    pub reservations: Vec<Reserved>,
    /// A commit of everything, with what it would take along of others.
    pub commit: Option<PlannedCommit>,
    /// Who waits for what, in all worktrees of the project; without the tickets this event may add.
    pub waits: Vec<WaitEdge>,
    /// The actor's live tickets.
    pub my_tickets: usize,
}

/// Who asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Me {
    /// The actor.
    pub actor: ActorId,
    /// The task it was started with.
    pub description: Option<String>,
    /// The client told of it before it acted; true of every main thread.
    pub announced: bool,
    /// It was started by another agent, and is over with its task.
    pub subagent: bool,
    /// Its parent first, then the parent's parent. Empty for main threads and unsettled parents.
    pub ancestors: Vec<Ancestor>,
    /// The client does not tell subagents apart: every actor of this client session counts as this one.
    pub by_session: bool,
}

/// An actor further up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ancestor {
    /// Which.
    pub actor: ActorId,
    /// It waits for the call that runs the one below it in the foreground.
    pub blocked: bool,
}

/// A command that changes a whole worktree, or parts of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bulk {
    /// Which.
    pub worktree: WorktreeId,
    /// The parts of it, as messages show them; `None` if it is all of it.
    pub scope: Option<String>,
    /// The command as messages show it.
    pub command: String,
}

/// A commit in a worktree.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PlannedCommit {
    /// The root of the worktree, if the commit runs in another folder.
    pub root: Option<String>,
    /// Its options, if they can be written again.
    pub options: Option<String>,
    /// Changed files that others hold, and that it would take along.
    pub others: Vec<HeldLease>,
    /// Changed files that the actor's session wrote, and nobody else holds.
    pub own: Vec<String>,
}

/// What is known of one file the call writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TargetFacts {
    /// The file, its key complete.
    pub target: FileTarget,
    /// The live `edit` lease on it (by path or by file id), else a live `**` of its worktree.
    pub held: Option<HeldLease>,
    /// Live reservations of anyone that cover it.
    pub reserved: Vec<Reserved>,
    /// To whom it is promised, the actor itself included.
    pub offered: Option<Offered>,
    /// Who waits for it, in order, the actor itself included.
    pub waiting: Vec<ActorLabel>,
    /// How often the actor was denied it within the last minute.
    pub my_denials: u32,
    /// How long ago the first of them was.
    pub first_denial_ms: u64,
    /// What the actor last knew of its content.
    pub seen: Option<FileObservation>,
    /// Whose the last change is.
    pub last_change: LastChange,
    /// Its last writer, if that one was cut off (process gone, idle, interrupted) and the file is unchanged since.
    pub left_behind: Option<ActorLabel>,
    /// Who holds the same path in another worktree of the repository; at most a few.
    pub elsewhere: Vec<ActorLabel>,
    /// The actor was told so of this path before.
    pub told_elsewhere: bool,
    /// The actor was told before that its command changed the file while its holder was editing it.
    pub told_overlap: bool,
}

/// A free file that is promised to the next in line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offered {
    /// To whom.
    pub who: ActorLabel,
    /// For how long still.
    pub for_ms: u64,
}

/// Whose the last change of a file is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LastChange {
    /// The actor's own.
    Mine,
    /// Of another actor.
    Of {
        /// Whose.
        who: ActorLabel,
        /// How long ago.
        ago_ms: u64,
        /// What wrote.
        means: Means,
    },
    /// Of nobody we know.
    Outside {
        /// The formatter we ran ourselves, if it was that.
        formatter: Option<String>,
    },
    /// No change is known.
    Nobody,
}

/// One actor waits for one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitEdge {
    /// Who waits.
    pub who: ActorLabel,
    /// For which file.
    pub key: FileKey,
    /// The file as messages show it.
    pub shown: String,
    /// Who has it: the borrower of a lent lease, the owner of a reservation.
    pub held_by: ActorLabel,
    /// The lease that stands in the way.
    pub lease: LeaseId,
    /// Its kind.
    pub kind: LeaseKind,
    /// Nothing was written under it, and no call that is open or goes on in the background may do so.
    pub is_unused: bool,
}

impl LeaseFacts {
    /// Facts of an actor that writes nothing and knows nobody.
    pub fn of(me: Me) -> Self {
        Self {
            me,
            targets: Vec::new(),
            bulk: None,
            editing: Vec::new(),
            everything: None,
            reservations: Vec::new(),
            commit: None,
            waits: Vec::new(),
            my_tickets: 0,
        }
    }
}

impl TargetFacts {
    /// A free file that nobody ever touched.
    pub fn free(target: FileTarget) -> Self {
        Self {
            target,
            held: None,
            reserved: Vec::new(),
            offered: None,
            waiting: Vec::new(),
            my_denials: 0,
            first_denial_ms: 0,
            seen: None,
            last_change: LastChange::Nobody,
            left_behind: None,
            elsewhere: Vec::new(),
            told_elsewhere: false,
            told_overlap: false,
        }
    }
}
