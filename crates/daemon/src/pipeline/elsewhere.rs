//! What other sessions have not committed yet in the worktree of a prompt.

use super::Subjected;
use super::guard::session::warned;
use engine::facts::{Activity, PendingWork};
use engine::id::{ActorKey, WorktreeId};
use engine::policy::concurrent_session::{RULE, key};
use git::head;
use store::table::actors::{self, Actor};
use store::table::checkpoint_files::{self, OtherWork};
use store::table::warnings::{self, Warning};
use store::{Db, StoreError};

/// The other sessions' pending work on the commit that is checked out; a question to the database alone.
pub fn pending(
    db: &Db,
    subject: &Subjected,
    actor: &Actor,
    worktree: WorktreeId,
) -> Result<Vec<PendingWork>, StoreError> {
    let head = subject.place.as_deref().and_then(head::from_files);
    let head = head.as_ref().and_then(head::Head::commit);
    let session = actors::main_of(db, actor)?;
    let others = checkpoint_files::others_work(db, worktree, head, session)?;
    let head = head.unwrap_or_default();
    let warned = warned(&subject.event);
    others
        .into_iter()
        .map(|other| in_our_words(db, &warned, other, head))
        .collect()
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
            checkpoint_files::Activity::Working => Activity::WorkingNow,
            checkpoint_files::Activity::Idle(since) => Activity::Idle { since },
            checkpoint_files::Activity::Ended => Activity::Ended,
        },
        files: other.files,
        paths: other
            .first_paths
            .iter()
            .map(|path| String::from_utf8_lossy(path).into_owned())
            .collect(),
        head: head.to_owned(),
        first_prompt: other.first_prompt,
        resume: resume.map(|words| words.join(" ")).unwrap_or_default(),
        session: other.client_session,
    })
}
