//! What the client's tools do, and which agent a call started.

use super::payload::{self, PayloadFields, field};
use engine::event::{SpawnResult, Spawned};
use engine::id::{AgentId, ToolUseId};
use engine::tool::touch::only_shows;
use engine::tool::{Action, Background, ToolCall, ToolInput, command_line};
use serde_json::Value;
use shell::extent::ReadExtent;
use std::path::PathBuf;

/// The client's own tools that run shell text. `Monitor` goes on after its answer.
pub const SHELL_TOOLS: [&str; 3] = ["Bash", "Monitor", "PowerShell"];

/// Its script is JavaScript that starts agents, each of which acts under its own name.
const WORKFLOW: &str = "Workflow";

/// Tools that write nothing in a project. Whoever is missing here counts as one that may write anything: a needless
/// look at the files costs little, a missed change a rewind.
const WRITE_NOTHING: &[&str] = &[
    // Reading and searching.
    "Read",
    "Glob",
    "Grep",
    "LS",
    "NotebookRead",
    "ToolSearch",
    "LSP",
    "ListMcpResourcesTool",
    "ReadMcpResourceTool",
    // The web.
    "WebFetch",
    "WebSearch",
    // The agent's own list of things to do.
    "TodoRead",
    "TodoWrite",
    "TaskCreate",
    "TaskGet",
    "TaskList",
    "TaskUpdate",
    // Asking and planning.
    "AskUserQuestion",
    "EnterPlanMode",
    "ExitPlanMode",
    // Other agents and background tasks, which act under names of their own.
    "BashOutput",
    "KillBash",
    "KillShell",
    "SendMessage",
    "TaskOutput",
    "TaskStop",
    // The answer itself.
    "StructuredOutput",
];

/// The call a payload, or one entry of a batch, is about.
pub(super) fn call(payload: &mut PayloadFields) -> ToolCall {
    let tool = payload.text("tool_name").unwrap_or_default();
    let id = payload.id("tool_use_id").map(ToolUseId::new);
    let input = payload.object("tool_input").unwrap_or_default();
    if tool == "Task" {
        ToolCall::new("Agent", id, input, task_action)
    } else {
        ToolCall::new(tool, id, input, action)
    }
}

/// The agent that a call of the `Agent` tool started. Older clients answered only when it was done, and named neither
/// agent nor status.
pub(super) fn spawned(response: &Value) -> Spawned {
    let text = |name: &str| {
        let fields = response.as_object()?;
        field(fields, name)?.as_str().map(str::to_owned)
    };
    let uses = response
        .as_object()
        .and_then(|fields| field(fields, "total_tool_use_count")?.as_u64());
    Spawned {
        worked: uses.unwrap_or(0) > 0,
        agent: text("agent_id").and_then(payload::id).map(AgentId::new),
        result: match text("status") {
            None => SpawnResult::Completed,
            Some(status) => match status.as_str() {
                "completed" => SpawnResult::Completed,
                "async_launched" => SpawnResult::Launched,
                "teammate_spawned" => SpawnResult::Teammate,
                _ => SpawnResult::Other(status),
            },
        },
    }
}

/// The agent that a call of `TaskStop` ended. A background command is stopped the same way, and is no agent's id.
pub(super) fn stopped(call: &ToolCall) -> Option<Spawned> {
    if call.tool() != "TaskStop" {
        return None;
    }
    let id = text(call.input(), "task_id").and_then(payload::id)?;
    Some(Spawned {
        agent: Some(AgentId::new(id)),
        result: SpawnResult::Stopped,
        worked: false,
    })
}

/// The code a command ended with: an error begins with it, and what the command said follows.
pub(super) fn exit_code(error: &str) -> Option<i32> {
    let (first, _) = error.split_once('\n').unwrap_or((error, ""));
    first.strip_prefix("Exit code ")?.trim_end().parse().ok()
}

fn action(tool: &str, input: &ToolInput) -> Action {
    let path = |name| {
        text(input, name)
            .filter(|path| !path.is_empty())
            .map(PathBuf::from)
    };
    let known = match tool {
        _ if SHELL_TOOLS.contains(&tool) => text(input, "command").map(|command| Action::RunCommand {
            command,
            background: tool == "Monitor" || flag(input, "run_in_background") == Some(true),
        }),
        "Write" => path("file_path").map(|path| Action::WriteFile { path }),
        "Edit" | "MultiEdit" => path("file_path").map(|path| Action::EditFile { path }),
        "NotebookEdit" => path("notebook_path").map(|path| Action::EditFile { path }),
        "Read" => path("file_path").map(|path| Action::ReadFile {
            path,
            extent: extent(input),
        }),
        "Agent" => Some(spawn(input, Background::Unsaid, true)),
        WORKFLOW => None,
        _ if WRITE_NOTHING.contains(&tool) => None,
        // Whoever offers it: what has a command line runs it.
        _ => command_line::in_input(tool, input).map(|command| Action::RunCommand {
            command,
            background: flag(input, "run_in_background") == Some(true),
        }),
    };
    known.unwrap_or_else(|| {
        if WRITE_NOTHING.contains(&tool) || only_shows(tool, input) {
            Action::Other
        } else {
            Action::Unknown
        }
    })
}

/// The `Agent` tool under its old name, when agents ran in the foreground unless told otherwise,
/// and no event of their own told of their start.
fn task_action(_tool: &str, input: &ToolInput) -> Action {
    spawn(input, Background::No, false)
}

fn spawn(input: &ToolInput, unsaid: Background, announced: bool) -> Action {
    Action::SpawnAgent {
        agent_type: text(input, "subagent_type"),
        description: text(input, "description"),
        background: match flag(input, "run_in_background") {
            Some(true) => Background::Yes,
            Some(false) => Background::No,
            None => unsaid,
        },
        announced,
    }
}

pub(super) fn text(input: &ToolInput, name: &str) -> Option<String> {
    field(input, name)?.as_str().map(str::to_owned)
}

/// The lines that a `Read` asks for. Of a document with pages nobody can say what they are of the file.
fn extent(input: &ToolInput) -> ReadExtent {
    let number = |name: &str| field(input, name).and_then(Value::as_u64);
    match (number("offset"), number("limit")) {
        _ if field(input, "pages").is_some_and(Value::is_string) => ReadExtent::Part,
        (None | Some(0 | 1), None) => ReadExtent::Whole,
        (offset, limit) => {
            let first = offset.unwrap_or(1).max(1);
            let last = limit.map_or(u64::MAX, |limit| first.saturating_add(limit).saturating_sub(1));
            ReadExtent::Lines { first, last }
        }
    }
}

fn flag(input: &ToolInput, name: &str) -> Option<bool> {
    field(input, name)?.as_bool()
}

#[cfg(test)]
mod tests;
