//! Tells the person of settings that are wrong, each once a session: other values stand instead, and nothing else shows it.

use super::AgentEvent;
use crate::config::SettingsProblem;
use crate::home::fingerprint;
use engine::effect::{Audience, Owed};
use engine::event::EventKind;
use engine::time::Timestamp;
use std::collections::BTreeSet;
use store::table::actors::Actor;
use store::table::{notices, session_notes};
use store::{Db, StoreError};

/// The kind of the notice.
pub const KIND: &str = "settings";

/// Under which the session remembers what was told.
const TOLD: &str = "wrong settings";
/// Problems that are named; a note has room for the marks of more.
const MOST_NAMED: usize = 3;
/// Problems that are told of in one session.
const MOST_TOLD: usize = 50;

/// Owes the person a word about what is wrong and was not told in this session. Asked at prompts of main threads.
pub fn owe(db: &Db, subject: &AgentEvent, actor: &Actor, at: Timestamp) -> Result<(), StoreError> {
    let problems = &subject.loaded.problems;
    let is_asked = matches!(subject.event.kind, EventKind::Prompt { .. }) && actor.key.agent.is_none();
    if problems.is_empty() || !is_asked {
        return Ok(());
    }
    let noted = session_notes::get(db, actor.id, TOLD)?.unwrap_or_default();
    let mut told: BTreeSet<String> = noted.split_whitespace().map(str::to_owned).collect();
    let room = MOST_TOLD.saturating_sub(told.len());
    let news: Vec<&SettingsProblem> = problems
        .iter()
        .filter(|problem| !told.contains(&mark(problem)))
        .take(room)
        .collect();
    if news.is_empty() {
        return Ok(());
    }
    told.extend(news.iter().map(|problem| mark(problem)));
    let marks: Vec<String> = told.into_iter().collect();
    session_notes::set(db, actor.id, TOLD, &marks.join(" "))?;
    let owed = Owed {
        audience: Audience::Person,
        kind: KIND.to_owned(),
        key: actor.id.0.to_string(),
        text: text(&news),
    };
    notices::owe(db, &owed, Some(actor.id), at)
}

/// What tells two problems apart. A line that moves is no news.
fn mark(problem: &SettingsProblem) -> String {
    let whole = format!(
        "{}\n{:?}\n{}",
        problem.file.display(),
        problem.key,
        problem.message
    );
    format!("{:016x}", fingerprint(whole.as_bytes()))
}

fn text(news: &[&SettingsProblem]) -> String {
    let shown = news.iter().take(MOST_NAMED).map(|problem| {
        let whole = problem.to_string();
        whole.lines().next().unwrap_or_default().to_owned()
    });
    let mut shown: Vec<String> = shown.collect();
    if let Some(more @ 1..) = news.len().checked_sub(MOST_NAMED) {
        shown.push(format!("and {more} more"));
    }
    let count = if news.len() == 1 {
        "a setting is wrong, so another value stands".to_owned()
    } else {
        format!("{} settings are wrong, so other values stand", news.len())
    };
    format!(
        "toprope: {count}: {}. `toprope doctor` says more.",
        shown.join("; ")
    )
}

#[cfg(test)]
mod tests;
