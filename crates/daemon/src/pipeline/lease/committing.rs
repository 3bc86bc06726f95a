//! What a commit of everything would take along: asked of git before the transaction, of leases within it.

use super::gathering::Gathering;
use super::looking::{Looker, PATIENCE};
use super::people::People;
use crate::checkpoint::naming::root_of;
use crate::pipeline::World;
use engine::lease::facts::Commit;
use engine::lease::{CommitAnswers, LeaseAnswers, LeaseFacts};
use engine::shell::SweepingCommit;
use git::path::RepoPath;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use store::StoreError;
use store::table::leases;

impl World {
    /// Of the files that agents hold or wrote where this is committed, those that changed.
    pub(super) fn look_at_commit(
        &self,
        commit: &SweepingCommit,
        looker: Looker<'_>,
        answers: &mut LeaseAnswers,
    ) {
        let there = commit
            .cwd
            .as_deref()
            .map(|cwd| World::place_of(self, Path::new(cwd)));
        let Some(place) = there.as_ref().or(looker.place).map(Arc::clone) else {
            return;
        };
        let root = root_of(&place).to_owned();
        let known = self.memory.worked_on(looker.actor, &place);
        let paths: Vec<RepoPath> = known
            .iter()
            .filter_map(|path| RepoPath::new(path.as_bytes()).ok())
            .collect();
        let changed = git::tracking::changed_of(&root, &paths, &self.git, PATIENCE);
        let changed = changed.unwrap_or_default().into_iter();
        answers.commit = Some(CommitAnswers {
            root,
            message: commit.message.clone(),
            changed: changed
                .map(|path| String::from_utf8_lossy(path.as_bytes()).into_owned())
                .collect(),
        });
    }
}

impl Gathering<'_> {
    pub(super) fn add_commit(
        &self,
        answers: &LeaseAnswers,
        people: &People<'_>,
        facts: &mut LeaseFacts,
    ) -> Result<(), StoreError> {
        let Some(commit) = &answers.commit else {
            return Ok(());
        };
        let Some(worktree) = self.worktree(Some(&commit.root))? else {
            return Ok(());
        };
        let mut changed: BTreeSet<&str> = commit.changed.iter().map(String::as_str).collect();
        let mut found = Commit {
            message: commit.message.clone(),
            ..Commit::default()
        };
        for lease in leases::in_worktree(self.db, Some(worktree))? {
            let is_others = lease.holder() != self.actor.id && !lease.is_everything();
            if !is_others || !changed.contains(lease.key.path.as_str()) {
                continue;
            }
            // A holder whose process is gone holds nothing.
            let Some(lease) = self.holder(&lease.key)? else {
                continue;
            };
            let held = self.held(&lease, people)?;
            if !facts.me.is(&held.who) {
                changed.remove(held.key.path.as_str());
                found.others.push(held);
            }
        }
        let written = store::table::seen::written_in_session(self.db, &self.actor.key, worktree)?;
        found.own = written
            .into_iter()
            .filter(|path| changed.contains(path.as_str()))
            .collect();
        facts.commit = Some(found);
        Ok(())
    }
}
