//! Whether what is checked out goes on from what was: by commits, never by the names of branches.

use super::error::RewindError;
use super::wish::{RewindTo, Wish};
use crate::checkpoint::cutter::{CutBase, Cutter};
use git::object::Id;
use git::plan::ConflictReason;
use git::reflog::{self, HeadMovement, MoveCause, Position};
use git::run::{GitError, Limits};
use std::time::Duration;
use store::table::checkpoints::retention::next_of;
use store::table::checkpoints::{Checkpoint, CheckpointKind};

/// Comparing two commits takes no longer.
const TIME: Duration = Duration::from_secs(5);
/// Characters of a commit that people see.
const SHORT: usize = 7;

/// What is against putting files back as a whole: HEAD went to a commit that was not made from the target's.
pub(super) fn moved(
    cutter: &Cutter<'_>,
    (target, ground): (&Checkpoint, &CutBase<'_>),
    wish: &Wish,
) -> Result<Option<ConflictReason>, RewindError> {
    let then = match &wish.aim {
        // Where the command itself put HEAD is no reason not to take the command back.
        RewindTo::Undo(operation) if operation.done.kind == CheckpointKind::Before => {
            let after = cutter.read(|db| next_of(db, &operation.done))?;
            after.and_then(|after| after.head)
        }
        RewindTo::Undo(_) | RewindTo::Back { .. } => target.head.clone(),
    };
    let then: Option<Id> = then.and_then(|then| then.parse().ok());
    let (Some(then), now) = (then, ground.head) else {
        return Ok(None);
    };
    if now == Some(then) || now.is_some_and(|now| is_ancestor(cutter, then, now)) {
        return Ok(None);
    }
    let by = match moves_since(cutter, then)? {
        Some(moves) => moves.iter().rev().find_map(|moved| word(moved)),
        None => Some("git"),
    };
    Ok(by.map(|by| ConflictReason::Head {
        by,
        from: short(Some(then)),
        to: short(now),
        point: match &wish.aim {
            RewindTo::Back { name, .. } => name.clone(),
            RewindTo::Undo(operation) => operation.id().to_string(),
        },
    }))
}

fn is_ancestor(cutter: &Cutter<'_>, then: Id, now: Id) -> bool {
    let (then, now) = (then.to_string(), now.to_string());
    let question = ["merge-base", "--is-ancestor", &then, &now];
    cutter.site.git().run(&question, Limits::within(TIME)).is_ok()
}

/// Where HEAD went since it was at a commit; nothing where the reflog does not tell all of it.
fn moves_since(cutter: &Cutter<'_>, then: Id) -> Result<Option<Vec<HeadMovement>>, GitError> {
    let site = cutter.site;
    let since = Position::at(then);
    let followed = reflog::follow(&site.place, site.environment(), Some(&since), &|_| false, TIME)?;
    Ok(followed.is_complete.then_some(followed.moves))
}

/// The word for a move that is no commit.
fn word(moved: &HeadMovement) -> Option<&'static str> {
    match moved.what {
        MoveCause::Commit
        | MoveCause::Amend
        | MoveCause::Merge
        | MoveCause::CherryPick
        | MoveCause::Revert => None,
        // The stash says so without going anywhere.
        _ if moved.from == Some(moved.to) => None,
        MoveCause::Rebase => Some("rebase"),
        MoveCause::Reset => Some("reset"),
        MoveCause::Checkout => Some("checkout"),
        MoveCause::Pull => Some("pull"),
        MoveCause::Other => Some("git"),
    }
}

fn short(commit: Option<Id>) -> String {
    commit.map_or_else(
        || "no commit".to_owned(),
        |commit| commit.to_string().chars().take(SHORT).collect(),
    )
}
