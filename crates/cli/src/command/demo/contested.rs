//! What is played second: another agent wants the file the first one is working on.

use super::play::{FIRST, act, call_of, prompt, send, stop, told, tool};
use super::stage::DemoStage;
use crate::failure::Failure;
use crate::show;
use serde_json::json;
use std::time::Duration;

const SECOND: &str = "c7d1e0aa-1111-4222-8333-0000000000d2";
const FILE: &str = "src/client.rs";
const TIMED_OUT: &str =
    "pub fn fetch(url: &str) -> Result<String, Error> {\n    within(SECONDS, || retry(url))\n}\n";

/// Plays it: held, in line, offered, out of date, read, written.
pub fn play(stage: &DemoStage, took: &mut Vec<Duration>) -> Result<(), Failure> {
    act("A second agent starts in the same repository. It is told that it is not alone.");
    let start = json!({ "hook_event_name": "SessionStart", "source": "startup" });
    told(send(stage, took, SECOND, &start)?.context.as_deref());

    act(
        "It wants to write the file the first one is working on. It is told who has it, and gets its place in line:",
    );
    prompt(stage, took, SECOND, "add a time-out to the client")?;
    let file = stage.repository().join(FILE);
    let write = json!({ "file_path": file, "content": TIMED_OUT });
    let asks = |id: &str, took: &mut Vec<Duration>| {
        send(stage, took, SECOND, &tool("PreToolUse", "Write", &write, id))
    };
    told(asks("toolu_11", took)?.denial.as_deref());
    act("Anybody can see that: `toprope lease list`");
    show::line(stage.toprope(&["lease", "list"])?.trim_end());

    act(
        "The first one's turn ends. The next thing the second one does, it hears that the file is its own now:",
    );
    stop(stage, took, FIRST)?;
    let search = json!({ "pattern": "fetch" });
    let searches = tool("PreToolUse", "Grep", &search, "toolu_12");
    told(send(stage, took, SECOND, &searches)?.context.as_deref());

    act("It writes what it had in mind all along, and would undo what it has not seen:");
    told(asks("toolu_13", took)?.denial.as_deref());
    act("It reads the file, and its writing passes without a word.");
    call_of(
        stage,
        took,
        (SECOND, "Read", "toolu_14"),
        &json!({ "file_path": file }),
        |_| Ok(()),
    )?;
    call_of(stage, took, (SECOND, "Write", "toolu_15"), &write, |answer| {
        told(answer.denial.or(answer.context).as_deref());
        stage.write(FILE, TIMED_OUT)
    })?;
    stop(stage, took, SECOND)
}
