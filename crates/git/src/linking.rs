//! Decides which commits hold whose work. Pure: facts in, links out; it asks neither git nor a database.
//!
//! Per commit and session the first that holds: the commit's tree is a checkpoint's, its change is that of a linked
//! commit or of the work that is open, it changes a path with open work. A commit that takes the place of a linked
//! one takes over its link.

use std::collections::{HashMap, HashSet};

use crate::commit_facts::{CommitChange, CommitFacts, Signature};
use crate::object::{Id, TreeLeaf};
use crate::path::RepoPath;

mod level;
mod succession;

/// How a commit came, and thereby how much it may be believed to hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CommitTrust {
    /// Somebody made it here and now: everything counts.
    Made,
    /// Git made it from commits that were there: changed paths say nothing, but it may replace them.
    Remade,
    /// It came from elsewhere: changed paths say nothing.
    Brought,
}

/// A commit that is new to us.
#[derive(Debug, Clone)]
pub struct UnlinkedCommit {
    /// What it is and changes.
    pub facts: CommitFacts,
    /// The name of its change.
    pub patch: Option<Id>,
    /// How it came.
    pub standing: CommitTrust,
    /// The commit whose place it took, by `HEAD`'s own word.
    pub replaces: Option<Id>,
    /// Whether it has the tree of that commit: then nothing but the message is new.
    pub is_reworded: bool,
}

/// A session and what is known of its work.
#[derive(Debug, Clone, Default)]
pub struct Candidate {
    /// Its checkpoints, as far as they matter, newest first.
    pub checkpoints: Vec<LinkedCheckpoint>,
    /// Its changes that are in no commit, or in one that is abandoned; oldest first.
    pub rows: Vec<SessionChange>,
    /// Its links that were not superseded.
    pub links: Vec<ExistingLink>,
    /// Commits whose link to it was superseded: they get no new one.
    pub superseded: HashSet<Id>,
    /// The name of all its open work as one change against the base.
    pub open_patch: Option<Id>,
}

/// A checkpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkedCheckpoint {
    /// Its id.
    pub id: String,
    /// The tree of its files, if work of the session is in it.
    pub files: Option<Id>,
}

/// What a session did to one path in one checkpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionChange {
    /// The checkpoint.
    pub checkpoint: String,
    /// The path.
    pub path: RepoPath,
    /// What was there then; nothing after a deletion.
    pub after: Option<TreeLeaf>,
    /// The abandoned commit that held it.
    pub committed_in: Option<Id>,
}

/// A link that exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExistingLink {
    /// The commit.
    pub commit: Id,
    /// The checkpoint.
    pub checkpoint: String,
    /// The name of the commit's change.
    pub patch: Option<Id>,
    /// Who wrote that change, and when, as far as it is known.
    pub author: Option<Signature>,
}

/// What else is the case.
#[derive(Debug, Clone, Default)]
pub struct LinkContext {
    /// Commits that no branch holds any more.
    pub abandoned: HashSet<Id>,
    /// Paths at which the worktree agrees with `HEAD`, and no stash holds anything else of the session's.
    pub settled: HashSet<RepoPath>,
    /// A rebase, merge or the like is under way: trees and changes count, paths do not, and nothing is replaced yet.
    pub is_under_way: bool,
}

/// How a commit was found to hold a session's work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LinkEvidence {
    /// Its message names the checkpoint.
    Trailer,
    /// Its tree is the checkpoint's.
    Tree,
    /// Its change is known.
    Patch,
    /// It changes paths with open work.
    Paths,
    /// It took the place of a linked commit.
    Rewrite,
}

/// A link to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewLink {
    /// The commit.
    pub commit: Id,
    /// Whose work it holds: a place in the list of candidates.
    pub session: usize,
    /// The checkpoint it leads to.
    pub checkpoint: String,
    /// How that was found.
    pub how: LinkEvidence,
    /// Paths of the commit that are the session's.
    pub matched: usize,
    /// Paths of the commit.
    pub total: usize,
    /// The name of its change.
    pub patch: Option<Id>,
    /// The linked commits it took the place of.
    pub supersedes: Vec<Id>,
}

/// A change that is in a commit now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Committed {
    /// Whose: a place in the list of candidates.
    pub session: usize,
    /// Which: a place in that candidate's rows.
    pub row: usize,
    /// In which commit.
    pub commit: Id,
}

