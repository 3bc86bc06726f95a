//! The levels at which a commit can be seen to hold a session's work, the surest first.

use super::{CommitTrust, LinkEvidence, LinkRound, SessionChange, UnlinkedCommit, WorkLedger};

/// What was found.
#[derive(Debug)]
pub struct LevelMatch {
    pub how: LinkEvidence,
    pub checkpoint: String,
    /// The place of the checkpoint whose tree it is: then all rows up to it are in the commit.
    pub tree_of: Option<usize>,
    /// The change is all of the open work, though its bytes may be others: then every row at its paths is in it.
    pub covers_changed_paths: bool,
}

impl LevelMatch {
    pub fn at(how: LinkEvidence, checkpoint: &str) -> Self {
        Self {
            how,
            checkpoint: checkpoint.to_owned(),
            tree_of: None,
            covers_changed_paths: false,
        }
    }
}

/// The first level that holds.
pub fn find(ledger: &WorkLedger<'_>, round: &LinkRound<'_>, commit: &UnlinkedCommit) -> Option<LevelMatch> {
    // A new message for an old tree tells of nobody's work but what the old one was linked to.
    let is_new = !commit.is_reworded;
    trailer(ledger, commit)
        .or_else(|| is_new.then(|| tree(ledger, commit)).flatten())
        .or_else(|| patch(ledger, commit))
        .or_else(|| is_new.then(|| paths(ledger, round, commit)).flatten())
}

fn trailer(ledger: &WorkLedger<'_>, commit: &UnlinkedCommit) -> Option<LevelMatch> {
    let named = |id: &str| commit.facts.checkpoints.iter().any(|named| named == id);
    let newest = ledger
        .candidate
        .checkpoints
        .iter()
        .find(|checkpoint| named(&checkpoint.id))?;
    Some(LevelMatch::at(LinkEvidence::Trailer, &newest.id))
}

fn tree(ledger: &WorkLedger<'_>, commit: &UnlinkedCommit) -> Option<LevelMatch> {
    let mut newest_first = ledger.candidate.checkpoints.iter().enumerate();
    let (place, checkpoint) =
        newest_first.find(|(_, checkpoint)| checkpoint.files == Some(commit.facts.tree))?;
    Some(LevelMatch {
        tree_of: Some(place),
        ..LevelMatch::at(LinkEvidence::Tree, &checkpoint.id)
    })
}

fn patch(ledger: &WorkLedger<'_>, commit: &UnlinkedCommit) -> Option<LevelMatch> {
    let patch = commit.patch?;
    let of_linked = ledger.live.iter().rev().find(|known| known.patch == Some(patch));
    if let Some(known) = of_linked {
        return Some(LevelMatch::at(LinkEvidence::Patch, &known.checkpoint));
    }
    if ledger.candidate.open_patch != Some(patch) {
        return None;
    }
    let rows = ledger.candidate.rows.iter().zip(&ledger.held_by).rev();
    let newest = rows
        .filter(|(_, held_by)| held_by.is_none())
        .map(|(row, _)| row)
        .find(|row| commit.change(&row.path).is_some())?;
    Some(LevelMatch {
        covers_changed_paths: true,
        ..LevelMatch::at(LinkEvidence::Patch, &newest.checkpoint)
    })
}

/// Only for what somebody made here and now.
fn paths(ledger: &WorkLedger<'_>, round: &LinkRound<'_>, commit: &UnlinkedCommit) -> Option<LevelMatch> {
    if round.surroundings.is_under_way || commit.standing != CommitTrust::Made {
        return None;
    }
    source(ledger, round, commit).map(|checkpoint| LevelMatch::at(LinkEvidence::Paths, &checkpoint))
}

/// Where the session's work in a commit comes from: the newest checkpoint whose content is in it, else the newest that
/// touched one of its paths. A tree that agrees may also be one that a rewind left, or a look found.
pub fn source(ledger: &WorkLedger<'_>, round: &LinkRound<'_>, commit: &UnlinkedCommit) -> Option<String> {
    let mut touching = None;
    for (index, row) in ledger.candidate.rows.iter().enumerate().rev() {
        let Some(change) = commit.change(&row.path) else {
            continue;
        };
        if !ledger.is_open(round, index) {
            continue;
        }
        let holds = change.after == row.after;
        // What an abandoned commit held may be long out of use: only its very content speaks for it.
        if !holds && ledger.held_by.get(index).is_some_and(Option::is_some) {
            continue;
        }
        if change.after.is_some()
            && newest_at(ledger, round, row).is_some_and(|newest| newest.after.is_none())
        {
            // The session deleted it, and somebody made it anew.
            continue;
        }
        if holds {
            return Some(row.checkpoint.clone());
        }
        touching.get_or_insert(row);
    }
    touching.map(|row: &SessionChange| row.checkpoint.clone())
}

fn newest_at<'facts>(
    ledger: &WorkLedger<'facts>,
    round: &LinkRound<'_>,
    row: &SessionChange,
) -> Option<&'facts SessionChange> {
    let rows = ledger.candidate.rows.iter().enumerate().rev();
    rows.filter(|(index, other)| other.path == row.path && ledger.is_open(round, *index))
        .map(|(_, other)| other)
        .next()
}
