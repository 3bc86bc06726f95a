//! What policies may know: rows of the store and answers of the world, gathered before they judge.

use crate::answer::Answers;
use crate::id::{ClientSessionId, EventSeq, NoticeId};
use crate::lease::LeaseFacts;
use crate::policy::skills::SkillFacts;
use crate::settings::Settings;
use crate::time::Timestamp;
use std::sync::Arc;

/// Everything a policy may look at beside the event.
#[derive(Debug, Clone, PartialEq)]
pub struct Facts {
    /// The moment of the decision.
    pub now: Timestamp,
    /// The settings in force for this project.
    pub settings: Settings,
    /// Its row in the record, where it has one.
    pub event: Option<EventSeq>,
    /// Who acts, as people and agents know it: `main@ab31`.
    pub label: String,
    /// Texts owed to this actor, oldest first.
    pub owed: Vec<OwedNotice>,
    /// Texts owed to the person about this actor, oldest first; read where somebody watches and would see them.
    pub owed_to_person: Vec<OwedNotice>,
    /// Whether a warning of this actor counts that its model has not read yet.
    pub unheard: bool,
    /// The other live actors of the project.
    pub others: Vec<OtherActor>,
    /// Other sessions with uncommitted work in this worktree on this HEAD; read at prompts only.
    pub pending_elsewhere: Vec<PendingWork>,
    /// A person watches this session and can answer.
    pub attended: bool,
    /// The request a prompt answers, if it waits for an answer.
    pub awaited: Option<String>,
    /// A call of an agent in this project is open, or was a moment ago; read when settings change.
    pub agent_is_busy: bool,
    /// The command a rewrite of ours made of the call that ran; read when it is over.
    pub rewrote: Option<String>,
    /// Who holds what the call writes; read where it writes something.
    pub lease: Option<Box<LeaseFacts>>,
    /// The skills there are; read at prompts only.
    pub skills: Option<Arc<SkillFacts>>,
    /// What the world answered.
    pub answers: Answers,
}

/// Uncommitted work of another session in the worktree of this event, on the same HEAD.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingWork {
    /// The client's id of that session.
    pub session: ClientSessionId,
    /// How people know it: `2026-11-15-ab310c99`.
    pub session_alias: String,
    /// What it is doing.
    pub activity: Activity,
    /// How many files it changed.
    pub files: u64,
    /// Some of them, in the order to be shown.
    pub paths: Vec<String>,
    /// The commit both stand on; empty or all zeros before the first.
    pub head: String,
    /// What that session began with, where it is known.
    pub first_prompt: Option<String>,
    /// The command that continues it.
    pub resume: String,
    /// The acting session was told of it, and nothing changed since.
    pub warned: bool,
}

/// What a session is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activity {
    /// It is inside a turn.
    WorkingNow,
    /// It waits for its person.
    Idle {
        /// When it last did something.
        since: Timestamp,
    },
    /// It is over.
    Ended,
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
            event: None,
            label: String::new(),
            owed: Vec::new(),
            owed_to_person: Vec::new(),
            unheard: false,
            others: Vec::new(),
            pending_elsewhere: Vec::new(),
            attended: true,
            awaited: None,
            agent_is_busy: false,
            rewrote: None,
            lease: None,
            skills: None,
            answers: Answers::default(),
        }
    }
}
