//! The versions of one file that checkpoints hold, and the one to put back: it exists, and is not what is there.

use super::path::told;
use crate::command::checkpoint::place::worksite;
use crate::failure::Failure;
use ::daemon::checkpoint::states::from_row;
use ::daemon::checkpoint::worksite::WorktreeContext;
use ::daemon::environment::Environment;
use ::daemon::home::Home;
use engine::id::{CheckpointId, WorktreeId};
use git::capture::{Capture, Captured, Exclude, Rules};
use git::object::PathState;
use git::path::RepoPath;
use git::shadow::Shadow;
use std::path::Path;
use store::Db;
use store::table::checkpoint_files::FileRow;
use store::table::checkpoints;

/// Versions that are shown.
const SHOWN: usize = 3;

/// A version of a file.
pub struct Version {
    /// A checkpoint that holds it.
    pub checkpoint: CheckpointId,
    state: PathState,
    text: String,
}

/// Every version there is, newest first.
pub struct Versions(Vec<Version>);

impl Versions {
    /// What the changes of a file leave behind, oldest change first: each but for deletions, and what was there before
    /// the first.
    pub fn of(db: &Db, worktree: WorktreeId, rows: &[FileRow]) -> Result<Self, Failure> {
        let mut versions = Vec::new();
        for row in rows.iter().rev() {
            if let Some(state @ PathState::Present { .. }) = from_row(row.file.after.as_ref())
                && row.file.skip_reason.is_none()
            {
                versions.push(Version {
                    checkpoint: row.checkpoint.clone(),
                    state,
                    text: format!("{} {}", row.file.change.as_str(), told(db, row)?),
                });
            }
        }
        if let Some(first) = rows.first()
            && let Some(state @ PathState::Present { .. }) = from_row(first.file.before.as_ref())
            && let Some(before) = checkpoints::before(db, worktree, first.seq)?
        {
            versions.push(Version {
                checkpoint: before.id,
                state,
                text: "as it was before".to_owned(),
            });
        }
        Ok(Self(versions))
    }

    /// Of a file that nobody looks after.
    pub fn none() -> Self {
        Self(Vec::new())
    }

    /// How many there are, and how many of them are shown.
    pub fn title(&self) -> String {
        match self.0.len() {
            count if count > SHOWN => format!("versions kept: {count}, the newest {SHOWN} are"),
            count => format!("versions kept: {count}"),
        }
    }

    /// A line for each that is shown.
    pub fn lines(&self) -> Vec<String> {
        let shown = self.0.iter().take(SHOWN);
        shown
            .map(|version| format!("{}  {}", version.checkpoint, version.text))
            .collect()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The newest that has its content and is not what is at the path now. Nothing where that cannot be known.
    pub fn other_than_now(&self, environment: &Environment, root: &Path, path: &Path) -> Option<&Version> {
        use std::os::unix::ffi::OsStrExt;
        let path = RepoPath::new(path.as_os_str().as_bytes()).ok()?;
        let (_world, site) = worksite(environment, Home::of(environment), root).ok()?;
        let shadow = site.shadow().ok()??;
        let now = now(&site, &shadow, &path)?;
        self.0.iter().find(|version| {
            let has_content = version.state.bytes().is_some_and(|id| shadow.has_blob(id));
            has_content && !is_same(version.state, now)
        })
    }
}

/// What is at a path now; nothing of it is kept.
fn now(site: &WorktreeContext, shadow: &Shadow, path: &RepoPath) -> Option<PathState> {
    let settings = site.settings().ok()?;
    let rules = Rules {
        max_file: u64::MAX,
        max_total: u64::MAX,
        exclude: Exclude::new::<&str>(&[]).0,
    };
    let mut capture = Capture::new(shadow, &site.worktree, &settings, &rules)
        .ok()?
        .without_keeping();
    let tracking = site.tracking();
    match capture.take_asking(path, &|path| tracking.entry(path)).ok()? {
        Captured::Is(seen) => Some(seen.state),
        Captured::Skipped(_) => None,
    }
}

/// Whether a version is what is there: by its bytes, or where only the form git stores is known, by that.
fn is_same(version: PathState, now: PathState) -> bool {
    let mode = |state: PathState| state.entry().map(|entry| entry.mode);
    let stored = |state: PathState| state.entry().map(|entry| entry.id);
    let is_stored_form = matches!(version, PathState::Present { raw: None, .. });
    mode(version) == mode(now)
        && (version.bytes() == now.bytes() || is_stored_form && stored(version) == stored(now))
}
