//! What a cut stands on: the newest checkpoint, the commit checked out, and if need be a look at the worktree.

use super::cutter::{CutError, Cutter};
use super::look::ScanResult;
use super::order::Order;
use super::tip::Tip;
use super::worksite::WorktreeContext;
use engine::id::EventSeq;
use git::object::Id;
use git::run::GitError;
use git::scan::ScanError;
use git::settings::GitSettings;
use git::shadow::{Shadow, ShadowError};
use std::cell::OnceCell;
use std::sync::Arc;
use std::time::Duration;
use store::StoreError;
use store::table::calls;
use store::table::checkpoints::CheckpointKind;
use store::table::events;
use store::table::worktrees::FinishedScan;

/// What a checkpoint says where a call ran before the look that it should have waited for. If it did wait, the time
/// follows.
pub(super) const LATE_LOOK: &str = "late look";
/// What is checked out is read from files; git is asked only where refs are kept in tables.
pub(super) const HEAD_TIME: Duration = Duration::from_secs(2);

/// See the module.
pub(super) struct CutBase<'a> {
    pub shadow: &'a Shadow,
    pub tip: Tip,
    pub seen: Option<ScanResult>,
    pub head: Option<Id>,
    pub branch: Option<String>,
    /// The tree of `head`.
    pub base: Option<Id>,
    pub degraded: Vec<String>,
    /// The newest event before anything was looked at.
    pub event: EventSeq,
    /// Git's settings, once somebody asked.
    pub known_settings: OnceCell<Arc<GitSettings>>,
}

impl<'a> CutBase<'a> {
    /// A ground where nothing was looked at: the tip and no more.
    pub fn standing(shadow: &'a Shadow, tip: Tip) -> Self {
        Self {
            shadow,
            tip,
            seen: None,
            head: None,
            branch: None,
            base: None,
            degraded: Vec::new(),
            event: EventSeq(0),
            known_settings: OnceCell::new(),
        }
    }

    /// Git's settings, looked up once for all that is cut on this ground.
    pub fn settings(&self, site: &WorktreeContext) -> Result<Arc<GitSettings>, GitError> {
        if let Some(settings) = self.known_settings.get() {
            return Ok(Arc::clone(settings));
        }
        let settings = site.settings()?;
        Ok(Arc::clone(self.known_settings.get_or_init(|| settings)))
    }

    /// The same before anything was looked at: what happened before a path changed hands happened on the commit that
    /// was checked out at the newest checkpoint, as far as anybody knows.
    pub fn at_tip(&self) -> Result<Self, ShadowError> {
        let mut ground = Self {
            event: self.event,
            known_settings: self.known_settings.clone(),
            ..Self::standing(self.shadow, self.tip.clone())
        };
        if let Some(row) = &self.tip.row {
            ground.branch.clone_from(&row.branch);
            ground.head = self.tip.head();
            ground.base = ground.head.map(|head| self.shadow.tree_of(head)).transpose()?;
        } else {
            (ground.head, ground.base) = (self.head, self.base);
            ground.branch.clone_from(&self.branch);
        }
        Ok(ground)
    }
}

impl Cutter<'_> {
    /// What is known before anything is compared. `meanwhile` is done while git looks, if it has to.
    pub(super) fn ground<'s>(
        &self,
        shadow: &'s Shadow,
        tip: Tip,
        (order, kind): (&Order, CheckpointKind),
        meanwhile: Option<&mut dyn FnMut()>,
    ) -> Result<CutBase<'s>, CutError> {
        let event = self.read(events::newest)?;
        let head = git::head::read(&self.site.place, self.site.environment(), HEAD_TIME);
        let commit: Option<Id> = head.commit().and_then(|commit| commit.parse().ok());
        let mut ground = CutBase {
            shadow,
            seen: None,
            base: commit.map(|commit| shadow.tree_of(commit)).transpose()?,
            head: commit,
            branch: head.branch().map(str::to_owned),
            degraded: Vec::new(),
            event,
            tip,
            known_settings: OnceCell::new(),
        };
        let has_moved = ground.tip.row.is_none() || ground.tip.head() != commit;
        if has_moved && self.limit.is_zero() {
            return Err(CutError::NoTimeToLook);
        }
        if has_moved || !self.limit.is_zero() && self.wants_look(order, kind)? {
            match self.look((shadow, &ground.tip), &self.rules(), meanwhile) {
                Ok(seen) => ground.see(seen),
                Err(CutError::Scan(ScanError::Late(_))) => {
                    if has_moved {
                        // What git moved is told by a look alone; until then the files are laid over the old commit.
                        ground = ground.at_tip()?;
                    }
                    ground.degraded.push("scan".to_owned());
                }
                Err(error) => return Err(error),
            }
        }
        let mut late = self.site.take_late();
        let is_told = late.iter().any(|word| word.starts_with(LATE_LOOK));
        if ground.seen.is_some() && !is_told && self.is_late(order, kind)? {
            late.push(LATE_LOOK.to_owned());
        }
        ground.degraded.splice(0..0, late);
        Ok(ground)
    }

    /// Whether a command may have written before the look that a prompt, or the command itself, asked for. Those that
    /// are still held at the gate have not.
    fn is_late(&self, order: &Order, kind: CheckpointKind) -> Result<bool, StoreError> {
        let held = order.session.filter(|session| self.site.gate.holds(*session));
        match (order.event, kind) {
            (
                Some(event),
                CheckpointKind::Baseline | CheckpointKind::Outside | CheckpointKind::Interrupted,
            ) if event > EventSeq(0) => self.read(|db| calls::roamed_since(db, self.worktree, event, held)),
            _ => Ok(false),
        }
    }
}

impl CutBase<'_> {
    /// The look, as it is noted.
    pub fn scan(&self) -> Option<FinishedScan> {
        let seen = self.seen.as_ref()?;
        Some(FinishedScan {
            event: self.event,
            began: seen.began,
            looked: seen.looked,
            took_ms: u64::try_from(seen.took.as_millis()).unwrap_or(u64::MAX),
        })
    }

    /// HEAD may have moved since it was read; the look is what counts.
    fn see(&mut self, seen: ScanResult) {
        (self.head, self.base, self.branch) = (seen.head, seen.base, seen.branch.clone());
        if !seen.snapshot.moving.is_empty() {
            self.degraded.push("moving".to_owned());
        }
        if !seen.snapshot.filter_failed.is_empty() {
            self.degraded.push("filter failed".to_owned());
        }
        self.seen = Some(seen);
    }
}
