//! A restore under way: staging, carrying out, finishing, taking back.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;

use gix::hash::Kind as Format;
use rustix::fs::{AtFlags, Mode as Bits, OFlags, fchmod, openat, unlinkat};
use rustix::io::Errno;

use super::durable::{Batch, Pending};
use super::fault::Fault;
use super::folders;
use super::journal::Journal;
use super::order::DiskStep;
use super::record::OpenJournal;
use super::sight::{self, NameState};
use super::stage::{StagingFolder, with_exec};
use super::standing::{ChangeProgress, is_caught, standing};
use super::swap::{self, Spot};
use super::{Applied, Observe, PathChange};
use crate::nofollow::{BelowFault, OpenFolder, of_open};
use crate::object::{EntryMode, Id, PathState};
use crate::path::RepoPath;
use crate::shadow::Shadow;

/// Reading and writing for the owner.
const OWNER: u32 = 0o600;

/// A path and why it could not be changed.
pub type Failed = (RepoPath, Fault);

/// Everything a restore has in its hands.
pub struct RestoreState<'a> {
    shadow: &'a Shadow,
    root: OpenFolder,
    stage: StagingFolder,
    record: OpenJournal,
    sealing: Pending,
    /// The permissions of files that were kept from others; nothing where nobody can say any more.
    narrow: Option<BTreeMap<RepoPath, u32>>,
    /// Told of every step.
    pub observe: Observe<'a>,
}

impl<'a> RestoreState<'a> {
    /// Takes over what was opened.
    pub fn new(
        shadow: &'a Shadow,
        root: OpenFolder,
        stage: StagingFolder,
        record: OpenJournal,
        observe: Observe<'a>,
    ) -> Self {
        Self {
            shadow,
            root,
            stage,
            record,
            sealing: Pending::none(),
            narrow: None,
            observe,
        }
    }

    /// The same with the permissions that are known.
    pub fn with_narrow(self, narrow: BTreeMap<RepoPath, u32>) -> Self {
        Self {
            narrow: Some(narrow),
            ..self
        }
    }

    /// What is to be done.
    pub fn journal(&self) -> &Journal {
        &self.record.journal
    }

    /// Lets go of all but the journal and the stage folder.
    pub fn open(self) -> Applied {
        Applied {
            record: self.record,
            stage: self.stage,
            sealing: self.sealing,
        }
    }

    /// Writes all new contents into the stage folder. They are durable then, and so is the name of the journal.
    pub fn stage_all(&self) -> Result<(), Failed> {
        for (number, change) in self.journal().changes.iter().enumerate() {
            if change.deed() == DiskStep::Put {
                self.fill(number, &change.path, &change.to)
                    .map_err(|fault| (change.path.clone(), fault))?;
                (self.observe)("restore-staged-file");
            }
        }
        self.of_all(self.sync_staged().map_err(Fault::from))?;
        (self.observe)("restore-staged");
        Ok(())
    }

    fn sync_staged(&self) -> io::Result<()> {
        let mut batch = Batch::default();
        batch.add(self.record.folder()?)?;
        batch.add(self.stage.folder()?)?;
        for (number, change) in self.journal().changes.iter().enumerate() {
            if change.deed() == DiskStep::Put
                && let Some(file) = self.stage.open(number)?
            {
                batch.add(file)?;
            }
        }
        batch.sync()
    }

    /// Marks the journal: from here on, a restore that is cut short can be finished.
    pub fn mark(&mut self) -> Result<(), Failed> {
        let marked = self.record.mark_staged();
        self.of_all(marked.map_err(Fault::from))?;
        (self.observe)("restore-marked");
        Ok(())
    }

    /// Makes every change. The first that fails ends it; those before it are made. All names become durable meanwhile.
    pub fn carry_out(&mut self) -> Result<(), Failed> {
        for (number, change) in self.journal().changes.iter().enumerate() {
            self.change(number, change)
                .map_err(|fault| (change.path.clone(), fault))?;
        }
        let begun = self.unsealed().map(|batch| self.sealing = batch.begin());
        self.of_all(begun)
    }

    /// Makes the changes that are not made yet, after a restore was cut short.
    pub fn finish(&self) -> Result<(), Failed> {
        for (number, change) in self.journal().changes.iter().enumerate() {
            self.finish_one(number, change)
                .map_err(|fault| (change.path.clone(), fault))?;
        }
        self.seal()
    }

    fn finish_one(&self, number: usize, change: &PathChange) -> Result<(), Fault> {
        match self.standing(number, change)? {
            ChangeProgress::From => {
                self.prepare(number, change)?;
                self.change(number, change)
            }
            ChangeProgress::To { .. } => {
                self.remove_emptied(change);
                Ok(())
            }
            ChangeProgress::Stranger { .. } => Err(Fault::Changed),
        }
    }

