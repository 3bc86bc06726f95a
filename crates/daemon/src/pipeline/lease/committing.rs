//! What a commit would take along: asked of git before the transaction, of leases within it.

use super::gathering::Gathering;
use super::looking::{Looker, PATIENCE};
use super::people::People;
use crate::checkpoint::naming::root_of;
use crate::pipeline::PipelineContext;
use engine::lease::facts::PlannedCommit;
use engine::lease::{CommitAnswers, LeaseAnswers, LeaseFacts};
use git::path::RepoPath;
use git::tracking::ChangedPath;
use shell::Committing;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use store::StoreError;
use store::table::leases;

impl PipelineContext {
    /// Of the files that agents hold or wrote where this is committed, those that changed.
    pub(super) fn look_at_commit(&self, commit: &Committing, looker: Looker<'_>, answers: &mut LeaseAnswers) {
        // Paths are compared by their real names.
        let real = |path: &str| git::target::real(Path::new(path));
        let named = |path: &String| real(path).to_string_lossy().into_owned();
        let commit = &Committing {
            paths: commit.paths.iter().map(named).collect(),
            patterns: commit
                .patterns
                .iter()
                .map(|pattern| pattern.at(named(&pattern.folder)))
                .collect(),
            ..commit.clone()
        };
        let cwd = commit.cwd.as_deref().map(real);
        let there = cwd.as_deref().map(|cwd| PipelineContext::place_of(self, cwd));
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
        let changed = changed.unwrap_or_default();
        let text = |file: &ChangedPath| String::from_utf8_lossy(file.path.as_bytes()).into_owned();
        let is_taken = |file: &&ChangedPath| {
            let path = root.join(file.path.to_path());
            let path = path.to_string_lossy();
            commit.takes(&path, file.is_known, file.is_in_index)
        };
        answers.commit = Some(CommitAnswers {
            elsewhere: cwd.is_some_and(|cwd| cwd != root),
            options: commit.options.clone(),
            taken: changed.iter().filter(is_taken).map(text).collect(),
            changed: changed.iter().map(text).collect(),
            root,
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
        let mut found = PlannedCommit {
            root: commit
                .elsewhere
                .then(|| commit.root.to_string_lossy().into_owned()),
            options: commit.options.clone(),
            ..PlannedCommit::default()
        };
        for lease in leases::in_worktree(self.db, Some(worktree))? {
            let is_others = lease.holder() != self.actor.id && !lease.is_everything();
            if !is_others || !commit.taken.contains(&lease.key.path) {
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
