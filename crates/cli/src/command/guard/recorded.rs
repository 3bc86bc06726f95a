//! Calls that were recorded, judged again with what was known then.

use crate::failure::{Failure, FailureKind};
use crate::{here, show};
use ::daemon::environment::Environment;
use ::daemon::home::Home;
use ::daemon::pipeline::PipelineContext;
use ::daemon::pipeline::guard::{Inquired, RecordedCommand};
use engine::answer::Answers;
use engine::id::EventSeq;
use engine::policy::guard::GuardFacts;
use store::table::verdicts::Explained;
use store::table::{events, payloads, verdicts};

/// The policy whose verdicts these are.
pub const POLICY: &str = "guard";

/// The event a text names: a number, as no command is.
pub fn event_id(text: &str) -> Option<EventSeq> {
    let digits = text.strip_prefix('#').unwrap_or(text);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().ok().map(EventSeq)).flatten()
}

/// What was known when a call was judged: what its verdict rests on, else what the world had answered.
pub fn facts(verdict: Option<&Explained>, answers: Option<&str>) -> Option<GuardFacts> {
    let stored = verdict.and_then(|verdict| verdict.detail.facts.as_deref());
    if let Some(facts) = stored.and_then(|facts| serde_json::from_str(facts).ok()) {
        return Some(facts);
    }
    let answers: Answers = serde_json::from_str(answers?).ok()?;
    let mut facts = *answers.guard?;
    // It was let through, so somebody watched wherever that made a difference.
    facts.attended = true;
    Some(facts)
}

/// A recorded call, judged by the rules of now.
pub fn judged(event: EventSeq, environment: &Environment) -> Result<Inquired, Failure> {
    let home = Home::of(environment);
    let unknown = || {
        Failure::saying(FailureKind::NoMatch, format!("there is no event {event}"))
            .hint("toprope log --events --all-projects")
    };
    let store = here::store(&home)?.ok_or_else(unknown)?;
    let db = store.snapshot()?;
    let row = events::by_seq(&db, event)?.ok_or_else(unknown)?;
    let explained = verdicts::explained(&db, event)?;
    let verdict = explained.iter().find(|one| one.verdict.policy == POLICY);
    let payload = payloads::of(&db, event)?
        .map(|payload| payload.bytes())
        .transpose()?;
    let facts = facts(verdict, row.facts.as_deref());
    let memoir = RecordedCommand {
        payload: payload.as_deref().unwrap_or_default(),
        at: row.at,
        facts: facts.as_ref(),
        candidate: None,
    };
    let world = PipelineContext::new(home, environment);
    let inquired = world.judge_again(&memoir, environment).ok_or_else(|| {
        Failure::saying(
            FailureKind::NoMatch,
            format!("event {event} ({}) holds no call the guard could judge", row.name),
        )
        .hint(format!("toprope why {event}"))
    })?;
    let then = verdict.and_then(|verdict| verdict.detail.rules_hash.as_deref());
    if then.is_some_and(|then| then != inquired.rules.hash()) {
        show::talk("the rules have changed since; this is what they say now");
    }
    Ok(inquired)
}
