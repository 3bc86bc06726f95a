//! When calls that may write anything ran, by the clock that files are dated with.

use super::Intake;
use crate::clock;
use engine::checkpoint::Roaming;
use engine::id::ToolUseId;
use store::StoreError;
use store::table::calls::{self, Reach};

impl Intake<'_> {
    pub(super) fn roam(&self, call: Option<&ToolUseId>, state: Roaming) -> Result<(), StoreError> {
        let reach = match state {
            Roaming::Begins | Roaming::Lingers | Roaming::Ends { listed: false } => Reach::Anything,
            Roaming::Ends { listed: true } => Reach::Listed,
            Roaming::NotRun => Reach::Nothing,
        };
        match (state, call) {
            (Roaming::Begins, _) => {
                calls::set_reach(self.db(), self.source.event, reach)?;
                calls::begin(self.db(), self.source.event, clock::earliest())
            }
            (Roaming::NotRun, Some(call)) => calls::set_reach_of(self.db(), self.actor.id, call, reach),
            (_, Some(call)) => {
                calls::set_reach_of(self.db(), self.actor.id, call, reach)?;
                calls::end(self.db(), self.actor.id, call, clock::latest())
            }
            (_, None) => Ok(()),
        }
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
