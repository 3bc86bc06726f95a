//! The whole hook before a command beside the whole hook before a search of the same length, which the guard has nothing to
//! read in. Checkpoints are off, so that the guard is all they differ in.

use super::desk::TYPICAL;
use super::judge;
use crate::arguments::Effort;
use crate::payload::{CALL, recorded};
use crate::report::Report;
use crate::series::Series;
use crate::shuffle::Shuffle;
use crate::stage::{SESSION, Stage};
use crate::stopwatch;
use crate::target;
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

const COMMAND: &str = "hook before a command";
const SEARCH: &str = "hook before a search";
const SETTINGS: &str = "[checkpoints]\nenabled = false\n";

/// Every round both are run, with the next typical command.
pub fn run(toprope: &Path, path: &OsStr, effort: &Effort, report: &mut Report) -> anyhow::Result<()> {
    let stage = Stage::new(path)?;
    stage.settle(SETTINGS)?;
    let mut hook = stage.command(toprope, &["hook", "claude-code"]);
    stopwatch::run(&mut hook, &stage.payloads().before(0))?;
    stage.wait_for_daemon(Duration::from_secs(5))?;
    let mut series = Series::default();
    let mut shuffle = Shuffle::new();
    let mut calls = 1;
    for (_, text) in (0..effort.rounds).zip(TYPICAL.iter().cycle()) {
        let mut order = [true, false];
        shuffle.order(&mut order);
        for is_command in order {
            let (name, before, after) = if is_command {
                (
                    COMMAND,
                    event(&stage, "PreToolUse", text)?,
                    event(&stage, "PostToolUse", text)?,
                )
            } else {
                let search = |name| event(&stage, name, text).map(searching);
                (SEARCH, search("PreToolUse")?, search("PostToolUse")?)
            };
            calls += 1;
            let send = |event: &Value| {
                let body = event.to_string().replace(CALL, &format!("toolu_{calls:012}"));
                let mut hook = stage.command(toprope, &["hook", "claude-code"]);
                stopwatch::run(&mut hook, body.as_bytes())
            };
            series.add(name, send(&before)?);
            send(&after)?;
        }
    }
    series.show(report, "whole process, checkpoints off, milliseconds", |_| {
        series.median(SEARCH)
    })?;
    judge(report, target::GUARDED, series.ratio(COMMAND, SEARCH));
    Ok(())
}

fn event(stage: &Stage, name: &str, command: &str) -> anyhow::Result<Value> {
    let mut event = recorded(name, Some("Bash"), stage.project(), SESSION)?;
    if let Some(place) = event.pointer_mut("/tool_input/command") {
        *place = Value::from(command);
    }
    Ok(event)
}

/// The same call as a search for the text.
fn searching(mut event: Value) -> Value {
    let command = event.pointer("/tool_input/command").cloned().unwrap_or_default();
    if let Some(fields) = event.as_object_mut() {
        fields.insert("tool_name".to_owned(), json!("Grep"));
        fields.insert("tool_input".to_owned(), json!({ "pattern": command }));
    }
    event
}
