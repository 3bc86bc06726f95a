//! Everything that speaks against a commit and can be known beforehand.

use std::collections::BTreeMap;

use super::own_index::IndexDifference;
use super::workshop::{PATIENCE, Workshop, pause};
use super::{CommitRefusal, CommitRequest, NotMade, QUESTION};
use crate::deadline::Deadline;
use crate::head::{self, Head};
use crate::object::{Id, TreeLeaf};
use crate::operation::{self, GitOperation};
use crate::path::RepoPath;

/// The branch and its commit, if a commit may be made there now.
pub fn check(request: &CommitRequest<'_>, workshop: &Workshop) -> Result<(String, Id), NotMade> {
    let (branch, commit) = match head::read(request.place, request.environment, QUESTION) {
        Head::Detached { .. } => {
            // A rebase detaches, too; that is the better word for it.
            under_way(request, workshop)?;
            return Err(CommitRefusal::Detached.into());
        }
        Head::Unborn { .. } => return Err(CommitRefusal::Unborn.into()),
        Head::Branch {
            name,
            commit: Some(commit),
        } => (name, commit),
        Head::Branch { commit: None, .. } | Head::Unknown => return Err(NotMade::NoWorktree),
    };
    under_way(request, workshop)?;
    if (request.is_protected)(&branch) {
        return Err(CommitRefusal::Protected(branch).into());
    }
    let commit = commit.parse().map_err(|_| NotMade::NoWorktree)?;
    Ok((branch, commit))
}

fn under_way(request: &CommitRequest<'_>, workshop: &Workshop) -> Result<(), CommitRefusal> {
    if let Some(operation) = operation::in_progress(request.place, request.environment, QUESTION) {
        return Err(CommitRefusal::InProgress(operation));
    }
    // A squashing merge waits for its commit, and any other would use up its message.
    if fs_err::symlink_metadata(workshop.git_dir.join("SQUASH_MSG")).is_ok() {
        return Err(CommitRefusal::InProgress(GitOperation::Merge));
    }
    Ok(())
}

/// Waits until nobody holds the index.
pub fn wait_for_index(workshop: &Workshop) -> Result<(), CommitRefusal> {
    let deadline = Deadline::after(PATIENCE);
    while fs_err::symlink_metadata(workshop.index_lock()).is_ok() {
        if deadline.has_passed() {
            return Err(CommitRefusal::IndexLocked);
        }
        pause();
    }
    Ok(())
}

/// The person has staged nothing else at these paths, nor anything that cannot be beside them.
pub fn check_staged(
    entries: &BTreeMap<RepoPath, Option<TreeLeaf>>,
    staged: &IndexDifference,
) -> Result<(), CommitRefusal> {
    for (path, there) in staged {
        let wanted = entries.get(path);
        let agrees = match (wanted, there) {
            (Some(wanted), Some(there)) => wanted == there,
            (Some(_), None) => false,
            (None, _) => true,
        };
        if !agrees {
            return Err(CommitRefusal::StagedDifferently(path.clone()));
        }
        let is_in_the_way = |(other, wanted): (&RepoPath, &Option<TreeLeaf>)| {
            wanted.is_some() && (path.is_below(other) || other.is_below(path))
        };
        let is_file = !matches!(there, Some(None));
        if wanted.is_none() && is_file && entries.iter().any(is_in_the_way) {
            return Err(CommitRefusal::StagedDifferently(path.clone()));
        }
    }
    Ok(())
}
