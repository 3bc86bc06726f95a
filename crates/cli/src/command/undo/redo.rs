//! `toprope redo`: puts back what was undone last.

use super::super::rewind::flags::RewindFlags;
use super::take;
use crate::failure::Failure;
use ::daemon::environment::Environment;
use clap::Args;
use std::process::ExitCode;
use store::table::checkpoints;

/// Put back what the last undo took back
///
/// Each redo goes one step further forward, until everything that was undone is done again. A new rewind or destructive
/// command forgets what could be redone. `toprope undo --list` shows the steps.
#[derive(Args)]
pub struct RedoArgs {
    #[command(flatten)]
    manner: RewindFlags,
}

impl RedoArgs {
    /// Does it.
    pub fn run(&self, environment: &Environment) -> Result<ExitCode, Failure> {
        take(environment, &self.manner, "redo", |here| {
            let stack = here.read(|db| checkpoints::stack(db, here.worktree))?;
            Ok(stack.undone.into_iter().next())
        })
    }
}
