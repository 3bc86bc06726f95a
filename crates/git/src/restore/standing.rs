//! Where one change of a restore stands, by what is on disk alone.

use super::PathChange;
use super::journal::Modes;
use super::order::DiskStep;
use super::sight::NameState;
use crate::object::PathState;

/// Where a change stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeProgress {
    /// Not made.
    From,
    /// Made.
    To {
        /// By us. Otherwise somebody else came to the same result, and nothing is ours to take back.
        is_ours: bool,
    },
    /// The path holds what neither the plan nor the target knows.
    Stranger {
        /// Whether we had changed it before: then what it was is in the stage folder.
        was_touched: bool,
    },
}

/// Judges by the path and by the slot of the change in the stage folder.
pub fn standing(change: &PathChange, path: &NameState, slot: &NameState, modes: Modes) -> ChangeProgress {
    let is_touched = match change.deed() {
        DiskStep::Mode => true,
        DiskStep::Nothing => false,
        // Before, the slot holds what the path will be; afterwards it does not.
        DiskStep::Delete | DiskStep::Put => !slot.is(&change.to, modes),
    };
    if path.is(&change.from, modes) {
        ChangeProgress::From
    } else if path.is(&change.to, modes) {
        ChangeProgress::To { is_ours: is_touched }
    } else {
        let was_touched = is_touched && change.deed() != DiskStep::Mode;
        ChangeProgress::Stranger { was_touched }
    }
}

/// Whether the slot holds somebody's bytes that the path held for a moment: the exchange took them, and must give
/// them back.
pub fn is_caught(change: &PathChange, slot: &NameState, modes: Modes) -> bool {
    let is_known =
        slot.is(&change.from, modes) || slot.is(&change.to, modes) || slot.is(&PathState::Absent, modes);
    !is_known
}
