//! What a line of an agent's transcript says, in words that are no vendor's.

use engine::id::{AgentId, ClientSessionId, PromptId, ToolUseId};
use engine::time::Timestamp;
use engine::usage::MessageUsage;
use serde::{Deserialize, Serialize};

/// One line of a transcript, as far as it concerns us.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TranscriptLine {
    /// Who speaks.
    pub says: Says,
    /// The id of this line. Only lines that have one are part of the conversation.
    pub uuid: Option<String>,
    /// The line this one follows.
    pub parent: Option<String>,
    /// The session, as written in the line.
    pub session: Option<ClientSessionId>,
    /// The subagent that wrote it.
    pub agent: Option<AgentId>,
    /// It is a subagent's work, whether or not it says whose.
    pub is_sidechain: bool,
    /// The prompt it was written for.
    pub prompt: Option<PromptId>,
    /// When it was written.
    pub at: Option<Timestamp>,
    /// What the message it is a part of used; only of [`Says::Reply`].
    pub usage: Option<MessageUsage>,
    /// It closes a turn, unless more of the same turn follows.
    pub close: Option<Close>,
}

/// Who started a subagent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpawnOrigin {
    /// The call that did.
    pub call: ToolUseId,
    /// The subagent whose call it was; `None` for the main thread.
    pub parent: Option<AgentId>,
}

/// What the model called for in a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Calling {
    /// The subagent that the line says it is of.
    pub agent: Option<AgentId>,
    /// The calls.
    pub calls: Vec<ToolUseId>,
}

/// Who speaks in a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Says {
    /// Whoever asks: a turn begins.
    Prompt,
    /// Something told to the model within a turn: a tool's result, a hook's feedback.
    Input,
    /// The model.
    Reply,
    /// The client in the model's place, to tell of a failure. It used no tokens.
    Failure,
    /// The client, because the conversation so far gave way to a summary.
    Compaction,
    /// The client, because what follows first is another's: the message that started this agent, copied.
    Fork,
    /// Bookkeeping, context, or something this version does not know.
    Other,
}

/// How a turn was closed by a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Close {
    /// The model ended its last message. Hooks may still send it on.
    Said,
    /// The client settled the turn: its hooks had nothing against it.
    Settled,
    /// A person interrupted.
    Interrupted,
    /// The model could not be reached, or refused.
    Failed,
    /// A hook stopped the prompt before it reached the model.
    Stopped,
}

/// A line on its way into the transcript of a new session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Forked {
    /// It belongs to the old session only.
    LeftOut,
    /// It goes along, rewritten.
    Kept(Vec<u8>),
    /// It goes along, and is the last that does.
    Leaf(Vec<u8>),
}
