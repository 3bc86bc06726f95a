//! What was or would be done, as programs read it.

use crate::command::checkpoint::place::CheckpointPlace;
use crate::failure::Failure;
use ::daemon::checkpoint::path_text::PathText;
use ::daemon::checkpoint::rewind::Proposal;
use ::daemon::checkpoint::rewind::execute::RewindResult;
use ::daemon::checkpoint::rewind::proposal::PathAccount;
use git::object::PathState;
use git::plan::{PathVerdict, Planned};
use serde::Serialize;
use store::table::actors;

/// The order of the fields is that of the JSON object.
#[derive(Debug, Serialize)]
pub struct RewindReport {
    target: String,
    scope: &'static str,
    applied: bool,
    undo: Option<String>,
    rewind: Option<String>,
    actions: Vec<ReportedChange>,
    conflicts: Vec<ReportedConflict>,
    left: Vec<LeftPath>,
}

#[derive(Debug, Serialize)]
struct ReportedChange {
    path: PathText,
    #[serde(rename = "action")]
    word: &'static str,
    by: Option<String>,
    from: Option<String>,
    to: Option<String>,
}

/// Without a path, the whole is in conflict.
#[derive(Debug, Serialize)]
struct ReportedConflict {
    path: Option<PathText>,
    reason: String,
}

#[derive(Debug, Serialize)]
struct LeftPath {
    path: PathText,
    why: &'static str,
}

impl RewindReport {
    /// The same of what was done.
    pub fn done(self, done: &RewindResult) -> Self {
        Self {
            applied: true,
            undo: done.undo.as_ref().map(ToString::to_string),
            rewind: Some(done.rewind.to_string()),
            ..self
        }
    }

    /// What would be done, and what differs `beyond` it.
    pub fn of(
        here: &CheckpointPlace,
        scope: &'static str,
        proposal: &Proposal,
        beyond: &[Planned],
    ) -> Result<Self, Failure> {
        let whole = proposal.plan.whole.iter().map(|reason| ReportedConflict {
            path: None,
            reason: reason.to_string(),
        });
        let mut report = Self {
            target: proposal.target.id.to_string(),
            scope,
            applied: false,
            undo: None,
            rewind: None,
            actions: Vec::new(),
            conflicts: whole.collect(),
            left: Vec::new(),
        };
        for planned in proposal.plan.paths.iter().chain(beyond) {
            let path = PathText::from(&planned.path);
            match &planned.verdict {
                PathVerdict::Nothing => {}
                PathVerdict::Restore { .. }
                | PathVerdict::Recreate { .. }
                | PathVerdict::Mode { .. }
                | PathVerdict::Delete => {
                    report.actions.push(ReportedChange {
                        path,
                        word: planned.verdict.action(),
                        by: by(here, proposal.stories.get(&planned.path))?,
                        from: id(Some(planned.now)),
                        to: id(planned.verdict.goal()),
                    });
                }
                PathVerdict::Leave(why) => report.left.push(LeftPath {
                    path,
                    why: why.word(),
                }),
                PathVerdict::Conflict(reason) => report.conflicts.push(ReportedConflict {
                    path: Some(path),
                    reason: reason.to_string(),
                }),
            }
        }
        Ok(report)
    }
}

/// The content in its stored form.
fn id(state: Option<PathState>) -> Option<String> {
    Some(state?.entry()?.id.to_string())
}

/// The subagent's id, or `main`; nothing where no one agent did it.
fn by(here: &CheckpointPlace, story: Option<&PathAccount>) -> Result<Option<String>, Failure> {
    let Some(actor) = story.and_then(|story| story.actor) else {
        return Ok(None);
    };
    let actor = here.read(|db| actors::by_id(db, actor))?;
    Ok(actor.map(|actor| {
        let agent = actor.key.agent.as_ref();
        agent.map_or_else(|| "main".to_owned(), ToString::to_string)
    }))
}
