//! What happened, in our words. One variant per thing an agent can report; vendors' shapes stay in `agents`.

use crate::id::{ActorKey, AgentId, DeliveryId, PromptId, ToolUseId};
use crate::time::Timestamp;
use crate::todo::TodoUpdate;
use crate::tool::ToolCall;
use serde_json::Value;
use std::path::PathBuf;

/// One report of an agent.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// The client's own name of the event, as people know it: `PreToolUse`.
    pub name: String,
    /// When it reached us.
    pub at: Timestamp,
    /// Which delivery brought it.
    pub delivery: DeliveryId,
    /// Who acts.
    pub actor: ActorKey,
    /// The kind of agent, as the payload says.
    pub agent_type: Option<String>,
    /// The agent's working directory.
    pub cwd: Option<PathBuf>,
    /// The session's transcript.
    pub transcript: Option<PathBuf>,
    /// The prompt this belongs to.
    pub prompt_id: Option<PromptId>,
    /// The client's permission mode.
    pub permission_mode: Option<String>,
    /// What the client can do with our answer.
    pub can: Abilities,
    /// What happened.
    pub kind: EventKind,
}

/// What an answer to this event can achieve in the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Abilities {
    /// A denial stops the thing.
    pub block: bool,
    /// The person can be asked.
    pub ask: bool,
    /// The input can be replaced.
    pub rewrite: bool,
    /// Text can reach the model.
    pub context: Context,
}

/// Whether text sent with the answer reaches the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Context {
    /// It does not.
    #[default]
    No,
    /// It does, and nothing else happens.
    Heard,
    /// It does, and it keeps a turn going that would have ended.
    Wakes,
}

/// How a session's window came to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StartSource {
    /// A new session.
    Startup,
    /// An old session goes on.
    Resume,
    /// The person cleared the conversation.
    Clear,
    /// The conversation was summarised.
    Compact,
    /// A copy of another session.
    Fork,
    /// A source this version does not know.
    Other(String),
}

impl StartSource {
    /// The word for it, as the client spells it.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Startup => "startup",
            Self::Resume => "resume",
            Self::Clear => "clear",
            Self::Compact => "compact",
            Self::Fork => "fork",
            Self::Other(word) => word,
        }
    }
}

/// Where a prompt comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PromptOrigin {
    /// A person, or the script that stands for one.
    Person,
    /// The client tells of something in the background. It belongs to the turn that launched it.
    Notification(BackgroundReport),
}

/// What a notification tells of. Both ids are absent where a hook wakes the model.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BackgroundReport {
    /// The client's id of the task.
    pub task: Option<String>,
    /// The call that launched it.
    pub call: Option<ToolUseId>,
    /// It has ended; what only reports goes on.
    pub is_over: bool,
}

/// One call in a batch, with what came of it as text.
#[derive(Debug, Clone, PartialEq)]
pub struct BatchCall {
    /// The call.
    pub call: ToolCall,
    /// Its result, as the model gets it.
    pub response: Value,
}

/// A subagent or command that goes on after the turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackgroundTask {
    /// The client's id; for subagents the agent id.
    pub id: String,
    /// The client's word for its kind.
    pub kind: String,
    /// The client's word for its state.
    pub status: String,
}

/// How a subagent's call answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SpawnResult {
    /// The agent is done.
    Completed,
    /// The agent works in the background.
    Launched,
    /// A teammate was started.
    Teammate,
    /// The call started none: it stopped this one.
    Stopped,
    /// A status this version does not know.
    Other(String),
}

