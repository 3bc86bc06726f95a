//! What a decision changes about leases, and why leases end.

use super::key::FileKey;
use super::target::Means;
use crate::id::{ActorId, LeaseId, WorktreeId};

/// One change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LeaseEffect {
    /// The actor gets a file; its ticket for it is used. Only ever granted.
    Take {
        /// Which.
        key: FileKey,
        /// What writes.
        means: Means,
        /// It may be written after the call returned: the lease lasts until the turn ends.
        background: bool,
        /// The lease ends with the call, whatever was written.
        call_only: bool,
    },
    /// The actor gets a whole worktree for this call. Only ever granted.
    TakeAll {
        /// Which.
        worktree: WorktreeId,
        /// For which command.
        command: String,
    },
    /// The actor borrows a lease of an ancestor that waits for it. Only ever granted.
    Lend {
        /// Which.
        lease: LeaseId,
    },
    /// The actor writes again under its own lease: it is touched, and the call is noted. Only ever granted.
    Touch {
        /// Which.
        lease: LeaseId,
        /// It may be written after the call returned: the lease lasts until the turn ends.
        background: bool,
    },
    /// A write under a lease succeeded.
    Wrote {
        /// Which.
        lease: LeaseId,
    },
    /// A call wrote a file that nobody held: it is taken, and the write is counted.
    TakeWritten {
        /// Which.
        key: FileKey,
        /// What wrote.
        means: Means,
    },
    /// A lease is over. Carried out after every [`LeaseEffect::Queue`] of the round, so that who waits is offered it.
    End {
        /// Which.
        lease: LeaseId,
        /// Why.
        reason: EndReason,
    },
    /// The actor was denied a file: it is put in line once, and the denial is counted.
    Queue {
        /// Which file.
        key: FileKey,
        /// As messages show it.
        shown: String,
    },
    /// Another actor is owed a text.
    Tell {
        /// Who.
        actor: ActorId,
        /// The kind of the notice.
        kind: &'static str,
        /// What tells two notices of one kind apart.
        key: String,
        /// The text.
        text: String,
    },
    /// The acting actor was told something that is said once.
    Told {
        /// The kind of the notice.
        kind: &'static str,
        /// What it was about.
        key: String,
    },
}

/// Why a lease ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EndReason {
    /// The holder's turn ended.
    TurnEnd,
    /// The holder ended.
    ActorEnd,
    /// The holder's session ended.
    SessionEnd,
    /// The holder's process was gone.
    ProcessGone,
    /// The holder did nothing for too long.
    Idle,
    /// The call was interrupted.
    Interrupted,
    /// The call ended without a successful write.
    NoWrite,
    /// The holder gave it back.
    Released,
    /// A person took it away.
    Broken,
    /// It was held for one call, which is over.
    CallEnd,
    /// It stood in a circle of waiting actors.
    Deadlock,
    /// Its time was up.
    Expired,
}

impl EndReason {
    /// All of them.
    pub const ALL: [Self; 12] = [
        Self::TurnEnd,
        Self::ActorEnd,
        Self::SessionEnd,
        Self::ProcessGone,
        Self::Idle,
        Self::Interrupted,
        Self::NoWrite,
        Self::Released,
        Self::Broken,
        Self::CallEnd,
        Self::Deadlock,
        Self::Expired,
    ];

    /// Its word in the store and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::TurnEnd => "turn_end",
            Self::ActorEnd => "actor_end",
            Self::SessionEnd => "session_end",
            Self::ProcessGone => "process_gone",
            Self::Idle => "idle",
            Self::Interrupted => "interrupted",
            Self::NoWrite => "no_write",
            Self::Released => "released",
            Self::Broken => "broken",
            Self::CallEnd => "call_end",
            Self::Deadlock => "deadlock",
            Self::Expired => "expired",
        }
    }

    /// The reason a word names.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.as_str() == word)
    }

    /// Whether the holder was cut off: it gets the lease back if it returns and nobody took it since.
    pub fn was_cut_off(self) -> bool {
        matches!(self, Self::Interrupted | Self::Idle | Self::ProcessGone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_is_found_by_its_word() {
        for reason in EndReason::ALL {
            assert_eq!(EndReason::parse(reason.as_str()), Some(reason));
        }
        assert_eq!(EndReason::parse("bored"), None);
    }
}
