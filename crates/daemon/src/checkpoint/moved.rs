//! What git itself moved by a checkout, a pull or a reset: nobody's change, told by the commits that HEAD went through.
//!
//! A commit that was made here moves HEAD as well, and no file with it: what it holds somebody wrote. How HEAD moved its
//! reflog says; where that is lost, it is taken for git's doing.

use super::cutter::CutBase;
use super::worksite::WorktreeContext;
use git::object::{Id, PathState, TreeLeaf};
use git::path::RepoPath;
use git::reflog::{self, Position};
use git::shadow::{Shadow, ShadowError};
use std::time::Duration;

/// A reflog is one file; longer than this and something is wrong.
const REFLOG_TIME: Duration = Duration::from_secs(2);

/// See the module.
pub(super) struct HeadMove<'a> {
    shadow: &'a Shadow,
    moves: Vec<Move>,
}

/// One movement of HEAD.
struct Move {
    from: Option<Id>,
    to: Id,
    is_authored: bool,
}

impl<'a> HeadMove<'a> {
    /// What moved since the newest checkpoint.
    pub fn between(site: &WorktreeContext, ground: &CutBase<'a>) -> Self {
        let old = ground.tip.head().filter(|old| Some(*old) != ground.head);
        let moves = match (old, ground.head) {
            (Some(old), Some(new)) => moves(site, ground.shadow, old, new),
            _ => Vec::new(),
        };
        Self {
            shadow: ground.shadow,
            moves,
        }
    }

    /// What git made of a path that was in a state before.
    pub fn state(&self, path: &RepoPath, before: &PathState) -> Result<Option<TreeLeaf>, ShadowError> {
        let (mut now, mut by_git) = (before.entry(), before.entry());
        for moved in &self.moves {
            let from = match moved.from {
                Some(tree) => self.shadow.entry(tree, path)?,
                None => None,
            };
            let to = self.shadow.entry(moved.to, path)?;
            if now == from && from != to {
                now = to;
                if !moved.is_authored {
                    by_git = to;
                }
            }
        }
        Ok(by_git)
    }
}

/// How HEAD came from one commit to another. A commit that is pruned leaves nothing to tell apart.
fn moves(site: &WorktreeContext, shadow: &Shadow, old: Id, new: Id) -> Vec<Move> {
    let tree = |commit: Id| shadow.tree_of(commit).ok();
    let told = reflog::follow(
        &site.place,
        site.environment(),
        Some(&Position::at(old)),
        &|_| false,
        REFLOG_TIME,
    );
    let mut steps = told
        .ok()
        .filter(|told| told.is_complete)
        .map_or_else(Vec::new, |told| told.moves);
    // It may have moved on since the look.
    let reached = steps.iter().rposition(|step| step.to == new);
    steps.truncate(reached.map_or(0, |last| last + 1));
    let known: Option<Vec<Move>> = steps
        .iter()
        .map(|step| {
            Some(Move {
                from: match step.from {
                    Some(from) => Some(tree(from)?),
                    None => None,
                },
                to: tree(step.to)?,
                is_authored: step.what.is_authored(),
            })
        })
        .collect();
    match known.filter(|known| !known.is_empty()) {
        Some(known) => known,
        None => (tree(old).zip(tree(new)))
            .map(|(from, to)| Move {
                from: Some(from),
                to,
                is_authored: false,
            })
            .into_iter()
            .collect(),
    }
}
