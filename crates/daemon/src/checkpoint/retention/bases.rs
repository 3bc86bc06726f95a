//! Lets go of commits in the person's repository that were held for checkpoints which are gone.

use super::super::cutter::{CutError, Cutter};
use engine::id::ProjectId;
use git::keep_refs;
use git::object::Id;
use git::run::Limits;
use git::shadow::Shadow;
use std::time::Duration;
use store::table::checkpoints;

/// What git may take to list or drop a few refs.
const TIME: Duration = Duration::from_secs(20);

/// Lets go of every commit no checkpoint is made on. Waits until nobody is about to make one: they hold first, and
/// are recorded afterwards.
pub fn release(cutter: &Cutter<'_>, shadow: &Shadow, project: ProjectId) -> Result<(), CutError> {
    if !cutter.site.worktree.is_in_git() {
        return Ok(());
    }
    let _alone = shadow.lock_bases_alone()?;
    let git = cutter.site.git();
    let mut unused = Vec::new();
    for commit in keep_refs::held(&git, Limits::within(TIME))? {
        if !cutter.read(|db| checkpoints::uses_base(db, project, &commit.to_string()))? {
            unused.push(commit);
        }
    }
    // What a stash or a deleted branch held is kept for those who want back what a command destroyed.
    if !unused.is_empty() && cutter.read(|db| checkpoints::has_before(db, project))? {
        let lost = keep_refs::lost(&git, Limits::within(TIME))?;
        unused.retain(|commit| !may_be_stash(shadow, *commit) && !lost.contains(commit));
    }
    Ok(keep_refs::release(&git, &unused, Limits::within(TIME))?)
}

fn may_be_stash(shadow: &Shadow, commit: Id) -> bool {
    shadow
        .read_commit(commit)
        .is_ok_and(|commit| commit.parents.len() > 1)
}
