//! `toprope undo` and `toprope redo`: rewinds and what commands destroyed are taken back, and put back, step by step.

mod list;
mod redo;
mod step;

pub use redo::RedoArgs;

use super::rewind::flags::RewindFlags;
use super::rewind::flow::failure;
use crate::command::checkpoint::place::CheckpointPlace;
use crate::failure::{Failure, FailureKind};
use crate::show;
use ::daemon::environment::Environment;
use clap::Args;
use engine::text::one_line;
use std::process::ExitCode;
use store::table::checkpoints::{self, Checkpoint, UndoableOperation};

/// Take back the last rewind or destructive command
///
/// Each undo goes one step further back, `toprope redo` goes forward again, and a new rewind or destructive command forgets
/// what lies forward. Files are put back under the same rules as by a rewind: what was changed since is a conflict. Commits,
/// staging and the stash are not moved; where a command moved them, the git command that brings them back is printed.
#[derive(Args)]
pub struct UndoArgs {
    /// Take back this operation alone: the id a rewind printed, or one of `--list`
    id: Option<String>,
    /// List what can be undone and redone, with a mark between them
    #[arg(long, conflicts_with = "id")]
    list: bool,
    #[command(flatten)]
    manner: RewindFlags,
}

impl UndoArgs {
    /// Does it.
    pub fn run(&self, environment: &Environment) -> Result<ExitCode, Failure> {
        if self.list {
            return list::show(&CheckpointPlace::open(environment)?, self.manner.json);
        }
        take(environment, &self.manner, "undo", |here| self.operation(here))
    }

    fn operation(&self, here: &CheckpointPlace) -> Result<Option<UndoableOperation>, Failure> {
        match &self.id {
            None => {
                let stack = here.read(|db| checkpoints::stack(db, here.worktree))?;
                Ok(stack.done.into_iter().next())
            }
            Some(text) => named(here, text).map(Some),
        }
    }
}

/// Takes the operation that is found, or says that there is none.
fn take(
    environment: &Environment,
    manner: &RewindFlags,
    word: &str,
    find: impl FnOnce(&CheckpointPlace) -> Result<Option<UndoableOperation>, Failure>,
) -> Result<ExitCode, Failure> {
    manner.check(environment)?;
    let here = CheckpointPlace::open(environment)?;
    let rewinder = here.rewinder();
    let _alone = if manner.dry_run {
        None
    } else {
        let alone = rewinder.lock().map_err(failure)?;
        here.settle()?;
        Some(alone)
    };
    if let Some(operation) = find(&here)? {
        return step::take(&here, &rewinder, &operation, manner);
    }
    show::talk(&format!("Nothing to {word} in this worktree."));
    Ok(FailureKind::NoMatch.exit())
}

/// The operation with an id that begins so.
fn named(here: &CheckpointPlace, text: &str) -> Result<UndoableOperation, Failure> {
    let shown = one_line(text, 80);
    let digits = text.to_ascii_lowercase();
    let fitting = here.read(|db| checkpoints::by_prefix(db, &digits))?;
    let fitting: Vec<Checkpoint> = fitting
        .into_iter()
        .filter(|found| found.worktree == here.worktree)
        .collect();
    let mut found: Vec<UndoableOperation> = Vec::new();
    for checkpoint in &fitting {
        let operation = here.read(|db| checkpoints::operation(db, &checkpoint.id))?;
        found.extend(operation.filter(|one| found.iter().all(|known| known.act.id != one.act.id)));
    }
    let none = |text: String| Failure::saying(FailureKind::NoMatch, text).hint("toprope undo --list");
    match (found.pop(), found.as_slice()) {
        (Some(only), []) if only.is_undone => Err(Failure::saying(
            FailureKind::NoMatch,
            format!("{} was undone already", only.id()),
        )
        .hint("`toprope redo` puts back what was undone last")),
        (Some(only), []) => Ok(only),
        (Some(_), _) => Err(none(format!("\"{shown}\" fits {} operations", found.len() + 1))),
        (None, _) => Err(none(format!(
            "\"{shown}\" is nothing that can be undone in this worktree"
        ))),
    }
}
