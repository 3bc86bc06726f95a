//! Where in a session a checkpoint is: `start`, `t3`, `t3.2`.

use super::place::CheckpointPlace;
use crate::failure::Failure;
use store::table::checkpoints::{self, AddressScope, Checkpoint, CheckpointFilter, CheckpointKind};

/// The name people address it by within its session; `-` where it is in no turn.
pub fn name(checkpoint: &Checkpoint) -> String {
    match (checkpoint.kind, checkpoint.turn, checkpoint.point) {
        (CheckpointKind::Baseline, _, _) => "start".to_owned(),
        (_, Some(turn), Some(point)) => format!("t{turn}.{point}"),
        (_, Some(turn), None) => format!("t{turn}"),
        (_, None, _) => "-".to_owned(),
    }
}

/// How many checkpoints a session has here, steps left out.
pub fn count(here: &CheckpointPlace, scope: &AddressScope) -> Result<usize, Failure> {
    let filter = CheckpointFilter {
        steps: false,
        ..all(scope)
    };
    Ok(here.read(|db| checkpoints::list(db, &filter))?.len())
}

/// The first and the last point of a turn.
pub fn range(here: &CheckpointPlace, scope: &AddressScope, turn: u64) -> Result<Option<(u64, u64)>, Failure> {
    let filter = CheckpointFilter {
        turn: Some(turn),
        ..all(scope)
    };
    let listed = here.read(|db| checkpoints::list(db, &filter))?;
    let points = || listed.iter().filter_map(|listed| listed.checkpoint.point);
    Ok(points().min().zip(points().max()))
}

fn all(scope: &AddressScope) -> CheckpointFilter {
    CheckpointFilter {
        worktree: scope.worktree,
        session: Some(scope.session),
        actor: None,
        turn: None,
        kind: None,
        path: None,
        steps: true,
        limit: u64::MAX,
    }
}
