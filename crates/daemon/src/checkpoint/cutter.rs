//! Cuts checkpoints: brings together what calls named, what a look found, and whose doing it was, and puts it on the line.
//!
//! Objects come before the ref and the ref before the row, so that a process killed in between leaves a line that is
//! right and a row that the next one brings back from the commit.

use super::chain::{ChangeOwner, TouchedPath};
use super::damage::new_line;
use super::following::CheckpointChanges;
use super::naming::root_of;
use super::order::{Order, ScanOrder};
use super::path_text::PathText;
use super::tip::Tip;
use super::worksite::WorktreeContext;
use crate::clock;
use crate::group_commit::GroupCommit;
use engine::id::{CheckpointId, WorktreeId};
use engine::settings::CheckpointSettings;
use engine::time::Timestamp;
use git::capture::{CaptureError, Exclude, Rules};
use git::path::RepoPath;
use git::run::GitError;
use git::scan::ScanError;
use git::shadow::{BasesLock, LineLock, Shadow, ShadowError};
use std::io;
use std::time::Duration;
use store::table::calls::{self, CallReach};
use store::table::checkpoints::{self, Checkpoint, CheckpointKind, Trigger};
use store::table::{checkpoint_files, worktrees};
use store::{Db, StoreError};

pub(super) use super::ground::CutBase;

/// A line that moves under us so often is left to the next one.
const ATTEMPTS: usize = 5;
const MEGABYTE: u64 = 1024 * 1024;

/// Cuts checkpoints of one worktree.
#[derive(Clone, Copy)]
pub struct Cutter<'a> {
    /// Where.
    pub site: &'a WorktreeContext,
    /// The store.
    pub writer: &'a GroupCommit,
    /// The worktree's row.
    pub worktree: WorktreeId,
    /// How.
    pub settings: &'a CheckpointSettings,
    /// How long a look may take; zero where there is no time for one.
    pub limit: Duration,
}

/// What came of an order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cut {
    /// A checkpoint was cut.
    New(Box<Checkpoint>),
    /// It had been cut before.
    Known(Box<Checkpoint>),
    /// Nothing changed since this one.
    Nothing(Option<CheckpointId>),
}

impl Cut {
    /// The checkpoint that holds the state that was asked for.
    pub fn id(&self) -> Option<&CheckpointId> {
        match self {
            Self::New(made) | Self::Known(made) => Some(&made.id),
            Self::Nothing(newest) => newest.as_ref(),
        }
    }
}