    /// Takes back the changes that are made, last first. Gives back the paths where that is impossible.
    pub fn roll_back(&self) -> Result<(), Vec<RepoPath>> {
        let mut stuck = Vec::new();
        for (number, change) in self.journal().changes.iter().enumerate().rev() {
            let standing = self
                .settle_one(number, change)
                .and_then(|()| self.standing(number, change));
            let done = standing.and_then(|standing| match standing {
                ChangeProgress::To { is_ours: true } => {
                    let back = change.reversed();
                    self.prepare(number, &back)?;
                    self.change(number, &back)
                }
                ChangeProgress::From
                | ChangeProgress::To { is_ours: false }
                | ChangeProgress::Stranger { was_touched: false } => Ok(()),
                ChangeProgress::Stranger { was_touched: true } => Err(Fault::Changed),
            });
            if done.is_err() {
                stuck.push(change.path.clone());
            }
        }
        folders::remove_made(&self.root, &self.journal().folders);
        if stuck.is_empty() {
            self.seal().map_err(|(path, _)| vec![path])
        } else {
            Err(stuck)
        }
    }

    /// Where a change stands. Whatever cannot even be looked at is a stranger.
    pub fn standing(&self, number: usize, change: &PathChange) -> Result<ChangeProgress, Fault> {
        let format = format_of(change);
        let modes = self.journal().modes;
        let slot = self.stage.sight(number, format)?;
        let path = match sight::at_path(&self.root, &change.path, format) {
            Ok(path) => path,
            // Where this restore itself puts or takes a link, its other paths below that are not there.
            Err(BelowFault::ThroughLink) if self.is_below_own_link(&change.path) => {
                NameState::Absent { is_folder: false }
            }
            Err(BelowFault::ThroughLink) => NameState::Special,
            Err(fault) => return Err(fault.into()),
        };
        let standing = standing(change, &path, &slot, modes);
        Ok(match standing {
            ChangeProgress::To { .. } if self.stage.was_lost => ChangeProgress::To { is_ours: true },
            standing => standing,
        })
    }

    fn is_below_own_link(&self, path: &RepoPath) -> bool {
        let is_link = |state: PathState| state.entry().is_some_and(|entry| entry.mode == EntryMode::Link);
        let mut changes = self.journal().changes.iter();
        changes.any(|other| path.is_below(&other.path) && (is_link(other.from) || is_link(other.to)))
    }

    /// Ends exchanges that were cut short, so that every path and every slot holds one whole thing.
    pub fn settle(&self) -> Result<(), Failed> {
        for (number, change) in self.journal().changes.iter().enumerate() {
            self.settle_one(number, change)
                .map_err(|fault| (change.path.clone(), fault))?;
        }
        Ok(())
    }

    fn settle_one(&self, number: usize, change: &PathChange) -> Result<(), Fault> {
        let Ok((folder, name)) = self.root.parent(&change.path) else {
            return Ok(());
        };
        let path = Spot {
            folder: folder.as_fd(),
            name,
        };
        self.stage.with_slot(number, |slot| swap::settle(path, slot))?;
        let format = format_of(change);
        let modes = self.journal().modes;
        let slot = self.stage.sight(number, format)?;
        let at_path = sight::at(folder.as_fd(), name, format)?;
        if at_path.is(&change.to, modes) && is_caught(change, &slot, modes) {
            self.stage.with_slot(number, |slot| swap::swap(path, slot))?;
        }
        Ok(())
    }

    /// Makes sure that the slot holds what the change puts in place; if need be from the checkpoint.
    fn prepare(&self, number: usize, change: &PathChange) -> Result<(), Fault> {
        if change.deed() == DiskStep::Mode {
            return Ok(());
        }
        let modes = self.journal().modes;
        let slot = self.stage.sight(number, format_of(change))?;
        if slot.is(&change.to, modes) {
            return Ok(());
        }
        if is_caught(change, &slot, modes) {
            return Err(Fault::Changed);
        }
        self.stage.clear(number)?;
        self.fill(number, &change.path, &change.to)?;
        let mut batch = Batch::default();
        if let Some(file) = self.stage.open(number)? {
            batch.add(file)?;
        }
        Ok(batch.sync()?)
    }

    fn fill(&self, number: usize, path: &RepoPath, to: &PathState) -> Result<(), Fault> {
        let (Some(entry), Some(bytes)) = (to.entry(), to.bytes()) else {
            return Ok(());
        };
        // What is read has the id it was asked by: a damaged object does not become a file that looks restored.
        let content = self.shadow.blob(bytes, u64::MAX).map_err(Fault::Content)?;
        let found = match self.root.metadata(path) {
            Ok(stat) if stat.kind == crate::stat::FileKind::File => u32::try_from(stat.mode).ok(),
            Ok(_) | Err(_) => None,
        };
        // Never wider than it was: where that is not known any more, for its owner alone.
        let bits = match &self.narrow {
            Some(narrow) => narrow.get(path).copied().or(found),
            None => found.or(Some(OWNER)),
        };
        Ok(self.stage.fill(number, entry.mode, &content, bits)?)
    }

