//! Whether events come at all: an entry that never fires is no protection.

use super::check::DoctorCheck;
use crate::command::init::counted;
use std::collections::BTreeSet;
use store::table::{events, sessions};
use store::{Db, StoreError};

/// What every agent does sooner or later; other events may well never happen to a person.
const SURE: [&str; 6] = [
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "Stop",
    "SessionEnd",
];
/// Only so many sessions say anything.
const ENOUGH: usize = 3;

/// Looks at which events have come.
pub fn look(db: &Db, is_installed: bool) -> Result<DoctorCheck, StoreError> {
    let sessions: BTreeSet<String> = sessions::list(db, None, false)?
        .into_iter()
        .map(|session| session.client_session.as_str().to_owned())
        .collect();
    let fired = events::fired(db)?;
    let ran = counted(sessions.len(), "session");
    let missing: Vec<&str> = SURE
        .into_iter()
        .filter(|event| fired.iter().all(|name| name != event))
        .collect();
    if sessions.is_empty() {
        return Ok(DoctorCheck::ok("events", "no agent has run yet"));
    }
    if is_installed && sessions.len() >= ENOUGH && !missing.is_empty() {
        let text = format!("{} never came, in {ran}", missing.join(", "));
        return Ok(DoctorCheck::warn("events", text, "toprope doctor --fix"));
    }
    let kinds = fired
        .iter()
        .filter(|name| !events::ACTS.contains(&name.as_str()) && *name != "unreadable")
        .count();
    Ok(DoctorCheck::ok(
        "events",
        format!("{} of events, in {ran}", counted(kinds, "kind")),
    ))
}
