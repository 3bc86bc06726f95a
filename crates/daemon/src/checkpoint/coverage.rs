//! Files that come under looks, or are left out of them, because a rule that ignores them changed. That is no change of
//! the files: only what is gone was deleted, and only what was not there before was made.

use super::chain::Shelf;
use super::cutter::{CutBase, CutError, Cutter};
use super::tip::Tip;
use super::touching::{Claim, SeenState};
use engine::policy::guard::zone::is_made_again;
use engine::settings::{GuardSettings, Profile};
use engine::time::Timestamp;
use git::ignore::Former;
use git::nofollow::OpenFolder;
use git::object::{Id, PathState};
use git::path::RepoPath;
use git::scan::{Dirt, Dirty, WorktreeScan};
use git::shadow::{Shadow, ShadowError, ShadowLayout};
use git::stat::{FileKind, Stat};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::UNIX_EPOCH;
use store::StoreError;
use store::table::worktrees;

/// The system dates files by a clock that may be so many nanoseconds behind.
const TICK: i128 = 20_000_000;

/// The worktree's files by their names, whether git ignores them or not.
pub(super) struct CheckpointCoverage {
    /// Nothing where the worktree cannot be opened.
    below: Option<OpenFolder>,
    /// A moment before the last look began.
    looked: Option<Timestamp>,
    root: PathBuf,
    /// Rules that no checkpoint has: the repository's own, which are not part of it.
    exclude: Option<PathBuf>,
    former: RefCell<FormerRules>,
}

/// Rules that a checkpoint has and that changed since, of the folders that were asked about.
#[derive(Default)]
struct FormerRules {
    asked: BTreeSet<Option<RepoPath>>,
    rules: Former,
}

/// Longer rules are nobody's.
const LONGEST_RULES: u64 = 1024 * 1024;
const RULES: &str = ".gitignore";

/// Which way a path went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shift {
    /// It was there before, and is covered now.
    In,
    /// It is still there, and covered no longer.
    Out,
}

impl CheckpointCoverage {
    pub fn of(cutter: &Cutter<'_>) -> Result<Self, StoreError> {
        let looked = cutter.read(|db| worktrees::scanned_event_at(db, cutter.worktree))?;
        let worktree = &cutter.site.worktree;
        Ok(Self {
            below: OpenFolder::open_root(&worktree.root).ok(),
            looked,
            root: worktree.root.clone(),
            exclude: worktree
                .common_dir
                .as_ref()
                .map(|common| common.join("info/exclude")),
            former: RefCell::default(),
        })
    }

    /// Whether a path that no call named differs from the tip only because looks cover something else than before.
    pub fn shift(
        &self,
        ground: &CutBase<'_>,
        path: &RepoPath,
        (before, now): (PathState, PathState),
    ) -> Result<Option<Shift>, ShadowError> {
        Ok(match (before, now) {
            (PathState::Present { .. }, PathState::Absent) if self.stands(path) => Some(Shift::Out),
            (PathState::Absent, PathState::Present { .. })
                if ground.tip.row.is_some() && self.was_uncovered(ground.shadow, &ground.tip, path)? =>
            {
                Some(Shift::In)
            }
            _ => None,
        })
    }

    /// Whether a path that was not there before was only not covered before, though a call lists it: the list is made
    /// of what git does not ignore, before and after.
    pub fn is_no_news(
        &self,
        ground: &CutBase<'_>,
        news: &SeenState,
        before: PathState,
    ) -> Result<bool, ShadowError> {
        if news.shelf == Shelf::Ignored || matches!(news.claim, Claim::By(_)) {
            return Ok(false);
        }
        Ok(self.shift(ground, &news.path, (before, news.state))? == Some(Shift::In))
    }

    /// Whether a file or a link is at a path.
    pub fn stands(&self, path: &RepoPath) -> bool {
        let found = self.stat(path);
        found.is_some_and(|found| matches!(found.kind, FileKind::File | FileKind::Link))
    }

    /// Whether a path that `tip` does not have is there only because no look covered it before: its rules ignored it
    /// then, or it was there by its dates. Whether a file that was ignored was there nobody can say, so it was not made.
    pub fn was_uncovered(&self, shadow: &Shadow, tip: &Tip, path: &RepoPath) -> Result<bool, ShadowError> {
        let files = tip.layout.as_ref().map(|layout| layout.files);
        Ok(self.was_ignored(shadow, files, path)?
            || self.was_there(shadow, tip, path)?
            || self.is_older_than_the_rules(path))
    }

    /// Whether a checkpoint does not have a path because its own rules, which are other ones now, ignored it: of one such
    /// nobody can say that it changed.
    pub fn was_hidden(
        &self,
        shadow: &Shadow,
        layout: &ShadowLayout,
        path: &RepoPath,
    ) -> Result<bool, ShadowError> {
        for tree in [Some(layout.files), layout.ignored].into_iter().flatten() {
            if shadow.entry(tree, path)?.is_some() {
                return Ok(false);
            }
        }
        self.was_ignored(shadow, Some(layout.files), path)
    }

