//! What policies may know: rows of the store and answers of the world, gathered before they judge.

use crate::answer::Answers;
use crate::id::NoticeId;
use crate::settings::Settings;
use crate::time::Timestamp;

/// Everything a policy may look at beside the event.
#[derive(Debug, Clone, PartialEq)]
pub struct Facts {
    /// The moment of the decision.
    pub now: Timestamp,
    /// The settings in force for this project.
    pub settings: Settings,
    /// Who acts, as people and agents know it: `main@ab31`.
    pub label: String,
    /// Texts owed to this actor, oldest first.
    pub owed: Vec<OwedNotice>,
    /// The other live actors of the project.
    pub others: Vec<OtherActor>,
    /// What the world answered.
    pub answers: Answers,
}

/// A text owed to the actor of this event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwedNotice {
    /// Its row.
    pub id: NoticeId,
    /// The part it comes from.
    pub kind: String,
    /// The text.
    pub text: String,
}

/// Another live actor of the same project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtherActor {
    /// As people and agents know it.
    pub label: String,
    /// The task it was started with.
    pub description: Option<String>,
    /// Its branch or worktree, where it differs from ours.
    pub place: Option<String>,
    /// When it last did something.
    pub last_seen: Timestamp,
}

impl Facts {
    /// Facts that know nothing: the state before anything was recorded.
    pub fn empty(now: Timestamp, settings: Settings) -> Self {
        Self {
            now,
            settings,
            label: String::new(),
            owed: Vec::new(),
            others: Vec::new(),
            answers: Answers::default(),
        }
    }
}
