//! Puts files back: all of them or none, whatever interrupts it.
//!
//! New contents wait in a stage folder and the journal says what is to happen before the first file changes. Then each
//! file changes places with its content in the stage folder, after a last look at its bytes, and what it was stays
//! there until the restore is closed. So a restore that fails is taken back by the same act, and one that was killed
//! is finished or taken back by whoever comes next. No symbolic link is ever followed.

pub mod journal;
pub mod recovery;

mod durable;
mod fault;
mod folders;
mod order;
mod record;
mod sight;
mod stage;
mod standing;
mod swap;
mod work;

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use durable::Pending;
pub use fault::Fault;
pub use journal::{JournalId, Modes};
use record::OpenJournal;
pub use recovery::{Recovered, RecoveryOutcome, recover};
use stage::StagingFolder;
use work::RestoreState;

use crate::nofollow::OpenFolder;
use crate::object::PathState;
use crate::path::RepoPath;
use crate::settings::GitSettings;
use crate::shadow::Shadow;
use crate::worktree::GitWorktree;
use journal::Journal;

/// Called at every step, by its name: where a crash would matter.
pub type Observe<'a> = &'a dyn Fn(&'static str);

/// One path, what it must be before, and what it will be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathChange {
    /// The path.
    pub path: RepoPath,
    /// What is there.
    pub from: PathState,
    /// What will be there.
    pub to: PathState,
}

/// The worktree whose files are put back.
#[derive(Debug, Clone, Copy)]
pub struct RestoreTarget<'a> {
    /// Its root.
    pub root: &'a Path,
    /// Git's own name for it, empty for the main one: it outlives a move of the folder.
    pub name: &'a [u8],
    /// Whether its exec bits mean something.
    pub modes: Modes,
}

impl<'a> RestoreTarget<'a> {
    /// A working tree with its settings.
    pub fn of(worktree: &'a GitWorktree, settings: &GitSettings) -> Self {
        Self {
            root: &worktree.root,
            name: &worktree.name,
            modes: if settings.file_mode {
                Modes::Kept
            } else {
                Modes::Ignored
            },
        }
    }
}

/// What is to be put back.
pub struct Restore<'a> {
    /// What it is called; the name of its journal.
    pub id: JournalId,
    /// The changes, in any order.
    pub changes: Vec<PathChange>,
    /// Whether the target has something below a folder. Where it has not, a folder that our deletions empty goes too.
    pub has_below: &'a dyn Fn(&RepoPath) -> bool,
    /// The permissions of a file that was kept from others.
    pub bits: &'a dyn Fn(&RepoPath) -> Option<u32>,
}

/// Why files were not put back.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    /// Not asked for in a way that can be done. Nothing happened.
    #[error("{0} cannot be put back together with the others")]
    Contradiction(RepoPath),
    /// Another restore of this worktree is under way. Nothing happened.
    #[error("another rewind of this worktree is under way: {0}")]
    Pending(JournalId),
    /// A content could not be had. Nothing happened.
    #[error("{path} cannot be prepared: {fault}")]
    NotStaged {
        /// Whose content.
        path: RepoPath,
        /// What was wrong.
        #[source]
        fault: Fault,
    },
    /// A path could not be changed; those before it are as they were.
    #[error("{path} {fault}; everything is as it was")]
    RolledBack {
        /// The path.
        path: RepoPath,
        /// What was wrong.
        #[source]
        fault: Fault,
    },
    /// Neither finished nor taken back; recovery settles it.
    #[error("some files could neither be put back nor left as they were")]
    Unsettled {
        /// The journal.
        id: JournalId,
        /// The paths that stand in the way.
        paths: Vec<RepoPath>,
    },
    /// The journal or the stage folder could not be written. Nothing happened, or it is recovered later.
    #[error("the journal of the rewind cannot be kept")]
    Journal(#[source] io::Error),
}

/// Files that were put back. Its journal is open until `close`; if that never comes, recovery finds it finished.
#[derive(Debug)]
#[must_use = "the journal stays until it is closed"]
pub struct Applied {
    record: OpenJournal,
    stage: StagingFolder,
    sealing: Pending,
}

impl Applied {
    /// How many files were changed.
    pub fn total(&self) -> usize {
        self.record.journal.changes.len()
    }

    /// Lets go of what was there before: nothing is left to recover.
    pub fn close(mut self, observe: Observe<'_>) -> io::Result<()> {
        self.sealing.wait()?;
        observe("restore-synced");
        self.record.retire()?;
        observe("restore-closed");
        self.stage.remove()?;
        observe("restore-stage-removed");
        self.record.remove()?;
        observe("restore-removed");
        Ok(())
    }
}

