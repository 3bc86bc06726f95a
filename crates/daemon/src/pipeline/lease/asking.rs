//! One file that somebody asks about outside of any event: which it is, and how they stand with it.

use super::gathering::Gathering;
use super::locating::locate;
use super::people::People;
use crate::checkpoint::naming::root_of;
use crate::pipeline::PipelineContext;
use engine::lease::{ContentIdentity, FileChangeKind, FileTarget, LeaseFacts, Means};
use git::place::Place;
use std::path::Path;
use std::sync::Arc;
use store::StoreError;

impl PipelineContext {
    /// The file an absolute path means to somebody who stands `here`; `None` if it leads nowhere. Its content is not read.
    pub fn file_at(&self, path: &Path, here: &Arc<Place>) -> Option<FileTarget> {
        let located = locate(path, Some(here), self)?;
        Some(FileTarget {
            leasable: located.is_leasable(),
            root: located.place.as_deref().map(|place| root_of(place).to_owned()),
            shown: located.shown_from(Some(here)),
            how: FileChangeKind::Change,
            means: Means::Tool,
            exists: located.found.is_some(),
            folder: located.found.is_some_and(|found| found.is_dir()),
            background: false,
            moved: false,
            incidental: false,
            untracked: false,
            tracked: false,
            stamp: None,
            content: ContentIdentity::Nothing,
            key: located.key,
        })
    }
}

impl Gathering<'_> {
    /// What is known of one file to whoever asks about it. What is over has ended by then.
    pub fn about(&self, target: FileTarget) -> Result<LeaseFacts, StoreError> {
        let people = People::new(self.db, self.actor);
        let mut facts = LeaseFacts::of(self.me()?);
        facts.targets.push(self.target(target, &people)?);
        facts.waits = self.waits(&facts, &people)?;
        Ok(facts)
    }
}
