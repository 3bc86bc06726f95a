//! Where a person stands: what was recorded at all, and the project of the folder they are in.

use crate::failure::{Failure, FailureKind};
use daemon::home::Home;
use engine::lease::wanted::absolute;
use git::place;
use std::path::{Path, PathBuf};
use std::time::Duration;
use store::table::projects::{self, Project};
use store::{Db, Store, StoreError};

/// How long a look into the database may wait for a writer.
const WAIT: Duration = Duration::from_secs(5);

/// The database; `None` as long as nothing was ever recorded.
pub fn store(home: &Home) -> Result<Option<Store>, Failure> {
    let path = home.database();
    match Store::open_existing(&path, WAIT) {
        Ok(store) => Ok(Some(store)),
        Err(StoreError::NotThere { .. }) => Ok(None),
        // A newer binary reads an older file only after bringing it up to date, which is what the next hook would do.
        Err(StoreError::TooOld { .. }) => Store::open(&path, WAIT).map(Some).map_err(unusable),
        Err(error) => Err(unusable(error)),
    }
}

/// The folder this process was started in.
pub fn folder() -> Result<PathBuf, Failure> {
    std::env::current_dir().map_err(|error| {
        Failure::new(
            FailureKind::Failed,
            anyhow::Error::new(error).context("the current folder is gone"),
        )
        .hint("cd")
    })
}

/// The file a word of a command means: seen from the current folder, else as messages name it, from the worktree's root.
pub fn file(word: &Path, folder: &Path) -> Option<PathBuf> {
    let near = absolute(word, Some(folder))?;
    let root = place::find(folder).worktree;
    let Some(far) = root.and_then(|root| absolute(word, Some(&root))) else {
        return Some(near);
    };
    // What is not there yet is meant where its folder is.
    let there = |path: &Path| path.symlink_metadata().is_ok();
    let begun = |path: &Path| path.parent().is_some_and(there);
    let is_far = !there(&near) && (there(&far) || !begun(&near) && begun(&far));
    Some(if is_far { far } else { near })
}

/// The project a folder belongs to; `None` if no agent was ever seen there.
pub fn project(db: &Db, folder: &Path) -> Result<Option<Project>, StoreError> {
    let found = place::find(folder).project;
    if let Some(known) = projects::by_key(db, &found.key)? {
        return Ok(Some(known));
    }
    if found.kind != place::PlaceKind::Folder {
        return Ok(None);
    }
    // Without git or a marker a project is the folder a session began in, which may be one further up.
    for above in found.root.ancestors().skip(1) {
        if let Some(known) = projects::by_key(db, above)? {
            return Ok(Some(known));
        }
    }
    Ok(None)
}

fn unusable(error: StoreError) -> Failure {
    let hint = match &error {
        StoreError::TooNew { .. } => Some("a newer toprope wrote it: upgrade this binary"),
        StoreError::Busy => Some("try again in a moment"),
        StoreError::Corrupt | StoreError::CannotOpen { .. } | StoreError::Io(_) => Some("toprope doctor"),
        StoreError::Full
        | StoreError::ReadOnly
        | StoreError::TooOld { .. }
        | StoreError::NotThere { .. }
        | StoreError::RolledBack
        | StoreError::Bug(_) => None,
    };
    let failure = Failure::new(FailureKind::Failed, error);
    match hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}
