//! A tool call: the event before it, those after it, and how it ended where no event says so.

use engine::id::EventSeq;
use store::table::calls;
use store::table::events::{self, EventRow};
use store::{Db, StoreError};

/// See the module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogCall {
    /// Its events, oldest first; never empty.
    pub events: Vec<EventRow>,
    /// How it ended, as far as it did.
    pub end: Option<String>,
}

impl LogCall {
    /// The call an event is part of; `None` if it is part of none.
    pub fn of(db: &Db, row: &EventRow) -> Result<Option<Self>, StoreError> {
        let (Some(actor), Some(id), Some(_)) = (&row.actor, &row.tool_use_id, &row.tool) else {
            return Ok(None);
        };
        let all = events::of_call(db, actor.id, id)?;
        let events = around(all, row.seq);
        let end = end(db, &events)?;
        Ok((!events.is_empty()).then_some(Self { events, end }))
    }
}

/// After a resume a client can make a call anew under its old id: a name that comes again begins another call.
fn around(all: Vec<EventRow>, seq: EventSeq) -> Vec<EventRow> {
    let mut calls: Vec<Vec<EventRow>> = Vec::new();
    for row in all {
        match calls.last_mut() {
            Some(call) if call.iter().all(|known| known.name != row.name) => call.push(row),
            _ => calls.push(vec![row]),
        }
    }
    calls
        .into_iter()
        .find(|call| call.iter().any(|row| row.seq == seq))
        .unwrap_or_default()
}

/// What the last event says, else what is known of the call itself: interrupts leave no event.
fn end(db: &Db, events: &[EventRow]) -> Result<Option<String>, StoreError> {
    let told = events.last().and_then(|last| last.outcome.clone());
    if let Some(told) = told.filter(|outcome| !matches!(outcome.as_str(), "seen" | "ask" | "rewrite")) {
        return Ok(Some(told));
    }
    let Some(first) = events.first() else {
        return Ok(None);
    };
    let closed = calls::opened_by(db, first.seq)?.and_then(|call| call.how);
    Ok(closed.map(|how| match how.as_str() {
        "done" => "ok".to_owned(),
        "not_run" => "not run".to_owned(),
        "session_end" => "cut off".to_owned(),
        other => other.to_owned(),
    }))
}
