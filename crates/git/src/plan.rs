//! What a rewind would do to each path, decided from recorded states alone. Reads nothing and writes nothing.
//!
//! The rules are one table: `judgement` walks it for one path, this file puts the paths of one rewind together.

pub mod facts;
pub mod verdict;

mod judgement;

use std::collections::BTreeMap;

pub use facts::{PathAuthor, PathFacts, PathHistory, PathObstacle, PlanScope, RecordedState};
pub use verdict::{ConflictReason, KeepsYourEdit, LeftReason, PathVerdict};

use crate::object::{Id, PathState};
use crate::path::RepoPath;
use crate::restore::PathChange;

/// What a rewind would do, path by path, in the order of the paths.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RewindPlan {
    /// One entry per path.
    pub paths: Vec<Planned>,
    /// What stands against the rewind as a whole.
    pub whole: Option<ConflictReason>,
}

/// What would be done to one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Planned {
    /// The path.
    pub path: RepoPath,
    /// What is there now.
    pub now: PathState,
    /// What would be done.
    pub verdict: PathVerdict,
    /// What would be done if conflicts did not count; a conflict that no force lifts stays one.
    pub forced: PathVerdict,
    /// What would be there if nothing stood against it; nothing where that is not known.
    pub wanted: Option<PathState>,
}

impl RewindPlan {
    /// The plan for these paths.
    pub fn of(facts: &[PathFacts], scope: PlanScope) -> Self {
        let (free, blocked): (Vec<_>, Vec<_>) = facts.iter().partition(|facts| facts.obstacle.is_none());
        let mut planned: BTreeMap<RepoPath, Planned> = BTreeMap::new();
        for facts in free {
            let entry = judgement::planned(facts, None, None, scope);
            planned.insert(facts.path.clone(), entry);
        }
        let blocked: Vec<Planned> = blocked
            .into_iter()
            .map(|facts| {
                let stands = |forced| {
                    let obstacle = facts.obstacle.as_ref();
                    obstacle.filter(|obstacle| !is_lifted(obstacle, &planned, forced))
                };
                judgement::planned(facts, stands(false), stands(true), scope)
            })
            .collect();
        planned.extend(blocked.into_iter().map(|entry| (entry.path.clone(), entry)));
        Self {
            paths: planned.into_values().collect(),
            whole: None,
        }
    }

    /// The same, refused as a whole for this reason.
    #[must_use]
    pub fn refused(self, reason: ConflictReason) -> Self {
        Self {
            whole: Some(reason),
            ..self
        }
    }

    /// The same with every path in conflict left as it is (`--skip-conflicts`). What is against the whole stays.
    ///
    /// A file that was moved and does not come back where it was is not taken from where it is now.
    #[must_use]
    pub fn skip_conflicts(mut self) -> Self {
        let mut missing: BTreeMap<Id, RepoPath> = BTreeMap::new();
        for planned in &mut self.paths {
            if let PathVerdict::Conflict(reason) = &planned.verdict {
                if planned.now == PathState::Absent
                    && let Some(bytes) = planned.wanted.and_then(|wanted| wanted.bytes())
                {
                    missing.insert(bytes, planned.path.clone());
                }
                planned.verdict = PathVerdict::Leave(LeftReason::Conflict(reason.clone()));
                planned.forced = planned.verdict.clone();
            }
        }
        // What comes back elsewhere is not the only copy.
        for goal in self.paths.iter().filter_map(|planned| planned.verdict.goal()) {
            goal.bytes().and_then(|bytes| missing.remove(&bytes));
        }
        for planned in &mut self.paths {
            let of = planned.now.bytes().and_then(|bytes| missing.get(&bytes));
            if let (PathVerdict::Delete, Some(of)) = (&planned.verdict, of) {
                planned.verdict = PathVerdict::Leave(LeftReason::OnlyCopy(of.clone()));
                planned.forced = planned.verdict.clone();
            }
        }
        self
    }

    /// The same with conflicts overruled (`--force`), but for those that would lead astray or have no content.
    #[must_use]
    pub fn force(mut self) -> Self {
        for planned in &mut self.paths {
            planned.verdict = planned.forced.clone();
        }
        self.whole = None;
        self
    }

    /// The paths in conflict, with the reasons.
    pub fn conflicts(&self) -> impl Iterator<Item = (&RepoPath, &ConflictReason)> {
        self.paths.iter().filter_map(|planned| match &planned.verdict {
            PathVerdict::Conflict(reason) => Some((&planned.path, reason)),
            PathVerdict::Nothing
            | PathVerdict::Restore { .. }
            | PathVerdict::Recreate { .. }
            | PathVerdict::Mode { .. }
            | PathVerdict::Delete
            | PathVerdict::Leave(_) => None,
        })
    }

    /// Whether nothing stands against it.
    pub fn is_clear(&self) -> bool {
        self.whole.is_none() && self.conflicts().next().is_none()
    }

    /// What has to be done to the files; nothing while there are conflicts.
    pub fn changes(&self) -> Vec<PathChange> {
        if !self.is_clear() {
            return Vec::new();
        }
        let change = |planned: &Planned| {
            planned.verdict.goal().map(|to| PathChange {
                path: planned.path.clone(),
                from: planned.now,
                to,
            })
        };
        self.paths.iter().filter_map(change).collect()
    }
}

/// Whether the plan itself takes out of the way what stands there.
fn is_lifted(obstacle: &PathObstacle, planned: &BTreeMap<RepoPath, Planned>, forced: bool) -> bool {
    let goes = |path: &RepoPath| {
        let verdict = planned
            .get(path)
            .map(|planned| if forced { &planned.forced } else { &planned.verdict });
        verdict == Some(&PathVerdict::Delete)
    };
    match obstacle {
        PathObstacle::File(path) | PathObstacle::Link(path) => goes(path),
        PathObstacle::Folder(below) => below.iter().all(goes),
        PathObstacle::CaseTwin(_) | PathObstacle::Unmerged => false,
    }
}

#[cfg(test)]
mod tests;
