//! Holds commits in the user's repository that a checkpoint was made on, so that no `git gc` removes them.
//!
//! One ref per commit, `refs/toprope/keep/<commit>`; for what a command was about to leave without a name,
//! `refs/toprope/lost/<object>`. Nothing else is ever written to the user's repository unasked.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::object::Id;
use crate::run::{Git, GitError, Limits};

const FOLDER: &str = "refs/toprope/keep";
const LOST: &str = "refs/toprope/lost";
/// More names in one command are not looked up.
const MOST_NAMES: usize = 32;

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

/// Holds what these names stand for, before a command takes the names away. What stands for nothing is passed over.
pub fn hold_named(git: &Git, names: &[&str], limits: Limits) -> Result<Vec<(String, Id)>, GitError> {
    let mut held = Vec::new();
    for name in names.iter().take(MOST_NAMES) {
        let is_name = !name.starts_with('-') && !name.chars().any(char::is_control);
        if !is_name || name.is_empty() {
            continue;
        }
        let told = match git.run(&["rev-parse", "--verify", "--quiet", name], limits) {
            Ok(told) => told,
            Err(GitError::Failed { .. }) => continue,
            Err(error) => return Err(error),
        };
        let id = std::str::from_utf8(told.trim_ascii()).ok();
        let id = id.and_then(|id| id.parse::<Id>().ok());
        held.extend(id.map(|id| ((*name).to_owned(), id)));
    }
    let mut input = String::new();
    for id in held.iter().map(|(_, id)| id).collect::<BTreeSet<_>>() {
        let _ = writeln!(input, "update {LOST}/{id} {id}");
    }
    update(git, input, limits)?;
    Ok(held)
}

/// Lets these commits go. One that is not held is passed over.
pub fn release(git: &Git, commits: &[Id], limits: Limits) -> Result<(), GitError> {
    let mut input = String::new();
    for (name, id) in refs(git, &[FOLDER, LOST], limits)? {
        if commits.contains(&id) {
            let _ = writeln!(input, "delete {name}");
        }
    }
    update(git, input, limits)
}

/// Everything that is held, in the order of the ids.
pub fn held(git: &Git, limits: Limits) -> Result<Vec<Id>, GitError> {
    let found = refs(git, &[FOLDER, LOST], limits)?;
    let held: BTreeSet<Id> = found.into_iter().map(|(_, id)| id).collect();
    Ok(held.into_iter().collect())
}

/// What is held because a command was about to leave it without a name, in the order of the ids.
pub fn lost(git: &Git, limits: Limits) -> Result<Vec<Id>, GitError> {
    let found = refs(git, &[LOST], limits)?;
    let lost: BTreeSet<Id> = found.into_iter().map(|(_, id)| id).collect();
    Ok(lost.into_iter().collect())
}

/// Our refs in these folders, each with the object its name says.
fn refs(git: &Git, folders: &[&str], limits: Limits) -> Result<Vec<(String, Id)>, GitError> {
    let arguments = [&["for-each-ref", "--format=%(refname)"], folders].concat();
    let output = git.run(&arguments, limits)?;
    let text = String::from_utf8_lossy(&output);
    Ok(text
        .lines()
        .filter_map(|name| Some((name.to_owned(), name.rsplit_once('/')?.1.parse().ok()?)))
        .collect())
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
