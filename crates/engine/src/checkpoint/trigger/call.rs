//! Calls of tools: what is kept before them, what they touched, when a step follows.

use super::super::CheckpointKind;
use super::super::label::AgentMoment;
use super::super::todo;
use super::super::work::{Cut, LabelRule, Roam, Roaming, Scan, Touch, Touched, When, Whose, Work};
use super::{agent, cut, cut_step, step};
use crate::event::{BatchCall, ChangedFiles, Event, Spawned};
use crate::lease::left;
use crate::settings::{CheckpointSettings, Steps};
use crate::todo::TodoUpdate;
use crate::tool::{Action, Reach, ToolCall};
use std::path::Path;

pub(super) fn about_to_run(call: &ToolCall, event: &Event) -> Vec<Work> {
    if let Action::SpawnAgent { announced: false, .. } = call.action() {
        return call
            .id()
            .map(|id| {
                let whose = Whose::AgentOf(id.clone());
                agent::cut_for(
                    CheckpointKind::AgentStart,
                    whose,
                    Scan::Never,
                    AgentMoment::Starting,
                )
            })
            .into_iter()
            .collect();
    }
    match call.action().reach() {
        Reach::Nothing => Vec::new(),
        Reach::Path(path) => vec![Work::Baseline, Work::Wait, touch(call, Touched::Coming, path)],
        Reach::Anything if left::only_reads(event) => vec![Work::Baseline],
        Reach::Anything => {
            // What the person did until now is seen before the call can write over it.
            let before = cut(CheckpointKind::Outside, Scan::Always, LabelRule::Outside);
            let mut work = vec![Work::Baseline, Work::Cut(before), Work::Wait];
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
) -> Vec<Work> {
    let mut work = match call.action().reach() {
        Reach::Nothing => Vec::new(),
        Reach::Path(path) => vec![touch(call, Touched::Done, path)],
        Reach::Anything => roamed((call, event), changed),
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
fn roamed((call, event): (&ToolCall, &Event), changed: Option<&ChangedFiles>) -> Vec<Work> {
    if left::only_reads(event) {
        // What changes while it runs is not its doing.
        return vec![Work::Baseline];
    }
    let lingers = matches!(call.action(), Action::RunCommand { background: true, .. });
    let mut work = vec![Work::Baseline];
    if let Some(changed) = changed.filter(|changed| !changed.paths.is_empty()) {
        work.push(Work::Touch(Touch {
            when: Touched::Done,
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
pub(super) fn failed((call, event): (&ToolCall, &Event), settings: &CheckpointSettings) -> Vec<Work> {
    let mut work = match (call.action(), call.action().reach()) {
        (Action::SpawnAgent { .. }, _) => agent::ended_with(call, AgentMoment::Failed),
        (_, Reach::Nothing) => Vec::new(),
        (_, Reach::Path(path)) => vec![touch(call, Touched::Done, path)],
        (_, Reach::Anything) => roamed((call, event), None),
    };
    work.extend(step_soon(call, settings));
    work
}

fn updated(update: &TodoUpdate, settings: &CheckpointSettings) -> Vec<Work> {
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
        } => Some(Work::NameTask {
            task: task.clone(),
            subject: subject.clone(),
        }),
        TodoUpdate::List { .. } | TodoUpdate::Created { .. } | TodoUpdate::Changed { .. } => None,
    };
    let step = match settings.steps {
        Steps::Off => Vec::new(),
        Steps::Todo => cut_step(label, Scan::IfUnlisted),
        Steps::Batch => label.map(Work::Todo).into_iter().collect(),
    };
    named.into_iter().chain(step).collect()
}

/// Which clients report batches is not known in advance.
fn step_soon(call: &ToolCall, settings: &CheckpointSettings) -> Vec<Work> {
    if settings.steps != Steps::Batch || call.action().reach() == Reach::Nothing {
        return Vec::new();
    }
    vec![Work::Cut(Cut {
        when: When::Soon,
        ..cut(CheckpointKind::Step, Scan::IfUnlisted, LabelRule::Step(None))
    })]
}

pub(super) fn batch(calls: &[BatchCall], settings: &CheckpointSettings) -> Vec<Work> {
    let ids = calls.iter().filter_map(|call| call.call.id().cloned());
    let mut work = vec![Work::Settle(ids.collect())];
    let may_write = |call: &BatchCall| call.call.action().reach() != Reach::Nothing;
    if calls.iter().any(may_write) {
        work.extend(step(settings, Scan::IfUnlisted));
    }
    work
}

fn touch(call: &ToolCall, when: Touched, path: &Path) -> Work {
    Work::Touch(Touch {
        when,
        paths: vec![path.to_owned()],
        call: call.id().cloned(),
    })
}

pub(super) fn roam(call: &ToolCall, state: Roaming) -> Option<Work> {
    let roams = call.action().reach() == Reach::Anything;
    roams.then(|| {
        Work::Roam(Roam {
            call: call.id().cloned(),
            state,
        })
    })
}
