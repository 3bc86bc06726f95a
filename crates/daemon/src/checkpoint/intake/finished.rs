//! What an update of the agent's list of things to do finished: the newest step before it is named by that.
//!
//! A batch may hold the work and the update, or the update and the next work. Which it is, its end tells: it lists its
//! calls in order. Clients that report no batches have cut, or ordered, the step by then.

use super::{FollowUp, Intake, waiting_step};
use crate::checkpoint::step_label::StepLabel;
use engine::effect::{JobKind, NewJob};
use engine::event::BatchCall;
use engine::id::{ActorId, EventSeq};
use engine::tool::WriteReach;
use serde::{Deserialize, Serialize};
use store::StoreError;
use store::table::{jobs, session_notes};

/// An update in a batch that has not ended.
#[derive(Debug, Serialize, Deserialize)]
struct Update {
    call: Option<String>,
    event: i64,
    text: String,
}

impl Intake<'_> {
    /// An update named something finished.
    pub(super) fn note_finished(
        &self,
        text: String,
        session: ActorId,
        after: &mut FollowUp,
    ) -> Result<(), StoreError> {
        // What comes after the update is not what it finished.
        self.part_step(after)?;
        if session_notes::get(self.db(), session, "batches")?.is_none() {
            return self.name_step(text, self.source.event, after);
        }
        let update = Update {
            call: self.event().tool_use_id().map(ToString::to_string),
            event: self.source.event.0,
            text,
        };
        let note = serde_json::to_string(&update).unwrap_or_default();
        session_notes::set(self.db(), self.actor.id, UPDATE, &note)
    }

    /// A batch ended: the update in it names the step of the batch if work came before it there, else an earlier one.
    pub(super) fn name_finished(&self, calls: &[BatchCall], after: &mut FollowUp) -> Result<(), StoreError> {
        let note = session_notes::take(self.db(), self.actor.id, UPDATE)?;
        let Some(update) = note.and_then(|note| serde_json::from_str::<Update>(&note).ok()) else {
            return Ok(());
        };
        let id = |call: &BatchCall| call.call.id().map(ToString::to_string);
        let before = calls.iter().position(|call| id(call) == update.call).unwrap_or(0);
        let has_work = |call: &BatchCall| call.call.action().reach() != WriteReach::Nothing;
        let until = if calls.iter().take(before).any(has_work) {
            self.part_step(after)?;
            self.source.event
        } else {
            EventSeq(update.event)
        };
        self.name_step(update.text, until, after)
    }

    /// The actor's step that waits is cut by itself, at once: no later one joins it.
    fn part_step(&self, after: &mut FollowUp) -> Result<(), StoreError> {
        let Some(worktree) = self.worktree else {
            return Ok(());
        };
        let step = NewJob {
            kind: JobKind::Checkpoint,
            key: waiting_step(self.actor.id),
        };
        after.has_jobs |= jobs::part(self.db(), worktree, &step)?;
        Ok(())
    }

    fn name_step(&self, text: String, until: EventSeq, after: &mut FollowUp) -> Result<(), StoreError> {
        let since = session_notes::get(self.db(), self.actor.id, NAMED)?;
        let label = StepLabel {
            actor: self.actor.id,
            since: EventSeq(since.and_then(|since| since.parse().ok()).unwrap_or(0)),
            until,
            text,
        };
        session_notes::set(self.db(), self.actor.id, NAMED, &until.0.to_string())?;
        let job = NewJob {
            kind: JobKind::LabelStep,
            key: format!("{}/{}", self.actor.id, self.source.event),
        };
        let detail = serde_json::to_string(&label).unwrap_or_default();
        self.add(&job, self.worktree, Some(&detail), None, after)
    }
}

/// The note of an update whose batch has not ended.
const UPDATE: &str = "todo update";
/// The note of the event up to which steps were named.
const NAMED: &str = "todo named";
