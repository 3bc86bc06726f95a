//! The strategy `commit`: a turn that leaves pending work also makes a commit of it on the active branch.
//!
//! Whatever speaks against that commit, the checkpoint is in the shadow all the same, and the person is told.

use super::cutter::{Cut, CutError, Cutter};
use super::order::Order;
use engine::effect::{Audience, Owed};
use engine::id::ActorId;
use engine::settings::{Settings, Strategy};
use engine::text::one_line;
use git::commit_paths::{self, CommitMessage, CommitRefusal, CommitRequest, NotMade};
use git::object::{Id, TreeLeaf};
use git::path::RepoPath;
use git::run::GitEnvironment;
use git::shadow::Shadow;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::time::Duration;
use store::table::checkpoints::Checkpoint;
use store::table::{checkpoint_files, notices, sessions, turns};

/// More than any file that is kept.
const LARGEST: u64 = 10 * 1024 * 1024 * 1024;
const LONGEST_REASON: usize = 200;

/// Commits what the session of a turn has pending here. A turn that was cut before may have been committed or not.
pub fn commit_turn(
    cutter: &Cutter<'_>,
    order: &Order,
    cut: &Cut,
    settings: &Settings,
) -> Result<(), CutError> {
    if cutter.settings.strategy != Strategy::Commit || !cutter.site.worktree.is_in_git() {
        return Ok(());
    }
    let (Cut::New(row) | Cut::Known(row), Some(session)) = (cut, order.session) else {
        return Ok(());
    };
    let Some(shadow) = cutter.site.shadow()? else {
        return Ok(());
    };
    let entries = pending(cutter, &shadow, row, session)?;
    if entries.is_empty() {
        return Ok(());
    }
    let prompt = cutter.read(|db| turns::numbered(db, session, order.turn.unwrap_or(0)))?;
    let message = CommitMessage {
        subject: &row.label,
        body: prompt.as_ref().map_or("", |turn| &turn.prompt),
        checkpoint: row.id.as_str(),
    };
    let made = commit(cutter, &shadow, session, &entries, &message, settings)?;
    match made {
        Ok(_) => Ok(()),
        Err(why) => tell(cutter, row, session, &why),
    }
}

/// Finishes a commit that a crash cut short: the person's index follows it.
pub fn recover(cutter: &Cutter<'_>) {
    let place = &cutter.site.place;
    if commit_paths::is_unfinished(place) {
        // What cannot be finished now is tried again by whoever comes next.
        let _ = commit_paths::recover(place, cutter.site.environment());
    }
}

fn commit(
    cutter: &Cutter<'_>,
    shadow: &Shadow,
    session: ActorId,
    entries: &BTreeMap<RepoPath, Option<TreeLeaf>>,
    message: &CommitMessage<'_>,
    settings: &Settings,
) -> Result<Result<commit_paths::CommitMade, NotMade>, CutError> {
    let variables = variables(cutter, session)?;
    let path = variables.iter().find(|(name, _)| name == "PATH");
    let own = cutter.site.environment();
    let environment = GitEnvironment {
        path: path.map_or_else(|| own.path.clone(), |(_, value)| value.clone()),
        home: own.home.clone(),
    };
    let content = |id: Id| shadow.blob(id, LARGEST).map_err(io::Error::other);
    Ok(commit_paths::commit(&CommitRequest {
        place: &cutter.site.place,
        environment: &environment,
        variables: &variables,
        entries,
        content: &content,
        message,
        is_protected: &|branch| settings.protects(branch),
        has_hooks: cutter.settings.commit.git_hooks,
        is_signed: cutter.settings.commit.sign,
        time: Duration::from_millis(cutter.settings.commit.timeout_ms.into()),
    }))
}

