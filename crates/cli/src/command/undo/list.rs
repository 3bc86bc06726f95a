//! `toprope undo --list`: what can be taken back, newest first.

use crate::command::checkpoint::entry;
use crate::command::checkpoint::place::Here;
use crate::failure::{Failure, Kind};
use crate::{moment, show};
use ::daemon::checkpoint::rewind::wish::operation_word;
use ::daemon::clock;
use serde::Serialize;
use std::process::ExitCode;
use store::table::checkpoints::{self, Operation};

/// Older ones are undone by their id.
const MOST: u64 = 50;

/// The order of the fields is that of the JSON object.
#[derive(Debug, Serialize)]
struct Report {
    operations: Vec<Entry>,
}

#[derive(Debug, Serialize)]
struct Entry {
    undo: String,
    what: &'static str,
    checkpoint: String,
    label: String,
    files: u64,
    created_at: String,
}

/// Lists them.
pub fn show(here: &Here, json: bool) -> Result<ExitCode, Failure> {
    let found = here.read(|db| checkpoints::undoable(db, here.worktree, MOST))?;
    if json {
        show::json(&Report {
            operations: found.iter().map(Entry::of).collect(),
        })?;
        return Ok(ExitCode::SUCCESS);
    }
    if found.is_empty() {
        show::talk("Nothing to undo in this worktree.");
        return Ok(Kind::NoMatch.exit());
    }
    for operation in &found {
        show::line(&format!(
            "{}  {:>4}  {:<7}  {}",
            operation.before,
            entry::age(operation.done.created_at, clock::now()),
            operation_word(operation),
            entry::label(&operation.done)
        ));
    }
    Ok(ExitCode::SUCCESS)
}

impl Entry {
    fn of(operation: &Operation) -> Self {
        let counts = &operation.done.counts;
        Self {
            undo: operation.before.to_string(),
            what: operation_word(operation),
            checkpoint: operation.done.id.to_string(),
            label: operation.done.label.clone(),
            files: counts.added + counts.modified + counts.deleted,
            created_at: moment::rfc3339(operation.done.created_at),
        }
    }
}
