//! Subagents: one start and one end per run, whichever events tell of them.

use super::super::CheckpointKind;
use super::super::label::AgentMoment;
use super::super::work::{
    CheckpointOwner, CheckpointTask, CutKey, CutOrder, LabelRule, ScanNeed, TranscriptJob, TranscriptOf,
};
use super::cut;
use crate::event::{Event, SpawnResult, Spawned};
use crate::tool::ToolCall;
use std::path::Path;

/// A start without an id names nobody: the call that started the agent tells of it.
pub(super) fn began(event: &Event) -> Vec<CheckpointTask> {
    if event.actor.agent.is_none() {
        return Vec::new();
    }
    vec![
        CheckpointTask::Baseline,
        cut_for(
            CheckpointKind::AgentStart,
            CheckpointOwner::Actor,
            ScanNeed::Never,
            AgentMoment::Starting,
        ),
    ]
}

pub(super) fn ended(event: &Event, moment: AgentMoment, transcript: Option<&Path>) -> Vec<CheckpointTask> {
    if event.actor.agent.is_none() {
        return Vec::new();
    }
    let reading = |of| {
        CheckpointTask::TranscriptRead(TranscriptJob {
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
        stop(CheckpointOwner::Actor, moment),
        CheckpointTask::LinkCommits,
    ]
}

/// The client summarises conversations with an agent of its own, which has an empty type and never starts.
pub(super) fn is_summariser(event: &Event) -> bool {
    event.actor.agent.is_some() && event.agent_type.as_deref() == Some("")
}

/// A launch is no end: `SubagentStop` tells of that.
pub(super) fn answered(call: &ToolCall, spawned: &Spawned) -> Vec<CheckpointTask> {
    let described = spawned.agent.as_ref().zip(call.id());
    let mut work: Vec<CheckpointTask> = described
        .map(|(agent, call)| CheckpointTask::DescribeAgent {
            agent: agent.clone(),
            call: call.clone(),
        })
        .into_iter()
        .collect();
    if spawned.result == SpawnResult::Completed {
        match &spawned.agent {
            Some(agent) => work.push(stop(CheckpointOwner::Agent(agent.clone()), AgentMoment::Finished)),
            None => work.extend(ended_with(call, AgentMoment::Finished)),
        }
    }
    work
}

/// The end of the agent that a call started; other events may have told of it before.
pub(super) fn ended_with(call: &ToolCall, moment: AgentMoment) -> Vec<CheckpointTask> {
    call.id()
        .map(|id| stop(CheckpointOwner::AgentOf(id.clone()), moment))
        .into_iter()
        .collect()
}

fn stop(whose: CheckpointOwner, moment: AgentMoment) -> CheckpointTask {
    cut_for(CheckpointKind::AgentStop, whose, ScanNeed::IfRoamed, moment)
}

pub(super) fn cut_for(
    kind: CheckpointKind,
    whose: CheckpointOwner,
    scan: ScanNeed,
    moment: AgentMoment,
) -> CheckpointTask {
    CheckpointTask::Cut(CutOrder {
        whose,
        key: CutKey::Run,
        ..cut(kind, scan, LabelRule::Agent(moment))
    })
}