/// The paths a session has work in that is in no commit, as the checkpoint has them.
fn pending(
    cutter: &Cutter<'_>,
    shadow: &Shadow,
    row: &Checkpoint,
    session: ActorId,
) -> Result<BTreeMap<RepoPath, Option<TreeLeaf>>, CutError> {
    let Ok(files) = row.files_tree.parse::<Id>() else {
        return Ok(BTreeMap::new());
    };
    let mut entries = BTreeMap::new();
    for row in cutter.read(|db| checkpoint_files::pending_of(db, cutter.worktree, session))? {
        if let Ok(path) = RepoPath::new(row.file.path) {
            let entry = shadow.entry(files, &path)?;
            entries.insert(path, entry);
        }
    }
    Ok(entries)
}

/// What the person's hooks may need of the session's environment.
fn variables(cutter: &Cutter<'_>, session: ActorId) -> Result<Vec<(OsString, OsString)>, CutError> {
    let kept = cutter.read(|db| sessions::environment_of(db, session))?;
    let kept: BTreeMap<String, String> = kept
        .and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or_default();
    Ok(kept
        .into_iter()
        .map(|(name, value)| (name.into(), value.into()))
        .collect())
}

fn tell(cutter: &Cutter<'_>, row: &Checkpoint, session: ActorId, why: &NotMade) -> Result<(), CutError> {
    let branch = match why {
        NotMade::Refused(CommitRefusal::Detached) => None,
        NotMade::Refused(CommitRefusal::Protected(branch)) => Some(branch),
        _ => row.branch.as_ref(),
    };
    let owed = Owed {
        audience: Audience::Person,
        kind: "checkpoints.commit".to_owned(),
        key: session.to_string(),
        text: not_made(branch.map(String::as_str), why),
    };
    cutter.write(|db| notices::owe(db, &owed, session, cutter.now()))?;
    Ok(())
}

fn not_made(branch: Option<&str>, why: &NotMade) -> String {
    let on = branch.map_or_else(String::new, |branch| {
        format!(" on {}", one_line(branch, LONGEST_REASON))
    });
    let why = one_line(&why.to_string(), LONGEST_REASON);
    let why = why.trim_end_matches('.');
    format!("No commit was made{on}: {why}. The checkpoint is in the shadow repository.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use git::operation::GitOperation;

    #[test]
    fn every_reason_is_a_sentence_of_its_own() {
        let path = RepoPath::new("src/a.rs").unwrap();
        let refusals = [
            (None, CommitRefusal::Detached),
            (Some("new"), CommitRefusal::Unborn),
            (Some("topic"), CommitRefusal::InProgress(GitOperation::Merge)),
            (Some("main"), CommitRefusal::Protected("main".to_owned())),
            (Some("topic"), CommitRefusal::IndexLocked),
            (
                Some("topic"),
                CommitRefusal::HookFailed("line is too long\n\u{1b}[1mfix it.".to_owned()),
            ),
            (Some("topic"), CommitRefusal::StagedDifferently(path)),
            (Some("topic"), CommitRefusal::EmptyTree),
            (Some("topic"), CommitRefusal::Late),
            (Some("topic"), CommitRefusal::Moved),
        ];
        let told = refusals.map(|(branch, refusal)| not_made(branch, &refusal.into()));
        insta::assert_snapshot!(told.join("\n"), @r"
        No commit was made: no branch is checked out. The checkpoint is in the shadow repository.
        No commit was made on new: the branch has no commit yet. The checkpoint is in the shadow repository.
        No commit was made on topic: a merge is in progress. The checkpoint is in the shadow repository.
        No commit was made on main: it is protected. The checkpoint is in the shadow repository.
        No commit was made on topic: the index was locked. The checkpoint is in the shadow repository.
        No commit was made on topic: a hook refused it: line is too long\n\u{1b}[1mfix it. The checkpoint is in the shadow repository.
        No commit was made on topic: `src/a.rs` is staged differently. The checkpoint is in the shadow repository.
        No commit was made on topic: no file would be left. The checkpoint is in the shadow repository.
        No commit was made on topic: it took too long. The checkpoint is in the shadow repository.
        No commit was made on topic: `HEAD` moved meanwhile. The checkpoint is in the shadow repository.
        ");
    }
}
