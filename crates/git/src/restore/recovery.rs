//! What becomes of restores that were cut short: finished, taken back, or left for a person to answer.

use std::io;

use super::journal::JournalId;
use super::record::{self, Found, Record};
use super::stage::{self, Stage};
use super::standing::Standing;
use super::work::Work;
use super::{Applied, Change, Ground, Observe, RestoreError};
use crate::below::Below;
use crate::path::RepoPath;
use crate::shadow::Shadow;

/// A restore that was cut short, and what became of it.
#[derive(Debug)]
#[must_use = "the journal stays until it is closed"]
pub struct Recovered {
    /// The journal.
    pub id: JournalId,
    /// What became of it.
    pub outcome: Outcome,
    open: Option<Applied>,
}

/// What became of a restore that was cut short.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// All of it is done now.
    Finished {
        /// How many files were done when it was found.
        done: usize,
        /// How many there are.
        total: usize,
    },
    /// None of it is done any more.
    RolledBack {
        /// How many files were done when it was found.
        done: usize,
        /// How many there are.
        total: usize,
    },
    /// It was left alone: a person must answer.
    Unsettled {
        /// The paths that stand in the way; none if the journal itself cannot be read.
        paths: Vec<RepoPath>,
    },
}

/// A person's answer to a restore that could not be settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// Do what is left to do; what somebody changed meanwhile stays theirs.
    Finish,
    /// Take back what was done; what somebody changed meanwhile stays theirs.
    RollBack,
    /// Leave every file as it is.
    Forget,
}

impl Recovered {
    fn left_alone(id: JournalId) -> Self {
        Self {
            id,
            outcome: Outcome::Unsettled { paths: Vec::new() },
            open: None,
        }
    }

    /// What it was to change; nothing where it was not settled.
    pub fn changes(&self) -> &[Change] {
        self.open
            .as_ref()
            .map_or(&[], |open| open.record.journal.changes.as_slice())
    }

    /// Closes the journal of a settled restore. One that was not settled stays.
    pub fn close(self, observe: Observe<'_>) -> io::Result<()> {
        match self.open {
            Some(open) => open.close(observe),
            None => Ok(()),
        }
    }
}

/// Settles every restore of this worktree that was cut short. Those a process still works on are left alone.
pub fn recover(
    shadow: &Shadow,
    ground: &Ground<'_>,
    observe: Observe<'_>,
) -> Result<Vec<Recovered>, RestoreError> {
    let folder = shadow.journal_folder();
    let listed = record::list(&folder).map_err(RestoreError::Journal)?;
    for id in listed.closed {
        // What is left of it harms nobody, so neither does a failure to remove it.
        if let Ok(Found::Free(record)) = Record::open_closed(&folder, &id)
            && record.journal.worktree == ground.name
            && let Ok(work) = reopened(shadow, ground, record, observe)
        {
            let _ = work.open().close(observe);
        }
    }
    let mut recovered = Vec::new();
    for id in listed.open {
        match Record::open(&folder, &id) {
            Ok(Found::Live | Found::Gone) => {}
            Ok(Found::Free(record)) if record.journal.worktree != ground.name => {}
            Ok(Found::Free(record)) => {
                let is_staged = record.is_staged;
                recovered.push(match reopened(shadow, ground, record, observe) {
                    Ok(work) => settled(work, id, is_staged),
                    Err(_) => Recovered::left_alone(id),
                });
            }
            // One that cannot be read must not keep the others from being settled.
            Ok(Found::Unreadable) | Err(_) => recovered.push(Recovered::left_alone(id)),
        }
    }
    Ok(recovered)
}

/// Carries out a person's answer, closes the journal, and gives back the paths that stay as they were found.
pub fn resolve(
    shadow: &Shadow,
    ground: &Ground<'_>,
    (id, answer): (&JournalId, Answer),
    observe: Observe<'_>,
) -> Result<Vec<RepoPath>, RestoreError> {
    let folder = shadow.journal_folder();
    let record = match Record::open(&folder, id).map_err(RestoreError::Journal)? {
        Found::Free(record) if record.journal.worktree == ground.name => record,
        Found::Unreadable if answer == Answer::Forget => {
            record::set_aside(&folder, id).map_err(RestoreError::Journal)?;
            return Ok(Vec::new());
        }
        Found::Free(_) | Found::Unreadable | Found::Live | Found::Gone => {
            return Err(RestoreError::NoJournal(id.clone()));
        }
    };
    let is_staged = record.is_staged;
    let work = reopened(shadow, ground, record, observe)?;
    let left = match answer {
        Answer::Finish if is_staged => work.finish_possible(),
        Answer::RollBack if is_staged => work.roll_back().err().unwrap_or_default(),
        Answer::Finish | Answer::RollBack | Answer::Forget => Vec::new(),
    };
    work.open().close(observe).map_err(RestoreError::Journal)?;
    Ok(left)
}

fn reopened<'a>(
    shadow: &'a Shadow,
    ground: &Ground<'_>,
    record: Record,
    observe: Observe<'a>,
) -> Result<Work<'a>, RestoreError> {
    let journal = &record.journal;
    let path = stage::path(shadow.folder(), ground.root, journal.stage, &journal.id);
    let stage = Stage::reopen(path).map_err(RestoreError::Journal)?;
    let root = Below::open_root(ground.root).map_err(RestoreError::Journal)?;
    Ok(Work::new(shadow, root, stage, record, observe))
}

/// Before the mark nothing was changed; after it, all is finished or all is taken back, or all is left alone.
fn settled(work: Work<'_>, id: JournalId, is_staged: bool) -> Recovered {
    let outcome = if is_staged {
        outcome(&work)
    } else {
        let total = work.journal().changes.len();
        Outcome::RolledBack { done: 0, total }
    };
    let is_settled = !matches!(outcome, Outcome::Unsettled { .. });
    Recovered {
        id,
        outcome,
        open: is_settled.then(|| work.open()),
    }
}

fn outcome(work: &Work<'_>) -> Outcome {
    let unsettled = |path: RepoPath| Outcome::Unsettled { paths: vec![path] };
    if let Err((path, _)) = work.settle() {
        return unsettled(path);
    }
    let total = work.journal().changes.len();
    let mut done = 0;
    let mut strangers = false;
    let mut stuck = Vec::new();
    for (number, change) in work.journal().changes.iter().enumerate() {
        match work.standing(number, change) {
            Ok(Standing::From) => {}
            Ok(Standing::To { .. }) => done += 1,
            Ok(Standing::Stranger { was_touched: false }) => strangers = true,
            Ok(Standing::Stranger { was_touched: true }) | Err(_) => stuck.push(change.path.clone()),
        }
    }
    if !stuck.is_empty() {
        return Outcome::Unsettled { paths: stuck };
    }
    if !strangers && work.finish().is_ok() {
        return Outcome::Finished { done, total };
    }
    match work.roll_back() {
        Ok(()) => Outcome::RolledBack { done, total },
        Err(paths) => Outcome::Unsettled { paths },
    }
}
