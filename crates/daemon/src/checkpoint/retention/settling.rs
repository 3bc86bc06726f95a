//! Settles a line that a killed process was writing anew: rows and ref agree again.

use super::super::cutter::{CutError, Cutter};
use super::renewal::named_in;
use engine::id::CheckpointId;
use git::object::Id;
use git::shadow::Shadow;
use std::collections::BTreeMap;
use store::table::checkpoints;

/// A line longer than this without a known commit is not ours to read to its end.
const MOST: usize = 10_000;

impl Cutter<'_> {
    /// Where the line is, after one that was cut short while it was written anew is settled. The rows are changed
    /// before the ref moves, so they say where it goes; if what they name is not there, the ref was faster.
    pub(in crate::checkpoint) fn follow_rewrite(&self, shadow: &Shadow, tip: Id) -> Result<Id, CutError> {
        let mut at = Some(tip);
        let mut seen = 0;
        while let Some(commit) = at.filter(|_| seen < MOST) {
            seen += 1;
            let read = shadow.read_commit(commit)?;
            let named = named_in(&read.message);
            let row = match &named {
                Some((id, _)) => self.read(|db| checkpoints::by_id(db, id))?,
                None => None,
            };
            let recorded = row
                .filter(|row| row.worktree == self.worktree)
                .and_then(|row| match named {
                    Some((_, true)) => row.sealed_commit,
                    _ => Some(row.commit),
                });
            match recorded.map(|name| (name == commit.to_string(), name.parse::<Id>())) {
                Some((true, _)) => return Ok(tip),
                Some((false, Ok(new))) if shadow.owns(new) => {
                    shadow.advance(&self.site.line, Some(tip), new)?;
                    return Ok(new);
                }
                Some((false, _)) => {
                    self.name_commits(shadow, tip)?;
                    return Ok(tip);
                }
                // Dropped, or lost.
                None => at = read.parents.first().copied(),
            }
        }
        Ok(tip)
    }

    /// Lets every row name the commits that are on the line.
    fn name_commits(&self, shadow: &Shadow, tip: Id) -> Result<(), CutError> {
        let mut found: BTreeMap<CheckpointId, (Option<Id>, Option<Id>)> = BTreeMap::new();
        let mut at = Some(tip);
        while let Some(commit) = at {
            let read = shadow.read_commit(commit)?;
            match named_in(&read.message) {
                Some((id, false)) => found.entry(id).or_default().0 = Some(commit),
                Some((id, true)) => found.entry(id).or_default().1 = Some(commit),
                None => {}
            }
            at = read.parents.first().copied();
        }
        self.write(|db| {
            for (id, (commit, seal)) in &found {
                let row = checkpoints::by_id(db, id)?.filter(|row| row.worktree == self.worktree);
                if let (Some(_), Some(commit)) = (row, commit) {
                    let seal = seal.map(|seal| seal.to_string());
                    checkpoints::set_commits(db, id, &commit.to_string(), seal.as_deref())?;
                }
            }
            Ok(())
        })?;
        Ok(())
    }
}
