//! `toprope undo --list`: the undo stack, newest first, with a mark where one stands in it.

use super::step::title;
use crate::command::checkpoint::entry;
use crate::command::checkpoint::place::CheckpointPlace;
use crate::failure::{Failure, FailureKind};
use crate::{moment, show};
use ::daemon::checkpoint::rewind::wish::operation_word;
use ::daemon::clock;
use engine::text::shortened;
use serde::Serialize;
use std::process::ExitCode;
use store::table::checkpoints::{self, Stack, UndoableOperation};

/// Older ones are undone by their id.
const MOST: usize = 50;
/// Characters of a label that are shown.
const LABEL: usize = 200;
/// What lies above can be redone, what lies below can be undone.
const MARK: &str = "-- you are here --";

/// The order of the fields is that of the JSON object.
#[derive(Debug, Serialize)]
struct UndoListReport {
    operations: Vec<UndoEntry>,
}

#[derive(Debug, Serialize)]
struct UndoEntry {
    undo: String,
    what: &'static str,
    state: &'static str,
    checkpoint: String,
    label: String,
    files: u64,
    created_at: String,
}

/// Shows the stack.
pub fn show(here: &CheckpointPlace, json: bool) -> Result<ExitCode, Failure> {
    let Stack { done, undone } = here.read(|db| checkpoints::stack(db, here.worktree))?;
    // The next one to be redone is nearest to the mark.
    let undone: Vec<&UndoableOperation> = undone.iter().take(MOST).rev().collect();
    let done: Vec<&UndoableOperation> = done.iter().take(MOST).collect();
    if json {
        let operations = undone
            .iter()
            .chain(&done)
            .map(|operation| UndoEntry::of(operation));
        show::json(&UndoListReport {
            operations: operations.collect(),
        })?;
        return Ok(ExitCode::SUCCESS);
    }
    if undone.is_empty() && done.is_empty() {
        show::talk("Nothing to undo in this worktree.");
        return Ok(FailureKind::NoMatch.exit());
    }
    for operation in undone {
        show::line(&line(operation));
    }
    show::line(MARK);
    for operation in done {
        show::line(&line(operation));
    }
    Ok(ExitCode::SUCCESS)
}

fn line(operation: &UndoableOperation) -> String {
    format!(
        "{}  {}  {:>4}  {:<7}  {}",
        if operation.is_undone { "redo" } else { "undo" },
        operation.id(),
        entry::age(operation.act.created_at, clock::now()),
        operation_word(operation),
        shortened(&title(operation), LABEL)
    )
}

impl UndoEntry {
    fn of(operation: &UndoableOperation) -> Self {
        let counts = &operation.act.counts;
        Self {
            undo: operation.id().to_string(),
            what: operation_word(operation),
            state: if operation.is_undone { "undone" } else { "done" },
            checkpoint: operation.act.id.to_string(),
            label: operation.act.label.clone(),
            files: counts.added + counts.modified + counts.deleted,
            created_at: moment::rfc3339(operation.act.created_at),
        }
    }
}
