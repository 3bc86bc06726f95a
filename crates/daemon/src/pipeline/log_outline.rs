//! What the log shows of an event: a subject, a short input, what came of it. Cut here, before any transaction.

use agents::Agent;
use engine::decision::{Decision, Outcome};
use engine::event::{Event, EventKind, SpawnResult};
use engine::summary;
use engine::tool::{Action, ToolInput};
use serde_json::{Map, Value};
use std::borrow::Cow;

/// A subject longer than this tells no more.
const SUBJECT: usize = 1_000;
/// The same for one value of an input.
const VALUE: usize = 400;
/// Inputs have few keys; one with more is abused.
const KEYS: usize = 40;

/// See the module.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outline {
    /// What the event is about.
    pub target: Option<String>,
    /// The tool's input as JSON, long values cut.
    pub input: Option<String>,
    /// How long the tool took.
    pub duration_ms: Option<u64>,
    /// What a command that failed ended with.
    pub exit_code: Option<i32>,
}

impl Outline {
    /// The outline of an event.
    pub fn of(agent: &dyn Agent, event: &Event) -> Self {
        let duration_ms = match &event.kind {
            EventKind::ToolAfter { duration_ms, .. } | EventKind::ToolFailed { duration_ms, .. } => {
                *duration_ms
            }
            _ => None,
        };
        Self {
            target: summary::target(event).map(|text| cut(text, SUBJECT)),
            input: event.kind.call().map(|call| short(call.input())),
            duration_ms,
            exit_code: match &event.kind {
                EventKind::ToolFailed { call, error, .. }
                    if matches!(call.action(), Action::RunCommand { .. }) =>
                {
                    agent.exit_code(error)
                }
                _ => None,
            },
        }
    }

    /// What came of the event, in the words the log shows.
    pub fn outcome(&self, event: &Event, decision: &Decision) -> Cow<'static, str> {
        match (outcome(event, decision), self.exit_code) {
            ("failed", Some(code)) => Cow::Owned(format!("failed ({code})")),
            (word, _) => Cow::Borrowed(word),
        }
    }
}

fn short(input: &ToolInput) -> String {
    let cut: Map<String, Value> = input
        .iter()
        .take(KEYS)
        .map(|(key, value)| (cut(key.clone(), VALUE), short_value(value)))
        .collect();
    Value::Object(cut).to_string()
}

fn short_value(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(cut(text.clone(), VALUE)),
        Value::Array(_) | Value::Object(_) => {
            let text = value.to_string();
            if text.chars().nth(VALUE).is_some() {
                Value::String(cut(text, VALUE))
            } else {
                value.clone()
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

fn cut(mut text: String, limit: usize) -> String {
    // What has no more bytes has no more characters.
    if text.len() > limit
        && let Some((at, _)) = text.char_indices().nth(limit)
    {
        text.truncate(at);
        text.push('…');
    }
    text
}

fn outcome(event: &Event, decision: &Decision) -> &'static str {
    match (&decision.outcome, &decision.input) {
        (Outcome::Deny { .. }, _) => return "deny",
        (Outcome::Ask { .. }, _) => return "ask",
        (Outcome::Pass, Some(_)) => return "rewrite",
        (Outcome::Pass, None) => {}
    }
    match &event.kind {
        EventKind::ToolAfter {
            spawned: Some(spawned),
            ..
        } => match spawned.result {
            SpawnResult::Launched | SpawnResult::Teammate => "ok, background",
            SpawnResult::Completed | SpawnResult::Stopped | SpawnResult::Other(_) => "ok",
        },
        EventKind::ToolAfter { call, .. } => match call.action() {
            Action::RunCommand { background: true, .. } => "ok, background",
            _ => "ok",
        },
        EventKind::ToolFailed {
            interrupted: true, ..
        } => "interrupted",
        EventKind::ToolFailed { .. } | EventKind::TurnFailed { .. } => "failed",
        EventKind::PermissionDenied { .. } => "refused",
        _ => "seen",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn long_values_are_cut_and_the_rest_is_kept() {
        let input = json!({ "file_path": "/a", "content": "é".repeat(5_000), "n": 3, "list": [1, 2] });
        let Value::Object(input) = input else {
            unreachable!("an object")
        };
        let short: Value = serde_json::from_str(&short(&input)).unwrap();
        assert_eq!(short["file_path"], "/a");
        assert_eq!(short["n"], 3);
        assert_eq!(short["list"], json!([1, 2]));
        assert_eq!(short["content"].as_str().unwrap().chars().count(), VALUE + 1);
    }
}
