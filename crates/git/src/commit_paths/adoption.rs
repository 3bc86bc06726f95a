//! Lets the person's index follow a commit that was made beside it: the paths it changed, and no others.

use std::collections::BTreeMap;
use std::io;

use super::index_lock::IndexLock;
use super::own_index::{lay_over, staged};
use super::workshop::Workshop;
use super::{NotMade, QUESTION};
use crate::commit_facts::CommitFacts;
use crate::object::{Id, TreeLeaf};
use crate::path::RepoPath;
use crate::run::{Git, Limits};

/// What the index has to follow.
pub struct Adoption<'a> {
    workshop: &'a Workshop,
    git: &'a Git,
    old: Id,
    new: &'a CommitFacts,
    /// What was given to be committed: a path staged just so is not the person's other work.
    given: &'a BTreeMap<RepoPath, Option<TreeLeaf>>,
}

impl<'a> Adoption<'a> {
    pub fn new(
        workshop: &'a Workshop,
        git: &'a Git,
        old: Id,
        new: &'a CommitFacts,
        given: &'a BTreeMap<RepoPath, Option<TreeLeaf>>,
    ) -> Self {
        Self {
            workshop,
            git,
            old,
            new,
            given,
        }
    }

    /// Sets the changed paths where the index had what the old commit had. Where it has something else the person
    /// was faster: that stays, and is named. A hook may have put more into the commit than was given.
    pub fn carry_out(&self) -> Result<Vec<RepoPath>, NotMade> {
        let lock = IndexLock::take(self.workshop)?;
        let copy = self.workshop.file("followed-index");
        match fs_err::copy(self.workshop.index(), &copy) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let old = self.old.to_string();
                let limits = Limits::within(QUESTION);
                self.git
                    .run_with_index(&["read-tree", &old], Some(&copy), Vec::new(), limits)?;
            }
            other => drop(other?),
        }
        let staged = staged(self.git, self.old, Some(&copy))?;
        let mut following = BTreeMap::new();
        let mut kept = Vec::new();
        for change in self.new.changes.iter().flatten() {
            let there = staged.get(&change.path);
            let is_as_given = there.is_some_and(|there| there.as_ref() == self.given.get(&change.path));
            if there.is_none() || is_as_given {
                following.insert(change.path.clone(), change.after);
            } else if there != Some(&Some(change.after)) {
                kept.push(change.path.clone());
            }
        }
        lay_over(self.git, &copy, &following)?;
        lock.replace(&copy)?;
        Ok(kept)
    }
}
