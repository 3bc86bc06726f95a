//! What else happens when a window opens: its surroundings and the project's structure are kept, approvals whose
//! time is over end, and once a day the log is pruned and checkpoints are thinned out.

use super::effects::EventScope;
use super::{AgentEvent, PreparedEvent};
use crate::checkpoint::retention;
use crate::clock;
use crate::environment::is_for_jobs;
use crate::pruning;
use engine::effect::{JobKind, NewJob};
use engine::event::EventKind;
use engine::id::WorktreeId;
use serde_json::json;
use std::collections::BTreeMap;
use store::StoreError;
use store::table::{actors, approvals, sessions};

/// Keeps what a new window should remember; true if it left work for after the reply.
pub fn open(
    source: &EventScope<'_>,
    subject: &AgentEvent,
    prepared: &PreparedEvent,
    worktree: Option<WorktreeId>,
    is_new: bool,
) -> Result<bool, StoreError> {
    let starts = matches!(subject.event.kind, EventKind::SessionStart { .. });
    if starts || is_new {
        let actor = actors::by_id(source.db, source.actor)?.ok_or(StoreError::Corrupt)?;
        let main = actors::main_of(source.db, &actor)?;
        actors::fix_alias(source.db, main, &clock::day(source.at))?;
        sessions::describe(source.db, source.session, &surroundings(&prepared.env, starts))?;
    }
    if !starts {
        return Ok(false);
    }
    approvals::expire(source.db, source.at)?;
    if let Some(state) = &subject.answers.project_state
        && state.late.is_empty()
    {
        sessions::set_structure(source.db, source.session, &json!(state).to_string())?;
    }
    let mut has_jobs = false;
    if pruning::is_due(source.db, source.at)? {
        source.add_job(&NewJob {
            kind: JobKind::PruneLog,
            key: String::new(),
        })?;
        has_jobs = true;
    }
    if let (Some(project), Some(worktree), true) = (
        source.project,
        worktree,
        subject.loaded.settings.checkpoints.enabled,
    ) && retention::is_due(source.db, project, source.at)?
    {
        source.add_job(&retention::job(worktree))?;
        has_jobs = true;
    }
    Ok(has_jobs)
}

/// What the hook's environment says about a session.
fn surroundings(env: &BTreeMap<String, String>, starts: bool) -> sessions::SessionEnvironment {
    let kept: BTreeMap<&String, &String> = env
        .iter()
        .filter(|(name, _)| starts && is_for_jobs(name))
        .collect();
    sessions::SessionEnvironment {
        attended: env.get("CLAUDE_CODE_SESSION_ATTENDED").map(|word| word == "1"),
        entrypoint: env.get("CLAUDE_CODE_ENTRYPOINT").cloned(),
        env: (!kept.is_empty()).then(|| json!(kept).to_string()),
    }
}
