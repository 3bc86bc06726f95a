//! What an event means for turns, calls, agents and sessions: the steps the store takes, in order.
//!
//! Pure: the same event always gives the same steps. Which rows they touch is the store's business.

use crate::event::{Event, EventKind, PromptOrigin, SpawnResult, StartSource};
use crate::id::{AgentId, ToolUseId};
use crate::tool::{Action, Background, ToolCall};

/// One change to the life of turns, calls, actors and sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
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
        /// Whose prompt.
        origin: PromptOrigin,
        /// Its text.
        prompt: String,
    },
    /// The acting agent's turn ends.
    CloseTurn {
        /// How.
        how: TurnEnd,
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
    /// Every open call of the acting agent closes, but those in the background.
    CloseCalls {
        /// How.
        how: CallEnd,
    },
    /// The acting agent was named by the client: it is known to exist.
    Announce,
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
}

/// A call that opens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenCall {
    /// Its id.
    pub id: ToolUseId,
    /// The tool.
    pub tool: String,
    /// Starts an agent.
    pub spawn: Option<Spawn>,
}

/// What a call says about the agent it starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spawn {
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
}

/// What the event means, before it is decided. A stop that the decision holds back takes none of its steps.
pub fn steps(event: &Event) -> Vec<Step> {
    match &event.kind {
        EventKind::SessionStart { source, model } => {
            vec![Step::OpenSession {
                source: source.clone(),
                model: model.clone(),
            }]
        }
        EventKind::SessionEnd { reason } => {
            let keeps_agents = matches!(reason.as_str(), "clear" | "resume");
            vec![
                Step::CloseCalls {
                    how: CallEnd::SessionEnd,
                },
                Step::EndSession {
                    reason: reason.clone(),
                    keeps_agents,
                },
            ]
        }
        EventKind::Prompt { text, origin } => prompt(text, *origin),
        EventKind::ToolBefore { call } => opened(call).into_iter().collect(),
        EventKind::ToolAfter { call, spawned, .. } => {
            let mut steps = closed(call, CallEnd::Done);
            if let Some(spawned) = spawned {
                steps.extend(spawn_answered(call, spawned.agent.as_ref(), &spawned.result));
            }
            steps
        }
        EventKind::ToolFailed {
            call, interrupted, ..
        } => closed(
            call,
            if *interrupted {
                CallEnd::Interrupted
            } else {
                CallEnd::Failed
            },
        ),
        EventKind::PermissionDenied { call, .. } => closed(call, CallEnd::NotRun),
        EventKind::ToolBatch { .. } => vec![Step::CloseCalls { how: CallEnd::NotRun }],
        EventKind::TurnEnd { .. } | EventKind::TeammateIdle { .. } => {
            vec![
                Step::CloseCalls {
                    how: CallEnd::Interrupted,
                },
                Step::CloseTurn { how: TurnEnd::Done },
            ]
        }
        EventKind::TurnFailed { .. } => turn_failed(event),
        EventKind::AgentStart => vec![Step::Announce],
        EventKind::AgentStop { .. } => agent_stopped(event),
        EventKind::Setup { .. }
        | EventKind::InstructionsLoaded { .. }
        | EventKind::PromptExpansion { .. }
        | EventKind::PermissionRequest { .. }
        | EventKind::TaskCreated { .. }
        | EventKind::TaskCompleted { .. }
        | EventKind::Notification { .. }
        | EventKind::Elicitation { .. }
        | EventKind::ElicitationResult { .. }
        | EventKind::CompactBefore { .. }
        | EventKind::CompactAfter { .. }
        | EventKind::ModelSwitchBefore { .. }
        | EventKind::ModelSwitchAfter { .. }
        | EventKind::ConfigChange { .. }
        | EventKind::CwdChanged { .. }
        | EventKind::FileChanged { .. }
        | EventKind::DirectoryAdded { .. }
        | EventKind::WorktreeCreate { .. }
        | EventKind::WorktreeRemove { .. }
        | EventKind::MessageDisplay { .. }
        | EventKind::Probe
        | EventKind::Unknown => Vec::new(),
    }
}

/// Whether a denial of this event keeps the agent at work, so that nothing of it has ended.
pub fn denial_continues(event: &Event) -> bool {
    matches!(
        event.kind,
        EventKind::TurnEnd { .. } | EventKind::AgentStop { .. } | EventKind::TeammateIdle { .. }
    )
}

fn prompt(text: &str, origin: PromptOrigin) -> Vec<Step> {
    let open = Step::OpenTurn {
        origin,
        prompt: text.to_owned(),
    };
    match origin {
        // Nothing else tells of an interrupt: whatever is still open when a person speaks was cut off.
        PromptOrigin::Person => vec![
            Step::CloseCalls {
                how: CallEnd::Interrupted,
            },
            Step::CloseTurn {
                how: TurnEnd::Interrupted,
            },
            open,
        ],
        PromptOrigin::Notification => vec![open],
    }
}

fn opened(call: &ToolCall) -> Option<Step> {
    let spawn = match call.action() {
        Action::SpawnAgent {
            agent_type,
            description,
            background,
        } => Some(Spawn {
            agent_type: agent_type.clone(),
            description: description.clone(),
            background: *background,
        }),
        _ => None,
    };
    let id = call.id()?.clone();
    Some(Step::OpenCall(OpenCall {
        id,
        tool: call.tool().to_owned(),
        spawn,
    }))
}

fn closed(call: &ToolCall, how: CallEnd) -> Vec<Step> {
    call.id()
        .map(|id| Step::CloseCall { id: id.clone(), how })
        .into_iter()
        .collect()
}

fn spawn_answered(call: &ToolCall, agent: Option<&AgentId>, result: &SpawnResult) -> Vec<Step> {
    let Some(agent) = agent else { return Vec::new() };
    let mut steps = vec![Step::LinkAgent {
        agent: agent.clone(),
        call: call.id().cloned(),
    }];
    if *result == SpawnResult::Completed {
        steps.push(Step::EndAgent {
            agent: agent.clone(),
            reason: "completed",
        });
    }
    steps
}

fn turn_failed(event: &Event) -> Vec<Step> {
    let mut steps = vec![
        Step::CloseCalls { how: CallEnd::Failed },
        Step::CloseTurn { how: TurnEnd::Failed },
    ];
    if let Some(agent) = &event.actor.agent {
        steps.push(Step::EndAgent {
            agent: agent.clone(),
            reason: "failed",
        });
    }
    steps
}

/// An agent without a type is the client's own helper (compaction): it ends nothing.
fn agent_stopped(event: &Event) -> Vec<Step> {
    let is_helper = event.agent_type.as_deref().is_none_or(str::is_empty);
    match &event.actor.agent {
        Some(agent) if !is_helper => vec![
            Step::Announce,
            Step::CloseCalls {
                how: CallEnd::Interrupted,
            },
            Step::CloseTurn { how: TurnEnd::Done },
            Step::EndAgent {
                agent: agent.clone(),
                reason: "stopped",
            },
        ],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests;
