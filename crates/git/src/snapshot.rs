//! A working tree as it is: the tree `git add -A && git write-tree` would give, and what that tree does not hold.

use std::collections::BTreeMap;

use crate::capture::{self, Capture, CaptureError, Captured, PathContent, Rules, Skip};
use crate::object::{EntryMode, Id, PathState, TreeLeaf};
use crate::path::RepoPath;
use crate::scan::{Dirt, Dirty, WorktreeScan};
use crate::settings::GitSettings;
use crate::shadow::Shadow;
use crate::stat_cache::StatCache;
use crate::worktree::GitWorktree;

/// What a snapshot is taken of, and by which rules.
pub struct SnapshotSources<'site> {
    /// Where the objects go.
    pub shadow: &'site Shadow,
    /// What is captured.
    pub worktree: &'site GitWorktree,
    /// How git stores its files.
    pub settings: &'site GitSettings,
    /// What may be captured.
    pub rules: &'site Rules,
    /// What differs from the commit checked out.
    pub scan: &'site WorktreeScan,
    /// What the checkpoint before has at a path, for what cannot be captured now.
    pub previous: &'site dyn Fn(&RepoPath) -> Option<TreeLeaf>,
    /// A moment before the scan, in milliseconds since 1970.
    pub now_ms: i64,
}

/// A working tree at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// The tree of its files, with the id git would give it.
    pub files: Id,
    /// The paths that differ from the commit checked out, as far as they were captured.
    pub states: BTreeMap<RepoPath, PathState>,
    /// The bytes of files whose stored form is another.
    pub raw: BTreeMap<RepoPath, Id>,
    /// What is staged and neither in the commit nor in the working tree.
    pub staged: BTreeMap<RepoPath, TreeLeaf>,
    /// What was not captured; `files` has what it had before.
    pub skipped: Vec<(RepoPath, Skip)>,
    /// What changed while it was read.
    pub moving: Vec<RepoPath>,
    /// What an external filter or an encoding refused, and why.
    pub filter_failed: Vec<(RepoPath, String)>,
}

impl Snapshot {
    /// Captures every path that differs, and lays it over the commit's tree.
    pub fn take(sources: &SnapshotSources<'_>, cache: &mut StatCache) -> Result<Self, CaptureError> {
        let head = sources.scan.head;
        let tree = head.map(|commit| sources.shadow.tree_of(commit)).transpose()?;
        let mut draft = SnapshotDraft::new(sources, tree, cache)?;
        for (path, dirty) in &sources.scan.dirty {
            draft.add(path, dirty)?;
        }
        let (changes, parts) = draft.finish();
        cache.retain(|path| sources.scan.dirty.contains_key(path));
        Ok(Self {
            files: sources.shadow.edit(tree, tree, &changes)?,
            states: parts.states,
            raw: parts.raw,
            staged: parts.staged,
            skipped: parts.skipped,
            moving: parts.moving,
            filter_failed: parts.filter_failed,
        })
    }
}

impl Snapshot {
    /// The paths that differ from the commit checked out, captured or not.
    pub fn paths(&self) -> impl Iterator<Item = &RepoPath> {
        self.states
            .keys()
            .chain(self.skipped.iter().map(|(path, _)| path))
    }
}

/// A snapshot in the making.
struct SnapshotDraft<'site> {
    sources: &'site SnapshotSources<'site>,
    capture: Capture<'site>,
    changes: BTreeMap<RepoPath, Option<TreeLeaf>>,
    parts: SnapshotParts,
}

/// What a snapshot holds beside its tree.
#[derive(Default)]
struct SnapshotParts {
    states: BTreeMap<RepoPath, PathState>,
    raw: BTreeMap<RepoPath, Id>,
    staged: BTreeMap<RepoPath, TreeLeaf>,
    skipped: Vec<(RepoPath, Skip)>,
    moving: Vec<RepoPath>,
    filter_failed: Vec<(RepoPath, String)>,
}

impl<'site> SnapshotDraft<'site> {
    fn new(
        sources: &'site SnapshotSources<'site>,
        tree: Option<Id>,
        cache: &'site mut StatCache,
    ) -> Result<Self, CaptureError> {
        let SnapshotSources {
            shadow,
            worktree,
            settings,
            rules,
            ..
        } = *sources;
        let mut capture = Capture::new(shadow, worktree, settings, rules)?.with_memory(cache, sources.now_ms);
        if let Some(tree) = tree.filter(|_| settings.sparse_checkout) {
            capture = capture.with_attributes_from(move |path| {
                let is_dirty = sources.scan.dirty.contains_key(path);
                shadow.entry(tree, path).ok()?.filter(|_| !is_dirty)
            });
        }
        Ok(Self {
            sources,
            capture,
            changes: BTreeMap::new(),
            parts: SnapshotParts::default(),
        })
    }

