//! What every payload has in common: who acts, where, when, and which event it is.

use super::NAME;
use super::hook::Hook;
use super::payload::{self, PayloadFields};
use crate::agent::Delivery;
use engine::event::{Abilities, Event, EventKind};
use engine::id::{ActorKey, AgentId, AgentKind, ClientSessionId, PromptId};

/// The event a payload reports.
pub(super) fn event(mut payload: PayloadFields, delivery: &Delivery) -> Event {
    let name = payload
        .name("hook_event_name")
        .unwrap_or_else(|| unnamed(&payload).to_owned());
    let hook = Hook::named(&name);
    Event {
        at: delivery.at,
        delivery: delivery.id.clone(),
        actor: actor(&mut payload, delivery),
        // Older clients called it so in SubagentStart and SubagentStop.
        agent_type: payload
            .text("agent_type")
            .or_else(|| payload.text("subagent_type")),
        cwd: payload.path("cwd").or_else(|| delivery.cwd.clone()),
        transcript: payload.path("transcript_path"),
        prompt_id: payload.id("prompt_id").map(PromptId::new),
        permission_mode: payload.text("permission_mode"),
        can: hook.map_or_else(Abilities::default, Hook::abilities),
        kind: hook.map_or(EventKind::Unknown, |hook| (hook.read)(&mut payload)),
        name,
    }
}

/// Only `agent_id` makes a subagent: `claude --agent X` sets `agent_type` on its main thread.
fn actor(payload: &mut PayloadFields, delivery: &Delivery) -> ActorKey {
    let session = payload
        .id("session_id")
        .or_else(|| delivery.session_hint.clone().and_then(payload::id))
        .unwrap_or_else(|| ClientSessionId::UNKNOWN.to_owned());
    ActorKey {
        agent_kind: AgentKind::new(NAME),
        session: ClientSessionId::new(session),
        agent: payload.id("agent_id").map(AgentId::new),
    }
}

/// The event of a payload in the oldest shape, which did not say: it can be told by what it carries.
fn unnamed(payload: &PayloadFields) -> &'static str {
    if payload.has("tool_name") {
        if payload.has("tool_response") {
            "PostToolUse"
        } else {
            "PreToolUse"
        }
    } else if payload.has("response") {
        "Stop"
    } else {
        ""
    }
}

#[cfg(test)]
mod tests;
