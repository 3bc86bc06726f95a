//! What a destructive command moved in git itself, and the git commands that bring it back. Nothing is moved here.

use super::Rewinder;
use super::error::RewindError;
use super::proposal::Proposal;
use engine::text::plain;
use git::keep;
use git::object::Id;
use git::path::RepoPath;
use git::run::{GitError, Limits};
use git::shadow::Shadow;
use std::time::Duration;
use store::table::checkpoints::Kind;

/// More than this is counted, not named.
const MOST_NAMED: usize = 20;
/// Reading refs takes no longer.
const REF_TIME: Duration = Duration::from_secs(5);

impl Rewinder<'_> {
    /// The commands that bring back what a command moved: commits that are no longer checked out, what was staged, and
    /// what was put aside.
    pub fn moved(&self, proposal: &Proposal) -> Result<Vec<String>, RewindError> {
        let before = &proposal.target;
        let site = self.cutter.site;
        if before.kind != Kind::Before || !site.worktree.is_in_git() {
            return Ok(Vec::new());
        }
        let mut commands = Vec::new();
        let now = proposal.head.map(|head| head.to_string());
        if let Some(then) = before.head.as_ref().filter(|then| now.as_ref() != Some(*then)) {
            commands.push(format!("git reset --keep {then}"));
        }
        let Some(shadow) = site.shadow()? else {
            return Ok(commands);
        };
        if let Some(staged) = proposal.layout.staged {
            let leaves = shadow.leaves(staged)?;
            commands.extend(leaves.iter().take(MOST_NAMED).map(|(path, entry)| {
                let mode = entry.mode.octal();
                format!(
                    "git update-index --add --cacheinfo {mode},{},{}",
                    entry.id,
                    quoted(path)
                )
            }));
        }
        commands.extend(self.dropped(&shadow)?);
        commands.extend(self.unnamed(&shadow, before.head.as_deref())?);
        Ok(commands)
    }

    /// Commits that a command left without any name: of deleted branches and tags. What was checked out comes back
    /// otherwise.
    fn unnamed(&self, shadow: &Shadow, head: Option<&str>) -> Result<Vec<String>, GitError> {
        let (git, limits) = (self.cutter.site.git(), Limits::within(REF_TIME));
        let mut commands = Vec::new();
        for commit in keep::lost(&git, limits)? {
            let id = commit.to_string();
            if head == Some(id.as_str()) || stash_subject(shadow, commit).is_some() {
                continue;
            }
            let names = ["refs/heads", "refs/tags", "refs/remotes"];
            let question = [&["for-each-ref", "--count=1", "--contains", &id], &names[..]].concat();
            let is_named = match git.run(&question, limits) {
                Ok(found) => !found.is_empty(),
                // It is no commit.
                Err(GitError::Failed { .. }) => true,
                Err(error) => return Err(error),
            };
            if !is_named && commands.len() < MOST_NAMED {
                let short = id.get(..7).unwrap_or(&id);
                commands.push(format!("git branch restored-{short} {id}"));
            }
        }
        Ok(commands)
    }

    /// What was in the stash before a command that may lose something, and is no longer.
    fn dropped(&self, shadow: &Shadow) -> Result<Vec<String>, GitError> {
        let (git, limits) = (self.cutter.site.git(), Limits::within(REF_TIME));
        let stashed = keep::stashed(&git, limits)?;
        let held = keep::held(&git, limits)?;
        let dropped = held.into_iter().filter(|commit| !stashed.contains(commit));
        let commands = dropped.filter_map(|commit| {
            let subject = stash_subject(shadow, commit)?;
            Some(format!("git stash store -m {} {commit}", in_quotes(&subject)))
        });
        Ok(commands.take(MOST_NAMED).collect())
    }
}

/// The first line of a commit that the stash made; nothing for any other commit.
fn stash_subject(shadow: &Shadow, commit: Id) -> Option<String> {
    let read = shadow.read_commit(commit).ok()?;
    let [_, index, ..] = read.parents.as_slice() else {
        return None;
    };
    let index = shadow.read_commit(*index).ok()?;
    let first = |message: &[u8]| {
        let line = message.split(|byte| *byte == b'\n').next().unwrap_or_default();
        plain(&String::from_utf8_lossy(line))
    };
    first(&index.message)
        .starts_with("index on ")
        .then(|| first(&read.message))
}

/// A path as a shell reads it.
fn quoted(path: &RepoPath) -> String {
    let text = path.to_string();
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-/+@".contains(&byte);
    if text.bytes().all(is_plain) {
        text
    } else {
        in_quotes(&text)
    }
}

fn in_quotes(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}