    /// Makes one change, if the path is what it must be before.
    fn change(&self, number: usize, change: &PathChange) -> Result<(), Fault> {
        let deed = change.deed();
        let folder = match deed {
            DiskStep::Nothing => return Ok(()),
            DiskStep::Put => folders::parent_of(&self.root, &change.path, &self.journal().folders)?,
            DiskStep::Mode | DiskStep::Delete => self.root.parent(&change.path)?.0,
        };
        let path = Spot {
            folder: folder.as_fd(),
            name: OsStr::from_bytes(change.path.name()),
        };
        let seen = sight::at(path.folder, path.name, format_of(change))?;
        if !seen.is(&change.from, self.journal().modes) {
            return Err(Fault::Changed);
        }
        (self.observe)("restore-checked");
        match deed {
            DiskStep::Mode => {
                set_mode(path, &seen, &change.to)?;
                (self.observe)("restore-mode");
            }
            DiskStep::Delete => {
                self.exchange(number, change, path, &seen)?;
                (self.observe)("restore-deleted");
                self.remove_emptied(change);
            }
            DiskStep::Put | DiskStep::Nothing => {
                if let NameState::Absent { is_folder: true } = seen {
                    remove_folder(path)?;
                    (self.observe)("restore-folder-removed");
                }
                self.exchange(number, change, path, &seen)?;
                (self.observe)("restore-renamed");
            }
        }
        Ok(())
    }

    /// Exchanges path and slot, and looks at what came out: a file saved in the last moment goes back.
    fn exchange(
        &self,
        number: usize,
        change: &PathChange,
        path: Spot<'_>,
        seen: &NameState,
    ) -> Result<(), Fault> {
        self.stage.with_slot(number, |slot| {
            swap::swap(path, slot)?;
            let out = sight::stat(slot.folder, slot.name)?;
            let is_same = out.is_some_and(|out| seen.is_still(&out));
            let modes = self.journal().modes;
            if is_same || sight::at(slot.folder, slot.name, format_of(change))?.is(&change.from, modes) {
                return Ok(());
            }
            swap::swap(path, slot)?;
            Err(Fault::Changed)
        })
    }

    fn remove_emptied(&self, change: &PathChange) {
        if change.to == PathState::Absent {
            folders::remove_emptied(&self.root, &change.path, &self.journal().folders);
            (self.observe)("restore-folders-removed");
        }
    }

    /// Makes all names durable.
    pub fn seal(&self) -> Result<(), Failed> {
        let sealed = self.unsealed().and_then(|batch| Ok(batch.sync()?));
        self.of_all(sealed)?;
        (self.observe)("restore-synced");
        Ok(())
    }

    /// Every folder in which names were changed.
    fn unsealed(&self) -> Result<Batch, Fault> {
        let mut batch = Batch::default();
        let journal = self.journal();
        folders::gather(&self.root, (&journal.changes, &journal.folders), &mut batch)?;
        batch.add(self.stage.folder()?)?;
        Ok(batch)
    }

    /// A failure that concerns all paths is told of the first; without one there was nothing to be done.
    fn of_all(&self, done: Result<(), Fault>) -> Result<(), Failed> {
        match (done, self.journal().changes.first()) {
            (Err(fault), Some(change)) => Err((change.path.clone(), fault)),
            _ => Ok(()),
        }
    }
}

/// Every change names at least one object.
fn format_of(change: &PathChange) -> Format {
    let id: Option<Id> = change.from.bytes().or(change.to.bytes());
    id.map_or(Format::Sha1, |id| id.0.kind())
}

fn set_mode(path: Spot<'_>, seen: &NameState, to: &PathState) -> Result<(), Fault> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = std::fs::File::from(openat(path.folder, path.name, flags, Bits::empty())?);
    let stat = of_open(&file)?;
    if !seen.is_still(&stat) {
        return Err(Fault::Changed);
    }
    let is_exec = to.entry().is_some_and(|entry| entry.mode == EntryMode::Exec);
    let bits = u32::try_from(stat.mode).map_err(|_| Fault::Changed)?;
    Ok(fchmod(&file, Bits::from_raw_mode(with_exec(bits, is_exec)))?)
}

fn remove_folder(path: Spot<'_>) -> Result<(), Fault> {
    match unlinkat(path.folder, path.name, AtFlags::REMOVEDIR) {
        Ok(()) => Ok(()),
        Err(Errno::NOTEMPTY | Errno::EXIST) => Err(Fault::FolderInTheWay),
        Err(error) => Err(error.into()),
    }
}
