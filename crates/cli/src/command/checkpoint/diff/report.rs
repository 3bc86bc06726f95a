//! A comparison as programs read it. The order of the fields is that of the JSON object.

use super::changed::Changed;
use crate::failure::Failure;
use ::daemon::checkpoint::comparison::{Comparison, Difference};
use ::daemon::checkpoint::path_text::PathText;
use ::daemon::checkpoint::states::to_place;
use git::shadow::Shadow;
use serde::Serialize;
use store::table::checkpoints::Checkpoint;

/// See the module.
#[derive(Debug, Serialize)]
pub struct Report {
    from: String,
    /// `null`: the worktree as it is now.
    to: Option<String>,
    files: Vec<File>,
    uncompared: Vec<Uncompared>,
}

#[derive(Debug, Serialize)]
struct File {
    path: PathText,
    change: &'static str,
    before: Option<String>,
    after: Option<String>,
    before_mode: Option<&'static str>,
    mode: Option<&'static str>,
    place: &'static str,
    binary: bool,
    added: Option<u64>,
    removed: Option<u64>,
}

#[derive(Debug, Serialize)]
struct Uncompared {
    path: PathText,
    reason: String,
}

impl Report {
    /// Counts the lines of every file.
    pub fn of(
        shadow: &Shadow,
        from: &Checkpoint,
        to: Option<&Checkpoint>,
        comparison: &Comparison,
    ) -> Result<Self, Failure> {
        let files = comparison.differences.iter().map(|one| File::of(shadow, one));
        Ok(Self {
            from: from.id.to_string(),
            to: to.map(|to| to.id.to_string()),
            files: files.collect::<Result<_, _>>()?,
            uncompared: comparison
                .uncompared
                .iter()
                .map(|(path, reason)| Uncompared {
                    path: PathText::from(path),
                    reason: reason.clone(),
                })
                .collect(),
        })
    }
}

impl File {
    fn of(shadow: &Shadow, difference: &Difference) -> Result<Self, Failure> {
        let summary = Changed::of(shadow, difference)?.summary();
        let (before, after) = (difference.before, difference.after);
        Ok(Self {
            path: PathText::from(&difference.path),
            change: change(difference),
            before: before.map(|entry| entry.id.to_string()),
            after: after.map(|entry| entry.id.to_string()),
            before_mode: before.map(|entry| entry.mode.octal()),
            mode: after.map(|entry| entry.mode.octal()),
            place: to_place(summary.shelf).as_str(),
            binary: summary.is_binary,
            added: summary.lines.map(|(added, _)| added),
            removed: summary.lines.map(|(_, removed)| removed),
        })
    }
}

/// In the words checkpoints use for what they changed.
fn change(difference: &Difference) -> &'static str {
    use ::daemon::checkpoint::states::to_row;
    use git::object::State;
    use store::table::checkpoint_files::Change;
    let state = |entry: Option<git::object::Entry>| to_row(&entry.map_or(State::Absent, State::plain));
    let (before, after) = (state(difference.before), state(difference.after));
    Change::between(before.as_ref(), after.as_ref()).map_or("modified", Change::as_str)
}
