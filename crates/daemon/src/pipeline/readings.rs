//! What commands do, kept from the event before a call to the one after it: both are about the same text.
//!
//! Nothing is decided by it: what is handed over is exactly what reading again would say.

use engine::event::{Event, EventKind};
use engine::id::ToolUseId;
use engine::tool::{Action, ToolCall};
use shell::Plain;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// Calls that run; of more than these at the same time the oldest are read again.
const MOST_KEPT: usize = 32;
/// A longer command is rather read twice than kept.
const LONGEST: usize = 65_536;

/// Readings of calls that run, the newest last.
#[derive(Debug, Default)]
pub struct Readings(Mutex<VecDeque<(ToolUseId, Arc<Plain>)>>);

impl Readings {
    /// Keeps what was read of a call that is about to run.
    pub fn keep(&self, event: &Event) {
        let EventKind::ToolBefore { call } = &event.kind else {
            return;
        };
        let read = call.read_so_far().filter(|plain| plain.length() <= LONGEST);
        let Some((id, plain)) = call.id().zip(read) else {
            return;
        };
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= MOST_KEPT {
            kept.pop_front();
        }
        kept.push_back((id.clone(), Arc::clone(plain)));
    }

    /// Gives a call that ran what was read of it before, if it ran the same text in the same folder.
    pub fn hand_over(&self, event: &Event) {
        let (EventKind::ToolAfter { call, .. } | EventKind::ToolFailed { call, .. }) = &event.kind else {
            return;
        };
        if let Some(plain) = self.taken(call).filter(|plain| is_same(plain, call, event)) {
            call.was_read(plain);
        }
    }

    fn taken(&self, call: &ToolCall) -> Option<Arc<Plain>> {
        let id = call.id()?;
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().rposition(|(known, _)| known == id)?;
        kept.remove(at).map(|(_, plain)| plain)
    }
}

fn is_same(plain: &Plain, call: &ToolCall, event: &Event) -> bool {
    match call.action() {
        Action::RunCommand { command, .. } => plain.is_of(command, event.cwd.as_deref()),
        _ => false,
    }
}

#[cfg(test)]
mod tests;