/// Contents that wait in the stage folder, with their journal. Nothing is changed yet; dropped, all of it goes again.
#[must_use = "nothing is changed yet"]
pub struct PreparedRestore<'a>(Option<RestoreState<'a>>);

impl Drop for PreparedRestore<'_> {
    fn drop(&mut self) {
        if let Some(work) = self.0.take() {
            let observe = work.observe;
            // What cannot be removed now is removed by whoever comes next.
            let _ = work.open().close(observe);
        }
    }
}

/// Gets everything ready that can be ready before the first file changes.
pub fn prepare<'a>(
    shadow: &'a Shadow,
    ground: &RestoreTarget<'_>,
    restore: Restore<'_>,
    observe: Observe<'a>,
) -> Result<PreparedRestore<'a>, RestoreError> {
    refuse_pending(shadow, ground)?;
    let root = OpenFolder::open_root(ground.root).map_err(RestoreError::Journal)?;
    let narrow = narrow(&restore);
    let journal = journal_of(shadow, ground, &root, restore)?;
    let stage_path = stage::path(shadow.folder(), ground.root, journal.stage, &journal.id);
    let record = OpenJournal::create(&shadow.journal_folder(), journal).map_err(RestoreError::Journal)?;
    observe("restore-journal-written");
    let stage = match StagingFolder::make(stage_path) {
        Ok(stage) => stage,
        Err(error) => {
            record.remove().map_err(RestoreError::Journal)?;
            return Err(RestoreError::Journal(error));
        }
    };
    let work = RestoreState::new(shadow, root, stage, record, observe).with_narrow(narrow);
    match work.stage_all() {
        Ok(()) => Ok(PreparedRestore(Some(work))),
        Err(failed) => Err(not_staged(work, failed)),
    }
}

impl PreparedRestore<'_> {
    /// Makes all the changes, or none.
    pub fn apply(mut self) -> Result<Applied, RestoreError> {
        // It is taken out here and when it is dropped alone, so it is there.
        let Some(mut work) = self.0.take() else {
            return Err(RestoreError::Journal(io::ErrorKind::NotFound.into()));
        };
        if let Err(failed) = work.mark() {
            return Err(not_staged(work, failed));
        }
        match work.carry_out() {
            Ok(()) => Ok(work.open()),
            Err((path, fault)) => Err(taken_back(work, path, fault)),
        }
    }
}

/// The permissions of the files among the changes that were kept from others.
fn narrow(restore: &Restore<'_>) -> BTreeMap<RepoPath, u32> {
    let paths = restore.changes.iter().map(|change| &change.path);
    let noted = paths.filter_map(|path| Some((path.clone(), (restore.bits)(path)?)));
    noted.collect()
}

fn not_staged(work: RestoreState<'_>, (path, fault): (RepoPath, Fault)) -> RestoreError {
    let observe = work.observe;
    match work.open().close(observe) {
        Ok(()) => RestoreError::NotStaged { path, fault },
        Err(error) => RestoreError::Journal(error),
    }
}

fn taken_back(work: RestoreState<'_>, path: RepoPath, fault: Fault) -> RestoreError {
    let id = work.journal().id.clone();
    match work.roll_back() {
        Ok(()) => {
            let observe = work.observe;
            match work.open().close(observe) {
                Ok(()) => RestoreError::RolledBack { path, fault },
                Err(error) => RestoreError::Journal(error),
            }
        }
        Err(paths) => RestoreError::Unsettled { id, paths },
    }
}

fn journal_of(
    shadow: &Shadow,
    ground: &RestoreTarget<'_>,
    root: &OpenFolder,
    restore: Restore<'_>,
) -> Result<Journal, RestoreError> {
    let changes = order::ordered(restore.changes).map_err(RestoreError::Contradiction)?;
    let folders = folders::noted(root, &changes, restore.has_below)
        .map_err(|(path, fault)| RestoreError::NotStaged { path, fault })?;
    Ok(Journal {
        id: restore.id,
        worktree: ground.name.to_vec(),
        stage: stage::place(shadow.folder(), ground.root).map_err(RestoreError::Journal)?,
        modes: ground.modes,
        changes,
        folders,
    })
}

/// Two restores of one worktree at a time would each take the other's files for a person's edits.
fn refuse_pending(shadow: &Shadow, ground: &RestoreTarget<'_>) -> Result<(), RestoreError> {
    let folder = shadow.journal_folder();
    for id in record::list(&folder).map_err(RestoreError::Journal)?.open {
        match OpenJournal::peek(&folder, &id).map_err(RestoreError::Journal)? {
            Some(Ok(journal)) if journal.worktree != ground.name => {}
            None => {}
            Some(Ok(_) | Err(_)) => return Err(RestoreError::Pending(id)),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
