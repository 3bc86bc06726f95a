//! Carries out what a round says, in the event's own transaction.

mod guard;
pub mod lease;

use super::guard::session::{strike_key, warned};
use engine::effect::Effect;
use engine::event::Event;
use engine::id::{ActorId, ActorKey, EventSeq, ProjectId, SessionId};
use engine::round::{DegradedPolicy, FailureCause, Round};
use engine::time::Timestamp;
use serde_json::json;
use std::path::Path;
use store::table::warnings::{self, Warning};
use store::table::{counters, events, jobs, notices, session_notes, verdicts};
use store::{Db, StoreError};

/// What the note of a suggested skill begins with; its name follows.
pub const SUGGESTED: &str = "skill ";

/// The event whose effects these are.
pub struct EventScope<'a> {
    /// Its row.
    pub event: EventSeq,
    /// Who acted.
    pub actor: ActorId,
    /// The same, as payloads say it.
    pub key: &'a ActorKey,
    /// In which window.
    pub session: SessionId,
    /// Where.
    pub project: Option<ProjectId>,
    /// When.
    pub at: Timestamp,
    /// The database.
    pub db: &'a Db,
    /// The event itself.
    pub subject: &'a Event,
}

impl EventScope<'_> {
    /// Applies the round; true if it left work for after the reply.
    pub fn apply(&self, round: &Round) -> Result<bool, StoreError> {
        let mut has_jobs = false;
        for effect in &round.effects {
            match effect {
                Effect::Owe(owed) => notices::owe(self.db, owed, Some(self.actor), self.at)?,
                Effect::Delivered(notice) => {
                    notices::delivered(self.db, *notice, self.event, self.at)?;
                }
                // Checkpoints are ordered where they belong (`checkpoint::intake`): the reply waits for them. What a
                // verdict rests on is kept below, once the verdict is there. Leases have steps of their own (`lease`).
                Effect::KeepBefore { .. }
                | Effect::MustKeep { .. }
                | Effect::Explain(_)
                // The round made a line of the reply of it, or a notice.
                | Effect::TellPerson(_)
                | Effect::Lease(_) => {}
                Effect::Suggested { skill } => {
                    session_notes::set(self.db, self.actor, &format!("{SUGGESTED}{skill}"), "")?;
                }
                Effect::Warn { rule, key } => self.remember(rule, key)?,
                Effect::Strike(struck) => self.remember(&struck.rule, &strike_key(&struck.targets))?,
                Effect::SpendApproval { id } => self.spend(id)?,
                Effect::ParkRequest(parked) => self.park(parked)?,
                Effect::AnswerRequest { id, granted_ms } => self.answer(id, *granted_ms)?,
                Effect::Hear => self.hear()?,
                Effect::ForgetWarnings => self.forget()?,
                Effect::ExpireRequests => self.expire_requests()?,
                Effect::Wrote { path, created } => self.wrote(Path::new(path), *created)?,
                Effect::LoseRewrite => self.lose_rewrite()?,
                Effect::Job(job) => {
                    self.add_job(job)?;
                    has_jobs = true;
                }
            }
        }
        for verdict in &round.verdicts {
            verdicts::insert(self.db, self.event, verdict)?;
        }
        for effect in &round.effects {
            if let Effect::Explain(explanation) = effect {
                self.explain(explanation)?;
            }
        }
        if !round.degraded.is_empty() {
            self.note_degraded(&round.degraded)?;
        }
        Ok(has_jobs)
    }

    fn remember(&self, rule: &str, key: &str) -> Result<(), StoreError> {
        let warning = Warning {
            actor: &warned(self.subject),
            rule_id: rule,
            key,
        };
        warnings::remember(self.db, &warning, self.event, self.at).map(drop)
    }

    /// Leaves work for after the reply.
    pub fn add_job(&self, job: &engine::effect::NewJob) -> Result<(), StoreError> {
        jobs::add(
            self.db,
            job,
            self.event,
            self.project,
            Some(self.session),
            self.at,
        )
        .map(drop)
    }

    fn note_degraded(&self, degraded: &[DegradedPolicy]) -> Result<(), StoreError> {
        let told: Vec<_> = degraded
            .iter()
            .map(|one| json!({ "policy": one.policy, "cause": cause(&one.cause) }))
            .collect();
        events::set_degraded(self.db, self.event, &json!(told).to_string())?;
        for one in degraded {
            let text = format!("`{}` {}", one.policy, cause(&one.cause));
            counters::note(self.db, "degraded", &text, self.at)?;
        }
        Ok(())
    }
}

fn cause(cause: &FailureCause) -> String {
    match cause {
        FailureCause::Panicked(message) => format!("panicked: {}", engine::text::one_line(message, 200)),
        FailureCause::Overran => "did not come back in time".to_owned(),
    }
}
