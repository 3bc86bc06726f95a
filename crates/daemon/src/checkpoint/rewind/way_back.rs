//! The way back to what was checked out before a command: to the branch it left, or with the branch it moved.

use super::Rewinder;
use super::error::RewindError;
use super::moved::{Held, REF_TIME};
use engine::text::word;
use engine::time::Timestamp;
use git::head::Head;
use git::object::Id;
use git::reflog;
use git::run::{GitError, Limits};
use store::table::calls;
use store::table::checkpoints::Checkpoint;
use store::table::checkpoints::retention::next_of;

/// How a command moved HEAD, by what the reflog says of the time in which it ran.
pub(super) struct Passage {
    /// Where HEAD was.
    pub from: Id,
    /// Where the command left it.
    pub to: Id,
    /// Whether nothing is in the reflog since.
    is_last: bool,
}

/// What can be said about HEAD.
pub(super) enum WayBack {
    /// Nothing: it is where it was.
    Needless,
    /// The command that goes back, and loses no commit.
    Command(String),
    /// The commit is there, and no command goes back without a loss.
    Held(Held),
}

impl Rewinder<'_> {
    /// How to go back to what was checked out, if that loses no commit that was made since.
    pub(super) fn way_back(
        &self,
        before: &Checkpoint,
        passage: &Passage,
        now: &Head,
    ) -> Result<WayBack, GitError> {
        let (then, left) = (passage.from, passage.to);
        let head: Option<Id> = now.commit().and_then(|commit| commit.parse().ok());
        let is_left_there = head == Some(left) && passage.is_last;
        let held = |is_moved_since| {
            WayBack::Held(Held {
                commit: then.to_string(),
                is_moved_since,
            })
        };
        let Some(branch) = before.branch.as_deref() else {
            return Ok(match head {
                head if head == Some(then) => WayBack::Needless,
                _ if !is_left_there => held(true),
                _ if self.keeps_all((then, left), None)? => {
                    WayBack::Command(format!("git switch --detach {then}"))
                }
                _ => held(false),
            });
        };
        let (is_on_it, at) = (now.branch() == Some(branch), self.tip(branch)?);
        if at == Some(then) {
            return Ok(if is_on_it || head == Some(then) {
                WayBack::Needless
            } else if !is_left_there {
                held(true)
            } else if self.keeps_all((then, left), None)? {
                WayBack::Command(format!("git switch {}", word(branch)))
            } else {
                held(false)
            });
        }
        // Whoever moved the branch since has reasons to.
        if at != Some(left) {
            return Ok(held(true));
        }
        let is_kept = self.keeps_all((then, left), Some(branch))?;
        Ok(if !is_kept {
            held(false)
        } else if is_on_it {
            WayBack::Command(format!("git reset --keep {then}"))
        } else {
            WayBack::Command(format!("git branch -f {} {then}", word(branch)))
        })
    }

    /// From where to where the command moved HEAD, if it did.
    pub(super) fn passage(&self, before: &Checkpoint, then: Id) -> Result<Option<Passage>, RewindError> {
        let (began, ended, seen) = self.cutter.read(|db| {
            let call = match (before.actor, &before.tool_use_id) {
                (Some(actor), Some(id)) => calls::newest(db, actor, id)?,
                _ => None,
            };
            let next = next_of(db, before)?;
            let began = call.as_ref().map_or(before.created_at, |call| call.opened_at);
            let closed = call.and_then(|call| call.closed_at);
            let ended = closed.or(next.as_ref().map(|next| next.created_at));
            let after = next.filter(|next| closed.is_some_and(|closed| next.created_at >= closed));
            Ok((began, ended, after.and_then(|after| after.head)))
        })?;
        let site = self.cutter.site;
        let seconds = |at: Timestamp| at.0.div_euclid(1000);
        let entries = reflog::moves(&site.place, site.environment(), REF_TIME)?;
        let ran = seconds(began)..=ended.map_or(i64::MAX, seconds);
        let mut went: Vec<(usize, Id)> = Vec::new();
        for (index, entry) in entries.iter().enumerate() {
            let at = went.last().map_or(then, |(_, at)| *at);
            if ran.contains(&entry.at) && entry.moved.from == Some(at) {
                went.push((index, entry.moved.to));
            }
        }
        // A reflog knows seconds alone: what came in the same second as the end is told by the first look after it.
        let seen: Option<Id> = seen.and_then(|seen| seen.parse().ok());
        if seen == Some(then) {
            return Ok(None);
        }
        if let Some(last) = went.iter().rposition(|(_, at)| Some(*at) == seen) {
            went.truncate(last + 1);
        }
        let last = went.last().filter(|(_, at)| *at != then);
        Ok(last.map(|(index, to)| Passage {
            from: then,
            to: *to,
            is_last: index + 1 == entries.len(),
        }))
    }

    /// Where a branch is.
    fn tip(&self, branch: &str) -> Result<Option<Id>, GitError> {
        let name = format!("refs/heads/{branch}");
        let question = ["rev-parse", "--verify", "--quiet", &name];
        match self.cutter.site.git().run(&question, Limits::within(REF_TIME)) {
            Ok(found) => Ok(String::from_utf8_lossy(&found).trim().parse().ok()),
            Err(GitError::Failed { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Whether no commit loses its last name when HEAD, or a branch that is `moved`, goes from one commit back to another.
    fn keeps_all(&self, (to, from): (Id, Id), moved: Option<&str>) -> Result<bool, GitError> {
        let (to, from) = (to.to_string(), from.to_string());
        let exclude = format!("--exclude={}", moved.unwrap_or_default());
        let mut question = vec!["rev-list", "--max-count=1", &from, "--not", &to];
        if moved.is_some() {
            question.push(&exclude);
        }
        question.extend(["--branches", "--tags", "--remotes", "--"]);
        match self.cutter.site.git().run(&question, Limits::within(REF_TIME)) {
            Ok(found) => Ok(found.is_empty()),
            Err(GitError::Failed { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }
}
