//! What each event means for checkpoints. Pure: the event, whether it was denied, the settings; nothing else.
//!
//! | Event | Checkpoint | Scan before it |
//! |---|---|---|
//! | prompt | `interrupted` if it closed an open turn; `baseline` for the first here, else `outside` | always |
//! | call that may write is about to run | none; its file is kept before the reply, captures under way are waited for | |
//! | call ran or failed | none of its own; a `step` soon, for clients that report no batches | if unlisted |
//! | batch of calls | `step`, if one of them may have written | if unlisted |
//! | update of the todo list | names the newest `step` before it; with `steps = "todo"` it cuts one itself | if unlisted |
//! | agent begins, ends | `agent-start`, `agent-stop`: one of each per run, whichever events tell of it | never, if roamed |
//! | stop, stop by an error | `turn` | if roamed |
//! | stop we held back | `step`; the turn stays open | if roamed |
//! | session ends, process gone | `interrupted` if a turn was open; `agent-stop` for agents that are left | if roamed |
//!
//! Three rules explain the rest. A denied call never ran and a denied prompt opened no turn: neither leaves a
//! checkpoint. The client's own summariser (an agent with an empty type) is counted, never kept. Commits are linked
//! only behind a cut that is made at once, because the rows that a commit is recognised by are written by it.

mod agent;
mod call;

use super::CheckpointKind;
use super::label::{self, AgentMoment};
use super::todo::TodoLabel;
use super::work::{
    CheckpointOwner, CheckpointTask, CutKey, CutOrder, CutTime, LabelRule, Roaming, ScanNeed, TranscriptJob,
    TranscriptOf,
};
use crate::event::{Event, EventKind, PromptOrigin};
use crate::id::ToolUseId;
use crate::lifecycle::denial_continues;
use crate::settings::{CheckpointSettings, Steps};
use crate::tool::WriteReach;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Milliseconds over which steps of a client without batches become one.
pub const COALESCED_MS: u64 = 1_000;

/// What the event means, in order. For calls before they run: the event with the input that will run.
pub fn work(event: &Event, denied: bool, settings: &CheckpointSettings) -> Vec<CheckpointTask> {
    let mut work = if denied {
        if_denied(event, settings)
    } else {
        if_passed(event, settings)
    };
    if !settings.enabled {
        // Usage is counted all the same.
        work.retain(|work| matches!(work, CheckpointTask::TranscriptRead(_)));
    }
    work
}

