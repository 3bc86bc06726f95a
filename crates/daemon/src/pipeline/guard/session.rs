//! What a guard knows of the session itself, read in the event's own transaction: strikes, denials, a person's approval.

use engine::event::Event;
use engine::id::{ActorKey, ClientSessionId, ToolUseId};
use engine::policy::guard::ADVISED;
use engine::policy::guard::approval::{ApprovalAnswer, in_prompt};
use engine::policy::guard::facts::{DenialFact, GuardFacts, StrikeFact};
use engine::time::Timestamp;
use engine::tool::{Action, ToolCall};
use std::hash::{BuildHasher, RandomState};
use std::path::Path;
use store::table::actors::{self, Actor};
use store::table::approvals::{self, ApprovalId, ApprovalSubject, RequestState};
use store::table::trusts::Fingerprint;
use store::table::{session_notes, warnings};
use store::{Db, StoreError};

/// A rewrite of ours lost against another hook in this session.
pub const LOST_REWRITE: &str = "rewrite-lost";
/// Tries to find an id nobody has.
const TRIES: usize = 8;

/// What the keys of strikes begin with; other warnings have other keys.
const STRIKE: &str = "strike ";

/// The key of a strike: everything that was shown.
pub fn strike_key(targets: &[String]) -> String {
    format!("{STRIKE}{}", serde_json::to_string(targets).unwrap_or_default())
}

/// Whether a warning's key is a strike's.
pub fn is_strike(key: &str) -> bool {
    key.starts_with(STRIKE)
}

/// What a strike was about, if the key is one's.
fn targets_of(key: &str) -> Option<Vec<String>> {
    serde_json::from_str(key.strip_prefix(STRIKE)?).ok()
}

/// What tells a call from others: a command's exact bytes, another tool's name and whole input.
pub fn fingerprint(call: &ToolCall) -> Fingerprint {
    // A server's tool may do more than its command says.
    if let Action::RunCommand { command, .. } = call.action()
        && !call.tool().contains("__")
    {
        return Fingerprint::of(command.as_bytes());
    }
    let input = serde_json::to_string(call.input()).unwrap_or_default();
    Fingerprint::of(format!("{}\n{input}", call.tool()).as_bytes())
}

/// The call of an event; one without an id is told from others by its event.
pub fn call_id(event: &Event, seq: engine::id::EventSeq) -> ToolUseId {
    event
        .tool_use_id()
        .cloned()
        .unwrap_or_else(|| ToolUseId::new(format!("event-{seq}")))
}

/// Completes what is known with what the store says now.
pub fn complete(
    db: &Db,
    facts: &mut GuardFacts,
    event: &Event,
    actor: &Actor,
    moment: JudgementTerms,
) -> Result<(), StoreError> {
    let Some(call) = event.kind.call() else {
        return Ok(());
    };
    facts.attended = moment.attended;
    let session = actors::main_of(db, actor)?;
    let shows_batches = session_notes::get(db, session, "batches")?.is_some();
    for warning in warnings::live_of(db, &warned(event))? {
        if warning.key == ADVISED {
            facts.advised.push(warning.rule_id);
            continue;
        }
        let Some(targets) = targets_of(&warning.key) else {
            facts.denials.push(DenialFact {
                rule: warning.rule_id,
                target: warning.key,
                times: u32::try_from(warning.hits).unwrap_or(u32::MAX),
            });
            continue;
        };
        // A client that reports no batches gives the model its answers before it can ask again.
        let is_old = moment.now.0.saturating_sub(warning.at.0) >= moment.retry_after_ms;
        facts.strikes.push(StrikeFact {
            rule: warning.rule_id,
            heard: warning.heard_at.is_some() || (!shows_batches && is_old),
            targets,
        });
    }
    // Only what works on a repository asks whether others do.
    if let Some(project) = actor.project.filter(|_| !facts.repositories.is_empty()) {
        let others = actors::others(db, project, actor.id, moment.now)?;
        facts.shared = others.iter().any(|other| other.place.is_none());
    }
    let subject = ApprovalSubject {
        session: &event.actor.session,
        command: &fingerprint(call),
        cwd: event.cwd.as_deref().unwrap_or(Path::new("")),
    };
    facts.approval = approvals::live(db, &subject, moment.now)?.map(|approval| approval.id.to_string());
    facts.request = request(db, &subject)?.map(|id| id.to_string());
    facts.no_rewrite |= session_notes::get(db, session, LOST_REWRITE)?.is_some();
    Ok(())
}

/// The request a prompt answers, if it waits for an answer.
pub fn awaited(db: &Db, prompt: &str) -> Result<Option<String>, StoreError> {
    let Some(ApprovalAnswer::Grant(id) | ApprovalAnswer::Refuse(id)) = in_prompt(prompt) else {
        return Ok(None);
    };
    let Some(known) = ApprovalId::parse(&id) else {
        return Ok(None);
    };
    let approval = approvals::by_id(db, &known)?;
    Ok(approval
        .filter(|approval| approval.state == RequestState::Pending)
        .map(|_| id))
}

/// Whose warnings count for an event: the actor's. A client that names no session is told apart by its folder.
pub fn warned(event: &Event) -> ActorKey {
    let mut key = event.actor.clone();
    if let (true, Some(cwd)) = (key.session.is_unknown(), &event.cwd) {
        let place = format!("{} in {}", ClientSessionId::UNKNOWN, cwd.display());
        key.session = ClientSessionId::new(place);
    }
    key
}

/// When an event is judged, and under which terms.
#[derive(Debug, Clone, Copy)]
pub struct JudgementTerms {
    /// When.
    pub now: Timestamp,
    /// Whether a person watches.
    pub attended: bool,
    /// How long a warning takes to be read, where the client does not say that it was.
    pub retry_after_ms: i64,
}

/// The id a parked request gets: the one that waits already, else one nobody has.
fn request(db: &Db, subject: &ApprovalSubject<'_>) -> Result<Option<ApprovalId>, StoreError> {
    if let Some((_, waiting)) = approvals::pending_about(db, subject)?.into_iter().next() {
        return Ok(Some(waiting));
    }
    for _ in 0..TRIES {
        let id = ApprovalId::from_random(random());
        if approvals::by_id(db, &id)?.is_none() {
            return Ok(Some(id));
        }
    }
    Ok(None)
}

/// The standard library seeds its hashers from the system. The id is no secret.
fn random() -> u32 {
    let bits = RandomState::new().hash_one(std::process::id());
    u32::try_from(bits & u64::from(u32::MAX)).unwrap_or_default()
}

#[cfg(test)]
mod model;
#[cfg(test)]
mod tests;
