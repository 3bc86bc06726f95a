//! What a destructive command moved in git itself, and the git commands that bring it back. Nothing is moved here.
//!
//! A command is printed only for what this very command moved, and only if whoever follows it loses nothing that was made
//! since: everything else is the person's own doing by now.

use super::Rewinder;
use super::error::RewindError;
use super::proposal::layout_of;
use super::way_back::WayBack;
use crate::checkpoint::metadata::Metadata;
use crate::checkpoint::recovery::page;
use engine::text::{plain, word};
use git::keep_refs;
use git::object::Id;
use git::path::RepoPath;
use git::run::{GitError, Limits};
use git::shadow::Shadow;
use std::collections::BTreeSet;
use std::time::Duration;
use store::table::checkpoints::{Checkpoint, UndoableOperation};

/// More than this is counted, not named.
const MOST_NAMED: usize = 20;
/// Reading refs takes no longer.
pub(super) const REF_TIME: Duration = Duration::from_secs(5);

/// What a command moved in git.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Moved {
    /// The commands that bring it back.
    pub commands: Vec<String>,
    /// The commit that was checked out before, where no command goes back to it without a loss.
    pub held: Option<Held>,
}

/// A commit that is kept, and is not checked out again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    /// The commit.
    pub commit: String,
    /// Whether somebody moved HEAD or its branch since; otherwise the command made a commit that would lose its name.
    pub is_moved_since: bool,
}

