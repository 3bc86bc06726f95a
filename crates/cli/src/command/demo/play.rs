//! What is played: one session with a subagent, others beside and after it, and what Toprope has to say about all of them.

use super::stage::{DemoStage, HookAnswer};
use super::{contested, guarded, rescue};
use crate::failure::Failure;
use crate::show;
use serde_json::{Value, json};
use std::time::Duration;

/// The session that is there from the beginning.
pub const FIRST: &str = "ab310c99-f579-4a12-8b3c-0000000000d1";
const HELPER: &str = "a41f00aa11bb22cc3";

/// Plays the whole session and narrates it.
pub fn play(stage: &DemoStage) -> Result<(), Failure> {
    let mut took = Vec::new();
    first_session(stage, &mut took)?;
    contested::play(stage, &mut took)?;
    guarded::play(stage, &mut took)?;
    rescue::play(stage, &mut took)?;
    what_was_recorded(stage)?;
    how_long(&mut took);
    Ok(())
}

fn first_session(stage: &DemoStage, took: &mut Vec<Duration>) -> Result<(), Failure> {
    act("An agent starts in a repository. Its first hook finds no daemon and starts one.");
    let start = send(
        stage,
        took,
        FIRST,
        &json!({ "hook_event_name": "SessionStart", "source": "startup" }),
    )?;
    told(start.context.as_deref());

    act("It is asked for something, reads a file, edits it, and runs a command.");
    prompt(stage, took, FIRST, "add a retry to the client")?;
    let file = stage.repository().join("src/client.rs");
    call(
        stage,
        took,
        "Read",
        &json!({ "file_path": file }),
        "toolu_1",
        || Ok(()),
    )?;
    call(
        stage,
        took,
        "Edit",
        &json!({ "file_path": file, "old_string": "send(url)", "new_string": "retry(url)" }),
        "toolu_2",
        || {
            stage.write(
                "src/client.rs",
                "pub fn fetch(url: &str) -> Result<String, Error> {\n    retry(url)\n}\n",
            )
        },
    )?;
    call(
        stage,
        took,
        "Bash",
        &json!({ "command": "grep -n retry src/client.rs", "description": "check" }),
        "toolu_3",
        || Ok(()),
    )?;

    act("It starts a helper in the background. The helper is an actor of its own.");
    let spawn =
        json!({ "description": "write the docs", "subagent_type": "docs", "prompt": "describe the retry" });
    let before = tool("PreToolUse", "Agent", &spawn, "toolu_4");
    send(stage, took, FIRST, &before)?;
    let mut after = tool("PostToolUse", "Agent", &spawn, "toolu_4");
    merge(
        &mut after,
        &json!({ "tool_response": { "status": "async_launched", "agentId": HELPER }, "duration_ms": 3 }),
    );
    send(stage, took, FIRST, &after)?;
    for event in ["SubagentStart", "SubagentStop"] {
        let mut payload = json!({ "hook_event_name": event, "agent_id": HELPER, "agent_type": "docs" });
        if event == "SubagentStop" {
            let write = json!({ "file_path": stage.repository().join("README.md"), "content": "# A client that retries\n" });
            let mut call = tool("PreToolUse", "Write", &write, "toolu_5");
            merge(&mut call, &json!({ "agent_id": HELPER, "agent_type": "docs" }));
            send(stage, took, FIRST, &call)?;
            stage.write("README.md", "# A client that retries\n")?;
            merge(
                &mut call,
                &json!({ "hook_event_name": "PostToolUse", "tool_response": {}, "duration_ms": 2 }),
            );
            send(stage, took, FIRST, &call)?;
            merge(
                &mut payload,
                &json!({ "last_assistant_message": "documented", "stop_hook_active": false }),
            );
        }
        send(stage, took, FIRST, &payload)?;
    }
    Ok(())
}

fn what_was_recorded(stage: &DemoStage) -> Result<(), Failure> {
    act("Everything is in the log: `toprope log`");
    show::line(stage.toprope(&["log"])?.trim_end());
    act("Who is here: `toprope status`");
    show::line(stage.toprope(&["status"])?.trim_end());
    act("Why the first event was answered as it was: `toprope why 1`");
    show::line(stage.toprope(&["why", "1"])?.trim_end());
    Ok(())
}

fn how_long(took: &mut [Duration]) {
    took.sort_unstable();
    let median = took.get(took.len() / 2).copied().unwrap_or_default();
    let count = took.len();
    act(&format!(
        "{count} hooks ran, each a process of its own; half of them took less than {:.1} ms.",
        median.as_secs_f64() * 1000.0
    ));
}

fn call(
    stage: &DemoStage,
    took: &mut Vec<Duration>,
    name: &str,
    input: &Value,
    id: &str,
    happens: impl FnOnce() -> Result<(), Failure>,
) -> Result<(), Failure> {
    call_of(stage, took, (FIRST, name, id), input, |_| happens())
}

/// A call of a session's tool, what happens once it was answered, and the end of the batch it is alone in.
pub fn call_of(
    stage: &DemoStage,
    took: &mut Vec<Duration>,
    (session, name, id): (&str, &str, &str),
    input: &Value,
    happens: impl FnOnce(HookAnswer) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let answer = send(stage, took, session, &tool("PreToolUse", name, input, id))?;
    happens(answer)?;
    let mut after = tool("PostToolUse", name, input, id);
    merge(&mut after, &json!({ "tool_response": {}, "duration_ms": 8 }));
    send(stage, took, session, &after)?;
    let batch = json!({ "tool_name": name, "tool_input": input, "tool_use_id": id, "tool_response": "done" });
    send(
        stage,
        took,
        session,
        &json!({ "hook_event_name": "PostToolBatch", "tool_calls": [batch] }),
    )
    .map(drop)
}

/// A person asks for something.
pub fn prompt(stage: &DemoStage, took: &mut Vec<Duration>, session: &str, text: &str) -> Result<(), Failure> {
    let prompt = json!({ "hook_event_name": "UserPromptSubmit", "prompt": text });
    send(stage, took, session, &prompt).map(drop)
}

/// The session's turn ends.
pub fn stop(stage: &DemoStage, took: &mut Vec<Duration>, session: &str) -> Result<(), Failure> {
    let stop =
        json!({ "hook_event_name": "Stop", "stop_hook_active": false, "last_assistant_message": "done" });
    send(stage, took, session, &stop).map(drop)
}

/// What the client reports about a call.
pub fn tool(event: &str, name: &str, input: &Value, id: &str) -> Value {
    json!({ "hook_event_name": event, "tool_name": name, "tool_input": input, "tool_use_id": id })
}

/// Sends one event of a session.
pub fn send(
    stage: &DemoStage,
    took: &mut Vec<Duration>,
    session: &str,
    event: &Value,
) -> Result<HookAnswer, Failure> {
    let mut payload =
        json!({ "session_id": session, "cwd": stage.repository(), "transcript_path": "/nowhere" });
    merge(&mut payload, event);
    let answer = stage.hook(&payload)?;
    took.push(answer.took);
    Ok(answer)
}

fn merge(into: &mut Value, from: &Value) {
    if let (Some(into), Some(from)) = (into.as_object_mut(), from.as_object()) {
        into.extend(from.clone());
    }
}

/// Says what happens next.
pub fn act(text: &str) {
    show::line(&format!("\n{text}"));
}

/// Shows what the agent was told.
pub fn told(context: Option<&str>) {
    for line in context.unwrap_or("(nothing)").lines() {
        show::line(&format!("    | {line}"));
    }
}
