//! How people know the places of events: a project by its folder, a path from the worktree it is in; and how much of
//! them they see.

use super::redact::Veil;
use engine::id::{ProjectId, WorktreeId};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::{Path, PathBuf};
use store::table::events::EventRow;
use store::table::{projects, worktrees};
use store::{Db, StoreError};

/// Places that were looked up before.
#[derive(Debug)]
pub struct PlaceNames {
    /// What is not shown.
    pub veil: Veil,
    roots: BTreeMap<WorktreeId, Option<PathBuf>>,
    projects: BTreeMap<ProjectId, Option<PathBuf>>,
}

impl PlaceNames {
    /// Nothing was looked up yet.
    pub fn new(veil: Veil) -> Self {
        Self {
            veil,
            roots: BTreeMap::new(),
            projects: BTreeMap::new(),
        }
    }

    /// The folder of an event's project.
    pub fn project(&mut self, db: &Db, row: &EventRow) -> Result<Option<&Path>, StoreError> {
        let Some(id) = row.project else { return Ok(None) };
        let found = match self.projects.entry(id) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(projects::by_id(db, id)?.map(|project| project.place.root)),
        };
        Ok(found.as_deref())
    }

    /// What an event is about; a path inside its worktree begins there.
    pub fn target(&mut self, db: &Db, row: &EventRow) -> Result<String, StoreError> {
        let Some(target) = &row.target else {
            return Ok(String::new());
        };
        let Some(root) = self.root(db, row)? else {
            return Ok(target.clone());
        };
        let below = Path::new(target)
            .strip_prefix(root)
            .ok()
            .filter(|_| is_path(row, target));
        Ok(match below {
            Some(below) if below.as_os_str().is_empty() => ".".to_owned(),
            Some(below) => below.to_string_lossy().into_owned(),
            None => target.clone(),
        })
    }

    fn root(&mut self, db: &Db, row: &EventRow) -> Result<Option<&Path>, StoreError> {
        let Some(id) = row.worktree else { return Ok(None) };
        let found = match self.roots.entry(id) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(worktrees::by_id(db, id)?.map(|worktree| worktree.root)),
        };
        Ok(found.as_deref())
    }
}

/// A command can begin with a path and is none.
fn is_path(row: &EventRow, target: &str) -> bool {
    let Some(input) = &row.input else { return true };
    let input: serde_json::Value = serde_json::from_str(input).unwrap_or_default();
    let command = input.get("command").and_then(serde_json::Value::as_str);
    // Both may have been cut, and not at the same length.
    !command.is_some_and(|command| target.starts_with(command.trim_end_matches('…')))
}
