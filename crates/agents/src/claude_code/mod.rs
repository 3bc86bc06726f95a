//! Claude Code, as observed in version 2.1.325.

mod changed;
mod hook;
mod kind;
mod payload;
mod reply;
mod todo;
mod tool;
mod translate;

use crate::agent::{Agent, Delivery, Reply};
use crate::malformed::Malformed;
use engine::decision::Decision;
use engine::event::Event;
use payload::Payload;

/// The name of our own event: the installer and `doctor` send it to see whether the path answers.
pub const PROBE: &str = "TopropeProbe";

/// The adapter for Claude Code.
pub struct ClaudeCode;

impl Agent for ClaudeCode {
    fn name(&self) -> &'static str {
        NAME
    }

    fn translate(&self, payload: &[u8], delivery: &Delivery) -> Result<Event, Malformed> {
        Payload::parse(payload).map(|payload| translate::event(payload, delivery))
    }

    fn reply(&self, event: &Event, decision: &Decision) -> Reply {
        reply::reply(event, decision)
    }
}

/// The names of all events this version of the client reports.
pub fn events() -> impl Iterator<Item = &'static str> {
    hook::HOOKS.iter().map(|hook| hook.name)
}

const NAME: &str = "claude-code";

#[cfg(test)]
mod hostile;
#[cfg(test)]
mod samples;
#[cfg(test)]
mod tests;
