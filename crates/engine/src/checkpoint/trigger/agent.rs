//! Subagents: one start and one end per run, whichever events tell of them.

use super::super::CheckpointKind;
use super::super::label::AgentMoment;
use super::super::work::{Cut, Key, LabelRule, Reading, Scan, TranscriptOf, Whose, Work};
use super::cut;
use crate::event::{Event, SpawnResult, Spawned};
use crate::tool::ToolCall;
use std::path::Path;

/// A start without an id names nobody: the call that started the agent tells of it.
pub(super) fn began(event: &Event) -> Vec<Work> {
    if event.actor.agent.is_none() {
        return Vec::new();
    }
    vec![
        Work::Baseline,
        cut_for(
            CheckpointKind::AgentStart,
            Whose::Actor,
            Scan::Never,
            AgentMoment::Starting,
        ),
    ]
}

pub(super) fn ended(event: &Event, moment: AgentMoment, transcript: Option<&Path>) -> Vec<Work> {
    if event.actor.agent.is_none() {
        return Vec::new();
    }
    let reading = |of| {
        Work::TranscriptRead(Reading {
            of,
            path: transcript.map(Path::to_owned),
            closing: true,
        })
    };
    if is_summariser(event) {
        return vec![reading(TranscriptOf::Compaction)];
    }
    // Read first: the conversation goes into the checkpoint as far as it is there.
    vec![
        reading(TranscriptOf::Agent),
        stop(Whose::Actor, moment),
        Work::LinkCommits,
    ]
}

/// The client summarises conversations with an agent of its own, which has an empty type and never starts.
pub(super) fn is_summariser(event: &Event) -> bool {
    event.actor.agent.is_some() && event.agent_type.as_deref() == Some("")
}

/// A launch is no end: `SubagentStop` tells of that.
pub(super) fn answered(call: &ToolCall, spawned: &Spawned) -> Vec<Work> {
    let described = spawned.agent.as_ref().zip(call.id());
    let mut work: Vec<Work> = described
        .map(|(agent, call)| Work::DescribeAgent {
            agent: agent.clone(),
            call: call.clone(),
        })
        .into_iter()
        .collect();
    if spawned.result == SpawnResult::Completed {
        match &spawned.agent {
            Some(agent) => work.push(stop(Whose::Agent(agent.clone()), AgentMoment::Finished)),
            None => work.extend(ended_with(call, AgentMoment::Finished)),
        }
    }
    work
}

/// The end of the agent that a call started; other events may have told of it before.
pub(super) fn ended_with(call: &ToolCall, moment: AgentMoment) -> Vec<Work> {
    call.id()
        .map(|id| stop(Whose::AgentOf(id.clone()), moment))
        .into_iter()
        .collect()
}

fn stop(whose: Whose, moment: AgentMoment) -> Work {
    cut_for(CheckpointKind::AgentStop, whose, Scan::IfRoamed, moment)
}

pub(super) fn cut_for(kind: CheckpointKind, whose: Whose, scan: Scan, moment: AgentMoment) -> Work {
    Work::Cut(Cut {
        whose,
        key: Key::Run,
        ..cut(kind, scan, LabelRule::Agent(moment))
    })
}
