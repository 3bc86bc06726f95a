//! What git itself moved by a checkout, a pull or a reset: nobody's change, told by the two commits checked out.

use super::cutter::Ground;
use git::object::{Id, State};
use git::path::RepoPath;
use git::shadow::{Shadow, ShadowError};

/// See the module.
pub(super) struct Moved<'a> {
    shadow: &'a Shadow,
    trees: Option<(Id, Id)>,
}

impl<'a> Moved<'a> {
    /// What moved since the newest checkpoint.
    pub fn between(ground: &Ground<'a>) -> Self {
        let old = ground.tip.head().filter(|old| Some(*old) != ground.head);
        let trees = match (old, ground.base) {
            // The old commit may be pruned; then nothing can be told apart.
            (Some(old), Some(new)) => ground.shadow.tree_of(old).ok().map(|old| (old, new)),
            _ => None,
        };
        Self {
            shadow: ground.shadow,
            trees,
        }
    }

    /// Whether a path was what the old commit had and is now what the new one has.
    pub fn by_git(&self, path: &RepoPath, before: &State, now: &State) -> Result<bool, ShadowError> {
        let Some((old, new)) = self.trees else {
            return Ok(false);
        };
        Ok(before.entry() == self.shadow.entry(old, path)? && now.entry() == self.shadow.entry(new, path)?)
    }
}
