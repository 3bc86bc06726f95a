//! Holds commits in the user's repository that a checkpoint was made on, so that no `git gc` removes them.
//!
//! One ref per commit, `refs/toprope/keep/<commit>`. Nothing else is ever written to the user's repository unasked.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::object::Id;
use crate::run::{Git, GitError, Limits};

const FOLDER: &str = "refs/toprope/keep";

/// Holds these commits. Holding one twice changes nothing.
pub fn hold(git: &Git, commits: &[Id], limits: Limits) -> Result<(), GitError> {
    let mut input = String::new();
    for commit in commits.iter().collect::<BTreeSet<_>>() {
        let _ = writeln!(input, "update {FOLDER}/{commit} {commit}");
    }
    update(git, input, limits)
}

/// The commits that are put aside in the stash, newest first.
pub fn stashed(git: &Git, limits: Limits) -> Result<Vec<Id>, GitError> {
    let told = match git.run(&["rev-list", "-g", "refs/stash", "--"], limits) {
        Ok(told) => told,
        // There is none.
        Err(GitError::Failed { .. }) => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let lines = told.split(|byte| *byte == b'\n');
    Ok(lines
        .filter_map(|line| std::str::from_utf8(line).ok()?.parse().ok())
        .collect())
}

/// Lets these commits go. One that is not held is passed over.
pub fn release(git: &Git, commits: &[Id], limits: Limits) -> Result<(), GitError> {
    let held: BTreeSet<Id> = held(git, limits)?.into_iter().collect();
    let mut input = String::new();
    for commit in commits
        .iter()
        .collect::<BTreeSet<_>>()
        .into_iter()
        .filter(|id| held.contains(id))
    {
        let _ = writeln!(input, "delete {FOLDER}/{commit}");
    }
    update(git, input, limits)
}

/// The commits that are held, in the order of their ids.
pub fn held(git: &Git, limits: Limits) -> Result<Vec<Id>, GitError> {
    let output = git.run(&["for-each-ref", "--format=%(refname)", FOLDER], limits)?;
    let text = String::from_utf8_lossy(&output);
    let mut held: Vec<Id> = text
        .lines()
        .filter_map(|name| name.strip_prefix(FOLDER)?.strip_prefix('/')?.parse().ok())
        .collect();
    held.sort_unstable();
    Ok(held)
}

fn update(git: &Git, input: String, limits: Limits) -> Result<(), GitError> {
    if input.is_empty() {
        return Ok(());
    }
    // A person may log every ref; our own are not worth a log.
    let arguments = ["-c", "core.logAllRefUpdates=false", "update-ref", "--stdin"];
    git.feed(&arguments, input.into_bytes(), limits).map(drop)
}

#[cfg(test)]
mod tests;
