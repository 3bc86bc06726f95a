//! What is played last: a session breaks files, by tool and by shell; they are put back, and that is taken back too.

use super::play::{act, call_of, prompt, send, stop};
use super::stage::DemoStage;
use crate::failure::{Failure, FailureKind};
use crate::show;
use serde_json::json;
use std::collections::BTreeMap;
use std::time::Duration;

const THIRD: &str = "e5f60718-2222-4333-8444-0000000000d3";
const SHELL: &str = "rm README.md && printf 'oops\\n' > src/oops.rs && chmod +x src/client.rs";

/// Every file of the repository with its content and whether it can be run.
type DemoFiles = BTreeMap<String, (Vec<u8>, bool)>;

/// Plays it, and looks at the files themselves.
pub fn play(stage: &DemoStage, took: &mut Vec<Duration>) -> Result<(), Failure> {
    let before = stage.files()?;
    act("A fourth session breaks things: one file with its edit tool, the rest with a shell command.");
    prompt(stage, took, THIRD, "clean up the repository")?;
    let file = stage.repository().join("src/client.rs");
    call_of(
        stage,
        took,
        (THIRD, "Write", "toolu_8"),
        &json!({ "file_path": file, "content": "fn broken( {\n" }),
        |_| stage.write("src/client.rs", "fn broken( {\n"),
    )?;
    call_of(
        stage,
        took,
        (THIRD, "Bash", "toolu_9"),
        &json!({ "command": SHELL, "description": "clean up" }),
        |_| stage.shell(SHELL),
    )?;
    show::line(&format!("    $ {SHELL}"));
    stop(stage, took, THIRD)?;
    let broken = stage.files()?;

    act("Each step left a checkpoint: `toprope checkpoint list --steps`");
    show::line(stage.toprope(&["checkpoint", "list", "--steps"])?.trim_end());
    act("What a rewind would do: `toprope rewind start --dry-run`");
    show::line(stage.toprope(&["rewind", "start", "--dry-run"])?.trim_end());
    act("And done: `toprope rewind start --yes`");
    show::line(stage.toprope(&["rewind", "start", "--yes"])?.trim_end());
    compare(&before, &stage.files()?, "before the session")?;
    act("A rewind can itself be undone: `toprope undo --yes`");
    show::line(stage.toprope(&["undo", "--yes"])?.trim_end());
    compare(&broken, &stage.files()?, "after the session")?;
    send(
        stage,
        took,
        THIRD,
        &json!({ "hook_event_name": "SessionEnd", "reason": "other" }),
    )?;
    Ok(())
}

/// Says that the files are what they were, having looked.
pub fn compare(wanted: &DemoFiles, found: &DemoFiles, when: &str) -> Result<(), Failure> {
    if wanted != found {
        return Err(Failure::saying(
            FailureKind::Failed,
            format!("the files are not what they were {when}"),
        ));
    }
    show::line(&format!(
        "    all {} files are what they were {when}, byte for byte",
        found.len()
    ));
    Ok(())
}
