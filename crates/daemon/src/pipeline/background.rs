//! Commands that go on in the background, from the answer to their call to their end: what changes meanwhile, and nobody is
//! known to have changed, may be theirs.
//!
//! The client tells of the end of those it runs in the background itself. What a text sends there with `&` counts until the
//! turn of its actor ends, as the files do that it certainly writes.

use super::Subjected;
use super::effects::Source;
use super::lease::COARSENESS_MS;
use engine::event::{BackgroundTask, EventKind, PromptOrigin, SpawnResult, Spawned};
use engine::id::{ActorId, ProjectId, WorktreeId};
use engine::lease::left::goes_on;
use engine::tool::{Action, ToolCall};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use store::table::session_notes::{self, Note};
use store::table::tokens;
use store::{Db, StoreError};

/// What their notes begin with; the event that told of them follows.
const FRONT: &str = "background ";
/// So many are remembered of an actor.
const MOST: usize = 32;

/// A command in the background.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Running {
    worktree: i64,
    began: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ended: Option<i64>,
    /// The client's id; none where a command sent it to the background itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    task: Option<String>,
}

impl Running {
    /// Whether it ran when a file was changed; when that was may not be known.
    fn explains(&self, worktree: WorktreeId, changed_ms: Option<i64>) -> bool {
        let ran = |at: i64| {
            at.saturating_add(COARSENESS_MS) >= self.began && self.ended.is_none_or(|ended| at <= ended)
        };
        self.worktree == worktree.0 && changed_ms.map_or(self.ended.is_none(), ran)
    }
}

/// Who may have changed a file of a worktree by a command in the background, each once.
pub fn explaining(
    db: &Db,
    project: ProjectId,
    worktree: WorktreeId,
    changed_ms: Option<i64>,
) -> Result<Vec<ActorId>, StoreError> {
    let mut found = Vec::new();
    for note in session_notes::of_live(db, project, FRONT)? {
        let fits = running(&note).is_some_and(|running| running.explains(worktree, changed_ms));
        if fits && !found.contains(&note.actor) {
            found.push(note.actor);
        }
    }
    Ok(found)
}

/// Notes what an event tells of commands in the background.
pub fn note(
    source: &Source<'_>,
    subject: &Subjected,
    worktree: Option<WorktreeId>,
) -> Result<(), StoreError> {
    match &subject.event.kind {
        EventKind::ToolAfter {
            spawned:
                Some(Spawned {
                    result: SpawnResult::Stopped,
                    agent: Some(task),
                    ..
                }),
            ..
        } => end(source, |running, _| {
            running.task.as_deref() == Some(task.as_str())
        }),
        EventKind::ToolAfter { call, response, .. } => began(source, subject, worktree, (call, response)),
        EventKind::Prompt {
            origin: PromptOrigin::Notification,
            text,
        } => end(source, |running, _| {
            let told = running.task.as_ref();
            told.is_some_and(|task| text.contains(task.as_str()))
        }),
        EventKind::TurnEnd { background, .. } => end(source, |running, is_own| match &running.task {
            Some(task) => background.as_ref().is_some_and(|listed| !is_listed(listed, task)),
            None => is_own,
        }),
        EventKind::TurnFailed { .. } => end(source, |running, is_own| is_own && running.task.is_none()),
        // Whatever ran before ended with whoever is here again.
        EventKind::AgentStart | EventKind::SessionStart { .. } => {
            for (key, _) in session_notes::below(source.db, source.actor, FRONT)? {
                session_notes::take(source.db, source.actor, &format!("{FRONT}{key}"))?;
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

fn is_listed(listed: &[BackgroundTask], task: &str) -> bool {
    listed
        .iter()
        .any(|known| known.id == task && known.status == "running")
}

/// A command was answered; perhaps it goes on.
fn began(
    source: &Source<'_>,
    subject: &Subjected,
    worktree: Option<WorktreeId>,
    (call, response): (&ToolCall, &Value),
) -> Result<(), StoreError> {
    let Action::RunCommand { command, background } = call.action() else {
        return Ok(());
    };
    let task = subject.agent.background_task(response);
    if !goes_on(command, *background || task.is_some(), &subject.event) {
        return Ok(());
    }
    if let Some(id) = subject.event.tool_use_id() {
        tokens::go_on_in_background(source.db, source.actor, id)?;
    }
    let Some(worktree) = worktree else {
        return Ok(());
    };
    let took = i64::try_from(subject.outline.duration_ms.unwrap_or(0)).unwrap_or(0);
    let running = Running {
        worktree: worktree.0,
        began: source.at.0.saturating_sub(took),
        ended: None,
        task,
    };
    let known = session_notes::below(source.db, source.actor, FRONT)?;
    let surplus = known.len().saturating_add(1).saturating_sub(MOST);
    for (key, _) in known.iter().take(surplus) {
        session_notes::take(source.db, source.actor, &format!("{FRONT}{key}"))?;
    }
    let key = format!("{FRONT}{:016}", source.event.0);
    keep(source.db, source.actor, &key, &running)
}

/// Those of the session end that `is_over` says are; it is told whether they are the acting agent's own.
fn end(source: &Source<'_>, is_over: impl Fn(&Running, bool) -> bool) -> Result<(), StoreError> {
    for note in session_notes::of_session(source.db, source.key, FRONT)? {
        let Some(running) = running(&note).filter(|running| running.ended.is_none()) else {
            continue;
        };
        if is_over(&running, note.actor == source.actor) {
            let over = Running {
                ended: Some(source.at.0),
                ..running
            };
            keep(source.db, note.actor, &note.key, &over)?;
        }
    }
    Ok(())
}

fn keep(db: &Db, actor: ActorId, key: &str, running: &Running) -> Result<(), StoreError> {
    // Numbers and a short id.
    let text = serde_json::to_string(running).unwrap_or_default();
    session_notes::set(db, actor, key, &text)
}

fn running(note: &Note) -> Option<Running> {
    serde_json::from_str(&note.text).ok()
}

#[cfg(test)]
mod tests;
