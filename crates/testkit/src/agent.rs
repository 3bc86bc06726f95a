//! An agent that acts: builds the payloads the real client sends and runs the hook with them.

use crate::{Output, World};
use serde_json::{Value, json};

/// One agent of a session: its main thread, or a subagent.
#[derive(Debug, Clone)]
pub struct Agent<'a> {
    world: &'a World,
    session: String,
    /// A subagent's id and kind.
    below: Option<(String, String)>,
}

impl<'a> Agent<'a> {
    pub(crate) fn main(world: &'a World, session: &str) -> Self {
        Self {
            world,
            session: session.to_owned(),
            below: None,
        }
    }

    /// A subagent of the same session.
    #[must_use]
    pub fn subagent(&self, id: &str, kind: &str) -> Self {
        Self {
            below: Some((id.to_owned(), kind.to_owned())),
            ..self.clone()
        }
    }

    /// The payload of an event, with what every event carries.
    pub fn payload(&self, event: &str, fields: &Value) -> Value {
        let mut payload = json!({
            "session_id": self.session,
            "transcript_path": self.world.home().join(".claude/projects/p").join(&self.session),
            "cwd": self.world.repo(),
            "hook_event_name": event,
        });
        if let Some(payload) = payload.as_object_mut() {
            if let Some((id, kind)) = &self.below {
                payload.extend([
                    ("agent_id".to_owned(), json!(id)),
                    ("agent_type".to_owned(), json!(kind)),
                ]);
            }
            payload.extend(fields.as_object().cloned().unwrap_or_default());
        }
        payload
    }

    /// Sends an event through the hook.
    pub fn sends(&self, event: &str, fields: &Value) -> Output {
        self.world
            .hook(self.payload(event, fields).to_string().as_bytes())
    }

    /// The session starts.
    pub fn starts(&self) -> Output {
        self.sends("SessionStart", &json!({ "source": "startup" }))
    }

    /// A person types a prompt.
    pub fn is_asked(&self, prompt: &str) -> Output {
        self.sends("UserPromptSubmit", &json!({ "prompt": prompt }))
    }

    /// The agent is about to run a command.
    pub fn runs(&self, call: &str, command: &str) -> Output {
        self.before(call, "Bash", &json!({ "command": command, "description": "run" }))
    }

    /// The agent is about to use a tool.
    pub fn before(&self, call: &str, tool: &str, input: &Value) -> Output {
        self.sends(
            "PreToolUse",
            &json!({ "tool_name": tool, "tool_input": input, "tool_use_id": call }),
        )
    }

    /// The agent used a tool.
    pub fn after(&self, call: &str, tool: &str, input: &Value, response: &Value) -> Output {
        let fields = json!({
            "tool_name": tool, "tool_input": input, "tool_use_id": call,
            "tool_response": response, "duration_ms": 8
        });
        self.sends("PostToolUse", &fields)
    }

    /// The turn ends.
    pub fn stops(&self) -> Output {
        let fields = json!({
            "stop_hook_active": false, "last_assistant_message": "done", "background_tasks": [], "session_crons": []
        });
        self.sends("Stop", &fields)
    }

    /// The session ends.
    pub fn leaves(&self) -> Output {
        self.sends("SessionEnd", &json!({ "reason": "other" }))
    }
}
