//! What was or would be done, as programs read it.

use crate::command::checkpoint::place::Here;
use crate::failure::Failure;
use ::daemon::checkpoint::path_text::PathText;
use ::daemon::checkpoint::rewind::Proposal;
use ::daemon::checkpoint::rewind::carrying::Done;
use ::daemon::checkpoint::rewind::proposal::Story;
use git::object::State;
use git::plan::{Planned, Verdict};
use serde::Serialize;
use store::table::actors;

/// The order of the fields is that of the JSON object.
#[derive(Debug, Serialize)]
pub struct Report {
    target: String,
    scope: &'static str,
    applied: bool,
    undo: Option<String>,
    rewind: Option<String>,
    actions: Vec<Deed>,
    conflicts: Vec<Conflict>,
    left: Vec<Left>,
}

#[derive(Debug, Serialize)]
struct Deed {
    path: PathText,
    #[serde(rename = "action")]
    word: &'static str,
    by: Option<String>,
    from: Option<String>,
    to: Option<String>,
}

/// Without a path, the whole is in conflict.
#[derive(Debug, Serialize)]
struct Conflict {
    path: Option<PathText>,
    reason: String,
}

#[derive(Debug, Serialize)]
struct Left {
    path: PathText,
    why: &'static str,
}

impl Report {
    /// The same of what was done.
    pub fn done(self, done: &Done) -> Self {
        Self {
            applied: true,
            undo: done.undo.as_ref().map(ToString::to_string),
            rewind: Some(done.rewind.to_string()),
            ..self
        }
    }

    /// What would be done, and what differs `beyond` it.
    pub fn of(
        here: &Here,
        scope: &'static str,
        proposal: &Proposal,
        beyond: &[Planned],
    ) -> Result<Self, Failure> {
        let whole = proposal.plan.whole.iter().map(|reason| Conflict {
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
                Verdict::Nothing => {}
                Verdict::Restore { .. }
                | Verdict::Recreate { .. }
                | Verdict::Mode { .. }
                | Verdict::Delete => {
                    report.actions.push(Deed {
                        path,
                        word: planned.verdict.action(),
                        by: by(here, proposal.stories.get(&planned.path))?,
                        from: id(Some(planned.now)),
                        to: id(planned.verdict.goal()),
                    });
                }
                Verdict::Leave(why) => report.left.push(Left {
                    path,
                    why: why.word(),
                }),
                Verdict::Conflict(reason) => report.conflicts.push(Conflict {
                    path: Some(path),
                    reason: reason.to_string(),
                }),
            }
        }
        Ok(report)
    }
}

/// The content in its stored form.
fn id(state: Option<State>) -> Option<String> {
    Some(state?.entry()?.id.to_string())
}

/// The subagent's id, or `main`; nothing where no one agent did it.
fn by(here: &Here, story: Option<&Story>) -> Result<Option<String>, Failure> {
    let Some(actor) = story.and_then(|story| story.actor) else {
        return Ok(None);
    };
    let actor = here.read(|db| actors::by_id(db, actor))?;
    Ok(actor.map(|actor| {
        let agent = actor.key.agent.as_ref();
        agent.map_or_else(|| "main".to_owned(), ToString::to_string)
    }))
}
