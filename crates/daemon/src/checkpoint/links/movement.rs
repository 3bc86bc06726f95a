//! What became new since the last look: commits, and how each of them came.

use super::Linker;
use git::commit_facts::{self, CommitFacts};
use git::linking::{CommitTrust, UnlinkedCommit};
use git::object::Id;
use git::reflog::{self, HeadMovement, MoveCause, Position};
use git::run::GitError;
use git::{operation, patch_id};
use std::collections::{HashMap, HashSet};

/// Of commits that were brought from elsewhere, so many are compared by their changes.
const MOST_BROUGHT: usize = 100;

/// What became new.
pub struct Movement {
    /// The commits, oldest first, each once.
    pub commits: Vec<UnlinkedCommit>,
    /// How far `HEAD` is followed with them.
    pub position: Position,
    /// Git is in the middle of something.
    pub is_under_way: bool,
}

impl Movement {
    pub fn follow(
        linker: &Linker<'_>,
        since: Option<&Position>,
        is_known: &dyn Fn(Id) -> bool,
    ) -> Result<Self, GitError> {
        let followed = reflog::follow(linker.place, linker.environment, since, is_known, linker.budget)?;
        let mut movement = Self {
            commits: Vec::new(),
            position: followed.position,
            is_under_way: false,
        };
        if followed.moves.is_empty() {
            return Ok(movement);
        }
        let git = linker.git();
        let lists = commit_facts::brought(&git, &followed.moves, linker.budget)?;
        let froms = followed.moves.iter().filter_map(|moved| moved.from);
        let ids: HashSet<Id> = lists.iter().flatten().copied().chain(froms).collect();
        let ids: Vec<Id> = ids.into_iter().collect();
        let facts: MovementFacts = commit_facts::read(&git, &ids, linker.budget)?
            .into_iter()
            .map(|facts| (facts.id, facts))
            .collect();
        // Without a reflog, only a line that goes on from where `HEAD` was can have been made here.
        let last = since.and_then(Position::head);
        let goes_on =
            followed.is_complete || last.is_none() || followed.moves.iter().any(|moved| moved.from == last);
        let mut seen = HashSet::new();
        for (moved, list) in followed.moves.iter().zip(&lists) {
            for id in list.iter().filter(|id| seen.insert(**id)) {
                movement.commits.extend(new_commit(&facts, moved, *id, goes_on));
            }
        }
        movement.name_changes(linker)?;
        movement.is_under_way =
            operation::in_progress(linker.place, linker.environment, linker.budget).is_some();
        Ok(movement)
    }

    /// Names the changes of the commits that may be found by them.
    fn name_changes(&mut self, linker: &Linker<'_>) -> Result<(), GitError> {
        let mut left = MOST_BROUGHT;
        let mut wanted = Vec::new();
        for commit in self.commits.iter().rev() {
            if commit.standing == CommitTrust::Brought {
                let Some(rest) = left.checked_sub(1) else { continue };
                left = rest;
            }
            wanted.push(commit.facts.clone());
        }
        let names = patch_id::of_commits(&linker.git(), &wanted, linker.budget)?;
        for commit in &mut self.commits {
            commit.patch = names.get(&commit.facts.id).copied();
        }
        Ok(())
    }
}

type MovementFacts = HashMap<Id, CommitFacts>;

fn new_commit(facts: &MovementFacts, moved: &HeadMovement, id: Id, goes_on: bool) -> Option<UnlinkedCommit> {
    let commit = facts.get(&id)?;
    let replaced = (moved.what == MoveCause::Amend)
        .then_some(moved.from)
        .flatten()
        .and_then(|from| facts.get(&from));
    Some(UnlinkedCommit {
        facts: commit.clone(),
        patch: None,
        standing: standing(facts, moved, commit, goes_on),
        replaces: replaced.map(|replaced| replaced.id),
        is_reworded: replaced.is_some_and(|replaced| replaced.tree == commit.tree),
    })
}

fn standing(facts: &MovementFacts, moved: &HeadMovement, commit: &CommitFacts, goes_on: bool) -> CommitTrust {
    let before = moved.from.and_then(|from| facts.get(&from));
    let follows = commit.parents.first() == moved.from.as_ref();
    // The steps of a rebase that squash or reword take the place of the commit before.
    let takes_place = before.is_some_and(|before| before.parents == commit.parents);
    match moved.what {
        _ if commit.parents.len() > 1 => CommitTrust::Brought,
        MoveCause::Commit | MoveCause::Amend => CommitTrust::Made,
        MoveCause::CherryPick | MoveCause::Revert => CommitTrust::Remade,
        MoveCause::Rebase if follows || takes_place => CommitTrust::Remade,
        MoveCause::Other if follows && goes_on => CommitTrust::Made,
        MoveCause::Rebase
        | MoveCause::Reset
        | MoveCause::Checkout
        | MoveCause::Merge
        | MoveCause::Pull
        | MoveCause::Other => CommitTrust::Brought,
    }
}
