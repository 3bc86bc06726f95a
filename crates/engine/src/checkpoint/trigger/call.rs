//! Calls of tools: what is kept before them, what they touched, when a step follows.

use super::super::CheckpointKind;
use super::super::label::AgentMoment;
use super::super::todo;
use super::super::work::{
    CheckpointOwner, CheckpointTask, CutOrder, CutTime, LabelRule, NamedFiles, Roam, Roaming, ScanNeed,
    TouchTime,
};
use super::{agent, cut, cut_step, step};
use crate::event::{BatchCall, ChangedFiles, Event, Spawned};
use crate::lease::left;
use crate::settings::{CheckpointSettings, Steps};
use crate::todo::TodoUpdate;
use crate::tool::{Action, ToolCall, WriteReach};
use std::path::Path;

pub(super) fn about_to_run(call: &ToolCall, event: &Event) -> Vec<CheckpointTask> {
    if let Action::SpawnAgent { announced: false, .. } = call.action() {
        return call
            .id()
            .map(|id| {
                let whose = CheckpointOwner::AgentOf(id.clone());
                agent::cut_for(
                    CheckpointKind::AgentStart,
                    whose,
                    ScanNeed::Never,
                    AgentMoment::Starting,
                )
            })
            .into_iter()
            .collect();
    }
    match call.action().reach() {
        WriteReach::Nothing => Vec::new(),
        WriteReach::Path(path) => vec![
            CheckpointTask::Baseline,
            CheckpointTask::Wait,
            touch(call, TouchTime::Coming, path),
        ],
        WriteReach::Anything if left::only_reads(event) => vec![CheckpointTask::Baseline],
        WriteReach::Anything => {
            // What the person did until now is seen before the call can write over it.
            let before = cut(CheckpointKind::Outside, ScanNeed::Always, LabelRule::Outside);
            let mut work = vec![
                CheckpointTask::Baseline,
                CheckpointTask::Cut(before),
                CheckpointTask::Wait,
            ];
            work.extend(roam(call, Roaming::Begins));
            work
        }
    }
}

pub(super) fn ran(
    (call, event): (&ToolCall, &Event),
    spawned: Option<&Spawned>,
    changed: Option<&ChangedFiles>,
    todo: Option<&TodoUpdate>,
    settings: &CheckpointSettings,
) -> Vec<CheckpointTask> {
    let mut work = match call.action().reach() {
        WriteReach::Nothing => Vec::new(),
        WriteReach::Path(path) => vec![touch(call, TouchTime::Done, path)],
        WriteReach::Anything => roamed((call, event), changed),
    };
    if let Some(spawned) = spawned {
        work.extend(agent::answered(call, spawned));
    }
    if let Some(update) = todo {
        work.extend(updated(update, settings));
    }
    work.extend(step_soon(call, settings));
    work
}

/// A call that may write anything is done: what it named, and whether that was all. It may have entered a worktree.
fn roamed((call, event): (&ToolCall, &Event), changed: Option<&ChangedFiles>) -> Vec<CheckpointTask> {
    if left::only_reads(event) {
        // What changes while it runs is not its doing.
        return vec![CheckpointTask::Baseline];
    }
    let lingers = matches!(call.action(), Action::RunCommand { background: true, .. });
    let mut work = vec![CheckpointTask::Baseline];
    if let Some(changed) = changed.filter(|changed| !changed.paths.is_empty()) {
        work.push(CheckpointTask::Touch(NamedFiles {
            when: TouchTime::Done,
            paths: changed.paths.clone(),
            call: call.id().cloned(),
        }));
    }
    work.extend(roam(
        call,
        if lingers {
            Roaming::Lingers
        } else {
            Roaming::Ends {
                listed: changed.is_some_and(|changed| changed.complete),
            }
        },
    ));
    work
}

/// A failed call may have written all the same.
pub(super) fn failed(
    (call, event): (&ToolCall, &Event),
    settings: &CheckpointSettings,
) -> Vec<CheckpointTask> {
    let mut work = match (call.action(), call.action().reach()) {
        (Action::SpawnAgent { .. }, _) => agent::ended_with(call, AgentMoment::Failed),
        (_, WriteReach::Nothing) => Vec::new(),
        (_, WriteReach::Path(path)) => vec![touch(call, TouchTime::Done, path)],
        (_, WriteReach::Anything) => roamed((call, event), None),
    };
    work.extend(step_soon(call, settings));
    work
}

fn updated(update: &TodoUpdate, settings: &CheckpointSettings) -> Vec<CheckpointTask> {
    let label = todo::label(update);
    let named = match update {
        TodoUpdate::Created {
            task: Some(task),
            subject,
        }
        | TodoUpdate::Changed {
            task,
            subject: Some(subject),
            ..
        } => Some(CheckpointTask::NameTask {
            task: task.clone(),
            subject: subject.clone(),
        }),
        TodoUpdate::List { .. } | TodoUpdate::Created { .. } | TodoUpdate::Changed { .. } => None,
    };
    let step = match settings.steps {
        Steps::Off => Vec::new(),
        Steps::Todo => cut_step(label, ScanNeed::IfUnlisted),
        Steps::Batch => label.map(CheckpointTask::Todo).into_iter().collect(),
    };
    named.into_iter().chain(step).collect()
}

/// Which clients report batches is not known in advance.
fn step_soon(call: &ToolCall, settings: &CheckpointSettings) -> Vec<CheckpointTask> {
    if settings.steps != Steps::Batch || call.action().reach() == WriteReach::Nothing {
        return Vec::new();
    }
    vec![CheckpointTask::Cut(CutOrder {
        when: CutTime::Soon,
        ..cut(CheckpointKind::Step, ScanNeed::IfUnlisted, LabelRule::Step(None))
    })]
}

pub(super) fn batch(calls: &[BatchCall], settings: &CheckpointSettings) -> Vec<CheckpointTask> {
    let ids = calls.iter().filter_map(|call| call.call.id().cloned());
    let mut work = vec![CheckpointTask::Settle(ids.collect())];
    let may_write = |call: &BatchCall| call.call.action().reach() != WriteReach::Nothing;
    if calls.iter().any(may_write) {
        work.extend(step(settings, ScanNeed::IfUnlisted));
    }
    work
}

fn touch(call: &ToolCall, when: TouchTime, path: &Path) -> CheckpointTask {
    CheckpointTask::Touch(NamedFiles {
        when,
        paths: vec![path.to_owned()],
        call: call.id().cloned(),
    })
}

pub(super) fn roam(call: &ToolCall, state: Roaming) -> Option<CheckpointTask> {
    let roams = call.action().reach() == WriteReach::Anything;
    roams.then(|| {
        CheckpointTask::Roam(Roam {
            call: call.id().cloned(),
            state,
        })
    })
}
