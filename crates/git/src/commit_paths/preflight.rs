//! Everything that speaks against a commit and can be known beforehand.

use std::collections::BTreeMap;

use super::own_index::Staged;
use super::workshop::{PATIENCE, Workshop, pause};
use super::{NotMade, QUESTION, Refusal, Request};
use crate::deadline::Deadline;
use crate::head::{self, Head};
use crate::object::{Entry, Id};
use crate::operation::{self, Operation};
use crate::path::RepoPath;

/// The branch and its commit, if a commit may be made there now.
pub fn check(request: &Request<'_>, workshop: &Workshop) -> Result<(String, Id), NotMade> {
    let (branch, commit) = match head::read(request.place, request.environment, QUESTION) {
        Head::Detached { .. } => {
            // A rebase detaches, too; that is the better word for it.
            under_way(request, workshop)?;
            return Err(Refusal::Detached.into());
        }
        Head::Unborn { .. } => return Err(Refusal::Unborn.into()),
        Head::Branch {
            name,
            commit: Some(commit),
        } => (name, commit),
        Head::Branch { commit: None, .. } | Head::Unknown => return Err(NotMade::NoWorktree),
    };
    under_way(request, workshop)?;
    if (request.is_protected)(&branch) {
        return Err(Refusal::Protected(branch).into());
    }
    let commit = commit.parse().map_err(|_| NotMade::NoWorktree)?;
    Ok((branch, commit))
}

fn under_way(request: &Request<'_>, workshop: &Workshop) -> Result<(), Refusal> {
    if let Some(operation) = operation::in_progress(request.place, request.environment, QUESTION) {
        return Err(Refusal::InProgress(operation));
    }
    // A squashing merge waits for its commit, and any other would use up its message.
    if fs_err::symlink_metadata(workshop.git_dir.join("SQUASH_MSG")).is_ok() {
        return Err(Refusal::InProgress(Operation::Merge));
    }
    Ok(())
}

/// Waits until nobody holds the index.
pub fn wait_for_index(workshop: &Workshop) -> Result<(), Refusal> {
    let deadline = Deadline::after(PATIENCE);
    while fs_err::symlink_metadata(workshop.index_lock()).is_ok() {
        if deadline.has_passed() {
            return Err(Refusal::IndexLocked);
        }
        pause();
    }
    Ok(())
}

/// The person has staged nothing else at these paths, nor anything that cannot be beside them.
pub fn check_staged(entries: &BTreeMap<RepoPath, Option<Entry>>, staged: &Staged) -> Result<(), Refusal> {
    for (path, there) in staged {
        let wanted = entries.get(path);
        let agrees = match (wanted, there) {
            (Some(wanted), Some(there)) => wanted == there,
            (Some(_), None) => false,
            (None, _) => true,
        };
        if !agrees {
            return Err(Refusal::StagedDifferently(path.clone()));
        }
        let is_in_the_way = |(other, wanted): (&RepoPath, &Option<Entry>)| {
            wanted.is_some() && (path.is_below(other) || other.is_below(path))
        };
        let is_file = !matches!(there, Some(None));
        if wanted.is_none() && is_file && entries.iter().any(is_in_the_way) {
            return Err(Refusal::StagedDifferently(path.clone()));
        }
    }
    Ok(())
}
