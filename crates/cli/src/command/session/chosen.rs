//! The session a person means.

use crate::failure::{Failure, FailureKind};
use crate::here;
use engine::id::ProjectId;
use engine::text::one_line;
use store::Db;
use store::table::actors::{self, Conversation};

/// More sessions than these are not named when a text fits several.
const NAMED: usize = 10;

/// The one session that a text begins the name or the id of, or whose main thread has this label.
pub fn one(db: &Db, text: &str, hint: &str) -> Result<Conversation, Failure> {
    let mut found = actors::conversations_like(db, text.strip_prefix("main@").unwrap_or(text))?;
    let shown = one_line(text, 80);
    match (found.pop(), found.as_slice()) {
        (Some(session), []) => Ok(session),
        (None, _) => {
            Err(Failure::saying(FailureKind::NoMatch, format!("there is no session `{shown}`")).hint(hint))
        }
        (Some(last), others) => {
            let all = others.iter().chain([&last]).take(NAMED);
            let names: Vec<String> = all
                .map(|session| one_line(session.client_session.as_str(), 40))
                .collect();
            Err(Failure::saying(
                FailureKind::NoMatch,
                format!("`{shown}` fits several sessions: {}", names.join(", ")),
            ))
        }
    }
}

/// The project of the folder a person is in.
pub fn project_here(db: &Db) -> Result<ProjectId, Failure> {
    match here::project(db, &here::folder()?)? {
        Some(project) => Ok(project.id),
        None => Err(nobody()),
    }
}

/// No agent was ever seen here.
pub fn nobody() -> Failure {
    let sentence = match here::folder() {
        Ok(folder) => format!("no agent was seen in {} yet", folder.display()),
        Err(failure) => return failure,
    };
    Failure::saying(FailureKind::NoMatch, sentence)
        .hint("`toprope status --all-projects` shows every project, `toprope init` sets this one up")
}
