//! What a decision changes in the store. The pipeline carries effects out in the event's own transaction.

use crate::id::NoticeId;

/// One change.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// A text becomes owed. A pending notice with the same audience, kind and key is replaced.
    Owe(Owed),
    /// A notice was part of this reply.
    Delivered(NoticeId),
    /// Work for after the reply.
    Job(NewJob),
    /// The actor was warned; the second time can be judged differently.
    Warn {
        /// The rule.
        rule: &'static str,
        /// What else tells two warnings apart.
        key: String,
    },
    /// A command may destroy something: the state before it is kept before the reply. Only ever granted.
    KeepBefore {
        /// The command.
        command: String,
    },
}

/// A text owed to someone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owed {
    /// To whom.
    pub audience: Audience,
    /// The policy or part it comes from.
    pub kind: String,
    /// What tells two notices of one kind apart.
    pub key: String,
    /// The text.
    pub text: String,
}

/// To whom a text is owed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// The actor of this event.
    Actor,
    /// The person.
    Person,
}

/// Work for after the reply; a row, so that a crash loses nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewJob {
    /// Which job.
    pub kind: JobKind,
    /// One waiting job per kind and key.
    pub key: String,
}

/// The jobs this version knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobKind {
    /// Store the project's structure that came too late for the session start.
    CaptureStructure,
    /// Drop what the log keeps no longer.
    PruneLog,
    /// Cut a checkpoint.
    Checkpoint,
    /// Link new commits to the work they hold.
    LinkCommits,
    /// Read a transcript on.
    ReadTranscript,
    /// Look at a worktree, so that the first look that counts is quick.
    WarmScan,
    /// Drop checkpoints that are kept no longer.
    TidyCheckpoints,
}

impl JobKind {
    /// All jobs.
    pub const ALL: [Self; 7] = [
        Self::CaptureStructure,
        Self::PruneLog,
        Self::Checkpoint,
        Self::LinkCommits,
        Self::ReadTranscript,
        Self::WarmScan,
        Self::TidyCheckpoints,
    ];

    /// Its name in the store.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::CaptureStructure => "capture-structure",
            Self::PruneLog => "prune-log",
            Self::Checkpoint => "checkpoint",
            Self::LinkCommits => "link-commits",
            Self::ReadTranscript => "read-transcript",
            Self::WarmScan => "warm-scan",
            Self::TidyCheckpoints => "tidy-checkpoints",
        }
    }

    /// The job a name stands for.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_job_is_found_by_its_name() {
        for kind in JobKind::ALL {
            assert_eq!(JobKind::parse(kind.as_str()), Some(kind));
        }
        assert_eq!(JobKind::parse("sing"), None);
    }
}