/// The files a payload names: the one a call writes, those it says it changed, those that the calls of a batch wrote.
pub fn named_paths(event: &Event) -> Vec<PathBuf> {
    match &event.kind {
        EventKind::ToolAfter { call, changed, .. } => match (call.action().reach(), changed) {
            (WriteReach::Path(path), _) => vec![path.to_owned()],
            (WriteReach::Anything, Some(changed)) => changed.paths.clone(),
            (WriteReach::Anything, None) | (WriteReach::Nothing, _) => Vec::new(),
        },
        EventKind::ToolBefore { call } | EventKind::ToolFailed { call, .. } => match call.action().reach() {
            WriteReach::Path(path) => vec![path.to_owned()],
            WriteReach::Anything | WriteReach::Nothing => Vec::new(),
        },
        EventKind::ToolBatch { calls } => {
            let written = calls.iter().filter_map(|call| match call.call.action().reach() {
                WriteReach::Path(path) => Some(path.to_owned()),
                WriteReach::Anything | WriteReach::Nothing => None,
            });
            written.collect::<BTreeSet<_>>().into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// Whether the files that a payload names are what a tool is about to write, or has written: these are read before the
/// reply. What a command says it changed is dated instead.
pub fn writes_what_it_names(event: &Event) -> bool {
    match &event.kind {
        EventKind::ToolBefore { call }
        | EventKind::ToolAfter { call, .. }
        | EventKind::ToolFailed { call, .. } => matches!(call.action().reach(), WriteReach::Path(_)),
        EventKind::ToolBatch { .. } => true,
        _ => false,
    }
}

/// Whether the event can close a turn that was cut off.
pub fn may_interrupt(event: &Event) -> bool {
    matches!(
        event.kind,
        EventKind::Prompt { .. } | EventKind::SessionEnd { .. } | EventKind::Notification { .. }
    )
}

/// What it means that an agent's process is gone and no event told of it.
pub fn vanished() -> Vec<CheckpointTask> {
    let mut work = ended(ScanNeed::IfRoamed);
    work.push(CheckpointTask::LinkCommits);
    work.push(CheckpointTask::TranscriptRead(TranscriptJob {
        of: TranscriptOf::Main,
        path: None,
        closing: true,
    }));
    work
}

/// The checkpoint before a destructive command that will or may run; the reply waits for it.
pub fn before(command: &str, call: &ToolUseId) -> CutOrder {
    CutOrder {
        key: CutKey::Call(call.clone()),
        ..cut(
            CheckpointKind::Before,
            ScanNeed::Always,
            LabelRule::Text(label::before(command)),
        )
    }
}

fn if_denied(event: &Event, settings: &CheckpointSettings) -> Vec<CheckpointTask> {
    match &event.kind {
        EventKind::Prompt {
            origin: PromptOrigin::Person,
            ..
        } => {
            let mut work = ended(ScanNeed::Always);
            work.extend([CheckpointTask::LinkCommits, main_transcript(event, true)]);
            work
        }
        EventKind::Prompt {
            origin: PromptOrigin::Notification(_),
            ..
        }
        | EventKind::ToolBefore { .. } => Vec::new(),
        _ if denial_continues(event) && !agent::is_summariser(event) => step(settings, ScanNeed::IfRoamed),
        _ if denial_continues(event) => Vec::new(),
        // Nothing else can be denied that happened already.
        _ => if_passed(event, settings),
    }
}

fn if_passed(event: &Event, settings: &CheckpointSettings) -> Vec<CheckpointTask> {
    match &event.kind {
        EventKind::SessionStart { .. } => vec![CheckpointTask::WarmScan, main_transcript(event, false)],
        EventKind::SessionEnd { .. } => {
            let mut work = ended(ScanNeed::IfRoamed);
            work.extend([CheckpointTask::LinkCommits, main_transcript(event, true)]);
            work
        }
        EventKind::Prompt { origin, .. } => prompt(event, origin),
        EventKind::ToolBefore { call } => call::about_to_run(call, event),
        EventKind::ToolAfter {
            call,
            spawned,
            changed,
            todo,
            ..
        } => call::ran(
            (call, event),
            spawned.as_ref(),
            changed.as_ref(),
            todo.as_ref(),
            settings,
        ),
        EventKind::ToolFailed { call, .. } => call::failed((call, event), settings),
        EventKind::PermissionDenied { call, .. } => call::roam(call, Roaming::NotRun).into_iter().collect(),
        EventKind::ToolBatch { calls } => call::batch(calls, settings),
        EventKind::TurnFailed { .. } if event.actor.agent.is_some() => {
            agent::ended(event, AgentMoment::Failed, None)
        }
        EventKind::TurnEnd { .. } | EventKind::TurnFailed { .. } => turn(event),
        EventKind::TeammateIdle { .. } => step(settings, ScanNeed::IfRoamed),
        EventKind::AgentStart => agent::began(event),
        EventKind::AgentStop { transcript, .. } => {
            agent::ended(event, AgentMoment::Finished, transcript.as_deref())
        }
        EventKind::TaskCreated { task_id, subject } | EventKind::TaskCompleted { task_id, subject } => {
            vec![CheckpointTask::NameTask {
                task: task_id.clone(),
                subject: subject.clone(),
            }]
        }
        // The client waits for the person: a turn that is still open was cut off.
        EventKind::Notification { kind, .. } if kind == "idle_prompt" => {
            let mut work = ended(ScanNeed::IfRoamed);
            work.extend([CheckpointTask::LinkCommits, main_transcript(event, true)]);
            work
        }
        EventKind::CompactAfter { .. } => vec![main_transcript(event, false)],
        EventKind::Setup { .. }
        | EventKind::InstructionsLoaded { .. }
        | EventKind::PromptExpansion { .. }
        | EventKind::PermissionRequest { .. }
        | EventKind::Notification { .. }
        | EventKind::Elicitation { .. }
        | EventKind::ElicitationResult { .. }
        | EventKind::CompactBefore { .. }
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

/// Nothing else tells of an interrupt, so a person's prompt closes what is open; a notification interrupts nobody.
fn prompt(event: &Event, origin: &PromptOrigin) -> Vec<CheckpointTask> {
    let mut work = match origin {
        PromptOrigin::Person => ended(ScanNeed::Always),
        PromptOrigin::Notification(_) => Vec::new(),
    };
    work.extend([
        CheckpointTask::Baseline,
        CheckpointTask::Cut(cut(CheckpointKind::Outside, ScanNeed::Always, LabelRule::Outside)),
        CheckpointTask::LinkCommits,
        main_transcript(event, false),
    ]);
    work
}

fn step(settings: &CheckpointSettings, scan: ScanNeed) -> Vec<CheckpointTask> {
    match settings.steps {
        Steps::Batch => cut_step(None, scan),
        Steps::Off | Steps::Todo => Vec::new(),
    }
}

fn cut_step(label: Option<TodoLabel>, scan: ScanNeed) -> Vec<CheckpointTask> {
    vec![
        CheckpointTask::Cut(cut(CheckpointKind::Step, scan, LabelRule::Step(label))),
        CheckpointTask::LinkCommits,
    ]
}

fn turn(event: &Event) -> Vec<CheckpointTask> {
    vec![
        CheckpointTask::Cut(cut(CheckpointKind::Turn, ScanNeed::IfRoamed, LabelRule::Prompt)),
        CheckpointTask::LinkCommits,
        main_transcript(event, true),
    ]
}

/// Everything of the actor that was open is closed: its turn, and agents that nobody waits for any more.
fn ended(scan: ScanNeed) -> Vec<CheckpointTask> {
    let turn = CutOrder {
        when: CutTime::IfInterrupted,
        ..cut(CheckpointKind::Interrupted, scan, LabelRule::Prompt)
    };
    vec![
        CheckpointTask::Cut(turn),
        agent::cut_for(
            CheckpointKind::AgentStop,
            CheckpointOwner::Ended,
            ScanNeed::Never,
            AgentMoment::Failed,
        ),
    ]
}

fn cut(kind: CheckpointKind, scan: ScanNeed, label: LabelRule) -> CutOrder {
    CutOrder {
        kind,
        whose: CheckpointOwner::Actor,
        key: CutKey::Event,
        scan,
        label,
        when: CutTime::Now,
    }
}

fn main_transcript(event: &Event, closing: bool) -> CheckpointTask {
    CheckpointTask::TranscriptRead(TranscriptJob {
        of: TranscriptOf::Main,
        path: event.transcript.clone(),
        closing,
    })
}

#[cfg(test)]
mod tests;