/// What follows from the new commits.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LinkOutcome {
    /// Links to make, in the order of the commits.
    pub links: Vec<NewLink>,
    /// Changes that are committed now.
    pub committed: Vec<Committed>,
    /// Paths that still have open work, per candidate, each once.
    pub open: Vec<(usize, RepoPath)>,
}

/// The links of these commits, oldest first, to these sessions.
pub fn link(commits: &[UnlinkedCommit], candidates: &[Candidate], surroundings: &LinkContext) -> LinkOutcome {
    let round = LinkRound {
        commits,
        surroundings,
        last_change: last_changes(commits, surroundings),
    };
    let mut outcome = LinkOutcome::default();
    for (session, candidate) in candidates.iter().enumerate() {
        let mut ledger = WorkLedger::new(session, candidate);
        for commit in commits {
            ledger.enter(&round, commit);
        }
        ledger.close(&mut outcome);
    }
    let order = |commit: Id| commits.iter().position(|new| new.facts.id == commit);
    outcome.links.sort_by_key(|link| order(link.commit));
    outcome
}

/// What is the same for all sessions.
struct LinkRound<'facts> {
    commits: &'facts [UnlinkedCommit],
    surroundings: &'facts LinkContext,
    /// The newest commit that changes a path: only there the worktree of now says something.
    last_change: HashMap<&'facts RepoPath, Id>,
}

impl LinkRound<'_> {
    /// Git made it on the way to others: a step of a rebase that was squashed, or given up.
    fn is_passing(&self, commit: &UnlinkedCommit) -> bool {
        commit.standing == CommitTrust::Remade && self.surroundings.abandoned.contains(&commit.facts.id)
    }
}

fn last_changes<'facts>(
    commits: &'facts [UnlinkedCommit],
    surroundings: &LinkContext,
) -> HashMap<&'facts RepoPath, Id> {
    let held = commits
        .iter()
        .filter(|commit| !surroundings.abandoned.contains(&commit.facts.id));
    let changes = held.flat_map(|commit| commit.changes().iter().map(move |change| (change, commit)));
    changes
        .map(|(change, commit)| (&change.path, commit.facts.id))
        .collect()
}

impl UnlinkedCommit {
    fn changes(&self) -> &[CommitChange] {
        self.facts.changes.as_deref().unwrap_or_default()
    }

    fn change(&self, path: &RepoPath) -> Option<&CommitChange> {
        let changes = self.changes();
        // Git lists them in the order of their bytes.
        let found = changes.binary_search_by(|change| change.path.cmp(path)).ok();
        found
            .and_then(|found| changes.get(found))
            .or_else(|| changes.iter().find(|change| change.path == *path))
    }
}

/// One session's work while one commit after the other is gone through.
struct WorkLedger<'facts> {
    session: usize,
    candidate: &'facts Candidate,
    /// Where each row is committed by now.
    held_by: Vec<Option<Id>>,
    live: Vec<ExistingLink>,
    links: Vec<NewLink>,
}

impl<'facts> WorkLedger<'facts> {
    fn new(session: usize, candidate: &'facts Candidate) -> Self {
        Self {
            session,
            candidate,
            held_by: candidate.rows.iter().map(|row| row.committed_in).collect(),
            live: candidate.links.clone(),
            links: Vec::new(),
        }
    }

    fn enter(&mut self, round: &LinkRound<'_>, commit: &UnlinkedCommit) {
        let id = commit.facts.id;
        let is_empty = commit.facts.changes.as_ref().is_some_and(Vec::is_empty);
        if is_empty || self.candidate.superseded.contains(&id) || round.is_passing(commit) {
            return;
        }
        let replaced = succession::replaced(self, round, commit);
        let found = level::find(self, round, commit);
        let Some(found) = found.or_else(|| succession::inherit(self, &replaced)) else {
            return;
        };
        let matched = self.own_paths(round, commit);
        let checkpoint = match found.how {
            LinkEvidence::Trailer => None,
            LinkEvidence::Tree | LinkEvidence::Patch | LinkEvidence::Paths | LinkEvidence::Rewrite => {
                level::source(self, round, commit)
            }
        };
        let checkpoint = checkpoint.unwrap_or_else(|| found.checkpoint.clone());
        self.commit_rows(round, commit, &found, &replaced);
        let is_linked = self.live.iter().any(|known| known.commit == id);
        if is_linked && replaced.is_empty() {
            return;
        }
        let total = commit.changes().len();
        self.links.push(NewLink {
            commit: id,
            session: self.session,
            checkpoint: checkpoint.clone(),
            how: if replaced.is_empty() {
                found.how
            } else {
                LinkEvidence::Rewrite
            },
            // A tree or a change that agrees does so in all its paths.
            matched: if matched == 0 { total } else { matched },
            total,
            patch: commit.patch,
            supersedes: replaced.clone(),
        });
        self.live
            .retain(|known| known.commit != id && !replaced.contains(&known.commit));
        self.live.push(ExistingLink {
            commit: id,
            checkpoint,
            patch: commit.patch,
            author: Some(commit.facts.author.clone()),
        });
    }

