//! One use of a tool by an agent, from the event before it to the end of its step.

use crate::world::make_folder_of;
use crate::{Agent, Output};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

/// See the module.
#[derive(Debug, Clone)]
pub struct Call<'a> {
    agent: Agent<'a>,
    /// The id the client would give it.
    pub id: String,
    tool: String,
    input: Value,
    since: Instant,
}

/// What a call says it took that took no time to speak of.
const AT_ONCE: u64 = 8;
/// What takes longer says so.
const A_WHILE: u64 = 500;

impl<'a> Call<'a> {
    pub(crate) fn new(agent: Agent<'a>, tool: &str, input: &Value) -> Self {
        Self {
            id: format!("toolu_{}", agent.world.next_number()),
            agent,
            tool: tool.to_owned(),
            input: input.clone(),
            since: Instant::now(),
        }
    }

    /// The event before it.
    pub fn begins(&self) -> Output {
        self.agent.before(&self.id, &self.tool, &self.input)
    }

    /// The event after it.
    pub fn ends(&self, response: &Value) -> Output {
        let took = u64::try_from(self.since.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.ends_after(if took < A_WHILE { AT_ONCE } else { took }, Ok(response))
    }

    /// The event after it, where it failed.
    pub fn fails(&self, error: &str) -> Output {
        let fields = json!({
            "tool_name": self.tool, "tool_input": self.input, "tool_use_id": self.id, "error": error,
            "is_interrupt": false
        });
        self.agent.sends("PostToolUseFailure", &fields)
    }

    /// The event after it, with how many milliseconds it ran; an error if it failed.
    pub fn ends_after(&self, milliseconds: u64, result: Result<&Value, &str>) -> Output {
        let mut fields = json!({
            "tool_name": self.tool, "tool_input": self.input, "tool_use_id": self.id, "duration_ms": milliseconds
        });
        let (event, more) = match result {
            Ok(response) => ("PostToolUse", json!({ "tool_response": response })),
            Err(error) => (
                "PostToolUseFailure",
                json!({ "error": error, "is_interrupt": false }),
            ),
        };
        if let (Value::Object(fields), Value::Object(more)) = (&mut fields, more) {
            fields.extend(more);
        }
        self.agent.sends(event, &fields)
    }

    /// The end of the step it was alone in.
    pub fn ends_step(&self) -> Output {
        self.agent.ends_step(&[self])
    }

    /// What the end of a step tells of it.
    pub(crate) fn in_step(&self) -> Value {
        json!({
            "tool_name": self.tool, "tool_input": self.input, "tool_use_id": self.id, "tool_response": "ok"
        })
    }

    /// Writes the file it names.
    ///
    /// # Panics
    /// If it cannot.
    pub fn does_write(&self, content: &str) {
        let file = PathBuf::from(self.text("file_path"));
        make_folder_of(&file);
        fs_err::write(file, content).expect("a file the agent writes");
    }

    /// Runs the command it names, where the agent stands.
    ///
    /// # Panics
    /// If there is no shell.
    pub fn does_run(&self) {
        let mut shell = self.agent.world.person("sh");
        let shell: &mut Command = shell
            .args(["-c", self.text("command")])
            .current_dir(self.agent.folder());
        shell.output().expect("a shell");
    }

    fn text(&self, field: &str) -> &str {
        self.input.get(field).and_then(Value::as_str).unwrap_or_default()
    }
}

impl Agent<'_> {
    /// A step of several calls ends.
    pub fn ends_step(&self, calls: &[&Call<'_>]) -> Output {
        let calls: Vec<Value> = calls.iter().map(|call| call.in_step()).collect();
        self.sends("PostToolBatch", &json!({ "tool_calls": calls }))
    }
}
