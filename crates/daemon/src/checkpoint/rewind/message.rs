//! What agents and people are told of files that were put back.

use super::wish::{Aim, operation_word};
use engine::text::one_line;
use git::object::State;
use git::restore::Change;
use store::table::checkpoints::{Checkpoint, Kind};

/// Files that are named; the others are counted.
const MOST_NAMED: usize = 10;
/// Characters of a path.
const LONGEST_PATH: usize = 200;

/// Message 6.6: what an agent must know before it goes on.
pub fn to_agents(aim: &Aim, changes: &[Change]) -> String {
    let done = match aim {
        Aim::Back { to, name, .. } => {
            format!(
                "A person put files back to {} (checkpoint {}).",
                place(to, name),
                to.id
            )
        }
        Aim::Undo(operation) => {
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
        Aim::Back { .. } => " Your later edits to them are gone.",
        Aim::Undo(_) => "",
    };
    format!(
        "{done} Changed on disk: {}.{gone} Read a file again before editing it.",
        files(changes)
    )
}

fn files(changes: &[Change]) -> String {
    let mut names: Vec<String> = changes
        .iter()
        .take(MOST_NAMED)
        .map(|change| {
            let path = one_line(&change.path.to_string(), LONGEST_PATH);
            match change.to {
                State::Absent => format!("{path} (deleted)"),
                State::Present { .. } => path,
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
        (Kind::Baseline, _) => "the start of the session".to_owned(),
        (Kind::Turn | Kind::Interrupted, Some(turn)) => format!("the end of turn {turn}"),
        (_, Some(turn)) => format!("a point in turn {turn}"),
        (_, None) => "an earlier state".to_owned(),
    }
}

/// What people call a checkpoint: by its place in the session, else by its id.
pub fn name(checkpoint: &Checkpoint) -> String {
    match (checkpoint.kind, checkpoint.turn, checkpoint.point) {
        (Kind::Baseline, _, _) => "start".to_owned(),
        (_, Some(turn), Some(point)) => format!("t{turn}.{point}"),
        (_, Some(turn), None) => format!("t{turn}"),
        (_, None, _) => checkpoint.id.to_string(),
    }
}
