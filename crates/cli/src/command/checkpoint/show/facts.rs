//! Everything known about a checkpoint, from its row and from its commit. The order of the fields is that of the JSON.

use crate::command::checkpoint::pages::CheckpointPages;
use crate::command::checkpoint::place::CheckpointPlace;
use crate::command::checkpoint::{degraded, entry, point, session};
use crate::failure::Failure;
use crate::moment;
use ::daemon::checkpoint::metadata::TranscriptPart;
use ::daemon::checkpoint::path_text::PathText;
use engine::id::ActorId;
use engine::text::plain;
use engine::time::Timestamp;
use engine::usage::Tokens;
use serde::Serialize;
use std::os::unix::ffi::OsStrExt;
use store::table::checkpoint_files::{self, ChangeOrigin, NewFile};
use store::table::checkpoints::{Checkpoint, ListedActor};
use store::table::{actors, commit_links, turns, usage, worktrees};

/// See the module.
#[derive(Debug, Serialize)]
pub struct CheckpointFacts {
    pub id: String,
    pub point: Option<String>,
    pub kind: &'static str,
    pub turn: Option<u64>,
    pub label: String,
    pub agent: Option<String>,
    pub session: Option<String>,
    pub session_alias: Option<String>,
    pub actor: Option<String>,
    pub agent_type: Option<String>,
    pub run: Option<u64>,
    pub sequence: Option<u64>,
    pub worktree: Option<PathText>,
    pub branch: Option<String>,
    pub head: Option<String>,
    pub base_commit: String,
    pub commit: String,
    pub files_tree: String,
    pub pinned: bool,
    pub files: Vec<ChangedFile>,
    pub commits: Vec<LinkedCommit>,
    pub prompts: Vec<String>,
    pub summary: Option<String>,
    pub usage: Option<CheckpointUsage>,
    pub transcript: Option<TranscriptPart>,
    pub degraded: Vec<String>,
    pub partner: Option<String>,
    pub undoes: Option<String>,
    pub undone_by: Option<String>,
    pub created_at: String,
    #[serde(skip)]
    pub words: CheckpointText,
}

/// What only people read.
#[derive(Debug)]
pub struct CheckpointText {
    pub title: Option<String>,
    pub who: String,
    pub made: Timestamp,
    pub root: Option<String>,
    pub degraded: Vec<String>,
}

/// One file it changed.
#[derive(Debug, Serialize)]
pub struct ChangedFile {
    pub path: PathText,
    pub change: &'static str,
    pub before: Option<String>,
    pub after: Option<String>,
    pub before_mode: Option<String>,
    pub mode: Option<String>,
    pub place: &'static str,
    pub actor: Option<String>,
    pub origin: &'static str,
    pub skip_reason: Option<String>,
    #[serde(skip)]
    pub bytes: Vec<u8>,
    #[serde(skip)]
    pub who: Option<String>,
}

/// One commit that holds its work.
#[derive(Debug, Serialize)]
pub struct LinkedCommit {
    pub commit: String,
    pub how: &'static str,
    pub superseded_by: Option<String>,
}

/// The tokens of its turn.
#[derive(Debug, Serialize)]
pub struct CheckpointUsage {
    pub main: Tokens,
    pub subagents: Tokens,
    pub total: Tokens,
    pub complete: bool,
}

impl CheckpointFacts {
    /// Brings them together.
    pub fn of(
        here: &CheckpointPlace,
        row: &Checkpoint,
        pages: &CheckpointPages<'_>,
    ) -> Result<Self, Failure> {
        let story = pages.metadata()?;
        let conversation = match row.session {
            Some(session) => here.read(|db| actors::conversation(db, session))?,
            None => None,
        };
        let who = who(here, row.actor)?;
        let root = here
            .read(|db| worktrees::by_id(db, row.worktree))?
            .map(|row| row.root);
        let root = root.as_ref().map(|root| root.as_os_str().as_bytes());
        let text = |bytes: Option<Vec<u8>>| bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        Ok(Self {
            id: row.id.to_string(),
            point: Some(point::name(row)).filter(|point| point != "-"),
            kind: row.kind.as_str(),
            turn: row.turn,
            label: row.label.clone(),
            agent: conversation
                .as_ref()
                .map(|session| session.agent_kind.to_string()),
            session: conversation
                .as_ref()
                .map(|session| session.client_session.to_string()),
            session_alias: conversation.as_ref().and_then(|session| session.alias.clone()),
            actor: entry::actor(row, who.as_ref()),
            agent_type: entry::agent_type(row, who.as_ref()),
            run: row.run,
            sequence: row.sequence,
            worktree: root.map(PathText::of),
            branch: row.branch.clone(),
            head: row.head.clone(),
            base_commit: row.base_commit.clone(),
            commit: row.commit.clone(),
            files_tree: row.files_tree.clone(),
            pinned: row.pinned,
            files: files(here, row)?,
            commits: links(here, row)?,
            prompts: prompts(here, row, story.as_ref().map(|story| story.prompts.clone()))?,
            summary: text(pages.summary()?).or_else(|| row.summary.clone()),
            usage: spent(here, row)?,
            transcript: story.and_then(|story| story.transcript),
            degraded: row.degraded.clone(),
            partner: row.partner.as_ref().map(ToString::to_string),
            undoes: row.undoes.as_ref().map(ToString::to_string),
            undone_by: row.undone_by.as_ref().map(ToString::to_string),
            created_at: moment::rfc3339(row.created_at),
            words: CheckpointText {
                title: conversation.as_ref().map(session::title),
                who: entry::who(row, who.as_ref()),
                made: row.created_at,
                root: root.map(super::shown),
                degraded: degraded::sentences(row, &here.settings.checkpoints),
            },
        })
    }
}

