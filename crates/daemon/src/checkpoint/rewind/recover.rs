//! Rewinds that were cut short: finished, dropped, or recorded as a rewind of the files that were done.

use super::error::RewindError;
use super::{Rewinder, has_journals, observe};
use crate::checkpoint::cutter::{CutError, Cutter};
use engine::effect::{Audience, Owed};
use engine::text::one_line;
use git::path::RepoPath;
use git::restore::{JournalId, Recovered, RecoveryOutcome, recover};
use git::shadow::{LineLock, Shadow};
use store::table::checkpoints::{self, CheckpointKind};
use store::table::{counters, notices};

/// The notice to the person about a rewind that was cut short.
const CUT_SHORT: &str = "checkpoints.journal";
/// Rewinds that were cut short and could not be looked at, with the reason of the newest.
pub const FAILED: &str = "rewind-not-settled";
/// Paths that are named where some stand in the way.
const MOST_NAMED: usize = 10;

/// A rewind that was cut short, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settled {
    /// Its journal.
    pub id: JournalId,
    /// What became of it.
    pub outcome: RecoveryOutcome,
}

impl Settled {
    /// Message 6.10: what a person is told.
    pub fn message(&self) -> String {
        match &self.outcome {
            RecoveryOutcome::Finished { done, total } => {
                format!("A rewind was cut short; {done} of {total} files were done. It has been finished.")
            }
            RecoveryOutcome::Dropped { total } => {
                format!("A rewind was cut short; 0 of {total} files were done. It has been dropped.")
            }
            RecoveryOutcome::Partly { done, total, left } => format!(
                "A rewind was cut short; {done} of {total} files were put back. Others were changed meanwhile, so the rest \
                 was left: {}. Take the {done} back with: toprope undo",
                named(left)
            ),
            RecoveryOutcome::SetAside { path: None } => {
                "A rewind was cut short, and its journal cannot be read. Every file is as \
                                                 it was found; see: toprope checkpoint list"
                    .to_owned()
            }
            RecoveryOutcome::SetAside { path: Some(path) } => format!(
                "A rewind was cut short, and {} could not be given back. Its bytes are kept in the folder `stage` \
                 beside the shadow repository",
                named(std::slice::from_ref(path))
            ),
        }
    }
}

fn named(paths: &[RepoPath]) -> String {
    let mut names: Vec<String> = paths
        .iter()
        .take(MOST_NAMED)
        .map(|path| one_line(&path.to_string(), 200))
        .collect();
    if let more @ 1.. = paths.len().saturating_sub(MOST_NAMED) {
        names.push(format!("+{more}"));
    }
    names.join(", ")
}

impl Cutter<'_> {
    /// Settles what killed processes left of rewinds, before anything is added to the line; the person is told. What
    /// cannot be settled stops nobody.
    pub(in crate::checkpoint) fn settle_rewinds(
        &self,
        shadow: &Shadow,
        line: &LineLock,
    ) -> Result<(), CutError> {
        if !has_journals(shadow) {
            return Ok(());
        }
        let settled = match Rewinder::new(*self).settle((shadow, line)) {
            Ok(settled) => settled,
            Err(RewindError::Cut(error)) => return Err(error),
            Err(error) => {
                let why = error.to_string();
                self.write(|db| counters::note(db, FAILED, &why, self.now()))?;
                return Ok(());
            }
        };
        for one in settled {
            let owed = Owed {
                audience: Audience::Person,
                kind: CUT_SHORT.to_owned(),
                key: one.id.to_string(),
                text: one.message(),
            };
            self.write(|db| {
                if notices::was_owed(db, &owed)? {
                    return Ok(());
                }
                notices::owe(db, &owed, None, self.now())
            })?;
        }
        Ok(())
    }
}

impl Rewinder<'_> {
    /// Settles every rewind of this worktree that was cut short, and says what became of each.
    pub fn recover(&self) -> Result<Vec<Settled>, RewindError> {
        let Some(shadow) = self.cutter.site.shadow()? else {
            return Ok(Vec::new());
        };
        if !has_journals(&shadow) {
            return Ok(Vec::new());
        }
        let line = shadow.lock_line(&self.cutter.site.line)?;
        self.settle((&shadow, &line))
    }

    pub(super) fn settle(&self, alone: (&Shadow, &LineLock)) -> Result<Vec<Settled>, RewindError> {
        let settings = self.cutter.site.settings()?;
        let mut settled = Vec::new();
        for recovered in recover(alone.0, &self.place(&settings), &observe)? {
            let one = Settled {
                id: recovered.id.clone(),
                outcome: recovered.outcome.clone(),
            };
            if !recovered.changes.is_empty() {
                self.complete(alone, &recovered)?;
            }
            recovered.close(&observe)?;
            settled.push(one);
        }
        Ok(settled)
    }

    /// What follows after the files, for one whose process did not live to do it.
    fn complete(&self, alone: (&Shadow, &LineLock), recovered: &Recovered) -> Result<(), RewindError> {
        // The row itself may be among what was lost.
        self.cutter.tip(alone.0)?;
        let key = recovered.id.as_str();
        let before = self
            .cutter
            .read(|db| checkpoints::by_key(db, self.cutter.worktree, CheckpointKind::BeforeRewind, key))?;
        let Some(before) = before else { return Ok(()) };
        if let Some(aim) = self.aim_of(&before)? {
            self.follow_up(alone, &aim, &before, &recovered.changes)?;
        }
        Ok(())
    }
}