    /// Whether rules that a tree has, and that are other ones now, ignored a path.
    fn was_ignored(&self, shadow: &Shadow, tree: Option<Id>, path: &RepoPath) -> Result<bool, ShadowError> {
        let Some(tree) = tree else {
            return Ok(false);
        };
        let mut former = self.former.borrow_mut();
        let mut folders: Vec<Option<RepoPath>> = std::iter::successors(path.parent(), RepoPath::parent)
            .map(Some)
            .collect();
        folders.push(None);
        for folder in folders.into_iter().rev() {
            if former.asked.contains(&folder) {
                continue;
            }
            if let Some(rules) = self.changed_rules(shadow, tree, folder.as_ref())? {
                former.rules.add(folder.as_ref(), &rules);
            }
            former.asked.insert(folder);
        }
        Ok(former.rules.ignored(path))
    }

    /// The rules of a folder in a tree, if others are there now.
    fn changed_rules(
        &self,
        shadow: &Shadow,
        tree: Id,
        folder: Option<&RepoPath>,
    ) -> Result<Option<Vec<u8>>, ShadowError> {
        let mut name = folder.map_or_else(Vec::new, |folder| [folder.as_bytes(), b"/"].concat());
        name.extend_from_slice(RULES.as_bytes());
        let Ok(path) = RepoPath::new(name) else {
            return Ok(None);
        };
        let Some(entry) = shadow.entry(tree, &path)? else {
            return Ok(None);
        };
        let is_same = match self.read(&path) {
            Some(now) => shadow.hash_blob(&now)? == entry.id,
            None => false,
        };
        if is_same {
            return Ok(None);
        }
        // Without their text nothing can be said of them.
        Ok(shadow.blob(entry.id, LONGEST_RULES).ok())
    }

    fn read(&self, path: &RepoPath) -> Option<Vec<u8>> {
        let found = self.stat(path)?;
        if found.kind != FileKind::File || found.size > LONGEST_RULES {
            return None;
        }
        fs_err::read(self.root.join(path.to_path())).ok()
    }

    /// Whether a file was made before the last look, and the rules that no checkpoint has changed since.
    fn is_older_than_the_rules(&self, path: &RepoPath) -> bool {
        let (Some(looked), Some(exclude)) = (self.looked, &self.exclude) else {
            return false;
        };
        let Ok(rules) = fs_err::symlink_metadata(exclude) else {
            return false;
        };
        let made = fs_err::symlink_metadata(self.root.join(path.to_path())).and_then(|found| found.created());
        let (Ok(changed), Ok(made)) = (rules.modified(), made) else {
            return false;
        };
        let millis = |time: std::time::SystemTime| {
            let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
            i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
        };
        millis(changed) >= looked.0 && millis(made) < looked.0
    }

    /// Whether what is at a path was there when the last look began, which `tip` does not have.
    ///
    /// A folder that was moved here brings old files along; it is itself new then.
    fn was_there(&self, shadow: &Shadow, tip: &Tip, path: &RepoPath) -> Result<bool, ShadowError> {
        let mut above = Some(path.clone());
        while let Some(place) = above {
            let is_known = place != *path
                && match tip.layout {
                    Some(layout) => shadow.has_below(layout.files, &place)?,
                    None => false,
                };
            if is_known {
                return Ok(true);
            }
            if !self.is_older(&place) {
                return Ok(false);
            }
            above = place.parent();
        }
        Ok(true)
    }

    fn is_older(&self, path: &RepoPath) -> bool {
        let (Some(looked), Some(found)) = (self.looked, self.stat(path)) else {
            return false;
        };
        found.changed + TICK < i128::from(looked.0) * 1_000_000
    }

    fn stat(&self, path: &RepoPath) -> Option<Stat> {
        self.below.as_ref()?.metadata(path).ok()
    }
}

impl Cutter<'_> {
    /// Adds to a scan what the tip has and git reports no longer, though it is there: it is ignored now, and kept all
    /// the same. What builds make again is let go.
    pub(super) fn keep_covered(
        &self,
        (shadow, tip): (&Shadow, &Tip),
        base: Option<Id>,
        scan: &mut WorktreeScan,
    ) -> Result<(), CutError> {
        let Some(layout) = tip.layout else { return Ok(()) };
        let mut missing = shadow.diff(base, Some(layout.files))?;
        missing.retain(|delta| delta.before.is_none() && !scan.dirty.contains_key(&delta.path));
        if missing.is_empty() {
            return Ok(());
        }
        let coverage = CheckpointCoverage::of(self)?;
        let regenerable = GuardSettings::of(Profile::Standard).regenerable;
        for path in missing.into_iter().map(|delta| delta.path) {
            if coverage.stands(&path) && !is_made_again(&path.to_string(), &regenerable) {
                let unknown = Dirty {
                    head: None,
                    index: None,
                    kind: Dirt::Untracked,
                    is_as_staged: false,
                };
                scan.dirty.insert(path, unknown);
            }
        }
        Ok(())
    }
}
