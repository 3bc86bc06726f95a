//! Commands that go on after the answer to their call: their task is remembered, and a token of ours that they carry stays valid
//! until the turn of their actor ends.

use super::AgentEvent;
use super::effects::EventScope;
use engine::event::EventKind;
use engine::lease::left::goes_on;
use engine::tool::Action;
use store::StoreError;
use store::table::{calls, tokens};

/// Notes what the answer to a call tells of the background.
pub fn note(source: &EventScope<'_>, subject: &AgentEvent) -> Result<(), StoreError> {
    let EventKind::ToolAfter { call, response, .. } = &subject.event.kind else {
        return Ok(());
    };
    let task = subject.agent.background_task(response);
    if let Some((id, task)) = call.id().zip(task.as_ref()) {
        calls::set_task(source.db, source.actor, id, task)?;
    }
    let (Action::RunCommand { background, .. }, Some(id)) = (call.action(), subject.event.tool_use_id())
    else {
        return Ok(());
    };
    if goes_on(&subject.event, *background || task.is_some()) {
        tokens::go_on_in_background(source.db, source.actor, id)?;
    }
    Ok(())
}
