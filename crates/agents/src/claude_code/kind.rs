//! The fields each event has of its own. A field that is missing becomes empty or `None`, never an error.

use super::payload::PayloadFields;
use super::{changed, notification, todo, tool};
use engine::event::{BackgroundTask, BatchCall, EventKind, StartSource};
use engine::tool::Action;
use serde_json::Value;

pub(super) fn setup(payload: &mut PayloadFields) -> EventKind {
    EventKind::Setup {
        trigger: word(payload, "trigger"),
    }
}

pub(super) fn session_start(payload: &mut PayloadFields) -> EventKind {
    let source = word(payload, "source");
    EventKind::SessionStart {
        source: match source.as_str() {
            "startup" => StartSource::Startup,
            "resume" => StartSource::Resume,
            "clear" => StartSource::Clear,
            "compact" => StartSource::Compact,
            "fork" => StartSource::Fork,
            _ => StartSource::Other(source),
        },
        model: payload.text("model"),
    }
}

pub(super) fn session_end(payload: &mut PayloadFields) -> EventKind {
    EventKind::SessionEnd {
        reason: word(payload, "reason"),
    }
}

pub(super) fn instructions_loaded(payload: &mut PayloadFields) -> EventKind {
    EventKind::InstructionsLoaded {
        path: payload.path("file_path").unwrap_or_default(),
        load_reason: word(payload, "load_reason"),
    }
}

pub(super) fn prompt(payload: &mut PayloadFields) -> EventKind {
    let text = word(payload, "prompt");
    let origin = notification::origin(&text);
    EventKind::Prompt { text, origin }
}

pub(super) fn prompt_expansion(payload: &mut PayloadFields) -> EventKind {
    EventKind::PromptExpansion {
        command: word(payload, "command_name"),
        arguments: word(payload, "command_args"),
    }
}

pub(super) fn tool_before(payload: &mut PayloadFields) -> EventKind {
    EventKind::ToolBefore {
        call: tool::call(payload),
    }
}

pub(super) fn tool_after(payload: &mut PayloadFields) -> EventKind {
    let call = tool::call(payload);
    let response = payload.value("tool_response").unwrap_or(Value::Null);
    let is_spawn = matches!(call.action(), Action::SpawnAgent { .. });
    EventKind::ToolAfter {
        spawned: if is_spawn {
            Some(tool::spawned(&response))
        } else {
            tool::stopped(&call)
        },
        changed: changed::files(&call, &response),
        todo: todo::update(&call, &response),
        call,
        response,
        duration_ms: payload.number("duration_ms"),
    }
}

pub(super) fn tool_failed(payload: &mut PayloadFields) -> EventKind {
    EventKind::ToolFailed {
        call: tool::call(payload),
        error: word(payload, "error"),
        interrupted: payload.is("is_interrupt"),
        duration_ms: payload.number("duration_ms"),
    }
}

pub(super) fn tool_batch(payload: &mut PayloadFields) -> EventKind {
    let calls = payload.objects("tool_calls").unwrap_or_default();
    EventKind::ToolBatch {
        calls: calls
            .into_iter()
            .map(|mut entry| BatchCall {
                call: tool::call(&mut entry),
                response: entry.value("tool_response").unwrap_or(Value::Null),
            })
            .collect(),
    }
}

pub(super) fn permission_request(payload: &mut PayloadFields) -> EventKind {
    EventKind::PermissionRequest {
        call: tool::call(payload),
    }
}

pub(super) fn permission_denied(payload: &mut PayloadFields) -> EventKind {
    EventKind::PermissionDenied {
        call: tool::call(payload),
        reason: word(payload, "reason"),
    }
}

pub(super) fn turn_end(payload: &mut PayloadFields) -> EventKind {
    EventKind::TurnEnd {
        already_continued: payload.is("stop_hook_active"),
        last_message: last_message(payload),
        background: background(payload),
    }
}

pub(super) fn turn_failed(payload: &mut PayloadFields) -> EventKind {
    EventKind::TurnFailed {
        error: word(payload, "error"),
    }
}

pub(super) fn agent_start(_payload: &mut PayloadFields) -> EventKind {
    EventKind::AgentStart
}