    fn finish(self) -> (BTreeMap<RepoPath, Option<TreeLeaf>>, SnapshotParts) {
        (self.changes, self.parts)
    }

    fn add(&mut self, path: &RepoPath, dirty: &Dirty) -> Result<(), CaptureError> {
        let state = match self.capture.take(path, dirty.index)? {
            Captured::Is(seen) => self.seen(path, dirty, seen)?,
            // Its folder became a link: nothing that git could keep is there any more.
            Captured::Skipped(Skip::ThroughLink) => {
                self.put(path, None);
                self.parts.states.insert(path.clone(), PathState::Absent);
                Some(PathState::Absent)
            }
            Captured::Skipped(skip) => {
                self.skip(path, dirty, skip);
                None
            }
        };
        self.stage(path, dirty, state)
    }

    fn seen(
        &mut self,
        path: &RepoPath,
        dirty: &Dirty,
        seen: PathContent,
    ) -> Result<Option<PathState>, CaptureError> {
        let mut state = seen.state;
        if let (PathState::Absent, true, Some(index)) = (state, dirty.is_as_staged, dirty.index) {
            // Left out of a sparse checkout: git takes what is staged for what is there.
            if !self.own(index)? {
                self.skip(path, dirty, Skip::BeyondTotal);
                return Ok(None);
            }
            state = PathState::plain(index);
        }
        if let Some(reason) = seen.filter_failed {
            state = self.with_old_form(path, state);
            self.parts.filter_failed.push((path.clone(), reason));
        }
        if let PathState::Present { raw: Some(raw), .. } = state {
            self.parts.raw.insert(path.clone(), raw);
        }
        if seen.moving {
            self.parts.moving.push(path.clone());
        }
        self.put(path, state.entry());
        self.parts.states.insert(path.clone(), state);
        Ok(Some(state))
    }

    /// Where the stored form cannot be had, the one of the checkpoint before goes on.
    fn with_old_form(&self, path: &RepoPath, state: PathState) -> PathState {
        match (state, (self.sources.previous)(path)) {
            (
                PathState::Present {
                    entry,
                    raw: Some(raw),
                },
                Some(old),
            ) if capture::mode_fits(entry.mode, old.mode) => PathState::Present {
                entry: TreeLeaf {
                    mode: entry.mode,
                    id: old.id,
                },
                raw: Some(raw),
            },
            (state, _) => state,
        }
    }

    fn skip(&mut self, path: &RepoPath, dirty: &Dirty, skip: Skip) {
        let old = match skip {
            // Nothing that git could keep is there any more.
            Skip::NestedRepository => None,
            Skip::TooLarge { .. }
            | Skip::BeyondTotal
            | Skip::Special(_)
            | Skip::Unreadable(_)
            | Skip::Excluded
            | Skip::ThroughLink => (self.sources.previous)(path).or(dirty.head),
        };
        self.put(path, old);
        self.parts.skipped.push((path.clone(), skip));
    }

    /// A file that became a folder between two captures: what was seen last is there.
    fn put(&mut self, path: &RepoPath, entry: Option<TreeLeaf>) {
        let mut above = path.parent().filter(|_| entry.is_some());
        while let Some(folder) = above {
            if let Some(file @ Some(_)) = self.changes.get_mut(&folder) {
                *file = None;
                self.parts.raw.remove(&folder);
                self.parts.states.insert(folder.clone(), PathState::Absent);
                self.parts.moving.push(folder.clone());
            }
            above = folder.parent();
        }
        self.changes.insert(path.clone(), entry);
    }

    fn stage(
        &mut self,
        path: &RepoPath,
        dirty: &Dirty,
        state: Option<PathState>,
    ) -> Result<(), CaptureError> {
        let staged = dirty.index.filter(|entry| {
            let is_in_worktree = state.and_then(|state| state.entry()) == Some(*entry);
            dirty.kind != Dirt::Unmerged && dirty.head != Some(*entry) && !is_in_worktree
        });
        if let Some(entry) = staged
            && self.own(entry)?
        {
            self.parts.staged.insert(path.clone(), entry);
        }
        Ok(())
    }

    /// Makes sure that an entry's content is in the shadow; a commit has none.
    fn own(&mut self, entry: TreeLeaf) -> Result<bool, CaptureError> {
        match entry.mode {
            EntryMode::Commit => Ok(true),
            EntryMode::File | EntryMode::Exec | EntryMode::Link => self.capture.copy(entry.id),
        }
    }
}

#[cfg(test)]
mod tests;
