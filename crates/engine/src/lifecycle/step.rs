//! The steps themselves: what can happen to a turn, a call, an agent, a session.

use crate::event::{BackgroundReport, StartSource};
use crate::id::{AgentId, ToolUseId};
use crate::tool::Background;

/// One change to the life of turns, calls, actors and sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LifecycleStep {
    /// A window opens for the acting agent; the one before is ended and linked.
    OpenSession {
        /// Why.
        source: StartSource,
        /// The model, where known.
        model: Option<String>,
    },
    /// The whole client session ends.
    EndSession {
        /// The client's word.
        reason: String,
        /// Background agents outlive `clear` and `resume`.
        keeps_agents: bool,
    },
    /// The acting agent's turn begins.
    OpenTurn {
        /// What the person asked.
        prompt: String,
    },
    /// The turn that launched something in the background goes on, unless the acting agent is in a turn already.
    ContinueTurn {
        /// What was launched.
        report: BackgroundReport,
    },
    /// The acting agent's turn ends.
    CloseTurn {
        /// How.
        how: TurnEnd,
    },
    /// What the acting agent held and waited for in its turn is free for others.
    ReleaseTurn,
    /// The client said which agents of the session still run: others that are silent are over.
    ListAgents {
        /// Those that run.
        running: Vec<AgentId>,
    },
    /// A call opens.
    OpenCall(OpenCall),
    /// One call closes.
    CloseCall {
        /// Which.
        id: ToolUseId,
        /// How.
        how: CallEnd,
    },
    /// Every open call of the acting agent closes. A batch closes none that started an agent in the background.
    CloseCalls {
        /// How.
        how: CallEnd,
    },
    /// The acting agent was named by the client: it is known to exist.
    Announce,
    /// An agent did work: if no event came from it, this client does not tell its agents apart.
    DoubtIdentity {
        /// Which, where the client says.
        agent: Option<AgentId>,
        /// The call that started it, where one is known.
        call: Option<ToolUseId>,
    },
    /// An agent belongs to a call of the acting agent.
    LinkAgent {
        /// The agent.
        agent: AgentId,
        /// The call that started it.
        call: Option<ToolUseId>,
    },
    /// A subagent of this session ends.
    EndAgent {
        /// Which.
        agent: AgentId,
        /// Why.
        reason: &'static str,
    },
    /// The agents that calls of the acting agent started end, as far as they are linked.
    EndAgentsOf {
        /// Which calls.
        calls: SpawnCalls,
        /// Why.
        reason: &'static str,
    },
}

impl LifecycleStep {
    /// Whether calls may be cut off by it that nobody told the end of.
    pub fn may_cut_off(&self) -> bool {
        match self {
            Self::OpenSession { source, .. } => *source != StartSource::Compact,
            Self::CloseCalls { how } => *how != CallEnd::NotRun,
            Self::EndSession { .. }
            | Self::ListAgents { .. }
            | Self::EndAgent { .. }
            | Self::EndAgentsOf { .. } => true,
            Self::OpenTurn { .. }
            | Self::ContinueTurn { .. }
            | Self::CloseTurn { .. }
            | Self::ReleaseTurn
            | Self::OpenCall(_)
            | Self::CloseCall { .. }
            | Self::Announce
            | Self::DoubtIdentity { .. }
            | Self::LinkAgent { .. } => false,
        }
    }
}

/// Calls that start agents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SpawnCalls {
    /// This one.
    One(ToolUseId),
    /// Every open one whose caller waits.
    Waiting,
}

/// A call that opens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenCall {
    /// Its id.
    pub id: ToolUseId,
    /// The tool.
    pub tool: String,
    /// Starts an agent.
    pub spawn: Option<AgentSpawn>,
}

/// What a call says about the agent it starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentSpawn {
    /// The kind asked for.
    pub agent_type: Option<String>,
    /// The short description.
    pub description: Option<String>,
    /// Whether the caller goes on.
    pub background: Background,
}

/// How a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnEnd {
    /// The agent stopped.
    Done,
    /// The model's service failed.
    Failed,
    /// A new prompt came while it was open: the person interrupted.
    Interrupted,
}

impl TurnEnd {
    /// The word for it in the store.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Interrupted => "interrupted",
        }
    }
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallEnd {
    /// It ran.
    Done,
    /// It ran and failed.
    Failed,
    /// It was denied, refused or never valid.
    NotRun,
    /// The person stopped it.
    Interrupted,
    /// The session ended around it.
    SessionEnd,
}

impl CallEnd {
    /// The word for it in the store.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Failed => "failed",
            Self::NotRun => "not_run",
            Self::Interrupted => "interrupted",
            Self::SessionEnd => "session_end",
        }
    }

    /// The ending a word of the store names.
    pub fn parse(word: &str) -> Option<Self> {
        [
            Self::Done,
            Self::Failed,
            Self::NotRun,
            Self::Interrupted,
            Self::SessionEnd,
        ]
        .into_iter()
        .find(|ending| ending.as_str() == word)
    }
}