pub(super) fn agent_stop(payload: &mut PayloadFields) -> EventKind {
    EventKind::AgentStop {
        already_continued: payload.is("stop_hook_active"),
        last_message: last_message(payload),
        transcript: payload.path("agent_transcript_path"),
    }
}

pub(super) fn teammate_idle(payload: &mut PayloadFields) -> EventKind {
    EventKind::TeammateIdle {
        teammate: word(payload, "teammate_name"),
    }
}

pub(super) fn task_created(payload: &mut PayloadFields) -> EventKind {
    EventKind::TaskCreated {
        task_id: payload.id("task_id").unwrap_or_default(),
        subject: word(payload, "task_subject"),
    }
}

pub(super) fn task_completed(payload: &mut PayloadFields) -> EventKind {
    EventKind::TaskCompleted {
        task_id: payload.id("task_id").unwrap_or_default(),
        subject: word(payload, "task_subject"),
    }
}

pub(super) fn notification(payload: &mut PayloadFields) -> EventKind {
    EventKind::Notification {
        kind: word(payload, "notification_type"),
        message: word(payload, "message"),
    }
}

pub(super) fn elicitation(payload: &mut PayloadFields) -> EventKind {
    EventKind::Elicitation {
        server: word(payload, "mcp_server_name"),
        message: word(payload, "message"),
    }
}

pub(super) fn elicitation_result(payload: &mut PayloadFields) -> EventKind {
    EventKind::ElicitationResult {
        server: word(payload, "mcp_server_name"),
        action: word(payload, "action"),
    }
}

pub(super) fn compact_before(payload: &mut PayloadFields) -> EventKind {
    EventKind::CompactBefore {
        trigger: word(payload, "trigger"),
    }
}

pub(super) fn compact_after(payload: &mut PayloadFields) -> EventKind {
    EventKind::CompactAfter {
        trigger: word(payload, "trigger"),
    }
}

pub(super) fn model_switch_before(payload: &mut PayloadFields) -> EventKind {
    EventKind::ModelSwitchBefore {
        from: payload.text("from_model"),
        to: payload.text("to_model"),
    }
}

pub(super) fn model_switch_after(payload: &mut PayloadFields) -> EventKind {
    EventKind::ModelSwitchAfter {
        from: payload.text("from_model"),
        to: payload.text("to_model"),
    }
}

pub(super) fn config_change(payload: &mut PayloadFields) -> EventKind {
    EventKind::ConfigChange {
        source: word(payload, "source"),
        path: payload.path("file_path"),
    }
}

pub(super) fn cwd_changed(payload: &mut PayloadFields) -> EventKind {
    EventKind::CwdChanged {
        old: payload.path("old_cwd"),
        new: payload.path("new_cwd"),
    }
}

pub(super) fn file_changed(payload: &mut PayloadFields) -> EventKind {
    EventKind::FileChanged {
        path: payload.path("file_path").unwrap_or_default(),
        change: word(payload, "event"),
    }
}

pub(super) fn directory_added(payload: &mut PayloadFields) -> EventKind {
    EventKind::DirectoryAdded {
        path: payload.path("directory").unwrap_or_default(),
    }
}

pub(super) fn worktree_create(payload: &mut PayloadFields) -> EventKind {
    EventKind::WorktreeCreate {
        worktree: word(payload, "name"),
    }
}

pub(super) fn worktree_remove(payload: &mut PayloadFields) -> EventKind {
    EventKind::WorktreeRemove {
        path: payload.path("worktree_path").unwrap_or_default(),
    }
}

pub(super) fn message_display(payload: &mut PayloadFields) -> EventKind {
    EventKind::MessageDisplay {
        is_final: payload.is("final"),
    }
}

fn word(payload: &mut PayloadFields, name: &str) -> String {
    payload.text(name).unwrap_or_default()
}

/// Older clients called it `response`.
fn last_message(payload: &mut PayloadFields) -> Option<String> {
    payload
        .text("last_assistant_message")
        .or_else(|| payload.text("response"))
}

fn background(payload: &mut PayloadFields) -> Option<Vec<BackgroundTask>> {
    let tasks = payload.objects("background_tasks")?;
    let read = |mut task: PayloadFields| BackgroundTask {
        id: task.id("id").unwrap_or_default(),
        kind: word(&mut task, "type"),
        status: word(&mut task, "status"),
    };
    Some(tasks.into_iter().map(read).collect())
}