/// What happened.
#[derive(Debug, Clone, PartialEq)]
pub enum EventKind {
    /// A window of a session opens.
    SessionStart {
        /// Why.
        source: StartSource,
        /// The model, where the client says it.
        model: Option<String>,
    },
    /// The session ends.
    SessionEnd {
        /// The client's word for why.
        reason: String,
    },
    /// The client prepares a project.
    Setup {
        /// `init` or `maintenance`.
        trigger: String,
    },
    /// Instructions were loaded.
    InstructionsLoaded {
        /// Which file.
        path: PathBuf,
        /// Why.
        load_reason: String,
    },
    /// A prompt was submitted.
    Prompt {
        /// Its text.
        text: String,
        /// Whose it is.
        origin: PromptOrigin,
    },
    /// A slash command expands.
    PromptExpansion {
        /// Its name.
        command: String,
        /// Its arguments.
        arguments: String,
    },
    /// A tool is about to run.
    ToolBefore {
        /// The call.
        call: ToolCall,
    },
    /// A tool ran.
    ToolAfter {
        /// The call, with the input that ran.
        call: ToolCall,
        /// What came back.
        response: Value,
        /// How long it took.
        duration_ms: Option<u64>,
        /// For calls that start agents, or stop them: which one, and how it answered.
        spawned: Option<Spawned>,
        /// For calls that may write anything: what they changed; `None` where the client does not say.
        changed: Option<ChangedFiles>,
        /// For calls that keep the agent's list of things to do: what became of it.
        todo: Option<TodoUpdate>,
    },
    /// A tool ran and failed.
    ToolFailed {
        /// The call.
        call: ToolCall,
        /// The client's text.
        error: String,
        /// The person stopped it.
        interrupted: bool,
        /// How long it took.
        duration_ms: Option<u64>,
    },
    /// All calls of one model step are done.
    ToolBatch {
        /// The calls, denied and malformed ones included.
        calls: Vec<BatchCall>,
    },
    /// The client would ask the person for permission.
    PermissionRequest {
        /// The call.
        call: ToolCall,
    },
    /// The client refused a call.
    PermissionDenied {
        /// The call.
        call: ToolCall,
        /// Why.
        reason: String,
    },
    /// The main thread's turn ends.
    TurnEnd {
        /// An earlier stop was already held back.
        already_continued: bool,
        /// What the agent said last.
        last_message: Option<String>,
        /// What goes on in the background; `None` where the client does not say.
        background: Option<Vec<BackgroundTask>>,
    },
    /// A turn ended by an error of the model's service.
    TurnFailed {
        /// The client's word for it.
        error: String,
    },
    /// A subagent begins, or is revived.
    AgentStart,
    /// A subagent is about to end.
    AgentStop {
        /// An earlier stop was already held back.
        already_continued: bool,
        /// What the agent said last.
        last_message: Option<String>,
        /// Its own transcript.
        transcript: Option<PathBuf>,
    },
    /// A team member is about to idle.
    TeammateIdle {
        /// Its name.
        teammate: String,
    },
    /// The agent noted a task.
    TaskCreated {
        /// The client's id.
        task_id: String,
        /// Its title.
        subject: String,
    },
    /// The agent finished a task.
    TaskCompleted {
        /// The client's id.
        task_id: String,
        /// Its title.
        subject: String,
    },
    /// The client tells the person something.
    Notification {
        /// The client's word for its kind.
        kind: String,
        /// The text.
        message: String,
    },
    /// An MCP server asks the person.
    Elicitation {
        /// Which server.
        server: String,
        /// What it asks.
        message: String,
    },
    /// The answer to an MCP server is known.
    ElicitationResult {
        /// Which server.
        server: String,
        /// `accept`, `decline` or `cancel`.
        action: String,
    },
    /// The conversation is about to be summarised.
    CompactBefore {
        /// `manual` or `auto`.
        trigger: String,
    },
    /// The conversation was summarised.
    CompactAfter {
        /// `manual` or `auto`.
        trigger: String,
    },
    /// The model is about to change.
    ModelSwitchBefore {
        /// The present one.
        from: Option<String>,
        /// The coming one.
        to: Option<String>,
    },
    /// The model changed.
    ModelSwitchAfter {
        /// The earlier one.
        from: Option<String>,
        /// The present one.
        to: Option<String>,
    },
    /// Settings or skills changed on disk.
    ConfigChange {
        /// Which layer.
        source: String,
        /// Which file.
        path: Option<PathBuf>,
    },
    /// The agent's working directory changed.
    CwdChanged {
        /// Before.
        old: Option<PathBuf>,
        /// Now.
        new: Option<PathBuf>,
    },
    /// A watched file changed.
    FileChanged {
        /// Which.
        path: PathBuf,
        /// `change`, `add` or `unlink`.
        change: String,
    },
    /// A directory was added to the session.
    DirectoryAdded {
        /// Which.
        path: PathBuf,
    },
    /// The client wants a worktree made.
    WorktreeCreate {
        /// Its name.
        worktree: String,
    },
    /// The client wants a worktree gone.
    WorktreeRemove {
        /// Where it is.
        path: PathBuf,
    },
    /// The client shows text.
    MessageDisplay {
        /// This is the last piece.
        is_final: bool,
    },
    /// Our own installer or `doctor` asks whether the path answers.
    Probe,
    /// An event this version does not model. Never an error: agents add events faster than we release.
    Unknown,
}

/// The files a call changed, as the client saw it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChangedFiles {
    /// The files, each once, as the client wrote them; may be relative to the event's `cwd`.
    pub paths: Vec<PathBuf>,
    /// There are no others, and the call changes nothing more after this report.
    pub complete: bool,
}

/// The agent a call started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spawned {
    /// Which agent, where the client says.
    pub agent: Option<AgentId>,
    /// How the call answered.
    pub result: SpawnResult,
    /// It used tools itself, as far as the client says.
    pub worked: bool,
}

impl EventKind {
    /// The tool call this event is about, if it is about one.
    pub fn call(&self) -> Option<&ToolCall> {
        match self {
            Self::ToolBefore { call }
            | Self::ToolAfter { call, .. }
            | Self::ToolFailed { call, .. }
            | Self::PermissionRequest { call }
            | Self::PermissionDenied { call, .. } => Some(call),
            _ => None,
        }
    }
}

impl Event {
    /// The id of the tool call this event is about.
    pub fn tool_use_id(&self) -> Option<&ToolUseId> {
        self.kind.call().and_then(ToolCall::id)
    }
}
