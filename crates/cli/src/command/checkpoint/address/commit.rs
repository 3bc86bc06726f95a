//! A commit of the person's, as they name it to git.

use crate::command::checkpoint::place::CheckpointPlace;
use crate::failure::Failure;
use git::run::{GitError, Limits};
use std::time::Duration;

/// To look a name up is quick; longer and something is wrong.
const TIME: Duration = Duration::from_secs(5);
/// Digits of a commit that people see.
const SHORT: usize = 7;

/// The commit a revision means; `None` where git knows none.
pub fn commit(here: &CheckpointPlace, rev: &str) -> Result<Option<String>, Failure> {
    if rev.is_empty() || rev.contains('\0') || here.site.worktree.git_dir.is_none() {
        return Ok(None);
    }
    let revision = format!("{rev}^{{commit}}");
    let arguments = ["rev-parse", "--verify", "--quiet", "--end-of-options", &revision];
    match here.site.git().run(&arguments, Limits::within(TIME)) {
        Ok(printed) => {
            let id = String::from_utf8_lossy(&printed).trim().to_owned();
            Ok(Some(id).filter(|id| !id.is_empty()))
        }
        Err(GitError::Failed { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// A commit's first digits.
pub fn short(commit: &str) -> &str {
    commit.get(..SHORT).unwrap_or(commit)
}
