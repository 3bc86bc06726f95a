//! An agent that acts: builds the payloads the real client sends and runs the hook with them.

use crate::world::make_folder_of;
use crate::{Call, Output, World};
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};

/// One agent of a session: its main thread, or a subagent.
#[derive(Debug, Clone)]
pub struct Agent<'a> {
    pub(crate) world: &'a World,
    session: String,
    /// A subagent's id and kind.
    below: Option<(String, String)>,
    /// Where it stands; in the repository if nothing else is said.
    folder: PathBuf,
    /// The prompt its events belong to, where the client says so.
    prompt: Option<String>,
}

impl<'a> Agent<'a> {
    pub(crate) fn main(world: &'a World, session: &str) -> Self {
        Self {
            world,
            session: session.to_owned(),
            below: None,
            folder: world.repo(),
            prompt: None,
        }
    }

    /// The same agent, standing in another folder.
    #[must_use]
    pub fn standing_in(&self, folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            ..self.clone()
        }
    }

    /// The same agent, at work for this prompt.
    #[must_use]
    pub fn answering(&self, prompt: &str) -> Self {
        Self {
            prompt: Some(prompt.to_owned()),
            ..self.clone()
        }
    }

    /// Where it stands.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// A subagent of the same session.
    #[must_use]
    pub fn subagent(&self, id: &str, kind: &str) -> Self {
        Self {
            below: Some((id.to_owned(), kind.to_owned())),
            ..self.clone()
        }
    }

    /// The session's transcript, which only the real client writes.
    pub fn transcript(&self) -> PathBuf {
        self.world.home().join(".claude/projects/p").join(&self.session)
    }

    /// Adds the lines of a whole turn to the transcript, as the real client does a little after the turn's end.
    ///
    /// # Panics
    /// If they cannot be written.
    pub fn writes_transcript(&self, prompt: &str, message: &str) {
        let lines = [
            json!({ "type": "user", "uuid": format!("{message}-u"), "turnOrigin": "human",
                "message": { "content": prompt } }),
            json!({ "type": "assistant", "uuid": format!("{message}-a"), "timestamp": "2026-11-15T13:20:42.667Z",
                "message": { "id": message, "model": "m", "stop_reason": "end_turn",
                    "usage": { "input_tokens": 100, "output_tokens": 7 } } }),
            json!({ "type": "system", "subtype": "stop_hook_summary", "uuid": format!("{message}-s"), "hookErrors": [] }),
        ];
        let path = self.transcript();
        make_folder_of(&path);
        let mut file = fs_err::OpenOptions::new()
            .append(true)
            .create(true)
            .open(path)
            .expect("a transcript");
        for line in lines {
            writeln!(file, "{line}").expect("a line of a transcript");
        }
    }

    /// The payload of an event, with what every event carries.
    pub fn payload(&self, event: &str, fields: &Value) -> Value {
        let mut payload = json!({
            "session_id": self.session,
            "transcript_path": self.transcript(),
            "cwd": self.folder,
            "hook_event_name": event,
        });
        if let Some(payload) = payload.as_object_mut() {
            if let Some((id, kind)) = &self.below {
                payload.extend([
                    ("agent_id".to_owned(), json!(id)),
                    ("agent_type".to_owned(), json!(kind)),
                ]);
            }
            if let Some(prompt) = &self.prompt {
                payload.insert("prompt_id".to_owned(), json!(prompt));
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

    /// A use of a tool, not begun yet.
    pub fn call(&self, tool: &str, input: &Value) -> Call<'a> {
        Call::new(self.clone(), tool, input)
    }

    /// The agent writes a file: it says so, does it, says that it did, and ends its step. The path is relative to its
    /// folder, and the file's folders are made.
    #[track_caller]
    pub fn writes(&self, path: &str, content: &str) -> Call<'a> {
        let call = self.is_about_to_write(path, content);
        call.does_write(content);
        call.ends(&json!({ "type": "create" }));
        call.ends_step();
        call
    }

    /// The agent reads a file.
    pub fn reads(&self, path: &str) {
        let file = self.folder.join(path);
        let call = self.call("Read", &json!({ "file_path": file }));
        call.begins().ok();
        call.ends(&json!({ "type": "text" }));
        call.ends_step();
    }

    /// The agent says that it is going to write a file, may, and has not done so yet.
    #[track_caller]
    pub fn is_about_to_write(&self, path: &str, content: &str) -> Call<'a> {
        let file = self.folder.join(path);
        let call = self.call("Write", &json!({ "file_path": file, "content": content }));
        call.begins().allowed();
        call
    }

    /// The agent runs a command, which really runs, and ends its step. Nothing is told of the files it changed.
    #[track_caller]
    pub fn shell(&self, command: &str) -> Call<'a> {
        let call = self.is_about_to_run(command);
        call.does_run();
        call.ends(&json!({ "stdout": "", "stderr": "", "interrupted": false }));
        call.ends_step();
        call
    }

    /// The agent says that it is going to run a command, may, and has not done so yet.
    #[track_caller]
    pub fn is_about_to_run(&self, command: &str) -> Call<'a> {
        let call = self.call("Bash", &json!({ "command": command, "description": "run" }));
        call.begins().allowed();
        call
    }

    /// The agent wants to run a command, is told not to, and ends its step.
    ///
    /// # Panics
    /// If it may.
    #[track_caller]
    pub fn is_held_before(&self, command: &str) {
        let call = self.call("Bash", &json!({ "command": command, "description": "run" }));
        let answer = call.begins();
        assert!(answer.denial().is_some(), "{}", answer.whole());
        call.ends_step().ok();
    }

    /// The agent says that it is going to run a command; why it may not, if it may not.
    pub fn is_about_to_run_maybe(&self, command: &str) -> Option<String> {
        let call = self.call("Bash", &json!({ "command": command, "description": "run" }));
        call.begins().denial()
    }

    /// The subagent begins.
    pub fn begins(&self) -> Output {
        self.sends("SubagentStart", &json!({}))
    }

    /// The subagent ends.
    pub fn ends(&self) -> Output {
        let fields = json!({ "stop_hook_active": false, "last_assistant_message": "done" });
        self.sends("SubagentStop", &fields)
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
