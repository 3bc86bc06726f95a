//! Which client session an address speaks of, and how a session is named to people.

use super::place::CheckpointPlace;
use crate::failure::{Failure, FailureKind};
use ::daemon::environment::Environment;
use engine::id::ActorId;
use engine::text::{one_line, plain, shortened};
use store::table::actors::{self, Conversation};
use store::table::checkpoints::{self, CheckpointFilter};
use store::{Db, StoreError};

/// The variable a client gives the commands it runs.
const OWN_SESSION: &str = "CLAUDE_CODE_SESSION_ID";
/// Characters of a client's id that people see.
const SHORT_ID: usize = 8;
/// Sessions that are named where a text fits several.
const MOST_NAMED: usize = 10;

/// A session, and why it is this one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chosen {
    /// The session.
    pub conversation: Conversation,
    /// Why.
    pub because: SessionReason,
}

/// Why a session was chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionReason {
    /// It was asked for.
    Named,
    /// The command runs in its shell.
    Own,
    /// No other is at work here.
    OnlyLive,
    /// It made the newest checkpoint here.
    Newest,
}

impl Chosen {
    /// Its main thread, by which the store knows it.
    pub fn id(&self) -> ActorId {
        self.conversation.session
    }

    /// Program and name, as headers say it: `claude-code 2026-11-15-ab310c99`.
    pub fn title(&self) -> String {
        title(&self.conversation)
    }
}

/// The session that is meant here: the named one, the one whose shell this is, the only live one, or the one with the
/// newest checkpoint. `None` where none ever worked here.
pub fn choose(
    here: &CheckpointPlace,
    environment: &Environment,
    named: Option<&str>,
) -> Result<Option<Chosen>, Failure> {
    let chosen = |because| {
        move |conversation| Chosen {
            conversation,
            because,
        }
    };
    if let Some(text) = named {
        return one_like(here, text).map(chosen(SessionReason::Named)).map(Some);
    }
    if let Some(own) = own(here, environment)? {
        return Ok(Some(chosen(SessionReason::Own)(own)));
    }
    let mut live = here.read(|db| actors::conversations_in(db, here.worktree))?;
    if let (Some(only), true) = (live.pop(), live.is_empty()) {
        return Ok(Some(chosen(SessionReason::OnlyLive)(only)));
    }
    let newest = here.read(|db| newest(db, here))?;
    Ok(newest.map(chosen(SessionReason::Newest)))
}

/// The session whose shell this command runs in, if it worked in this worktree.
fn own(here: &CheckpointPlace, environment: &Environment) -> Result<Option<Conversation>, Failure> {
    let Some(id) = environment.text(OWN_SESSION) else {
        return Ok(None);
    };
    let known = here.read(|db| actors::conversations_like(db, id))?;
    let known = known
        .into_iter()
        .filter(|known| known.client_session.as_str() == id);
    for known in known {
        if known.worktree == Some(here.worktree)
            || here
                .read(|db| checkpoints::newest_of_session(db, known.session, here.worktree))?
                .is_some()
        {
            return Ok(Some(known));
        }
    }
    Ok(None)
}

fn newest(db: &Db, here: &CheckpointPlace) -> Result<Option<Conversation>, StoreError> {
    // Checkpoints of nobody's session are few, and never many in a row.
    let filter = CheckpointFilter {
        worktree: Some(here.worktree),
        session: None,
        actor: None,
        turn: None,
        kind: None,
        path: None,
        steps: true,
        limit: 100,
    };
    let listed = checkpoints::list(db, &filter)?;
    let session = listed.into_iter().find_map(|listed| listed.checkpoint.session);
    session.map_or(Ok(None), |session| actors::conversation(db, session))
}

/// The one session of this project whose name or id begins with a text.
pub fn one_like(here: &CheckpointPlace, text: &str) -> Result<Conversation, Failure> {
    let mut found = like(here, text)?;
    let shown = one_line(text, 80);
    match (found.pop(), found.as_slice()) {
        (Some(session), []) => Ok(session),
        (None, _) => Err(Failure::saying(
            FailureKind::NoMatch,
            format!("no session \"{shown}\" worked in this project"),
        )
        .hint("`toprope checkpoint list --all` shows the sessions there are")),
        (Some(last), others) => {
            let all = others.iter().chain([&last]);
            let names: Vec<String> = all.take(MOST_NAMED).map(alias).collect();
            Err(Failure::saying(
                FailureKind::NoMatch,
                format!(
                    "\"{shown}\" fits {} sessions: {}",
                    others.len() + 1,
                    names.join(", ")
                ),
            ))
        }
    }
}

/// The sessions of this project whose name or id begins with a text, newest activity first.
pub fn like(here: &CheckpointPlace, text: &str) -> Result<Vec<Conversation>, Failure> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let found = here.read(|db| actors::conversations_like(db, text))?;
    let mut known = Vec::new();
    for one in found {
        let main = here.read(|db| actors::by_id(db, one.session))?;
        if main.is_some_and(|main| main.project == Some(here.project)) {
            known.push(one);
        }
    }
    Ok(known)
}

/// Program and name: `claude-code 2026-11-15-ab310c99`.
pub fn title(conversation: &Conversation) -> String {
    let kind = plain(conversation.agent_kind.as_str());
    format!("{} {}", shortened(&kind, 20), alias(conversation))
}

/// A session's name as people see it: the day it was first seen, and the first characters of its id.
pub fn alias(conversation: &Conversation) -> String {
    let id = conversation.client_session.as_str();
    let short: String = plain(id).chars().take(SHORT_ID).collect();
    let day = conversation
        .alias
        .as_deref()
        .and_then(|alias| alias.strip_suffix(id));
    format!("{}{short}", plain(day.unwrap_or_default()))
}
