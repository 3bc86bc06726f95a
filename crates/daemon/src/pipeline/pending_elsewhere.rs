//! What other sessions have not committed yet in the worktree of a prompt.

use super::guard::session::warned;
use super::lease::Looker;
use super::{AgentEvent, PipelineContext};
use crate::checkpoint::naming::root_of;
use engine::facts::{Activity, PendingWork};
use engine::id::{ActorKey, WorktreeId};
use engine::policy::concurrent_session::{RULE, key};
use git::head;
use git::path::RepoPath;
use std::collections::BTreeSet;
use std::time::Duration;
use store::table::actors::{self, Actor};
use store::table::checkpoint_files::{self, OtherWork};
use store::table::warnings::{self, Warning};
use store::{Db, StoreError};

/// Files of a session that are named.
const MOST_NAMED: usize = 3;
/// How long git may take to say what changed.
const PATIENCE: Duration = Duration::from_millis(500);

impl PipelineContext {
    /// Of the files that other sessions changed, those that differ from the last commit now.
    pub(super) fn uncommitted(&self, looker: Looker<'_>) -> Option<Vec<String>> {
        let place = looker.place?;
        let head = head::from_files(place);
        let head = head.as_ref().and_then(head::Head::commit);
        let pending = self.memory.pending_of_others(looker.actor, place, head);
        let paths: Vec<RepoPath> = pending
            .into_iter()
            .filter_map(|path| RepoPath::new(path).ok())
            .collect();
        let changed = git::tracking::changed_of(root_of(place), &paths, &self.git, PATIENCE)?;
        // Of a file that is gone nothing is left to be told of.
        let there = changed.iter().filter(|file| !file.is_gone);
        Some(there.map(|file| shown(file.path.as_bytes())).collect())
    }
}

/// The other sessions' pending work on the commit that is checked out, as far as it is still there.
pub fn pending(
    db: &Db,
    subject: &AgentEvent,
    actor: &Actor,
    worktree: WorktreeId,
) -> Result<Vec<PendingWork>, StoreError> {
    let head = subject.place.as_deref().and_then(head::from_files);
    let head = head.as_ref().and_then(head::Head::commit);
    let session = actors::main_of(db, actor)?;
    let Some(uncommitted) = &subject.answers.uncommitted else {
        return Ok(Vec::new());
    };
    let uncommitted: BTreeSet<&str> = uncommitted.iter().map(String::as_str).collect();
    let paths = checkpoint_files::others_paths(db, worktree, head, session)?;
    let mut others = checkpoint_files::others_work(db, worktree, head, session)?;
    for other in &mut others {
        let own = paths.iter().filter(|(whose, _)| *whose == other.session);
        let mut left: Vec<Vec<u8>> = own.map(|(_, path)| path.clone()).collect();
        left.retain(|path| uncommitted.contains(shown(path).as_str()));
        other.files = u64::try_from(left.len()).unwrap_or(u64::MAX);
        left.truncate(MOST_NAMED);
        other.first_paths = left;
    }
    others.retain(|other| other.files > 0);
    let head = head.unwrap_or_default();
    let warned = warned(&subject.event);
    others
        .into_iter()
        .map(|other| in_our_words(db, &warned, other, head))
        .collect()
}

fn shown(path: &[u8]) -> String {
    String::from_utf8_lossy(path).into_owned()
}

fn in_our_words(db: &Db, warned: &ActorKey, other: OtherWork, head: &str) -> Result<PendingWork, StoreError> {
    let warning_key = key(&other.client_session, head);
    let warning = Warning {
        actor: warned,
        rule_id: RULE,
        key: &warning_key,
    };
    let agent = agents::by_name(other.agent_kind.as_str());
    let resume = agent.and_then(|agent| agent.resume_command(&other.client_session));
    Ok(PendingWork {
        warned: warnings::is_live(db, &warning)?,
        session_alias: other.alias.as_deref().map_or_else(
            || other.client_session.to_string(),
            crate::checkpoint::people::short_alias,
        ),
        activity: match other.activity {
            checkpoint_files::SessionActivity::Working => Activity::WorkingNow,
            checkpoint_files::SessionActivity::Idle(since) => Activity::Idle { since },
            checkpoint_files::SessionActivity::Ended => Activity::Ended,
        },
        files: other.files,
        paths: other.first_paths.iter().map(|path| shown(path)).collect(),
        head: head.to_owned(),
        first_prompt: other.first_prompt,
        resume: resume.map(|words| words.join(" ")).unwrap_or_default(),
        session: other.client_session,
    })
}
