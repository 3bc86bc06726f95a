//! `toprope undo`: takes back a rewind, an undo, or what a command destroyed.

mod list;
mod recover;

use super::rewind::course::{Course, Ended, failure, files};
use super::rewind::manner::Manner;
use super::rewind::settle;
use crate::command::checkpoint::place::Here;
use crate::failure::{Failure, Kind};
use crate::show;
use ::daemon::checkpoint::order::{Look, Order};
use ::daemon::checkpoint::rewind::proposal::Proposal;
use ::daemon::checkpoint::rewind::wish::operation_word;
use ::daemon::checkpoint::rewind::{Aim, Rewinder, Wish};
use ::daemon::environment::Environment;
use clap::Args;
use engine::effect::Kept;
use engine::text::{one_line, plain, shortened};
use std::process::ExitCode;
use store::table::checkpoints::{self, Checkpoint, Kind as CheckpointKind, Operation};

/// Take back the last rewind, undo, or destructive command
///
/// Files are put back to what they were before it, under the same rules as a rewind: what was changed since is a conflict.
/// Undoing an undo does it again. Commits, staging and the stash are not moved; where a command moved them, the git command
/// that brings them back is printed.
#[derive(Args)]
pub struct Undo {
    /// Take back this operation: the id a rewind printed, or one of `--list`
    id: Option<String>,
    /// List what can be taken back
    #[arg(long, conflicts_with_all = ["id", "recover"])]
    list: bool,
    /// Settle a rewind that was cut short and could not be finished
    #[arg(long, value_name = "ID", conflicts_with = "id")]
    recover: Option<String>,
    #[command(flatten)]
    manner: Manner,
}

impl Undo {
    /// Does it.
    pub fn run(&self, environment: &Environment) -> Result<ExitCode, Failure> {
        if self.list {
            return list::show(&Here::open(environment)?, self.manner.json);
        }
        self.manner.check(environment)?;
        let here = Here::open(environment)?;
        let rewinder = here.rewinder();
        let _alone = if self.manner.dry_run {
            None
        } else {
            Some(rewinder.lock().map_err(failure)?)
        };
        if let Some(id) = &self.recover {
            return recover::answer(&rewinder, id, &self.manner);
        }
        if !self.manner.dry_run {
            settle(&here, &rewinder)?;
        }
        if let Some(operation) = self.operation(&here)? {
            return self.take_back(&here, &rewinder, &operation);
        }
        show::talk("Nothing to undo in this worktree.");
        Ok(Kind::NoMatch.exit())
    }

    fn operation(&self, here: &Here) -> Result<Option<Operation>, Failure> {
        let Some(text) = &self.id else {
            let newest = here.read(|db| checkpoints::undoable(db, here.worktree, 1))?;
            return Ok(newest.into_iter().next());
        };
        let shown = one_line(text, 80);
        let digits = text.to_ascii_lowercase();
        let fitting = here.read(|db| checkpoints::by_prefix(db, &digits))?;
        let fitting: Vec<Checkpoint> = fitting
            .into_iter()
            .filter(|found| found.worktree == here.worktree)
            .collect();
        let mut found: Vec<Operation> = Vec::new();
        for checkpoint in &fitting {
            let operation = here.read(|db| checkpoints::operation(db, &checkpoint.id))?;
            found.extend(operation.filter(|one| found.iter().all(|known| known.done.id != one.done.id)));
        }
        let operation = match (found.pop(), found.as_slice()) {
            (Some(only), []) => only,
            (Some(_), _) => {
                return Err(Failure::saying(
                    Kind::NoMatch,
                    format!("\"{shown}\" fits {} operations", found.len() + 1),
                )
                .hint("toprope undo --list"));
            }
            (None, _) => {
                return Err(Failure::saying(
                    Kind::NoMatch,
                    format!("\"{shown}\" is nothing that can be undone in this worktree"),
                )
                .hint("toprope undo --list"));
            }
        };
        match &operation.done.undone_by {
            None => Ok(Some(operation)),
            Some(by) => Err(Failure::saying(
                Kind::NoMatch,
                format!("{} was undone already", operation.before),
            )
            .hint(format!("toprope undo {by}"))),
        }
    }

    fn take_back(
        &self,
        here: &Here,
        rewinder: &Rewinder<'_>,
        operation: &Operation,
    ) -> Result<ExitCode, Failure> {
        let what = operation_word(operation);
        let course = Course {
            here,
            heading: format!(
                "Undo {what} {} \"{}\"",
                operation.before,
                shortened(&plain(&operation.done.label), 200)
            ),
            name: operation.before.to_string(),
            already: format!("Already there: no file differs from before the {what}."),
            scope: what,
            wish: Wish {
                aim: Aim::Undo(Box::new(operation.clone())),
                only: Vec::new(),
                conflicts: self.manner.conflicts(),
            },
            manner: &self.manner,
        };
        if let Some(code) = course.busy(rewinder)? {
            return Ok(code);
        }
        if !self.manner.dry_run {
            look(here, operation)?;
        }
        let (proposal, done) = match course.run()? {
            Ended::Done(proposal, done) => (proposal, done),
            Ended::Already(proposal, code) => {
                self.tell_moved(rewinder, &proposal)?;
                return Ok(code);
            }
            Ended::Otherwise(code) => return Ok(code),
        };
        if !self.manner.json {
            let verb = if done.files == 1 { "is" } else { "are" };
            show::line(&format!(
                "Undone: {} {verb} as before the {what}. Redo with: toprope undo",
                files(done.files)
            ));
        }
        self.tell_moved(rewinder, &proposal)?;
        Ok(ExitCode::SUCCESS)
    }

    /// Says how what the command moved in git itself comes back; that is the person's to do.
    fn tell_moved(&self, rewinder: &Rewinder<'_>, proposal: &Proposal) -> Result<(), Failure> {
        if self.manner.json {
            return Ok(());
        }
        let moved = rewinder.moved(proposal).map_err(failure)?;
        if !moved.is_empty() {
            show::talk("Commits, staging and stash were not moved. What the command moved comes back with:");
        }
        for command in moved {
            show::talk(&format!("  {command}"));
        }
        Ok(())
    }
}

/// What a command did before it was cut off is recorded as its doing, before it is taken back.
fn look(here: &Here, operation: &Operation) -> Result<(), Failure> {
    if operation.done.kind != CheckpointKind::Before {
        return Ok(());
    }
    let before = &operation.done;
    let order = Order {
        kind: CheckpointKind::Step.as_str().to_owned(),
        trigger: format!("undo-{}", ::daemon::clock::now().0),
        session: before.session,
        actor: before.actor,
        turn: before.turn,
        label: None,
        command: before.label.strip_prefix("Before: ").map(str::to_owned),
        summary: None,
        call: None,
        event: None,
        look: Look::IfWritten,
        also: Kept::default(),
        partner: None,
        undoes: None,
    };
    let cut = here.cutter().cut(&order, &[]);
    cut.map_err(crate::command::checkpoint::place::uncut)?;
    Ok(())
}
