//! The events that are sent: a shell call of the recorded client, about one kilobyte, each with its own call id.

use crate::product::workspace;
use anyhow::Context;
use serde_json::Value;
use std::path::Path;

/// How long an event before a tool call is at least.
const LENGTH: usize = 1024;
/// Stands for the id of the call until it is known.
pub const CALL: &str = "toolu_@call@";

/// The two events around a tool call of one session.
#[derive(Debug, Clone)]
pub struct Payloads {
    before: String,
    after: String,
}

impl Payloads {
    /// The events of a session in this project, around a command that may write.
    pub fn new(project: &Path, session: &str) -> anyhow::Result<Self> {
        Self::around(project, session, " && cargo test -p client --test retries")
    }

    /// The same around a command that only reads.
    pub fn reading(project: &Path, session: &str) -> anyhow::Result<Self> {
        Self::around(project, session, " && grep -n retry src/client.rs README.md")
    }

    fn around(project: &Path, session: &str, step: &str) -> anyhow::Result<Self> {
        let before = recorded("PreToolUse", Some("Bash"), project, session)?;
        let missing = LENGTH.saturating_sub(before.to_string().len());
        let command = command(missing, step);
        let with_command = |mut event: Value| {
            if let Some(place) = event.pointer_mut("/tool_input/command") {
                *place = Value::from(command.as_str());
            }
            event.to_string()
        };
        let after = recorded("PostToolUse", Some("Bash"), project, session)?;
        Ok(Self {
            before: with_command(before),
            after: with_command(after),
        })
    }

    /// The event before a call.
    pub fn before(&self, call: u64) -> Vec<u8> {
        self.before
            .replace(CALL, &format!("toolu_{call:012}"))
            .into_bytes()
    }

    /// The event after it, which closes it.
    pub fn after(&self, call: u64) -> Vec<u8> {
        self.after
            .replace(CALL, &format!("toolu_{call:012}"))
            .into_bytes()
    }
}

/// A command as agents write them: long, harmless, and read to its end by whoever judges it.
fn command(length: usize, step: &str) -> String {
    let mut text = "git status --short && rg -n 'retry' src".to_owned();
    while text.len() < length {
        text.push_str(step);
    }
    text
}

/// The first such event of the main thread that was recorded, with the places of this run.
pub fn recorded(event: &str, tool: Option<&str>, project: &Path, session: &str) -> anyhow::Result<Value> {
    let path = workspace()
        .join("tests/real-client/samples")
        .join(format!("{event}.json"));
    let recorded: Value = serde_json::from_str(&fs_err::read_to_string(&path)?)?;
    let samples = recorded
        .get("samples")
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default();
    let is_meant = |input: &&Value| {
        input.get("tool_name").and_then(Value::as_str) == tool && input.get("agent_id").is_none()
    };
    let input = samples
        .iter()
        .filter_map(|sample| sample.get("input"))
        .find(is_meant);
    let mut input = input
        .with_context(|| format!("{} holds no {}", path.display(), tool.unwrap_or(event)))?
        .clone();
    if let Some(call) = input.get_mut("tool_use_id") {
        *call = Value::from(CALL);
    }
    let project = project.display().to_string();
    let text = [
        ("{{uuid-1}}", session),
        ("{{uuid-2}}", "5f0c3f4e-8a53-4d0f-9d53-6a3f2d1c0b9a"),
        ("{{cwd}}", &project),
        ("{{config}}", "/home/person/.claude"),
        ("{{project_slug}}", "-home-person-project"),
        ("{{port}}", "8080"),
    ]
    .iter()
    .fold(input.to_string(), |text, (mark, value)| text.replace(mark, value));
    Ok(serde_json::from_str(&text)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_a_kilobyte_of_the_recorded_client_with_a_call_of_its_own() {
        let payloads = Payloads::new(Path::new("/some/project"), "session-1").unwrap();
        let before: Value = serde_json::from_slice(&payloads.before(7)).unwrap();
        assert_eq!(before["hook_event_name"], "PreToolUse");
        assert_eq!(before["cwd"], "/some/project");
        assert_eq!(before["session_id"], "session-1");
        assert_eq!(before["tool_use_id"], "toolu_000000000007");
        assert!((1000..1200).contains(&payloads.before(7).len()));
        let after: Value = serde_json::from_slice(&payloads.after(7)).unwrap();
        assert_eq!(after["hook_event_name"], "PostToolUse");
        assert_eq!(after["tool_use_id"], before["tool_use_id"]);
        assert!(!before.to_string().contains("{{") && !after.to_string().contains("{{"));
    }
}
