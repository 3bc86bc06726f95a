//! What becomes of restores that were cut short: finished, or what was done stands and the rest is left. Either way the
//! journal is closed, and nothing that somebody wrote since is touched.

use std::io;

use super::journal::JournalId;
use super::record::{self, FoundJournal, OpenJournal};
use super::stage::{self, StagingFolder};
use super::standing::ChangeProgress;
use super::work::RestoreState;
use super::{Applied, Observe, PathChange, RestoreError, RestoreTarget};
use crate::nofollow::OpenFolder;
use crate::path::RepoPath;
use crate::shadow::Shadow;

/// A restore that was cut short, and what became of it.
#[derive(Debug)]
#[must_use = "the journal stays until it is closed"]
pub struct Recovered {
    /// The journal.
    pub id: JournalId,
    /// What became of it.
    pub outcome: RecoveryOutcome,
    /// What it has changed, now that it is over.
    pub changes: Vec<PathChange>,
    open: Option<Applied>,
}

/// What became of a restore that was cut short.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecoveryOutcome {
    /// All of it is done now.
    Finished {
        /// How many files were done when it was found.
        done: usize,
        /// How many there are.
        total: usize,
    },
    /// None of it is done.
    Dropped {
        /// How many files there are.
        total: usize,
    },
    /// Somebody changed files meanwhile: what was done stands, the rest is as it was found.
    Partly {
        /// How many files are done.
        done: usize,
        /// How many there are.
        total: usize,
        /// Those that are not.
        left: Vec<RepoPath>,
    },
    /// The journal cannot be read, or a file could not be given back: both are kept, out of the way.
    SetAside {
        /// The file.
        path: Option<RepoPath>,
    },
}

impl Recovered {
    /// Closes the journal, if it is not out of the way already.
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
    ground: &RestoreTarget<'_>,
    observe: Observe<'_>,
) -> Result<Vec<Recovered>, RestoreError> {
    let folder = shadow.journal_folder();
    let listed = record::list(&folder).map_err(RestoreError::Journal)?;
    for id in listed.closed {
        // What is left of it harms nobody, so neither does a failure to remove it.
        if let Ok(FoundJournal::Free(record)) = OpenJournal::open_closed(&folder, &id)
            && record.journal.worktree == ground.name
            && let Ok(work) = reopened(shadow, ground, record, observe)
        {
            let _ = work.open().close(observe);
        }
    }
    let aside = |id: JournalId, path: Option<RepoPath>| -> Result<Recovered, RestoreError> {
        record::set_aside(&folder, &id).map_err(RestoreError::Journal)?;
        Ok(Recovered {
            id,
            outcome: RecoveryOutcome::SetAside { path },
            changes: Vec::new(),
            open: None,
        })
    };
    let mut recovered = Vec::new();
    for id in listed.open {
        match OpenJournal::open(&folder, &id) {
            Ok(FoundJournal::Live | FoundJournal::Gone) => {}
            Ok(FoundJournal::Free(record)) if record.journal.worktree != ground.name => {}
            Ok(FoundJournal::Free(record)) => {
                let is_staged = record.is_staged;
                let settled = match reopened(shadow, ground, record, observe) {
                    Ok(work) => settled(work, &id, is_staged),
                    Err(_) => Err(None),
                };
                recovered.push(match settled {
                    Ok(settled) => settled,
                    Err(path) => aside(id, path)?,
                });
            }
            // One that cannot be read must not keep the others from being settled, nor a later restore from beginning.
            Ok(FoundJournal::Unreadable) | Err(_) => recovered.push(aside(id, None)?),
        }
    }
    Ok(recovered)
}

fn reopened<'a>(
    shadow: &'a Shadow,
    ground: &RestoreTarget<'_>,
    record: OpenJournal,
    observe: Observe<'a>,
) -> Result<RestoreState<'a>, RestoreError> {
    let journal = &record.journal;
    let path = stage::path(shadow.folder(), ground.root, journal.stage, &journal.id);
    let stage = StagingFolder::reopen(path).map_err(RestoreError::Journal)?;
    let root = OpenFolder::open_root(ground.root).map_err(RestoreError::Journal)?;
    Ok(RestoreState::new(shadow, root, stage, record, observe))
}

/// Before the mark nothing was changed. After it all is finished if every file still to be changed is what it was; if one is
/// not, somebody works here, and no other file is changed under their hands. Fails with a file that has to be given back and
/// cannot be.
fn settled(work: RestoreState<'_>, id: &JournalId, is_staged: bool) -> Result<Recovered, Option<RepoPath>> {
    let total = work.journal().changes.len();
    let mut found = RestoreTally::default();
    if is_staged {
        work.settle().map_err(|(path, _)| Some(path))?;
        found = RestoreTally::of(&work);
    }
    let (outcome, changes) = if is_staged && !found.has_strangers && work.finish().is_ok() {
        let done = found.done.len();
        (
            RecoveryOutcome::Finished { done, total },
            work.journal().changes.clone(),
        )
    } else {
        if is_staged {
            // Finishing may have gone some of the way.
            found = RestoreTally::of(&work);
        }
        let outcome = match found.done.len() {
            0 => RecoveryOutcome::Dropped { total },
            done => RecoveryOutcome::Partly {
                done,
                total,
                left: found.left,
            },
        };
        (outcome, found.done)
    };
    // What is not durable yet will be found as it is then.
    let _ = work.seal();
    Ok(Recovered {
        id: id.clone(),
        outcome,
        changes,
        open: Some(work.open()),
    })
}

/// Where the changes of a restore stand.
#[derive(Default)]
struct RestoreTally {
    done: Vec<PathChange>,
    left: Vec<RepoPath>,
    has_strangers: bool,
}

impl RestoreTally {
    fn of(work: &RestoreState<'_>) -> Self {
        let mut found = Self::default();
        for (number, change) in work.journal().changes.iter().enumerate() {
            match work.standing(number, change) {
                Ok(ChangeProgress::To { is_ours: true }) => found.done.push(change.clone()),
                // Somebody came to the same result: there is nothing to be done, and nothing of ours.
                Ok(ChangeProgress::To { is_ours: false }) => {}
                Ok(ChangeProgress::From) => found.left.push(change.path.clone()),
                Ok(ChangeProgress::Stranger { .. }) | Err(_) => {
                    found.left.push(change.path.clone());
                    found.has_strangers = true;
                }
            }
        }
        found
    }
}