fn who(here: &CheckpointPlace, actor: Option<ActorId>) -> Result<Option<ListedActor>, Failure> {
    let Some(actor) = actor else { return Ok(None) };
    let found = here.read(|db| actors::by_id(db, actor))?;
    Ok(found.map(|actor| ListedActor {
        key: actor.key,
        agent_type: actor.agent_type,
        label: actor.label,
    }))
}

fn actor_name(who: &ListedActor) -> String {
    let agent = who.key.agent.as_ref();
    agent.map_or_else(|| "main".to_owned(), ToString::to_string)
}

fn files(here: &CheckpointPlace, row: &Checkpoint) -> Result<Vec<ChangedFile>, Failure> {
    let rows = here.read(|db| checkpoint_files::account(db, row))?;
    rows.iter().map(|file| ChangedFile::of(here, file)).collect()
}

impl ChangedFile {
    fn of(here: &CheckpointPlace, file: &NewFile) -> Result<Self, Failure> {
        let who = who(here, file.actor)?;
        Ok(Self {
            path: PathText::of(&file.path),
            change: file.change.as_str(),
            before: file.before.as_ref().map(|state| state.id.clone()),
            after: file.after.as_ref().map(|state| state.id.clone()),
            before_mode: file.before.as_ref().map(|state| state.mode.clone()),
            mode: file.after.as_ref().map(|state| state.mode.clone()),
            place: file.place.as_str(),
            actor: match file.origin {
                ChangeOrigin::Rewind => entry::changer(file, None),
                ChangeOrigin::Tool | ChangeOrigin::Shell | ChangeOrigin::Shared | ChangeOrigin::Outside => {
                    who.as_ref().map(actor_name)
                }
            },
            origin: file.origin.as_str(),
            skip_reason: file.skip_reason.clone(),
            bytes: file.path.clone(),
            who: entry::changer(file, who.as_ref()),
        })
    }
}

fn links(here: &CheckpointPlace, row: &Checkpoint) -> Result<Vec<LinkedCommit>, Failure> {
    let links = here.read(|db| commit_links::of_checkpoint(db, &row.id))?;
    Ok(links
        .into_iter()
        .map(|link| LinkedCommit {
            commit: link.commit,
            how: link.how.as_str(),
            superseded_by: link.superseded_by,
        })
        .collect())
}

/// What was asked: as the commit has it, else as the turn's row does.
fn prompts(
    here: &CheckpointPlace,
    row: &Checkpoint,
    kept: Option<Vec<String>>,
) -> Result<Vec<String>, Failure> {
    if let Some(kept) = kept.filter(|kept| !kept.is_empty()) {
        return Ok(kept);
    }
    let (Some(session), Some(number)) = (row.session, row.turn) else {
        return Ok(Vec::new());
    };
    let turn = here.read(|db| turns::numbered(db, session, number))?;
    let prompt = turn
        .map(|turn| turn.prompt)
        .filter(|prompt| !plain(prompt).is_empty());
    Ok(prompt.into_iter().collect())
}

fn spent(here: &CheckpointPlace, row: &Checkpoint) -> Result<Option<CheckpointUsage>, Failure> {
    let (Some(session), Some(number)) = (row.session, row.turn) else {
        return Ok(None);
    };
    let sums = here.read(|db| usage::of_turn(db, session, number))?;
    let turn = here.read(|db| turns::numbered(db, session, number))?;
    Ok(Some(CheckpointUsage {
        main: sums.main,
        subagents: sums.subagents.iter().map(|(_, tokens)| *tokens).sum(),
        total: sums.total,
        complete: turn.is_some_and(|turn| turn.sealed),
    }))
}
