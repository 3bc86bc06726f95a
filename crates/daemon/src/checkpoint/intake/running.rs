//! When calls that may write anything ran, by the clock that files are dated with.

use super::Intake;
use crate::clock;
use engine::checkpoint::Roaming;
use engine::event::EventKind;
use engine::id::ToolUseId;
use store::StoreError;
use store::table::calls::{self, CallReach};

const MILLISECOND: i64 = 1_000_000;
/// What the client may have done between the end of a call and telling of it.
const MARGIN: i64 = 1_000 * MILLISECOND;

impl Intake<'_> {
    pub(super) fn roam(&self, call: Option<&ToolUseId>, state: Roaming) -> Result<(), StoreError> {
        let reach = match state {
            Roaming::Begins | Roaming::Lingers | Roaming::Ends { listed: false } => CallReach::Anything,
            Roaming::Ends { listed: true } => CallReach::Listed,
            Roaming::NotRun => CallReach::Nothing,
        };
        match (state, call) {
            (Roaming::Begins, _) => {
                calls::set_reach(self.db(), self.source.event, reach)?;
                calls::begin(self.db(), self.source.event, clock::earliest())
            }
            (Roaming::NotRun, Some(call)) => calls::set_reach_of(self.db(), self.actor.id, call, reach),
            (_, Some(call)) => {
                calls::set_reach_of(self.db(), self.actor.id, call, reach)?;
                let now = clock::latest();
                calls::end(self.db(), self.actor.id, call, now, self.not_before(now))
            }
            (_, None) => Ok(()),
        }
    }

    /// Before which moment a call that ends now did not run, by what the client says it took: it waits for whoever is
    /// asked first.
    fn not_before(&self, now: i64) -> Option<i64> {
        let (EventKind::ToolAfter { duration_ms, .. } | EventKind::ToolFailed { duration_ms, .. }) =
            &self.event().kind
        else {
            return None;
        };
        let took = i64::try_from((*duration_ms)?).ok()?.saturating_mul(MILLISECOND);
        Some(now.saturating_sub(took).saturating_sub(MARGIN))
    }

    /// These calls are over, and with them all that the client's own hooks did after them.
    pub(super) fn end_batch(&self, ended: &[ToolUseId]) -> Result<(), StoreError> {
        let now = clock::earliest();
        for call in ended {
            calls::end_batch(self.db(), self.actor.id, call, self.source.event, now)?;
        }
        Ok(())
    }
}
