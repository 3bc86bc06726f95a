//! What a decision changes in the store. The pipeline carries effects out in the event's own transaction.

use crate::id::NoticeId;
use crate::lease::LeaseEffect;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// One change.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// A text becomes owed. A pending notice with the same audience, kind and key is replaced.
    Owe(Owed),
    /// A notice was part of this reply.
    Delivered(NoticeId),
    /// What the person reads in their client of this verdict, if it takes effect; of a whole event they read one line.
    TellPerson(String),
    /// Work for after the reply.
    Job(NewJob),
    /// The actor was warned; the second time can be judged differently.
    Warn {
        /// The rule.
        rule: Cow<'static, str>,
        /// What else tells two warnings apart.
        key: String,
    },
    /// The actor was shown what a command would lose: the same again, or a part of it, passes once that was heard.
    Strike(Struck),
    /// A command may destroy something: the state before it is kept before the reply. Only ever granted.
    KeepBefore {
        /// The command.
        command: String,
        /// What is kept beside the files of the worktree.
        also: KeepList,
    },
    /// Beside [`Effect::KeepBefore`]: the model is told which checkpoint was taken, and if none could be, the call does
    /// not pass. Only ever granted.
    MustKeep {
        /// Why it does not pass then.
        otherwise: String,
    },
    /// A person approved this call before; the approval is used by it. Only ever granted.
    SpendApproval {
        /// Its id.
        id: String,
    },
    /// A person may let this through: a request waits for them.
    ParkRequest(Parked),
    /// A person answered a request in a prompt of theirs.
    AnswerRequest {
        /// Its id.
        id: String,
        /// For how long it is granted; `None`: it is refused.
        granted_ms: Option<u64>,
    },
    /// The acting model has read everything it was told so far.
    Hear,
    /// The session's models no longer remember what they were told.
    ForgetWarnings,
    /// The session is over: nobody waits for an answer to its requests any more.
    ExpireRequests,
    /// Another hook's rewrite won over ours: this session is rewritten no more.
    LoseRewrite,
    /// What a policy's verdict rests on.
    Explain(Box<Explanation>),
    /// The session wrote a file that checkpoints do not follow.
    Wrote {
        /// An absolute path.
        path: String,
        /// There was nothing before.
        created: bool,
    },
    /// Something changes about leases.
    Lease(LeaseEffect),
    /// A skill was suggested to the session; it is not again.
    Suggested {
        /// Its name.
        skill: String,
    },
}

/// A strike: what was shown by which rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Struck {
    /// The rule.
    pub rule: String,
    /// What would be lost, in a form that a retry is compared by.
    pub targets: Vec<String>,
}

/// What is kept before a command, beside the files of the worktree.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct KeepList {
    /// Ignored files and folders it would lose, by absolute path.
    pub ignored: Vec<String>,
    /// Folders of which it would lose every ignored file, by absolute path; what builds make again is not kept.
    pub ignored_below: Vec<String>,
    /// Commits that nothing else may hold afterwards.
    pub commits: Vec<KeptCommit>,
    /// Files, folders and patterns it would remove, by absolute path: the checkpoint has to hold every file there.
    pub files: Vec<String>,
    /// Files and folders in which it would take changes back, by absolute path: the checkpoint has to hold every change of a
    /// file git knows.
    pub changes: Vec<String>,
    /// Files and folders in which it would remove what git does not know, by absolute path: the checkpoint has to hold it.
    pub untracked: Vec<String>,
    /// What it takes away beside that and no checkpoint holds, as it is shown.
    pub beside: Vec<String>,
    /// Something that builds make again goes as well: that is in no checkpoint.
    pub made_again: bool,
}

/// A commit to hold: what it is called, and in which folder that is to be asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptCommit {
    /// The folder.
    pub cwd: String,
    /// A revision, or `refs/stash` for every stash there is.
    pub revision: String,
}

/// A request that is left for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parked {
    /// The id the message names.
    pub id: String,
    /// The rule that stopped the call.
    pub rule: String,
    /// The command as a person may see it.
    pub shown: String,
}

/// What a verdict rests on: enough to explain it later, and to judge the same again.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Explanation {
    /// Whose verdict.
    pub policy: &'static str,
    /// The rule that decided.
    pub rule: Option<String>,
    /// Its class.
    pub class: Option<String>,
    /// The part of the command that was judged, redacted.
    pub segment: Option<String>,
    /// How much of the command could be read.
    pub coverage: Option<String>,
    /// The command that runs instead.
    pub rewritten: Option<String>,
    /// The strike that was given, or passed.
    pub strike: Option<Struck>,
    /// The approval that was asked for or used.
    pub approval: Option<String>,
    /// What was known, as JSON.
    pub facts: Option<String>,
    /// The hash of the rules in force.
    pub rules_hash: Option<String>,
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
    /// Name a step by the thing to do that it finished.
    LabelStep,
    /// Link new commits to the work they hold.
    LinkCommits,
    /// Read a transcript on.
    ReadTranscript,
    /// Look at a worktree, so that the first look that counts is quick.
    WarmScan,
    /// Drop checkpoints that are kept no longer.
    TidyCheckpoints,
    /// Put our entries back into an agent's settings.
    PutHooksBack,
}

impl JobKind {
    /// All jobs.
    pub const ALL: [Self; 9] = [
        Self::CaptureStructure,
        Self::PruneLog,
        Self::Checkpoint,
        Self::LabelStep,
        Self::LinkCommits,
        Self::ReadTranscript,
        Self::WarmScan,
        Self::TidyCheckpoints,
        Self::PutHooksBack,
    ];

    /// Its name in the store.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::CaptureStructure => "capture-structure",
            Self::PruneLog => "prune-log",
            Self::Checkpoint => "checkpoint",
            Self::LabelStep => "label-step",
            Self::LinkCommits => "link-commits",
            Self::ReadTranscript => "read-transcript",
            Self::WarmScan => "warm-scan",
            Self::TidyCheckpoints => "tidy-checkpoints",
            Self::PutHooksBack => "put-hooks-back",
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
