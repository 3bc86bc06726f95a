//! What there is to do for checkpoints: the words in which [`trigger`](super::trigger) speaks to the daemon.

use super::CheckpointKind;
use super::label::AgentMoment;
use super::todo::TodoLabel;
use crate::id::{AgentId, ToolUseId};
use std::path::PathBuf;

/// One thing to do, in the order of the list it comes in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckpointTask {
    /// Before the reply: captures that are under way read their files before this call can write, and the first
    /// such call of a turn lets the scan of its prompt (in a new worktree: the baseline) be done.
    Wait,
    /// The session has a baseline in this worktree from here on; made now if it has none. Every
    /// [`CheckpointTask::Cut`] implies it as well.
    Baseline,
    /// Files that a payload names.
    Touch(NamedFiles),
    /// A call that may write anything begins or ends: what a scan finds meanwhile may be its work.
    Roam(Roam),
    /// The batch of these calls is over, and with it all that the client's own hooks did after them. Calls of the actor
    /// that are still open did not run (denied, refused): their [`Roaming::Begins`] counts no longer.
    Settle(Vec<ToolUseId>),
    /// The label of the actor's newest step since its last update: it names the work just finished.
    Todo(TodoLabel),
    /// The title of a task of this session, for a later [`TodoLabel::Completed`].
    NameTask {
        /// The client's id of it.
        task: String,
        /// Its title.
        subject: String,
    },
    /// The call that started an agent is known: its `agent-start`, perhaps cut before, gets description and parent.
    DescribeAgent {
        /// The agent.
        agent: AgentId,
        /// The call.
        call: ToolUseId,
    },
    /// A checkpoint.
    Cut(CutOrder),
    /// Commits that are new since the last look are linked. Always after the cut that wrote the rows they are linked by.
    LinkCommits,
    /// A transcript is read on from where it was left.
    TranscriptRead(TranscriptJob),
    /// The files are looked at, so that the first scan finds them known; nothing is kept.
    WarmScan,
}

/// Files that a payload names. Their changes have the origin `tool`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedFiles {
    /// Before or after the call.
    pub when: TouchTime,
    /// As the agent or client wrote them; relative ones to the event's `cwd`.
    pub paths: Vec<PathBuf>,
    /// The call.
    pub call: Option<ToolUseId>,
}

/// When a file is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TouchTime {
    /// Before the call: what it holds now is kept, whoever wrote it.
    Coming,
    /// After the call, which may have failed.
    Done,
}

/// A call that may write anything; a command that only reads is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Roam {
    /// The call.
    pub call: Option<ToolUseId>,
    /// What becomes of it.
    pub state: Roaming,
}

/// What becomes of a call that may write anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Roaming {
    /// It is about to run.
    Begins,
    /// It ran.
    Ends {
        /// Everything it changed was named: no scan is needed for it within the turn.
        listed: bool,
    },
    /// Its answer is there but its command goes on.
    Lingers,
    /// It was refused after all.
    NotRun,
}

/// A checkpoint to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CutOrder {
    /// Of which kind. Kinds that are no markers are dropped when nothing changed.
    pub kind: CheckpointKind,
    /// Whose it is.
    pub whose: CheckpointOwner,
    /// What makes it the same checkpoint as one that is there already.
    pub key: CutKey,
    /// Whether the files are looked at first.
    pub scan: ScanNeed,
    /// What it is called.
    pub label: LabelRule,
    /// When it is made.
    pub when: CutTime,
}

/// Whose a checkpoint is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckpointOwner {
    /// The actor's of the event.
    Actor,
    /// This agent's.
    Agent(AgentId),
    /// The agent's that this call started. Where the client names no agents the call itself stands for one.
    AgentOf(ToolUseId),
    /// Of each agent that the event ended, one.
    Ended,
}

/// What makes two cuts of one session, actor and kind the same checkpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CutKey {
    /// The event. If it comes twice, the second finds nothing changed.
    Event,
    /// The run of the agent: several events tell of one end.
    Run,
    /// The call.
    Call(ToolUseId),
}

/// Whether the files are looked at before a cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScanNeed {
    /// They are not.
    Never,
    /// If a call that may write anything ran since the last scan, listed or not.
    IfRoamed,
    /// If such a call left changes that were not listed, and the last scan stayed within its budget.
    IfUnlisted,
    /// In any case.
    Always,
}

/// What a checkpoint is called; made when the files are known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LabelRule {
    /// [`label::turn`](super::label::turn) of the turn's last prompt by a person.
    Prompt,
    /// [`label::outside`](super::label::outside).
    Outside,
    /// This update's label, else [`label::step`](super::label::step), else as the turn.
    Step(Option<TodoLabel>),
    /// [`label::agent`](super::label::agent).
    Agent(AgentMoment),
    /// This text.
    Text(String),
}

/// When a checkpoint is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CutTime {
    /// After the reply.
    Now,
    /// After [`COALESCED_MS`](super::trigger::COALESCED_MS), together with the actor's others that wait. For clients
    /// that report no batches: dropped when a batch of the actor comes first, or one of the session ever came.
    Soon,
    /// Now, if the event closed an open turn of the actor.
    IfInterrupted,
}

/// A transcript to be read on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TranscriptJob {
    /// Whose.
    pub of: TranscriptOf,
    /// Where it is, as the payload says.
    pub path: Option<PathBuf>,
    /// The lines that close the turn are expected: if they are not there yet, it is tried again soon.
    pub closing: bool,
}

/// Whose a transcript is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TranscriptOf {
    /// The session's main thread.
    Main,
    /// The agent of the event.
    Agent,
    /// The client's own helper that summarised the conversation: counted, never kept.
    Compaction,
}
