//! What agents and people are told of files that were put back.

use super::wish::{RewindTo, operation_word};
use engine::text::one_line;
use git::object::PathState;
use git::restore::PathChange;
use store::table::checkpoints::{Checkpoint, CheckpointKind};

/// Files that are named; the others are counted.
const MOST_NAMED: usize = 10;
/// Characters of a path.
const LONGEST_PATH: usize = 200;

/// Message 6.6: what an agent must know before it goes on.
pub fn to_agents(aim: &RewindTo, changes: &[PathChange]) -> String {
    let done = match aim {
        RewindTo::Back { to, name, .. } => {
            format!(
                "A person put files back to {} (checkpoint {}).",
                place(to, name),
                to.id
            )
        }
        RewindTo::Undo(operation) => {
            let what = operation_word(operation);
            let act = if operation.is_undone {
                format!("put what a {what} had done in place again")
            } else {
                format!("took back a {what}")
            };
            format!("A person {act} (checkpoint {}).", operation.id())
        }
    };
    let gone = match aim {
        RewindTo::Back { .. } => " Your later edits to them are gone.",
        RewindTo::Undo(_) => "",
    };
    format!(
        "{done} Changed on disk: {}.{gone} Read a file again before editing it.",
        files(changes)
    )
}

fn files(changes: &[PathChange]) -> String {
    let mut names: Vec<String> = changes
        .iter()
        .take(MOST_NAMED)
        .map(|change| {
            let path = one_line(&change.path.to_string(), LONGEST_PATH);
            match change.to {
                PathState::Absent => format!("{path} (deleted)"),
                PathState::Present { .. } => path,
            }
        })
        .collect();
    if let more @ 1.. = changes.len().saturating_sub(MOST_NAMED) {
        names.push(format!("+{more}"));
    }
    names.join(", ")
}

/// Which moment a checkpoint is of. A turn that changed nothing ends in an earlier one.
fn place(checkpoint: &Checkpoint, name: &str) -> String {
    if let Some(turn) = name.strip_prefix('t').and_then(|turn| turn.parse::<u64>().ok()) {
        return format!("the end of turn {turn}");
    }
    match (checkpoint.kind, checkpoint.turn) {
        (CheckpointKind::Baseline, _) => "the start of the session".to_owned(),
        (CheckpointKind::Turn | CheckpointKind::Interrupted, Some(turn)) => format!("the end of turn {turn}"),
        (_, Some(turn)) => format!("a point in turn {turn}"),
        (_, None) => "an earlier state".to_owned(),
    }
}

/// What people call a checkpoint: by its place in the session, else by its id.
pub fn name(checkpoint: &Checkpoint) -> String {
    match (checkpoint.kind, checkpoint.turn, checkpoint.point) {
        (CheckpointKind::Baseline, _, _) => "start".to_owned(),
        (_, Some(turn), Some(point)) => format!("t{turn}.{point}"),
        (_, Some(turn), None) => format!("t{turn}"),
        (_, None, _) => checkpoint.id.to_string(),
    }
}