/// Why there is no checkpoint.
#[derive(Debug, thiserror::Error)]
pub enum CutError {
    /// The shadow refused.
    #[error(transparent)]
    Shadow(#[from] ShadowError),
    /// The worktree could not be read.
    #[error(transparent)]
    Capture(#[from] CaptureError),
    /// The worktree could not be looked over.
    #[error(transparent)]
    Scan(#[from] ScanError),
    /// Git refused.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The database refused.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The system refused.
    #[error(transparent)]
    System(#[from] io::Error),
    /// The worktree has to be looked over, and there is no time for that here.
    #[error("there is no time to look the worktree over")]
    NoTimeToLook,
    /// What a command would destroy cannot all be kept.
    #[error("not everything the command would destroy can be kept: {0}")]
    Endangered(String),
    /// An order this version does not know.
    #[error("there is no kind of checkpoint `{0}`")]
    UnknownKind(String),
}

/// What a checkpoint is cut on, and the right to rely on the commit it is made on until it is recorded.
pub(super) struct BaseLock<'s> {
    pub ground: CutBase<'s>,
    held: BasesLock,
}

/// A path that was not captured, and why.
pub(super) struct SkippedPath {
    pub path: RepoPath,
    pub reason: String,
    pub owner: ChangeOwner,
}

impl Cutter<'_> {
    /// Cuts a checkpoint. `also` are changes that no call named: those of a rewind.
    pub fn cut(&self, order: &Order, also: &[TouchedPath]) -> Result<Cut, CutError> {
        let mut attempt = 0;
        loop {
            attempt += 1;
            match self.try_cut(order, also) {
                Err(CutError::Shadow(ShadowError::Raced)) if attempt < ATTEMPTS => {}
                Err(error) if attempt == 1 && self.is_damage(&error) => self.set_aside(&error)?,
                outcome => return outcome,
            }
        }
    }

    fn try_cut(&self, order: &Order, also: &[TouchedPath]) -> Result<Cut, CutError> {
        self.site.verify()?;
        let shadow = self.site.make_shadow()?;
        if order.look == ScanOrder::Always && self.site.is_first_look_of((order.session, order.turn)) {
            // Once in a turn all that a checkpoint stands on is read anew, and damage is noticed.
            shadow.forget();
        }
        let alone = shadow.lock_line(&self.site.line)?;
        // What a killed rewind left half done must not be taken for somebody's work.
        self.settle_rewinds(&shadow, &alone)?;
        self.cut_alone((&shadow, &alone), order, also)
    }

    /// The same for one who adds to the line alone, and goes on doing so afterwards.
    pub(super) fn cut_alone(
        &self,
        (shadow, alone): (&Shadow, &LineLock),
        order: &Order,
        also: &[TouchedPath],
    ) -> Result<Cut, CutError> {
        let kind = kind_of(order)?;
        // Until it is recorded, nobody may let go of the commit it is made on.
        let held = shadow.lock_bases()?;
        let tip = self.tip_or_new_line((shadow, alone), order, kind)?;
        if let Some(known) = self.read(|db| checkpoints::by_trigger(db, &self.trigger(order, kind)))? {
            return Ok(Cut::Known(Box::new(known)));
        }
        let ground = self.ground(shadow, tip, (order, kind), None)?;
        self.cut_on(BaseLock { ground, held }, order, also)
    }

    /// What an order that was never carried out will be cut on, looked over if it wants that. `meanwhile` is done while
    /// git looks.
    pub(super) fn footing<'s>(
        &self,
        (shadow, alone): (&'s Shadow, &LineLock),
        order: &Order,
        meanwhile: &mut dyn FnMut(),
    ) -> Result<BaseLock<'s>, CutError> {
        let kind = kind_of(order)?;
        let held = shadow.lock_bases()?;
        let tip = self.tip_or_new_line((shadow, alone), order, kind)?;
        let ground = self.ground(shadow, tip, (order, kind), Some(meanwhile))?;
        Ok(BaseLock { ground, held })
    }

    /// The newest checkpoint; where the line that held it is gone, the first of a new one.
    fn tip_or_new_line(
        &self,
        (shadow, alone): (&Shadow, &LineLock),
        order: &Order,
        kind: CheckpointKind,
    ) -> Result<Tip, CutError> {
        let tip = self.tip(shadow)?;
        if tip.commit.is_some() || kind == CheckpointKind::Baseline || !self.has_lost_its_line()? {
            return Ok(tip);
        }
        self.cut_alone((shadow, alone), &new_line(order, self.now()), &[])?;
        self.tip(shadow)
    }

    /// Cuts what is ordered on what is known.
    pub(super) fn cut_on(
        &self,
        footing: BaseLock<'_>,
        order: &Order,
        also: &[TouchedPath],
    ) -> Result<Cut, CutError> {
        let kind = kind_of(order)?;
        let BaseLock {
            mut ground,
            held: _held,
        } = footing;
        if kind == CheckpointKind::Before {
            let seen = ground.seen.as_ref().ok_or(CutError::NoTimeToLook)?;
            self.must_hold(order, &seen.snapshot.skipped)?;
        }
        // Read after the look: whatever it saw of a call that is not over, the call's own row says what was before.
        let touches = self.touches(order.event.unwrap_or(ground.event))?;
        let mut followed = self.follow(&ground, (order, &touches), also, &self.rules())?;
        if kind == CheckpointKind::AgentStart && !followed.rest.link.is_empty() {
            // An agent begins with nothing done: what is new before its first change is somebody else's.
            followed.between.push(std::mem::take(&mut followed.rest));
        }
        for stretch in &followed.between {
            ground.tip = self.put_between(&ground, stretch, order)?;
        }
        let CheckpointChanges { link, settled, .. } = &followed.rest;
        let is_empty = link.is_empty() && followed.skipped.is_empty() && !followed.is_wider;
        if is_empty && !kind.is_marker() && !self.ends_changes(order, kind)? {
            return self.nothing(&ground, order, settled, &followed.outdated);
        }
        self.put(&ground, order, &self.trigger(order, kind), &followed)
    }

    /// The calls that may have written since the last look; `None` if nobody ever looked.
    pub(super) fn writers(&self) -> Result<Option<Vec<calls::WritingCall>>, StoreError> {
        self.read(|db| {
            let row = worktrees::by_id(db, self.worktree)?;
            let since = row.and_then(|row| row.scanned_event);
            since
                .map(|event| calls::writers_since(db, self.worktree, event))
                .transpose()
        })
    }

    pub(super) fn wants_look(&self, order: &Order, kind: CheckpointKind) -> Result<bool, StoreError> {
        let wrote = |listed: bool| -> Result<bool, StoreError> {
            let writers = self.writers()?;
            Ok(writers.is_none_or(|writers| {
                writers.iter().any(|writer| {
                    writer.reach == CallReach::Anything || (listed && writer.reach == CallReach::Listed)
                })
            }))
        };
        match order.look {
            ScanOrder::Always => Ok(!self.is_looked_over(order, kind)?),
            ScanOrder::Never => Ok(false),
            ScanOrder::IfWritten => wrote(true),
            ScanOrder::IfUnlisted => Ok(self.is_quick()? && wrote(false)?),
        }
    }

    /// Whether a look that began after the event of an order has found what there was to find.
    fn is_looked_over(&self, order: &Order, kind: CheckpointKind) -> Result<bool, StoreError> {
        let (Some(event), CheckpointKind::Outside | CheckpointKind::Interrupted) = (order.event, kind) else {
            return Ok(false);
        };
        let row = self.read(|db| worktrees::by_id(db, self.worktree))?;
        Ok(row
            .and_then(|row| row.scanned_event)
            .is_some_and(|scanned| scanned >= event))
    }

    /// Whether the last look was quick enough to look again within a turn.
    fn is_quick(&self) -> Result<bool, StoreError> {
        let row = self.read(|db| worktrees::by_id(db, self.worktree))?;
        let took = row.and_then(|row| row.scan_ms).unwrap_or(0);
        Ok(took <= u64::from(self.settings.scan_budget_ms))
    }

    /// Whether it ends a turn whose steps changed something, and that has no end yet which says so.
    fn ends_changes(&self, order: &Order, kind: CheckpointKind) -> Result<bool, StoreError> {
        let (CheckpointKind::Turn | CheckpointKind::Interrupted, Some(session)) = (kind, order.session)
        else {
            return Ok(false);
        };
        self.read(|db| {
            let mut rows = checkpoint_files::of_turn(db, self.worktree, session, order.turn)?;
            if let Some(ended) = checkpoints::newest_end(db, self.worktree, session, order.turn)? {
                rows.retain(|row| row.seq > ended.seq);
            }
            Ok(!checkpoint_files::net(rows.into_iter().map(|row| row.file)).is_empty())
        })
    }

    pub(super) fn trigger(&self, order: &Order, kind: CheckpointKind) -> Trigger {
        Trigger {
            worktree: self.worktree,
            session: order.session,
            actor: order.actor,
            kind,
            key: order.trigger.clone(),
        }
    }

    pub(super) fn rules(&self) -> Rules {
        Rules {
            max_file: u64::from(self.settings.max_file_mb) * MEGABYTE,
            max_total: u64::from(self.settings.max_checkpoint_mb) * MEGABYTE,
            exclude: Exclude::new(&self.settings.exclude).0,
        }
    }

    /// The worktree's folder, as records name it.
    pub(super) fn root(&self) -> PathText {
        use std::os::unix::ffi::OsStrExt;
        PathText::of(root_of(&self.site.place).as_os_str().as_bytes())
    }

    #[expect(clippy::unused_self, reason = "one place to ask, whatever is asked for later")]
    pub(super) fn now(&self) -> Timestamp {
        clock::now()
    }

    /// Asks the store.
    pub(super) fn read<T>(&self, ask: impl FnOnce(&Db) -> Result<T, StoreError>) -> Result<T, StoreError> {
        ask(&self.writer.store().read())
    }

    /// Changes the store, all or nothing.
    pub(super) fn write<T>(
        &self,
        change: impl FnOnce(&Db) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut seat = self.writer.store();
        let mut tx = seat.begin()?;
        let changed = tx.unit(change)?;
        tx.commit()?;
        Ok(changed)
    }
}

fn kind_of(order: &Order) -> Result<CheckpointKind, CutError> {
    CheckpointKind::from_word(&order.kind).ok_or_else(|| CutError::UnknownKind(order.kind.clone()))
}

#[cfg(test)]
mod tests;
