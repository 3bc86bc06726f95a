//! Looks the whole worktree over: what is there now, as one tree.

use super::cutter::{CutError, Cutter};
use super::tip::Tip;
use crate::clock::{earliest, latest};
use engine::time::Timestamp;
use git::capture::Rules;
use git::object::Id;
use git::path::RepoPath;
use git::scan::{Dirt, Dirty, Ground, ScanError, WorktreeScan, scan};
use git::shadow::Shadow;
use git::snapshot::{Snapshot, SnapshotSources};
use std::thread;
use std::time::{Duration, Instant};

/// What a look found.
pub struct ScanResult {
    /// The commit checked out.
    pub head: Option<Id>,
    /// The branch, if one is.
    pub branch: Option<String>,
    /// The tree of the commit checked out.
    pub base: Option<Id>,
    /// How many tracked files differ, and how many files git does not know.
    pub dirty: (u64, u64),
    /// Every path that differs.
    pub snapshot: Snapshot,
    /// When it began.
    pub began: Timestamp,
    /// The same as files are dated.
    pub looked: i64,
    /// When all was read, as files are dated.
    pub ended: i64,
    /// How long it took.
    pub took: Duration,
}

impl Cutter<'_> {
    /// Looks the worktree over. `before` is what is known of it; `meanwhile` is done while git looks.
    pub(super) fn look(
        &self,
        (shadow, before): (&Shadow, &Tip),
        rules: &Rules,
        meanwhile: Option<&mut dyn FnMut()>,
    ) -> Result<ScanResult, CutError> {
        let (began, looked, clock) = (self.now(), earliest(), Instant::now());
        let mut found = match meanwhile {
            Some(meanwhile) => self.scan_while(meanwhile)?,
            None => self.scan()?,
        };
        let base = found.head.map(|head| shadow.tree_of(head)).transpose()?;
        let is_untracked = |dirty: &&Dirty| matches!(dirty.kind, Dirt::Untracked | Dirt::Nested);
        let untracked = found.dirty.values().filter(is_untracked).count();
        let tracked = found.dirty.len() - untracked;
        self.keep_covered((shadow, before), base, &mut found)?;
        let settings = self.site.settings()?;
        let files = before.layout.map(|layout| layout.files);
        let previous = |path: &RepoPath| files.and_then(|tree| shadow.entry(tree, path).ok().flatten());
        let sources = SnapshotSources {
            shadow,
            worktree: &self.site.worktree,
            settings: &settings,
            rules,
            scan: &found,
            previous: &previous,
            now_ms: began.0,
        };
        let snapshot = Snapshot::take(&sources, &mut self.site.stats())?;
        Ok(ScanResult {
            head: found.head,
            branch: found
                .branch
                .map(|name| String::from_utf8_lossy(&name).into_owned()),
            base,
            dirty: (
                u64::try_from(tracked).unwrap_or(0),
                u64::try_from(untracked).unwrap_or(0),
            ),
            snapshot,
            began,
            looked,
            ended: latest(),
            took: clock.elapsed(),
        })
    }

    fn scan_while(&self, meanwhile: &mut dyn FnMut()) -> Result<WorktreeScan, ScanError> {
        thread::scope(|scope| {
            let looking = thread::Builder::new().name("look".to_owned());
            let looking = looking.spawn_scoped(scope, || self.scan());
            meanwhile();
            match looking.map(thread::ScopedJoinHandle::join) {
                Ok(Ok(found)) => found,
                Ok(Err(panic)) => std::panic::resume_unwind(panic),
                // Without another thread it takes longer, and that is all.
                Err(_) => self.scan(),
            }
        })
    }

    /// Looks once and keeps nothing, so that the next look finds the system prepared.
    pub(super) fn warm(&self) -> Result<(), CutError> {
        self.scan()?;
        Ok(())
    }

    pub(super) fn scan(&self) -> Result<WorktreeScan, ScanError> {
        let ground = if self.site.worktree.is_in_git() {
            Ground::Repository
        } else {
            Ground::Folder {
                shadow: &self.site.site().shadow,
                max_files: usize::try_from(self.settings.max_files_without_git).unwrap_or(usize::MAX),
            }
        };
        scan(&self.site.worktree, &self.site.git(), ground, self.limit)
    }
}
