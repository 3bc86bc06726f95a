//! What a guard's decision changes: warnings, requests, approvals, what its verdict rests on.

use super::EventScope;
use crate::pipeline::guard::session::{LOST_REWRITE, call_id, fingerprint, is_strike, strike_key, warned};
use crate::process::Process;
use engine::effect::{Explanation, Parked};
use engine::id::ActorId;
use engine::policy::concurrent_session;
use engine::policy::guard::ADVISED;
use engine::round::VerdictRecord;
use engine::verdict::VerdictKind;
use std::path::Path;
use store::StoreError;
use store::table::approvals::{self, AnswerEffect, ApprovalId, ApprovalSubject, Grant, Request, Use, Via};
use store::table::events::{self, PersonAct};
use store::table::verdicts::{self, Detail};
use store::table::{actors, counters, session_notes, session_paths, warnings};

/// Warnings that were given to a person: they remember.
const TOLD_TO_A_PERSON: [&str; 1] = [concurrent_session::RULE];

impl EventScope<'_> {
    /// Uses a person's approval for this call.
    pub(super) fn spend(&self, id: &str) -> Result<(), StoreError> {
        let Some(approval) = ApprovalId::parse(id) else {
            return Ok(());
        };
        let used = Use {
            approval: &approval,
            call: &call_id(self.subject, self.event),
            event: self.event,
            at: self.at,
        };
        approvals::spend(self.db, &used).map(drop)
    }

    /// Leaves a request for a person.
    pub(super) fn park(&self, parked: &Parked) -> Result<(), StoreError> {
        let (Some(id), Some(call)) = (ApprovalId::parse(&parked.id), self.subject.kind.call()) else {
            return Ok(());
        };
        let request = Request {
            id: &id,
            subject: ApprovalSubject {
                session: &self.key.session,
                command: &fingerprint(call),
                cwd: self.subject.cwd.as_deref().unwrap_or(Path::new("")),
            },
            project: self.project,
            agent: self.key.agent.as_ref(),
            rule_id: &parked.rule,
            shown: &parked.shown,
            event: self.event,
            at: self.at,
        };
        approvals::park(self.db, &request).map(drop)
    }

    /// A person's prompt answers a request.
    pub(super) fn answer(&self, id: &str, granted_ms: Option<u64>) -> Result<(), StoreError> {
        let Some(id) = ApprovalId::parse(id) else {
            return Ok(());
        };
        let (answered, outcome) = match granted_ms {
            Some(ttl_ms) => {
                let yes = Grant {
                    ttl_ms,
                    times: 1,
                    via: Via::Prompt,
                    at: self.at,
                };
                (approvals::grant(self.db, &id, &yes)?, "allowed")
            }
            None => (approvals::refuse(self.db, &id, Via::Prompt)?, "refused"),
        };
        let approval = approvals::by_id(self.db, &id)?;
        let Some(approval) = approval.filter(|_| answered == AnswerEffect::Done) else {
            return Ok(());
        };
        let act = PersonAct {
            name: "Approval",
            key: &format!("{id}-{}", self.event),
            at: self.at,
            project: approval.project,
            worktree: None,
            target: &approval.shown,
            outcome,
            process: &Process::own().into(),
        };
        events::note_act(self.db, &act)
    }

    /// The acting model has read what it was told.
    pub(super) fn hear(&self) -> Result<(), StoreError> {
        warnings::hear(self.db, &warned(self.subject), self.at).map(drop)
    }

    /// The session's models no longer remember what they were told.
    pub(super) fn forget(&self) -> Result<(), StoreError> {
        let session = &warned(self.subject).session;
        warnings::forget_session(self.db, session, &TOLD_TO_A_PERSON, ADVISED, self.at).map(drop)
    }

    /// Nobody waits for an answer to the session's requests any more.
    pub(super) fn expire_requests(&self) -> Result<(), StoreError> {
        approvals::expire_session(self.db, &self.key.session).map(drop)
    }

    /// The session wrote a file that checkpoints do not follow.
    pub fn wrote(&self, path: &Path, created: bool) -> Result<(), StoreError> {
        session_paths::note(self.db, self.main()?, path, created, self.event)
    }

    /// Another hook's rewrite won over ours: this session gets none any more.
    pub(super) fn lose_rewrite(&self) -> Result<(), StoreError> {
        let session = self.key.session.as_str();
        counters::note(self.db, "rewrite lost", session, self.at)?;
        session_notes::set(self.db, self.main()?, LOST_REWRITE, "1")
    }

    /// Keeps what a verdict rests on; a silent one gets a row for it.
    pub(super) fn explain(&self, explanation: &Explanation) -> Result<(), StoreError> {
        let strike_id = match &explanation.strike {
            Some(struck) => warnings::live_of(self.db, &warned(self.subject))?
                .into_iter()
                .filter(|warning| warning.rule_id == struck.rule && is_strike(&warning.key))
                // The same, else the newest that it may be a part of.
                .max_by_key(|warning| (warning.key == strike_key(&struck.targets), warning.event.0))
                .map(|warning| warning.id),
            None => None,
        };
        let detail = Detail {
            rule_id: explanation.rule.clone(),
            class: explanation.class.clone(),
            segment: explanation.segment.clone(),
            coverage: explanation.coverage.clone(),
            rewritten: explanation.rewritten.clone(),
            strike_id,
            approval_id: explanation.approval.clone(),
            checkpoint_id: None,
            facts: explanation.facts.clone(),
            rules_hash: explanation.rules_hash.clone(),
        };
        if verdicts::set_detail(self.db, self.event, explanation.policy, &detail)? {
            return Ok(());
        }
        let silent = VerdictRecord {
            policy: explanation.policy,
            verdict: VerdictKind::Silent,
            reason: String::new(),
            applied: true,
            took_us: 0,
        };
        verdicts::insert(self.db, self.event, &silent)?;
        verdicts::set_detail(self.db, self.event, explanation.policy, &detail).map(drop)
    }

    /// The main thread of the acting session.
    fn main(&self) -> Result<ActorId, StoreError> {
        let main = actors::by_key(self.db, &self.key.main())?;
        Ok(main.map_or(self.actor, |actor| actor.id))
    }
}

#[cfg(test)]
mod tests;
