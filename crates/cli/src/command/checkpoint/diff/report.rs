//! A comparison as programs read it. The order of the fields is that of the JSON object.

use super::{COUNTING, Limits, SWITCHES, unshown};
use crate::failure::Failure;
use ::daemon::checkpoint::comparison::{Comparison, PathDifference};
use ::daemon::checkpoint::path_text::PathText;
use ::daemon::checkpoint::states::to_place;
use git::run::Git;
use serde::Serialize;
use std::collections::HashMap;
use store::table::checkpoints::Checkpoint;

/// See the module.
#[derive(Debug, Serialize)]
pub struct DiffReport {
    from: String,
    /// `null`: the worktree as it is now.
    to: Option<String>,
    files: Vec<DiffEntry>,
    uncompared: Vec<Uncompared>,
}

#[derive(Debug, Serialize)]
struct DiffEntry {
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

/// Lines that are new and lines that are gone, by path; nothing for what is no text.
pub struct LineCounts(HashMap<Vec<u8>, Option<(u64, u64)>>);

impl LineCounts {
    /// Git counts.
    pub fn of(git: &Git, trees: &[String; 2]) -> Result<Self, Failure> {
        let form = ["--no-renames", "--numstat", "-z"];
        let mut arguments: Vec<&str> = [&SWITCHES[..], &form].concat();
        arguments.extend(trees.iter().map(String::as_str));
        let counted = git.run(&arguments, Limits::within(COUNTING)).map_err(unshown)?;
        let rows = counted.split(|byte| *byte == 0).filter_map(|row| {
            let mut cells = row.splitn(3, |byte| *byte == b'\t');
            let mut number = || std::str::from_utf8(cells.next()?).ok()?.parse().ok();
            let lines = number().zip(number());
            Some((cells.next()?.to_vec(), lines))
        });
        Ok(Self(rows.collect()))
    }
}

impl DiffReport {
    /// The files, with how many lines changed in each.
    pub fn of(
        from: &Checkpoint,
        to: Option<&Checkpoint>,
        comparison: &Comparison,
        counts: &LineCounts,
    ) -> Self {
        let files = comparison
            .differences
            .iter()
            .map(|one| DiffEntry::of(one, counts));
        Self {
            from: from.id.to_string(),
            to: to.map(|to| to.id.to_string()),
            files: files.collect(),
            uncompared: comparison
                .uncompared
                .iter()
                .map(|(path, reason)| Uncompared {
                    path: PathText::from(path),
                    reason: reason.clone(),
                })
                .collect(),
        }
    }
}

impl DiffEntry {
    fn of(difference: &PathDifference, LineCounts(counts): &LineCounts) -> Self {
        let (before, after) = (difference.before, difference.after);
        let lines = counts.get(difference.path.as_bytes()).copied().flatten();
        Self {
            path: PathText::from(&difference.path),
            change: change(difference),
            before: before.map(|entry| entry.id.to_string()),
            after: after.map(|entry| entry.id.to_string()),
            before_mode: before.map(|entry| entry.mode.octal()),
            mode: after.map(|entry| entry.mode.octal()),
            place: to_place(difference.shelf).as_str(),
            binary: lines.is_none(),
            added: lines.map(|(added, _)| added),
            removed: lines.map(|(_, removed)| removed),
        }
    }
}

/// In the words checkpoints use for what they changed.
fn change(difference: &PathDifference) -> &'static str {
    use ::daemon::checkpoint::states::to_row;
    use git::object::PathState;
    use store::table::checkpoint_files::CheckpointFileChange;
    let state =
        |entry: Option<git::object::TreeLeaf>| to_row(&entry.map_or(PathState::Absent, PathState::plain));
    let (before, after) = (state(difference.before), state(difference.after));
    CheckpointFileChange::between(before.as_ref(), after.as_ref())
        .map_or("modified", CheckpointFileChange::as_str)
}
