//! Which linked commits a new one takes the place of: amended, rebased, squashed, or reset and made again.

use super::level::LevelMatch;
use super::{CommitTrust, ExistingLink, LinkEvidence, LinkRound, UnlinkedCommit, WorkLedger};
use crate::object::Id;

/// The linked commits whose place this one took, oldest link first.
pub fn replaced(ledger: &WorkLedger<'_>, round: &LinkRound<'_>, commit: &UnlinkedCommit) -> Vec<Id> {
    let is_linked = ledger.live.iter().any(|known| known.commit == commit.facts.id);
    // One that only came back took nobody's place.
    if round.surroundings.is_under_way || (is_linked && commit.standing == CommitTrust::Brought) {
        return Vec::new();
    }
    let candidates = ledger.live.iter().filter(|known| known.commit != commit.facts.id);
    candidates
        .filter(|known| took_place(ledger, round, commit, known))
        .map(|known| known.commit)
        .collect()
}

/// The link a commit has for no other reason than that it took the place of linked ones: the newest of theirs.
pub fn inherit(ledger: &WorkLedger<'_>, replaced: &[Id]) -> Option<LevelMatch> {
    let newest = ledger
        .live
        .iter()
        .filter(|known| replaced.contains(&known.commit))
        .min_by_key(|known| {
            let listed = &ledger.candidate.checkpoints;
            let place = listed
                .iter()
                .position(|checkpoint| checkpoint.id == known.checkpoint);
            place.unwrap_or(usize::MAX)
        })?;
    Some(LevelMatch::at(LinkEvidence::Rewrite, &newest.checkpoint))
}

fn took_place(
    ledger: &WorkLedger<'_>,
    round: &LinkRound<'_>,
    commit: &UnlinkedCommit,
    known: &ExistingLink,
) -> bool {
    if commit.replaces == Some(known.commit) {
        return true;
    }
    // What a branch still holds was copied, not replaced.
    if !round.surroundings.abandoned.contains(&known.commit) {
        return false;
    }
    if is_same_change(commit, known) {
        return true;
    }
    match commit.standing {
        CommitTrust::Brought => false,
        CommitTrust::Made => holds_some(ledger, commit, known.commit),
        CommitTrust::Remade => {
            let mut others = round.commits.iter().filter(|other| !round.is_passing(other));
            match others.find(|other| is_clear_successor(ledger, round, other, known)) {
                Some(clear) => clear.facts.id == commit.facts.id,
                None => changes_all(ledger, commit, known.commit),
            }
        }
    }
}

fn is_same_change(commit: &UnlinkedCommit, known: &ExistingLink) -> bool {
    commit.patch.is_some() && commit.patch == known.patch
}

/// By its change, or since a rebase keeps who wrote one and when, unless that says nothing. Somebody's own commit of the
/// same second is none that was made again.
fn is_clear_successor(
    ledger: &WorkLedger<'_>,
    round: &LinkRound<'_>,
    commit: &UnlinkedCommit,
    known: &ExistingLink,
) -> bool {
    let Some(author) = &known.author else {
        return is_same_change(commit, known);
    };
    let is_by_them = |commit: &&UnlinkedCommit| {
        commit.standing == CommitTrust::Remade && commit.facts.author == *author && !round.is_passing(commit)
    };
    let alike = ledger
        .live
        .iter()
        .filter(|other| other.author.as_ref() == Some(author))
        .filter(|other| !round.commits.iter().any(|new| new.facts.id == other.commit));
    is_same_change(commit, known)
        || (is_by_them(&commit) && alike.count() == 1 && round.commits.iter().filter(is_by_them).count() == 1)
}

/// Whether content of the old commit is in the new one, byte for byte.
fn holds_some(ledger: &WorkLedger<'_>, commit: &UnlinkedCommit, old: Id) -> bool {
    let rows = ledger.candidate.rows.iter().zip(&ledger.held_by);
    rows.filter(|(_, held_by)| **held_by == Some(old))
        .any(|(row, _)| {
            commit
                .change(&row.path)
                .is_some_and(|change| change.after == row.after)
        })
}

/// Whether the new commit changes every path that the session had in the old one.
fn changes_all(ledger: &WorkLedger<'_>, commit: &UnlinkedCommit, old: Id) -> bool {
    let rows = ledger.candidate.rows.iter().zip(&ledger.held_by);
    let mut of_old = rows
        .filter(|(_, held_by)| **held_by == Some(old))
        .map(|(row, _)| row)
        .peekable();
    of_old.peek().is_some() && of_old.all(|row| commit.change(&row.path).is_some())
}
