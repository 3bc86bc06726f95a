//! Which commit a repository inside the working tree is at. It is not entered: its `HEAD` is all that is read.

use std::time::Duration;

use crate::head;
use crate::object::Id;
use crate::path::RepoPath;
use crate::place;
use crate::settings::GitSettings;
use crate::worktree::GitWorktree;

/// For a repository that keeps its refs in tables git has to be asked.
const PATIENCE: Duration = Duration::from_secs(2);

/// What a folder is.
pub enum Folder {
    /// Nothing but a folder.
    Plain,
    /// A repository, at this commit if it has one.
    Repository(Option<Id>),
}

/// Whether a folder is the root of a repository, and at which commit.
pub fn look(worktree: &GitWorktree, settings: &GitSettings, path: &RepoPath) -> Folder {
    let folder = worktree.root.join(path.to_path());
    let place = place::find(&folder);
    if place.worktree.as_deref() != Some(&folder) {
        return Folder::Plain;
    }
    let head = head::read(&place, settings.environment(), PATIENCE);
    Folder::Repository(head.commit().and_then(|commit| commit.parse().ok()))
}
