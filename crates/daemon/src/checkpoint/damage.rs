//! A shadow that cannot be used any more is set aside, never deleted, and a new line begins with a baseline.

use super::cutter::{CutError, Cutter};
use super::order::{Order, ScanOrder};
use super::tip::Tip;
use engine::id::EventSeq;
use engine::time::Timestamp;
use git::capture::CaptureError;
use git::shadow::ShadowError;
use store::StoreError;
use store::table::checkpoints::{self, CheckpointKind};
use store::table::counters;

/// Shadows that were set aside, with the reason of the newest.
pub const SET_ASIDE: &str = "shadow-set-aside";

impl Cutter<'_> {
    /// Whether an error says that the shadow itself is at fault.
    pub(super) fn is_damage(&self, error: &CutError) -> bool {
        match error {
            CutError::Shadow(ShadowError::Damaged { .. })
            | CutError::Capture(CaptureError::Shadow(ShadowError::Damaged { .. })) => true,
            // An object of the person's may be missing as well; only the line's own are the shadow's fault.
            CutError::Shadow(error) | CutError::Capture(CaptureError::Shadow(error)) => {
                is_about_an_object(error) && self.line_is_broken()
            }
            CutError::Capture(_)
            | CutError::Scan(_)
            | CutError::Git(_)
            | CutError::Store(_)
            | CutError::System(_)
            | CutError::NoTimeToLook
            | CutError::UnknownKind(_)
            | CutError::Endangered(_) => false,
        }
    }

    /// Takes the shadow out of the way; what it held stays on the disk.
    pub(super) fn set_aside(&self, why: &CutError) -> Result<(), CutError> {
        let aside = self.site.set_aside(&self.now().0.to_string())?;
        let text = format!("{}: {why}", aside.display());
        self.write(|db| counters::note(db, SET_ASIDE, &text, self.now()))?;
        Ok(())
    }

    /// Whether there were checkpoints here, and the line that held them is gone.
    pub(super) fn has_lost_its_line(&self) -> Result<bool, StoreError> {
        Ok(self.read(|db| checkpoints::tip(db, self.worktree))?.is_some())
    }

    /// Whether the newest checkpoint cannot be read to its last folder.
    fn line_is_broken(&self) -> bool {
        let read = || -> Result<(), ShadowError> {
            let Some(shadow) = self.site.shadow()? else {
                return Ok(());
            };
            shadow.forget();
            let Some(commit) = shadow.tip(&self.site.line)? else {
                return Ok(());
            };
            let tip = Tip::at(&shadow, commit, None)?;
            let parts = tip
                .layout
                .map(|layout| [Some(layout.files), layout.ignored, layout.raw]);
            for tree in parts.into_iter().flatten().flatten() {
                shadow.leaves(tree)?;
            }
            Ok(())
        };
        matches!(read(), Err(error) if is_about_an_object(&error))
    }
}

/// The baseline a new line begins with: whatever is not in a checkpoint yet comes after it.
pub(super) fn new_line(order: &Order, now: Timestamp) -> Order {
    Order {
        session: order.session,
        actor: order.session,
        turn: order.turn,
        event: Some(EventSeq(0)),
        look: ScanOrder::Always,
        ..Order::new(CheckpointKind::Baseline, format!("line-{}", now.0))
    }
}

fn is_about_an_object(error: &ShadowError) -> bool {
    match error {
        ShadowError::Missing(_)
        | ShadowError::Corrupt { .. }
        | ShadowError::Malformed { .. }
        | ShadowError::TooLarge { .. } => true,
        ShadowError::Damaged { .. }
        | ShadowError::Clash(_)
        | ShadowError::Raced
        | ShadowError::Format(_)
        | ShadowError::Io(_)
        | ShadowError::Git(_) => false,
    }
}