    /// Whether a row's work is still to be committed, or was in a commit that is no more.
    fn is_open(&self, round: &LinkRound<'_>, row: usize) -> bool {
        match self.held_by.get(row) {
            Some(Some(commit)) => round.surroundings.abandoned.contains(commit),
            Some(None) => true,
            None => false,
        }
    }

    fn own_paths(&self, round: &LinkRound<'_>, commit: &UnlinkedCommit) -> usize {
        let open = self.candidate.rows.iter().enumerate();
        let own: HashSet<&RepoPath> = open
            .filter(|(index, _)| self.is_open(round, *index))
            .map(|(_, row)| &row.path)
            .filter(|path| commit.change(path).is_some())
            .collect();
        own.len()
    }

    /// Notes which rows the commit holds.
    fn commit_rows(
        &mut self,
        round: &LinkRound<'_>,
        commit: &UnlinkedCommit,
        found: &level::LevelMatch,
        replaced: &[Id],
    ) {
        let id = commit.facts.id;
        let mut held = vec![false; self.candidate.rows.len()];
        for (index, row) in self.candidate.rows.iter().enumerate() {
            if !self.is_open(round, index) {
                continue;
            }
            let was_replaced = self
                .held_by
                .get(index)
                .is_some_and(|held| held.is_some_and(|held| replaced.contains(&held)));
            let by_change = commit.change(&row.path).is_some_and(|change| {
                let is_last = round.last_change.get(&row.path) == Some(&id);
                was_replaced
                    || found.covers_changed_paths
                    || (is_last && round.surroundings.settled.contains(&row.path))
                    || self.is_contained(round, index, change.after)
            });
            let by_tree = found
                .tree_of
                .is_some_and(|tree| self.is_not_newer(&row.checkpoint, tree));
            if let Some(held) = held.get_mut(index) {
                *held = by_change || by_tree;
            }
        }
        for (held_by, _) in self.held_by.iter_mut().zip(held).filter(|(_, held)| *held) {
            *held_by = Some(id);
        }
    }

    /// Whether this content at the row's path is that of the row, or of a later one that came after it.
    fn is_contained(&self, round: &LinkRound<'_>, row: usize, content: Option<TreeLeaf>) -> bool {
        let rows = self.candidate.rows.iter().enumerate().skip(row);
        let path = self.candidate.rows.get(row).map(|row| &row.path);
        rows.filter(|(index, later)| Some(&later.path) == path && self.is_open(round, *index))
            .any(|(_, later)| later.after == content)
    }

    /// Whether a checkpoint is this one or came before it. Those no longer listed are older.
    fn is_not_newer(&self, checkpoint: &str, limit: usize) -> bool {
        let place = self
            .candidate
            .checkpoints
            .iter()
            .position(|listed| listed.id == checkpoint);
        place.is_none_or(|place| place >= limit)
    }

    fn close(self, outcome: &mut LinkOutcome) {
        let session = self.session;
        let mut seen = HashSet::new();
        for (index, (row, held_by)) in self.candidate.rows.iter().zip(&self.held_by).enumerate() {
            match held_by {
                Some(commit) if *held_by != row.committed_in => outcome.committed.push(Committed {
                    session,
                    row: index,
                    commit: *commit,
                }),
                None if seen.insert(&row.path) => outcome.open.push((session, row.path.clone())),
                Some(_) | None => {}
            }
        }
        outcome.links.extend(self.links);
    }
}

#[cfg(test)]
mod tests;
