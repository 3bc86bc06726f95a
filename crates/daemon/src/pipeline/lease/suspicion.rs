//! Whose command in the background may have changed a file, where nobody is known to have.

use super::gathering::Gathering;
use super::people::People;
use crate::pipeline::background;
use engine::event::EventKind;
use engine::lease::wanted::absolute;
use engine::lease::{LastChange, TargetFacts, Who};
use store::StoreError;

impl Gathering<'_> {
    /// The actors whose commands in the background explain what is in a file. Asked only where somebody is to be told of a
    /// change: its writer has seen something else there, or it is another's.
    pub(super) fn suspects(&self, facts: &TargetFacts, people: &People<'_>) -> Result<Vec<Who>, StoreError> {
        let is_unexplained = matches!(
            facts.last_change,
            LastChange::Outside { formatter: None } | LastChange::Nobody
        );
        let (Some(project), Some(worktree), true) = (
            self.place.project,
            facts.target.key.worktree,
            is_unexplained && self.matters(facts),
        ) else {
            return Ok(Vec::new());
        };
        let changed_ms = facts.target.stamp.map(|stamp| stamp.mtime_ns / 1_000_000);
        background::explaining(self.db, project, worktree, changed_ms)?
            .into_iter()
            .map(|actor| people.who(actor))
            .collect()
    }

    fn matters(&self, facts: &TargetFacts) -> bool {
        let differs = |seen: &engine::lease::Seen| seen.content != facts.target.content;
        let held = facts.held.as_ref().filter(|held| held.who.actor != self.actor.id);
        match self.subject.map(|subject| &subject.event.kind) {
            Some(EventKind::ToolBefore { .. }) => facts.seen.as_ref().is_some_and(differs),
            Some(EventKind::ToolAfter { .. } | EventKind::ToolFailed { .. }) => {
                held.is_some() && !self.is_reported(facts)
            }
            Some(_) | None => false,
        }
    }

    /// Whether the client says itself that the call changed the file.
    fn is_reported(&self, facts: &TargetFacts) -> bool {
        let Some(subject) = self.subject else { return false };
        let (
            EventKind::ToolAfter {
                changed: Some(changed),
                ..
            },
            Some(root),
        ) = (&subject.event.kind, &facts.target.root)
        else {
            return false;
        };
        let file = root.join(&facts.target.key.path);
        let cwd = subject.event.cwd.as_deref();
        changed
            .paths
            .iter()
            .any(|path| absolute(path, cwd).as_ref() == Some(&file))
    }
}
