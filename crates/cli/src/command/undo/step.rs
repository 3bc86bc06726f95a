//! One step on the undo stack: an operation is taken back, or put back where it was undone.

use super::super::rewind::flags::RewindFlags;
use super::super::rewind::flow::{FlowEnd, RewindFlow, failure, files};
use crate::command::checkpoint::entry;
use crate::command::checkpoint::place::CheckpointPlace;
use crate::failure::Failure;
use crate::show;
use ::daemon::checkpoint::order::{Order, ScanOrder};
use ::daemon::checkpoint::rewind::wish::operation_word;
use ::daemon::checkpoint::rewind::{RewindTo, Rewinder, Wish};
use ::daemon::clock;
use engine::effect::KeepList;
use engine::text::{plain, shortened};
use std::process::ExitCode;
use store::table::checkpoints::{self, CheckpointKind, UndoableOperation};

/// Characters of a label that are shown.
const LABEL: usize = 200;

/// Takes an operation back; puts it back where it was undone.
pub fn take(
    here: &CheckpointPlace,
    rewinder: &Rewinder<'_>,
    operation: &UndoableOperation,
    manner: &RewindFlags,
) -> Result<ExitCode, Failure> {
    let what = operation_word(operation);
    let (word, state) = if operation.is_undone {
        ("Redo", format!("after the {what}"))
    } else {
        ("Undo", format!("before the {what}"))
    };
    let course = RewindFlow {
        here,
        heading: format!("{word} {what} {} {}", operation.id(), told(operation)),
        name: operation.id().to_string(),
        state,
        scope: what,
        wish: Wish {
            aim: RewindTo::Undo(Box::new(operation.clone())),
            only: Vec::new(),
            conflicts: manner.conflicts(),
        },
        manner,
    };
    if let Some(code) = course.busy(rewinder)? {
        return Ok(code);
    }
    if !manner.dry_run {
        look(here, operation)?;
    }
    let (done, code) = match course.run()? {
        FlowEnd::Done(done, code) => (done, code),
        FlowEnd::Otherwise(code) => return Ok(code),
    };
    if manner.json {
        return Ok(code);
    }
    if done.files > 0 {
        let verb = if done.files == 1 { "is" } else { "are" };
        let (done_word, back) = if operation.is_undone {
            ("Redone", "Take it back with: toprope undo")
        } else {
            ("Undone", "Put it back with: toprope redo")
        };
        show::line(&format!(
            "{done_word}: {} {verb} as {}. {back}",
            files(done.files),
            course.state
        ));
        course.tell_beyond(&done.beyond);
    }
    if !operation.is_undone {
        tell_moved(rewinder, operation)?;
        tell_next(here)?;
    }
    Ok(code)
}

/// What an operation did: a command by itself, a rewind by its target.
pub fn title(operation: &UndoableOperation) -> String {
    let label = plain(&operation.act.label);
    let command = label.strip_prefix("Before: ").filter(|_| operation.is_command());
    command.map_or_else(|| label.clone(), str::to_owned)
}

/// What an operation was, and how long ago.
fn told(operation: &UndoableOperation) -> String {
    let label = shortened(&title(operation), LABEL);
    let age = entry::age(operation.act.created_at, clock::now());
    format!("\"{label}\", {age} ago")
}

/// Which operation the next undo would take back.
fn tell_next(here: &CheckpointPlace) -> Result<(), Failure> {
    let stack = here.read(|db| checkpoints::stack(db, here.worktree))?;
    if let Some(next) = stack.done.first() {
        show::talk(&format!("Before that: {} {}.", operation_word(next), told(next)));
    }
    Ok(())
}

/// Says how what the command moved in git itself comes back; that is the person's to do.
fn tell_moved(rewinder: &Rewinder<'_>, operation: &UndoableOperation) -> Result<(), Failure> {
    let moved = rewinder.moved(operation).map_err(failure)?;
    if !moved.commands.is_empty() {
        show::talk("Commits, staging and stash were not moved. What the command moved comes back with:");
    }
    for command in moved.commands {
        show::talk(&format!("  {command}"));
    }
    if let Some(held) = moved.held {
        let commit = held.commit;
        show::talk(&if held.is_moved_since {
            format!(
                "HEAD was at {commit} before the command. That commit is kept; HEAD was moved again since."
            )
        } else {
            format!(
                "HEAD was at {commit} before the command. That commit is kept; going back would leave the command's own without a name."
            )
        });
    }
    Ok(())
}

/// What a command did before it was cut off is recorded as its doing, before it is taken back.
fn look(here: &CheckpointPlace, operation: &UndoableOperation) -> Result<(), Failure> {
    if operation.done.kind != CheckpointKind::Before {
        return Ok(());
    }
    let before = &operation.done;
    let order = Order {
        kind: CheckpointKind::Step.as_str().to_owned(),
        trigger: format!("undo-{}", clock::now().0),
        session: before.session,
        actor: before.actor,
        turn: before.turn,
        label: None,
        command: before.label.strip_prefix("Before: ").map(str::to_owned),
        summary: None,
        call: None,
        event: None,
        look: ScanOrder::IfWritten,
        also: KeepList::default(),
        partner: None,
        undoes: None,
    };
    let cut = here.cutter().cut(&order, &[]);
    cut.map_err(crate::command::checkpoint::place::uncut)?;
    Ok(())
}
