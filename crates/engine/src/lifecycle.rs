//! What an event means for turns, calls, agents and sessions: the steps the store takes, in order.
//!
//! Pure: the same event always gives the same steps. Which rows they touch is the store's business.

use crate::event::{BackgroundTask, Event, EventKind, PromptOrigin, SpawnResult, Spawned};
use crate::id::AgentId;
use crate::tool::{Action, ToolCall};

mod step;

pub use step::{AgentSpawn, CallEnd, LifecycleStep, OpenCall, SpawnCalls, TurnEnd};

/// What the event means, before it is decided. A stop that the decision holds back takes none of its steps.
pub fn steps(event: &Event) -> Vec<LifecycleStep> {
    match &event.kind {
        EventKind::SessionStart { source, model } => {
            vec![LifecycleStep::OpenSession {
                source: source.clone(),
                model: model.clone(),
            }]
        }
        EventKind::SessionEnd { reason } => {
            let keeps_agents = matches!(reason.as_str(), "clear" | "resume");
            vec![
                LifecycleStep::CloseCalls {
                    how: CallEnd::SessionEnd,
                },
                LifecycleStep::CloseTurn {
                    how: TurnEnd::Interrupted,
                },
                LifecycleStep::EndSession {
                    reason: reason.clone(),
                    keeps_agents,
                },
            ]
        }
        EventKind::Prompt { text, origin } => prompt(text, origin),
        EventKind::ToolBefore { call } => opened(call).into_iter().collect(),
        EventKind::ToolAfter { call, spawned, .. } => {
            let mut steps = closed(call, CallEnd::Done);
            if let Some(spawned) = spawned {
                steps.extend(spawn_answered(call, spawned));
            }
            steps
        }
        EventKind::ToolFailed {
            call, interrupted, ..
        } => failed(call, *interrupted),
        EventKind::PermissionDenied { call, .. } => closed(call, CallEnd::NotRun),
        EventKind::ToolBatch { .. } => vec![LifecycleStep::CloseCalls { how: CallEnd::NotRun }],
        EventKind::TurnEnd { background, .. } => turn_ended(background.as_deref()),
        EventKind::TeammateIdle { .. } => turn_ended(None),
        EventKind::TurnFailed { .. } => turn_failed(event),
        EventKind::AgentStart => vec![LifecycleStep::Announce],
        EventKind::AgentStop { .. } => agent_stopped(event),
        // The client waits for the person: a turn that is still open was cut off.
        EventKind::Notification { kind, .. } if kind == "idle_prompt" => given_up(),
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

/// What is left of [`steps`] when the decision is a denial.
pub fn steps_if_denied(event: &Event) -> Vec<LifecycleStep> {
    match &event.kind {
        EventKind::Prompt {
            origin: PromptOrigin::Person,
            ..
        } => given_up(),
        EventKind::Prompt {
            origin: PromptOrigin::Notification(_),
            ..
        } => Vec::new(),
        _ if denial_continues(event) => Vec::new(),
        _ => steps(event),
    }
}

/// Whether a denial of this event keeps the agent at work, so that nothing of it has ended.
pub fn denial_continues(event: &Event) -> bool {
    matches!(
        event.kind,
        EventKind::TurnEnd { .. } | EventKind::AgentStop { .. } | EventKind::TeammateIdle { .. }
    )
}

/// A person's prompt opens a turn, and nothing else does.
fn prompt(text: &str, origin: &PromptOrigin) -> Vec<LifecycleStep> {
    match origin {
        PromptOrigin::Person => {
            // Nothing else tells of an interrupt: whatever is still open when a person speaks was cut off.
            let mut steps = interrupted();
            steps.push(LifecycleStep::OpenTurn {
                prompt: text.to_owned(),
            });
            steps
        }
        PromptOrigin::Notification(report) => vec![LifecycleStep::ContinueTurn {
            report: report.clone(),
        }],
    }
}

fn interrupted() -> Vec<LifecycleStep> {
    vec![
        LifecycleStep::EndAgentsOf {
            calls: SpawnCalls::Waiting,
            reason: "interrupted",
        },
        LifecycleStep::CloseCalls {
            how: CallEnd::Interrupted,
        },
        LifecycleStep::CloseTurn {
            how: TurnEnd::Interrupted,
        },
    ]
}

/// The same where no new turn follows.
fn given_up() -> Vec<LifecycleStep> {
    let mut steps = interrupted();
    steps.push(LifecycleStep::ReleaseTurn);
    steps
}

fn turn_ended(background: Option<&[BackgroundTask]>) -> Vec<LifecycleStep> {
    let mut steps = vec![
        LifecycleStep::CloseCalls {
            how: CallEnd::Interrupted,
        },
        LifecycleStep::CloseTurn { how: TurnEnd::Done },
        LifecycleStep::ReleaseTurn,
    ];
    if let Some(tasks) = background {
        let running = tasks.iter().filter(|task| task.status == "running");
        steps.push(LifecycleStep::ListAgents {
            running: running.map(|task| AgentId::new(task.id.clone())).collect(),
        });
    }
    steps
}

fn opened(call: &ToolCall) -> Option<LifecycleStep> {
    let spawn = match call.action() {
        Action::SpawnAgent {
            agent_type,
            description,
            background,
            ..
        } => Some(AgentSpawn {
            agent_type: agent_type.clone(),
            description: description.clone(),
            background: *background,
        }),
        _ => None,
    };
    let id = call.id()?.clone();
    Some(LifecycleStep::OpenCall(OpenCall {
        id,
        tool: call.tool().to_owned(),
        spawn,
    }))
}

fn closed(call: &ToolCall, how: CallEnd) -> Vec<LifecycleStep> {
    call.id()
        .map(|id| LifecycleStep::CloseCall { id: id.clone(), how })
        .into_iter()
        .collect()
}

fn failed(call: &ToolCall, interrupted: bool) -> Vec<LifecycleStep> {
    let (how, reason) = if interrupted {
        (CallEnd::Interrupted, "interrupted")
    } else {
        (CallEnd::Failed, "failed")
    };
    let mut steps = closed(call, how);
    if matches!(call.action(), Action::SpawnAgent { .. }) {
        steps.extend(ends_with(call, reason));
    }
    steps
}

fn spawn_answered(call: &ToolCall, spawned: &Spawned) -> Vec<LifecycleStep> {
    let done = spawned.result == SpawnResult::Completed;
    let mut steps = Vec::new();
    let is_nameless = spawned.agent.is_none() && call.id().is_some();
    if done && (spawned.worked || is_nameless) {
        steps.push(LifecycleStep::DoubtIdentity {
            agent: spawned.agent.clone(),
            call: call.id().cloned(),
        });
    }
    let Some(agent) = spawned.agent.clone() else {
        if done {
            steps.extend(ends_with(call, "completed"));
        }
        return steps;
    };
    if spawned.result != SpawnResult::Stopped {
        steps.push(LifecycleStep::LinkAgent {
            agent: agent.clone(),
            call: call.id().cloned(),
        });
    }
    match spawned.result {
        SpawnResult::Completed => steps.push(LifecycleStep::EndAgent {
            agent,
            reason: "completed",
        }),
        SpawnResult::Stopped => steps.push(LifecycleStep::EndAgent {
            agent,
            reason: "stopped",
        }),
        SpawnResult::Launched | SpawnResult::Teammate | SpawnResult::Other(_) => {}
    }
    steps
}

fn ends_with(call: &ToolCall, reason: &'static str) -> Vec<LifecycleStep> {
    call.id()
        .map(|id| LifecycleStep::EndAgentsOf {
            calls: SpawnCalls::One(id.clone()),
            reason,
        })
        .into_iter()
        .collect()
}

fn turn_failed(event: &Event) -> Vec<LifecycleStep> {
    let mut steps = vec![
        LifecycleStep::CloseCalls { how: CallEnd::Failed },
        LifecycleStep::CloseTurn { how: TurnEnd::Failed },
        LifecycleStep::ReleaseTurn,
    ];
    if let Some(agent) = &event.actor.agent {
        steps.push(LifecycleStep::EndAgent {
            agent: agent.clone(),
            reason: "failed",
        });
    }
    steps
}

/// An agent without a type may be the client's own helper (compaction), which was never started: no announcement.
fn agent_stopped(event: &Event) -> Vec<LifecycleStep> {
    let Some(agent) = &event.actor.agent else {
        return vec![LifecycleStep::DoubtIdentity {
            agent: None,
            call: None,
        }];
    };
    let is_typed = event.agent_type.as_deref().is_some_and(|kind| !kind.is_empty());
    let mut steps = Vec::new();
    if is_typed {
        steps.push(LifecycleStep::Announce);
    }
    steps.extend([
        LifecycleStep::CloseCalls {
            how: CallEnd::Interrupted,
        },
        LifecycleStep::CloseTurn { how: TurnEnd::Done },
        LifecycleStep::EndAgent {
            agent: agent.clone(),
            reason: "stopped",
        },
    ]);
    steps
}

#[cfg(test)]
mod tests;