impl Rewinder<'_> {
    /// What a command moved: commits that are no longer checked out, what was staged, what was put aside, what had a name.
    pub fn moved(&self, operation: &UndoableOperation) -> Result<Moved, RewindError> {
        let before = &operation.act;
        let site = self.cutter.site;
        let mut moved = Moved::default();
        if !operation.is_command() || !site.worktree.is_in_git() {
            return Ok(moved);
        }
        let Some(shadow) = site.shadow()? else {
            return Ok(moved);
        };
        let then: Option<Id> = before.head.as_deref().and_then(|then| then.parse().ok());
        if let Some(then) = then
            && let Some(passage) = self.passage(before, then)?
        {
            let now = git::head::read(&site.place, site.environment(), REF_TIME);
            match self.way_back(before, &passage, &now)? {
                WayBack::Needless => {}
                WayBack::Command(command) => moved.commands.push(command),
                WayBack::Held(held) => moved.held = Some(held),
            }
        }
        moved.commands.extend(self.unstaged(&shadow, before)?);
        if let Some(story) = story_of(&shadow, before)? {
            moved.commands.extend(self.dropped(&shadow, (before, &story))?);
            let lost = self.unnamed(&shadow, (before, &story))?;
            moved.commands.extend(lost);
        }
        Ok(moved)
    }

    /// Which commit a command found checked out and which it left, if it went from one to another.
    pub(super) fn carried(&self, before: &Checkpoint) -> Result<Option<(Id, Id)>, RewindError> {
        let then: Option<Id> = before.head.as_deref().and_then(|then| then.parse().ok());
        let Some(then) = then.filter(|_| self.cutter.site.worktree.is_in_git()) else {
            return Ok(None);
        };
        let passage = self.passage(before, then)?;
        Ok(passage.map(|passage| (passage.from, passage.to)))
    }

    /// What was staged and is nowhere else, where nothing is staged by now.
    fn unstaged(&self, shadow: &Shadow, before: &Checkpoint) -> Result<Vec<String>, RewindError> {
        let Some(staged) = layout_of(shadow, before)?.staged else {
            return Ok(Vec::new());
        };
        let question = ["diff", "--cached", "--name-only", "--no-renames", "-z", "--"];
        let git = self.cutter.site.git();
        let changed = match git.run(&question, Limits::within(REF_TIME)) {
            Ok(changed) => changed,
            Err(GitError::Failed { .. }) => return Ok(Vec::new()),
            Err(error) => return Err(error.into()),
        };
        let changed: BTreeSet<&[u8]> = changed.split(|byte| *byte == 0).collect();
        let leaves = shadow.leaves(staged)?;
        let lost = leaves
            .iter()
            .filter(|(path, _)| !changed.contains(path.as_bytes()));
        let command = |(path, entry): &(RepoPath, git::object::TreeLeaf)| {
            let mode = entry.mode.octal();
            format!(
                "git update-index --add --cacheinfo {mode},{},{}",
                entry.id,
                word(path.as_bytes())
            )
        };
        Ok(lost.take(MOST_NAMED).map(command).collect())
    }

    /// Commits that the command left without any name: of deleted branches and tags. What was checked out comes back
    /// otherwise.
    fn unnamed(
        &self,
        shadow: &Shadow,
        (before, story): (&Checkpoint, &Metadata),
    ) -> Result<Vec<String>, GitError> {
        let (git, limits) = (self.cutter.site.git(), Limits::within(REF_TIME));
        let held = keep_refs::lost(&git, limits)?;
        let (mut commands, again) = self.renamed(story)?;
        for id in story.lost.iter().filter(|id| !again.contains(*id)) {
            let Some(commit) = id.parse().ok().filter(|commit| held.contains(commit)) else {
                continue;
            };
            if before.head.as_ref() == Some(id) || stash_subject(shadow, commit).is_some() {
                continue;
            }
            let names = ["refs/heads", "refs/tags", "refs/remotes"];
            let question = [&["for-each-ref", "--count=1", "--contains", id], &names[..]].concat();
            let is_named = match git.run(&question, limits) {
                Ok(found) => !found.is_empty(),
                // It is no commit.
                Err(GitError::Failed { .. }) => true,
                Err(error) => return Err(error),
            };
            if !is_named && commands.len() < MOST_NAMED {
                let short = id.get(..7).unwrap_or(id);
                commands.push(format!("git branch restored-{short} {id}"));
            }
        }
        Ok(commands)
    }

    /// Names that the command took away and that nobody gave again, with what they stood for.
    fn renamed(&self, story: &Metadata) -> Result<(Vec<String>, BTreeSet<String>), GitError> {
        let (git, limits) = (self.cutter.site.git(), Limits::within(REF_TIME));
        let (mut commands, mut again) = (Vec::new(), BTreeSet::new());
        for (name, id) in story.names.iter().filter_map(|named| named.split_once(' ')) {
            let is_there = match git.run(&["rev-parse", "--verify", "--quiet", name], limits) {
                Ok(_) => true,
                Err(GitError::Failed { .. }) => false,
                Err(error) => return Err(error),
            };
            if is_there || name == "refs/stash" || commands.len() >= MOST_NAMED {
                continue;
            }
            let given = |what: &str, name: &str| format!("git {what} {} {id}", word(name));
            let (branch, tag) = (name.strip_prefix("refs/heads/"), name.strip_prefix("refs/tags/"));
            commands.push(match (branch, tag) {
                (Some(branch), _) => given("branch", branch),
                (None, Some(tag)) => given("tag", tag),
                (None, None) => given("update-ref", name),
            });
            again.insert(id.to_owned());
        }
        Ok((commands, again))
    }

    /// What was in the stash before a command that speaks of the stash, and is no longer.
    fn dropped(
        &self,
        shadow: &Shadow,
        (before, story): (&Checkpoint, &Metadata),
    ) -> Result<Vec<String>, GitError> {
        if !before.label.contains("stash") && !before.label.ends_with('…') {
            return Ok(Vec::new());
        }
        let (git, limits) = (self.cutter.site.git(), Limits::within(REF_TIME));
        let stashed = keep_refs::stashed(&git, limits)?;
        let then = story.stash.iter().filter_map(|id| id.parse::<Id>().ok());
        // The oldest first: each goes on top of those before it.
        let dropped: Vec<Id> = then.filter(|commit| !stashed.contains(commit)).collect();
        let commands = dropped.into_iter().rev().filter_map(|commit| {
            let subject = stash_subject(shadow, commit)?;
            Some(format!("git stash store -m {} {commit}", word(&subject)))
        });
        Ok(commands.take(MOST_NAMED).collect())
    }
}

/// What the checkpoint before a command says about itself.
fn story_of(shadow: &Shadow, before: &Checkpoint) -> Result<Option<Metadata>, RewindError> {
    let session = layout_of(shadow, before)?.session;
    let told = page(shadow, session, "metadata.json")?;
    Ok(told.as_deref().and_then(Metadata::parse))
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
