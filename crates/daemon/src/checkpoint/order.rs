//! What checkpoint is wanted. As JSON it is the detail of a job, so that a crash loses none.

use engine::checkpoint::CheckpointKind;
use engine::effect::KeepList;
use engine::id::{ActorId, CheckpointId, EventSeq, ToolUseId};
use serde::{Deserialize, Serialize};
use store::table::jobs::Job;

/// A checkpoint to be cut.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    /// The word for its kind.
    pub kind: String,
    /// What it is cut for: the same thing is never cut twice.
    pub trigger: String,
    /// The client's session, by the row of its main thread.
    pub session: Option<ActorId>,
    /// Whose work ends in it.
    pub actor: Option<ActorId>,
    /// The session's turn.
    pub turn: Option<u64>,
    /// What people read; without it, its files or its command say what it is.
    pub label: Option<String>,
    /// The command that ran, for a step nobody named files of.
    #[serde(default)]
    pub command: Option<String>,
    /// The agent's last words.
    pub summary: Option<String>,
    /// The command it is cut before.
    pub call: Option<ToolUseId>,
    /// The event that asked for it.
    pub event: Option<EventSeq>,
    /// Whether the worktree is looked over.
    pub look: ScanOrder,
    /// Before a command: what is kept beside the files.
    #[serde(default)]
    pub also: KeepList,
    /// For a rewind: the checkpoint before it.
    #[serde(default)]
    pub partner: Option<CheckpointId>,
    /// For an undo: what it takes back.
    #[serde(default)]
    pub undoes: Option<CheckpointId>,
}

impl Order {
    /// The order that a job is to carry out; `None` if it has none that can be read.
    pub fn of(job: &Job) -> Option<Self> {
        serde_json::from_str(job.detail.as_deref()?).ok()
    }

    /// One of which nothing else is known: nobody's, and without a look.
    pub fn new(kind: CheckpointKind, trigger: impl Into<String>) -> Self {
        Self {
            kind: kind.as_str().to_owned(),
            trigger: trigger.into(),
            session: None,
            actor: None,
            turn: None,
            label: None,
            command: None,
            summary: None,
            call: None,
            event: None,
            look: ScanOrder::Never,
            also: KeepList::default(),
            partner: None,
            undoes: None,
        }
    }
}

/// Whether the worktree is looked over before a checkpoint is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScanOrder {
    /// In any case.
    Always,
    /// If a call ran since the last look that may have written anything.
    IfWritten,
    /// If such a call did not say what it changed, and looking is quick here.
    IfUnlisted,
    /// Not at all: only what calls named.
    Never,
}
