//! An agent of the bench that writes files, in a turn that a person began.

use crate::payload::{CALL, recorded};
use crate::stage::Stage;
use crate::stopwatch;
use anyhow::{Context, bail};
use daemon::client;
use daemon::frame::reply::ReplyFrame;
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, Instant};

/// One agent, with a session of its own.
pub struct Agent<'a> {
    stage: &'a Stage,
    session: String,
    calls: u64,
}

/// Events around calls of one tool on one file; the id of the call is left open.
pub struct Calls {
    before: String,
    after: String,
    failed: String,
}

impl Calls {
    /// Calls with these events around them.
    pub fn of(before: &Value, after: &Value) -> Self {
        Self {
            before: before.to_string(),
            after: after.to_string(),
            failed: String::new(),
        }
    }
}

impl<'a> Agent<'a> {
    /// The agent with this number.
    pub fn new(stage: &'a Stage, number: u64) -> Self {
        Self {
            stage,
            session: format!("{number:08x}-52a4-4c55-9f0f-3c2a9d6e7f10"),
            calls: 0,
        }
    }

    /// An event of its session around a call of a tool, as it was recorded.
    pub fn recorded(&self, event: &str, tool: &str) -> anyhow::Result<Value> {
        recorded(event, Some(tool), self.stage.project(), &self.session)
    }

    /// A person begins a turn. Whole process, so that the first agent of a stage starts its daemon.
    pub fn is_asked(&self, toprope: &Path) -> anyhow::Result<()> {
        let prompt = recorded("UserPromptSubmit", None, self.stage.project(), &self.session)?;
        let mut hook = self.stage.command(toprope, &["hook", "claude-code"]);
        stopwatch::run(&mut hook, prompt.to_string().as_bytes())?;
        self.stage.wait_for_daemon(Duration::from_secs(5))?;
        Ok(())
    }

    /// The calls of a tool on a file.
    pub fn calls(&self, tool: &str, file: &Path) -> anyhow::Result<Calls> {
        let event = |name| -> anyhow::Result<Value> {
            let mut event = recorded(name, Some(tool), self.stage.project(), &self.session)?;
            for place in ["/tool_input/file_path", "/tool_response/filePath"] {
                if let Some(found) = event.pointer_mut(place) {
                    *found = json!(file);
                }
            }
            Ok(event)
        };
        let before = event("PreToolUse")?;
        let mut failed = before.clone();
        if let Some(fields) = failed.as_object_mut() {
            fields.insert("hook_event_name".to_owned(), json!("PostToolUseFailure"));
            fields.insert("error".to_owned(), json!("the text to replace is not there"));
            fields.insert("is_interrupt".to_owned(), json!(false));
        }
        Ok(Calls {
            before: before.to_string(),
            after: event("PostToolUse")?.to_string(),
            failed: failed.to_string(),
        })
    }

    /// A call that writes nothing, so that no lease stays: what the event before it took. It must be let through.
    pub fn tries(&mut self, calls: &Calls) -> anyhow::Result<Duration> {
        self.calls += 1;
        let (took, said) = self.asks("before", &calls.before)?;
        if !said.is_empty() {
            bail!("a write was not let through silently: {said}");
        }
        self.asks("failed", &calls.failed)?;
        Ok(took)
    }

    /// A call that writes: whether it was denied.
    pub fn writes(&mut self, calls: &Calls) -> anyhow::Result<bool> {
        self.calls += 1;
        let (_, said) = self.asks("before", &calls.before)?;
        self.asks("after", &calls.after)?;
        Ok(is_denied(&said))
    }

    /// The event before its next call, for a hook.
    pub fn before(&mut self, calls: &Calls) -> Vec<u8> {
        self.calls += 1;
        self.body(&calls.before)
    }

    /// The event after it.
    pub fn after(&self, calls: &Calls) -> Vec<u8> {
        self.body(&calls.after)
    }

    fn body(&self, event: &str) -> Vec<u8> {
        event
            .replace(CALL, &format!("toolu_{:012}", self.calls))
            .into_bytes()
    }

    /// Sends an event to the daemon: how long the answer took, and what it was.
    fn asks(&self, moment: &str, event: &str) -> anyhow::Result<(Duration, String)> {
        let body = self.body(event);
        let header = self
            .stage
            .header(format!("{}-{}-{moment}", self.session, self.calls));
        let began = Instant::now();
        let connection = client::connect(self.stage.home()).context("the daemon is gone")?;
        let answer = client::ask(connection, &header, &body)?;
        let took = began.elapsed();
        match answer {
            ReplyFrame::Done(printed) if printed.exit == 0 => {
                Ok((took, String::from_utf8_lossy(&printed.stdout).into_owned()))
            }
            ReplyFrame::Done(_) | ReplyFrame::Wait { .. } | ReplyFrame::Busy => {
                bail!("the daemon answered {answer:?}")
            }
        }
    }
}

/// Whether an answer stops the call.
pub fn is_denied(said: &str) -> bool {
    let answer: Value = serde_json::from_str(said).unwrap_or_default();
    answer.pointer("/hookSpecificOutput/permissionDecision") == Some(&json!("deny"))
}
