//! What is played third: commands that would destroy work, and what the guard makes of each.

use super::play::{act, call_of, prompt, send, stop, told, tool};
use super::rescue::compare;
use super::stage::{DemoStage, HookAnswer};
use crate::failure::{Failure, FailureKind};
use crate::show;
use serde_json::json;
use std::time::Duration;

const FOURTH: &str = "f0a1b2c3-3333-4444-8555-0000000000d4";
const RESET: &str = "git reset --hard";
const UNDONE: &str = "toprope undo ";

/// Plays it, and looks at the files themselves.
pub fn play(stage: &DemoStage, took: &mut Vec<Duration>) -> Result<(), Failure> {
    act(
        "A third session wants to start over. What nothing could bring back is denied, however it is spelled:",
    );
    prompt(stage, took, FOURTH, "start over")?;
    let removed = ask(stage, took, "sudo sh -c 'rm -rf ~'", "toolu_20")?;
    told(removed.denial.as_deref());

    act("Text is not a command: this search passes without a word.");
    let passed = ask(stage, took, "grep -rn 'rm -rf ~' src", "toolu_21")?;
    told(passed.denial.or(passed.context).as_deref());

    act("What is right but done unsafely is done safely:");
    let pushed = ask(stage, took, "git push --force origin retry", "toolu_22")?;
    told(pushed.context.as_deref());

    act("What a checkpoint can bring back is held once, so that the agent thinks again:");
    let held = ask(stage, took, RESET, "toolu_23")?;
    told(held.denial.as_deref());
    heard(stage, took)?;

    act("It insists. A checkpoint is taken first, then the command runs.");
    let before = stage.files()?;
    let mut context = None;
    call_of(
        stage,
        took,
        (FOURTH, "Bash", "toolu_24"),
        &json!({ "command": RESET }),
        |answer| {
            context = answer.context;
            stage.shell(RESET)
        },
    )?;
    told(context.as_deref());
    let checkpoint = context.as_deref().and_then(checkpoint_named).ok_or_else(|| {
        Failure::saying(
            FailureKind::Failed,
            "no checkpoint was taken before the command".to_owned(),
        )
    })?;
    stop(stage, took, FOURTH)?;
    act(&format!("And it can be taken back: `{UNDONE}{checkpoint} --yes`"));
    show::line(stage.toprope(&["undo", checkpoint, "--yes"])?.trim_end());
    compare(&before, &stage.files()?, "before the command")?;
    let end = json!({ "hook_event_name": "SessionEnd", "reason": "other" });
    send(stage, took, FOURTH, &end).map(drop)
}

/// A command that is asked about and, as far as the demo goes, not run.
fn ask(stage: &DemoStage, took: &mut Vec<Duration>, command: &str, id: &str) -> Result<HookAnswer, Failure> {
    show::line(&format!("    $ {command}"));
    let input = json!({ "command": command, "description": "start over" });
    send(stage, took, FOURTH, &tool("PreToolUse", "Bash", &input, id))
}

/// The model has read what it was told.
fn heard(stage: &DemoStage, took: &mut Vec<Duration>) -> Result<(), Failure> {
    let batch = json!({ "hook_event_name": "PostToolBatch", "tool_calls": [] });
    send(stage, took, FOURTH, &batch).map(drop)
}

/// The checkpoint that a passed command was told of.
fn checkpoint_named(context: &str) -> Option<&str> {
    let (_, rest) = context.split_once(UNDONE)?;
    rest.split_whitespace().next()
}
