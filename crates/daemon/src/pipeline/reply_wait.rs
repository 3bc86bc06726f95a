//! The answer to a call that waited until the state before it was kept: which checkpoint that is, or that there is none.

use super::record::{RecordedEvent, stored};
use super::{AgentEvent, EventSubject, PreparedEvent};
use crate::checkpoint::cutter::CutError;
use crate::checkpoint::intake::FollowUp;
use crate::clock;
use crate::frame::reply::PrintedReply;
use crate::group_commit::GroupCommit;
use engine::decision::{Decision, Outcome};
use engine::effect::{Effect, KeepList, Owed};
use engine::id::{ActorId, CheckpointId, EventSeq};
use engine::policy::guard::message;
use engine::round::Round;
use engine::round::person::Line;
use store::table::actors::Actor;
use store::table::{events, notices, verdicts};
use store::{Db, StoreError};

/// The policy whose verdicts wait for checkpoints.
const POLICY: &str = "guard";

/// A decision whose answer waits for a checkpoint.
#[derive(Debug, Clone, PartialEq)]
pub struct PendingReply {
    event: EventSeq,
    decision: Decision,
    /// Why the call does not pass without one.
    otherwise: String,
    attended: bool,
    /// The command that waits.
    command: String,
    /// What is kept beside the tree.
    also: KeepList,
    /// Who acts.
    actor: ActorId,
    label: String,
}

/// What is said, and what is owed beside.
struct Told {
    decision: Decision,
    owed: Option<Owed>,
}

impl PendingReply {
    /// What waits, if something does.
    pub fn of(
        event: EventSeq,
        after: &FollowUp,
        round: &Round,
        actor: &Actor,
        attended: bool,
    ) -> Option<Self> {
        let otherwise = after.otherwise.clone()?;
        let command = round.effects.iter().find_map(|effect| match effect {
            Effect::KeepBefore { command, .. } => Some(command.clone()),
            _ => None,
        });
        Some(Self {
            event,
            decision: round.decision.clone(),
            otherwise,
            attended,
            command: command.unwrap_or_default(),
            also: after
                .before
                .as_ref()
                .map(|order| order.also.clone())
                .unwrap_or_default(),
            actor: actor.id,
            label: actor.label.clone(),
        })
    }

    /// Writes down that the call does not pass. Until the state is kept, that is the answer to whoever asks again because
    /// this process is too slow, or gone.
    pub fn hold(&self, db: &Db, subject: &AgentEvent) -> Result<(), StoreError> {
        let decision = self.decided(&Ok(None), subject).decision;
        let outcome = subject.outline.outcome(&subject.event, &decision);
        events::replace_reply(db, self.event, &stored(&said(subject, &decision)), &outcome)
    }

    /// The call does not pass, because nothing was kept. Says what the person reads of it.
    fn refuse(&self, decision: &mut Decision, cause: &str) -> Option<String> {
        let reason = message::not_held(&self.otherwise, cause);
        decision.person.clear();
        if self.attended {
            decision.outcome = Outcome::Ask {
                reason: format!("Toprope asks: {reason}"),
            };
            return None;
        }
        let first = reason.lines().next().unwrap_or_default().to_owned();
        decision.outcome = Outcome::Deny {
            reason,
            keeps_prompt: false,
        };
        Some(format!("Toprope stopped this: {first}"))
    }

    /// The decision, now that it is known whether there is a checkpoint.
    fn decided(&self, kept: &Result<Option<CheckpointId>, CutError>, subject: &AgentEvent) -> Told {
        let mut decision = self.decision.clone();
        let line = match kept {
            Ok(Some(id)) => {
                decision.context.push(message::passed(id.as_str(), &self.also));
                // One line of one event: what ran instead, and how it is taken back.
                let ran = decision.person.first_mut().filter(|_| decision.input.is_some());
                if let Some(ran) = ran {
                    *ran = format!("{ran} Take it back: {}", message::way_back(id.as_str()));
                    None
                } else {
                    Some(message::kept(&self.command, id.as_str(), &self.also))
                }
            }
            Ok(None) => self.refuse(&mut decision, "no checkpoint could be taken"),
            Err(error) => self.refuse(&mut decision, &error.to_string()),
        };
        let line = line.map(|line| Line::of(line, &subject.event, Some(self.event), &self.label));
        let owed = match line {
            Some(Line::Shown(line)) => {
                decision.person.insert(0, line);
                None
            }
            Some(Line::Owed(owed)) => Some(owed),
            None => None,
        };
        Told { decision, owed }
    }
}

impl RecordedEvent {
    /// The same, with the answer that fits what could be kept. The store gets that answer, too: asked again, it is the same.
    #[must_use]
    pub fn after_keeping(
        mut self,
        prepared: &PreparedEvent,
        kept: &Result<Option<CheckpointId>, CutError>,
        writer: &GroupCommit,
    ) -> Self {
        let (Some(waiting), EventSubject::Event(subject)) = (self.waiting.take(), &prepared.subject) else {
            return self;
        };
        let told = waiting.decided(kept, subject);
        let kept = kept.as_ref().ok().and_then(Option::as_ref);
        self.printed = said(subject, &told.decision);
        // What could not be written down is still answered; asked again, the older answer stands.
        let _ = remember(
            writer,
            &waiting,
            &self.printed,
            (kept, told.owed.as_ref()),
            &subject.outline.outcome(&subject.event, &told.decision),
        );
        self
    }
}

/// What the agent is told of a decision.
fn said(subject: &AgentEvent, decision: &Decision) -> PrintedReply {
    let reply = subject.agent.reply(&subject.event, decision);
    PrintedReply {
        exit: reply.exit,
        stdout: reply.stdout,
        stderr: reply.stderr,
    }
}

fn remember(
    writer: &GroupCommit,
    waiting: &PendingReply,
    printed: &PrintedReply,
    (kept, owed): (Option<&CheckpointId>, Option<&Owed>),
    outcome: &str,
) -> Result<(), StoreError> {
    let mut store = writer.store();
    let tx = store.begin()?;
    tx.only(|db| {
        events::replace_reply(db, waiting.event, &stored(printed), outcome)?;
        if let Some(owed) = owed {
            notices::owe(db, owed, Some(waiting.actor), clock::now())?;
        }
        match kept {
            Some(id) => verdicts::set_checkpoint(db, waiting.event, POLICY, id),
            None => Ok(()),
        }
    })
}
