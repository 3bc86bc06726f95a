//! What an event is about, as one short text for lists: a path, a command, a prompt.

use crate::event::{Event, EventKind};
use crate::lease::wanted::absolute;
use crate::tool::ToolCall;

/// The event's subject, raw and uncut; whoever shows it escapes and cuts it.
pub fn target(event: &Event) -> Option<String> {
    match &event.kind {
        EventKind::SessionStart { source, .. } => Some(source.as_str().to_owned()),
        EventKind::SessionEnd { reason } => Some(reason.clone()),
        EventKind::Setup { trigger }
        | EventKind::CompactBefore { trigger }
        | EventKind::CompactAfter { trigger } => Some(trigger.clone()),
        EventKind::Prompt { text, .. } => Some(format!("\"{text}\"")),
        EventKind::PromptExpansion { command, arguments } => {
            Some(format!("/{command} {arguments}").trim_end().to_owned())
        }
        EventKind::ToolBefore { call }
        | EventKind::ToolAfter { call, .. }
        | EventKind::ToolFailed { call, .. }
        | EventKind::PermissionRequest { call }
        | EventKind::PermissionDenied { call, .. } => of_call(event, call),
        EventKind::ToolBatch { calls } => Some(match calls.len() {
            1 => "1 call".to_owned(),
            count => format!("{count} calls"),
        }),
        EventKind::TurnEnd { last_message, .. } | EventKind::AgentStop { last_message, .. } => {
            last_message.as_ref().map(|text| format!("\"{text}\""))
        }
        EventKind::TurnFailed { error } => Some(error.clone()),
        EventKind::TeammateIdle { teammate } => Some(teammate.clone()),
        EventKind::TaskCreated { subject, .. } | EventKind::TaskCompleted { subject, .. } => {
            Some(format!("\"{subject}\""))
        }
        EventKind::Notification { kind, message } => Some(format!("{kind}: {message}")),
        EventKind::Elicitation { server, message } => Some(format!("{server}: {message}")),
        EventKind::ElicitationResult { server, action } => Some(format!("{server}: {action}")),
        EventKind::ModelSwitchBefore { from, to } | EventKind::ModelSwitchAfter { from, to } => {
            Some(format!(
                "{} -> {}",
                from.as_deref().unwrap_or("?"),
                to.as_deref().unwrap_or("?")
            ))
        }
        EventKind::ConfigChange { source, path } => {
            let place = path
                .as_ref()
                .map(|path| format!(" {}", path.display()))
                .unwrap_or_default();
            Some(format!("{source}{place}"))
        }
        EventKind::CwdChanged { new, .. } => new.as_ref().map(|path| path.display().to_string()),
        EventKind::InstructionsLoaded { path, .. }
        | EventKind::FileChanged { path, .. }
        | EventKind::DirectoryAdded { path }
        | EventKind::WorktreeRemove { path } => Some(path.display().to_string()),
        EventKind::WorktreeCreate { worktree } => Some(worktree.clone()),
        EventKind::AgentStart | EventKind::MessageDisplay { .. } | EventKind::Probe | EventKind::Unknown => {
            None
        }
    }
}

/// A file is named by its whole path, however the agent named it.
fn of_call(event: &Event, call: &ToolCall) -> Option<String> {
    let action = call.action();
    let whole = action
        .path()
        .and_then(|path| absolute(path, event.cwd.as_deref()));
    whole
        .map(|path| path.to_string_lossy().into_owned())
        .or_else(|| action.target())
}

#[cfg(test)]
mod tests;
