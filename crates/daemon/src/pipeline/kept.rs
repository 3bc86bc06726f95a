//! The answer to a call that waited until the state before it was kept: which checkpoint that is, or that there is none.

use super::record::{Recorded, stored};
use super::{Prepared, Subject, Subjected};
use crate::checkpoint::cutter::CutError;
use crate::checkpoint::intake::After;
use crate::frame::reply::Printed;
use crate::writer::Writer;
use engine::decision::{Decision, Outcome};
use engine::id::{CheckpointId, EventSeq};
use engine::policy::guard::message;
use engine::round::Round;
use store::table::{events, verdicts};
use store::{Db, StoreError};

/// The policy whose verdicts wait for checkpoints.
const POLICY: &str = "guard";

/// A decision whose answer waits for a checkpoint.
#[derive(Debug, Clone, PartialEq)]
pub struct Waiting {
    event: EventSeq,
    decision: Decision,
    /// Why the call does not pass without one.
    otherwise: String,
    attended: bool,
}

impl Waiting {
    /// What waits, if something does.
    pub fn of(event: EventSeq, after: &After, round: &Round, attended: bool) -> Option<Self> {
        let otherwise = after.otherwise.clone()?;
        Some(Self {
            event,
            decision: round.decision.clone(),
            otherwise,
            attended,
        })
    }

    /// Writes down that the call does not pass. Until the state is kept, that is the answer to whoever asks again because
    /// this process is too slow, or gone.
    pub fn hold(&self, db: &Db, subject: &Subjected) -> Result<(), StoreError> {
        let decision = self.decided(None);
        let outcome = subject.outline.outcome(&subject.event, &decision);
        events::replace_reply(db, self.event, &stored(&said(subject, &decision)), &outcome)
    }

    /// The decision, now that it is known whether there is a checkpoint.
    fn decided(&self, kept: Option<&CheckpointId>) -> Decision {
        let mut decision = self.decision.clone();
        match kept {
            Some(id) => decision.context.push(message::passed(id.as_str())),
            None if self.attended => {
                decision.outcome = Outcome::Ask {
                    reason: self.otherwise.clone(),
                };
            }
            None => {
                decision.outcome = Outcome::Deny {
                    reason: self.otherwise.clone(),
                    keeps_prompt: false,
                };
            }
        }
        decision
    }
}

impl Recorded {
    /// The same, with the answer that fits what could be kept. The store gets that answer, too: asked again, it is the same.
    #[must_use]
    pub fn after_keeping(
        mut self,
        prepared: &Prepared,
        kept: &Result<Option<CheckpointId>, CutError>,
        writer: &Writer,
    ) -> Self {
        let (Some(waiting), Subject::Event(subject)) = (self.waiting.take(), &prepared.subject) else {
            return self;
        };
        let kept = kept.as_ref().ok().and_then(Option::as_ref);
        let decision = waiting.decided(kept);
        self.printed = said(subject, &decision);
        // What could not be written down is still answered; asked again, the older answer stands.
        let _ = remember(
            writer,
            &waiting,
            &self.printed,
            kept,
            &subject.outline.outcome(&subject.event, &decision),
        );
        self
    }
}

/// What the agent is told of a decision.
fn said(subject: &Subjected, decision: &Decision) -> Printed {
    let reply = subject.agent.reply(&subject.event, decision);
    Printed {
        exit: reply.exit,
        stdout: reply.stdout,
        stderr: reply.stderr,
    }
}

fn remember(
    writer: &Writer,
    waiting: &Waiting,
    printed: &Printed,
    kept: Option<&CheckpointId>,
    outcome: &str,
) -> Result<(), StoreError> {
    let mut store = writer.store();
    let tx = store.begin()?;
    tx.only(|db| {
        events::replace_reply(db, waiting.event, &stored(printed), outcome)?;
        match kept {
            Some(id) => verdicts::set_checkpoint(db, waiting.event, POLICY, id),
            None => Ok(()),
        }
    })
}
