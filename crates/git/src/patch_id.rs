//! The name of a change: equal for two commits that change the same lines, wherever those have moved to.
//!
//! Git computes it. Files that are not text count by their content. A change that is too large has no name.

use std::collections::HashMap;
use std::time::Duration;

use crate::commit_facts::{CommitFacts, with_first_parent};
use crate::deadline::Deadline;
use crate::object::Id;
use crate::run::{Git, GitError, Limits};

/// Larger changes are not compared line by line.
const LONGEST: usize = 16 * 1024 * 1024;
const NAME: [&str; 2] = ["patch-id", "--stable"];
const DIFF: [&str; 9] = [
    "diff-tree",
    "-r",
    "--patch",
    "--no-renames",
    "--root",
    "--full-index",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
];

/// The names of what these commits change against their first parents. A commit that changes nothing, or too much,
/// is left out.
pub fn of_commits(git: &Git, commits: &[CommitFacts], budget: Duration) -> Result<HashMap<Id, Id>, GitError> {
    let deadline = Deadline::after(budget);
    if commits.is_empty() {
        return Ok(HashMap::new());
    }
    match together(git, commits, deadline) {
        Err(GitError::TooLong { .. }) if commits.len() > 1 => {
            let mut names = HashMap::new();
            for commit in commits {
                match together(git, std::slice::from_ref(commit), deadline) {
                    Ok(name) => names.extend(name),
                    Err(GitError::TooLong { .. }) => {}
                    Err(error) => return Err(error),
                }
            }
            Ok(names)
        }
        Err(GitError::TooLong { .. }) => Ok(HashMap::new()),
        other => other,
    }
}

/// The name of what differs between two trees; none if nothing does, or too much.
pub fn between(git: &Git, old: Id, new: Id, budget: Duration) -> Result<Option<Id>, GitError> {
    let deadline = Deadline::after(budget);
    let (old, new) = (old.to_string(), new.to_string());
    let arguments: Vec<&str> = DIFF.into_iter().chain([old.as_str(), new.as_str()]).collect();
    let patch = match git.run(&arguments, limits(deadline)) {
        Err(GitError::TooLong { .. }) => return Ok(None),
        other => other?,
    };
    let names = git.feed(&NAME, patch, limits(deadline))?;
    Ok(names
        .split(|byte| *byte == b' ')
        .next()
        .and_then(crate::commit_facts::id))
}

fn together(git: &Git, commits: &[CommitFacts], deadline: Deadline) -> Result<HashMap<Id, Id>, GitError> {
    let arguments: Vec<&str> = DIFF.into_iter().chain(["--stdin"]).collect();
    let patches = git.feed(&arguments, with_first_parent(commits), limits(deadline))?;
    let names = git.feed(&NAME, patches, limits(deadline))?;
    let lines = names.split(|byte| *byte == b'\n');
    let pair = |line: &[u8]| {
        let mut words = line.split(|byte| *byte == b' ').map(crate::commit_facts::id);
        let name = words.next()??;
        Some((words.next()??, name))
    };
    Ok(lines.filter_map(pair).collect())
}

fn limits(deadline: Deadline) -> Limits {
    Limits {
        time: deadline.remaining(),
        bytes: LONGEST,
    }
}

#[cfg(test)]
mod tests;
