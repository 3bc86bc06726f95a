//! The label that an update of the agent's list of things to do gives a step.

use super::label::LONGEST;
use crate::text::{plain, shortened};
use crate::todo::{TodoItem, TodoUpdate};
use std::collections::HashMap;

/// A label, or what is needed to make it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TodoLabel {
    /// The label.
    Text(String),
    /// This task was completed; its title is in an earlier event of the session, see [`completed`].
    Completed {
        /// The client's id of the task.
        task: String,
    },
}

/// The label of an update; `None` where it tells of nothing that a step could be named by.
pub fn label(update: &TodoUpdate) -> Option<TodoLabel> {
    match update {
        TodoUpdate::List { before, after } => list(before.as_deref(), after).map(TodoLabel::Text),
        TodoUpdate::Changed {
            task,
            subject,
            completed: true,
        } => Some(match subject.as_deref().and_then(completed) {
            Some(text) => TodoLabel::Text(text),
            None => TodoLabel::Completed { task: task.clone() },
        }),
        TodoUpdate::Changed { completed: false, .. } | TodoUpdate::Created { .. } => None,
    }
}

/// The label of something completed; `None` if its text says nothing.
pub fn completed(text: &str) -> Option<String> {
    let text = plain(text);
    (!text.is_empty()).then(|| shortened(&format!("Completed: {text}"), LONGEST))
}

fn list(before: Option<&[TodoItem]>, after: &[TodoItem]) -> Option<String> {
    match newly_completed(before.unwrap_or_default(), after) {
        Some(item) => completed(&item.text),
        None => match after.len() {
            0 => None,
            1 => Some("Planning: 1 todo".to_owned()),
            count => Some(format!("Planning: {count} todos")),
        },
    }
}

/// The last item that is completed now and was not before. Equal texts are told apart by their number alone.
fn newly_completed<'a>(before: &[TodoItem], after: &'a [TodoItem]) -> Option<&'a TodoItem> {
    let mut known: HashMap<&str, usize> = HashMap::new();
    for item in before.iter().filter(|item| item.completed) {
        *known.entry(&item.text).or_default() += 1;
    }
    let mut newest = None;
    for item in after.iter().filter(|item| item.completed) {
        match known.get_mut(item.text.as_str()) {
            Some(count) if *count > 0 => *count -= 1,
            Some(_) | None => newest = Some(item),
        }
    }
    newest
}

#[cfg(test)]
mod tests;
