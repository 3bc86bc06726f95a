//! What a call did to the agent's list of things to do: `TodoWrite`, and the task tools that came after it.

use super::payload::{self, field};
use super::tool::text;
use engine::todo::{TodoItem, TodoUpdate};
use engine::tool::{ToolCall, ToolInput};
use serde_json::{Map, Value};

/// The client's word for what is done.
const COMPLETED: &str = "completed";
/// Most entries of a list; beyond it a list is a mistake or an attack.
const MOST_ITEMS: usize = 1_000;

/// The update, where the call is one and its fields can be read.
pub(super) fn update(call: &ToolCall, response: &Value) -> Option<TodoUpdate> {
    let empty = Map::new();
    let response = response.as_object().unwrap_or(&empty);
    match call.tool() {
        "TodoWrite" => list(call.input(), response),
        "TaskCreate" => created(call.input(), response),
        "TaskUpdate" => changed(call.input(), response),
        _ => None,
    }
}

fn list(input: &ToolInput, response: &Map<String, Value>) -> Option<TodoUpdate> {
    let after = field(response, "new_todos").or_else(|| field(input, "todos"))?;
    Some(TodoUpdate::List {
        before: field(response, "old_todos").and_then(items),
        after: items(after)?,
    })
}

/// The entries; `None` if one of them is no entry, because half a list says what is not so.
fn items(list: &Value) -> Option<Vec<TodoItem>> {
    let list = list.as_array().filter(|list| list.len() <= MOST_ITEMS)?;
    list.iter().map(item).collect()
}

fn item(entry: &Value) -> Option<TodoItem> {
    let entry = entry.as_object()?;
    Some(TodoItem {
        text: field(entry, "content")?.as_str()?.to_owned(),
        completed: field(entry, "status")?.as_str()? == COMPLETED,
    })
}

fn created(input: &ToolInput, response: &Map<String, Value>) -> Option<TodoUpdate> {
    let task = field(response, "task").and_then(Value::as_object);
    let of_task = |name| task.and_then(|task| text(task, name));
    Some(TodoUpdate::Created {
        task: of_task("id").and_then(payload::id),
        subject: of_task("subject").or_else(|| text(input, "subject"))?,
    })
}

/// The answer says what really happened; clients that only say yes are believed to have done what they were asked.
fn changed(input: &ToolInput, response: &Map<String, Value>) -> Option<TodoUpdate> {
    if field(response, "success") == Some(&Value::Bool(false)) {
        return None;
    }
    let status = match field(response, "status_change").and_then(Value::as_object) {
        Some(change) => text(change, "to"),
        None => text(input, "status"),
    };
    Some(TodoUpdate::Changed {
        task: text(input, "task_id").and_then(payload::id)?,
        subject: text(input, "subject").filter(|subject| !subject.trim().is_empty()),
        completed: status.as_deref() == Some(COMPLETED),
    })
}

#[cfg(test)]
mod tests;
