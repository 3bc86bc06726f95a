//! Names a step by what it finished, once it is cut.

use crate::group_commit::GroupCommit;
use engine::id::{ActorId, EventSeq};
use serde::{Deserialize, Serialize};
use store::StoreError;
use store::table::checkpoints;
use store::table::jobs::Job;

/// Which step is named how: an actor's newest that was ordered after one event and not after another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepLabel {
    /// Whose.
    pub actor: ActorId,
    /// After this event.
    pub since: EventSeq,
    /// Up to this one.
    pub until: EventSeq,
    /// Its name.
    pub text: String,
}

/// Carries a job out. Without such a step nothing is named.
pub fn write(writer: &GroupCommit, job: &Job) -> Result<(), StoreError> {
    let detail = job.detail.as_deref();
    let Some(label) = detail.and_then(|detail| serde_json::from_str::<StepLabel>(detail).ok()) else {
        return Ok(());
    };
    writer.change(
        |db| match checkpoints::newest_step(db, label.actor, label.since, label.until)? {
            Some(step) => checkpoints::set_label(db, &step, &label.text),
            None => Ok(()),
        },
    )
}
