//! What is in the way of commands that go over a folder or a whole worktree.

use super::gathering::Gathering;
use super::people::People;
use super::reach::BulkReach;
use engine::id::WorktreeId;
use engine::lease::facts::Bulk;
use engine::lease::key::LONGEST_SHOWN;
use engine::lease::{FileKey, FileTarget, LeaseAnswers, LeaseFacts, Pattern, TargetFacts};
use engine::text::one_line;
use std::path::Path;
use store::StoreError;
use store::life::{self, ExpiryScope};
use store::table::leases::{self, Lease};

impl Gathering<'_> {
    /// Of a folder that goes as a whole, the files below it that others hold.
    pub(super) fn add_below(
        &self,
        answers: &LeaseAnswers,
        people: &People<'_>,
        facts: &mut LeaseFacts,
    ) -> Result<(), StoreError> {
        for folder in &answers.folders {
            let Some(worktree) = self.worktree(folder.root.as_deref())? else {
                continue;
            };
            facts.targets.push(self.folder(folder, worktree, people)?);
            let above = format!("{}/", folder.key.path.trim_end_matches('/'));
            for lease in leases::in_worktree(self.db, Some(worktree))? {
                let is_below = folder.key.path.is_empty() || lease.key.path.starts_with(&above);
                if !is_below || lease.is_everything() {
                    continue;
                }
                let target = FileTarget {
                    key: lease.key.clone(),
                    shown: shown_below(folder, &lease.key),
                    root: folder.root.clone(),
                    stamp: None,
                    content: engine::lease::ContentIdentity::Nothing,
                    ..folder.clone()
                };
                facts.targets.push(self.target(target, people)?);
            }
        }
        Ok(())
    }

    /// The folder itself: nobody edits it, but what is below it may be reserved, or taken with the whole tree.
    fn folder(
        &self,
        folder: &FileTarget,
        worktree: WorktreeId,
        people: &People<'_>,
    ) -> Result<TargetFacts, StoreError> {
        let mut facts = TargetFacts::free(FileTarget {
            folder: true,
            ..folder.clone()
        });
        facts.target.key.worktree = Some(worktree);
        let all = self.holder(&facts.target.key)?.filter(Lease::is_everything);
        facts.held = all.map(|lease| self.held(&lease, people)).transpose()?;
        let below = Pattern::below(&folder.key.path);
        for lease in self.reserved_in(worktree)? {
            let is_whole = folder.key.path.is_empty();
            if is_whole || Pattern::parse(lease.reach()).is_ok_and(|pattern| pattern.overlaps(&below)) {
                facts.reserved.push(self.reserved(&lease, people)?);
            }
        }
        Ok(facts)
    }

    pub(super) fn add_bulk(
        &self,
        answers: &LeaseAnswers,
        people: &People<'_>,
        facts: &mut LeaseFacts,
    ) -> Result<(), StoreError> {
        let Some(command) = &answers.bulk else {
            return Ok(());
        };
        let Some(worktree) = self.worktree(answers.bulk_root.as_deref())? else {
            return Ok(());
        };
        let reach = BulkReach {
            root: answers.bulk_root.as_deref().unwrap_or(Path::new("/")),
            scopes: &answers.bulk_scopes,
        };
        facts.editing.clear();
        life::settle(self.db, ExpiryScope::Worktree(worktree), self.now)?;
        for lease in leases::in_worktree(self.db, Some(worktree))? {
            if lease.holder() == self.actor.id {
                continue;
            }
            // A holder whose process is gone holds nothing.
            let Some(lease) = self.holder(&lease.key)? else {
                continue;
            };
            let held = self.held(&lease, people)?;
            if held.is_everything() {
                facts.everything = Some(held);
            } else if reach.has(&held.key.path) {
                facts.editing.push(held);
            }
        }
        facts.reservations = self.reservations(worktree, people)?;
        facts
            .reservations
            .retain(|reserved| reach.meets(&reserved.pattern));
        facts.bulk = Some(Bulk {
            worktree,
            scope: reach.shown(),
            command: command.clone(),
        });
        Ok(())
    }
}

/// The path of a file below a folder as messages show it: whole, where the folder's is.
fn shown_below(folder: &FileTarget, file: &FileKey) -> String {
    match &folder.root {
        Some(root) if Path::new(&folder.shown).is_absolute() => {
            one_line(&root.join(&file.path).to_string_lossy(), LONGEST_SHOWN)
        }
        _ => file.shown(),
    }
}
