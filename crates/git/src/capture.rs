//! Captures what is at one path: its stored form as `git add` would make it, its bytes where they differ, or why not.
//!
//! No link is followed on the way, nothing special is opened, and a file is read only up to the limit. Conversions of
//! git's own are always made; a command of the settings is run only for a file that is tracked already.

mod attributes;
mod conversion;
mod driver;
mod encoding;
mod reading;
mod repository;
mod rules;
mod tracked;

use std::io;

pub(crate) use conversion::Conversion;
pub use rules::{Exclude, GlobFault, Rules, Skip};
use tracked::Tracked;

use crate::nofollow::{BelowFault, NameInFolder, OpenFolder};
use crate::object::{EntryMode, Id, PathState, TreeLeaf};
use crate::path::RepoPath;
use crate::run::Limits;
use crate::settings::GitSettings;
use crate::shadow::{Shadow, ShadowError};
use crate::stat::{FileKind, Stat};
use crate::stat_cache::StatCache;
use crate::worktree::GitWorktree;
use attributes::{Attributes, Stored};
use reading::{FileBytes, ReadFailure};
use repository::Folder;

/// Captures paths of one working tree, for one checkpoint.
pub struct Capture<'site> {
    shadow: &'site Shadow,
    worktree: &'site GitWorktree,
    settings: &'site GitSettings,
    rules: &'site Rules,
    below: OpenFolder,
    attributes: Attributes,
    stored: Box<Stored<'site>>,
    held: Box<HeldContent<'site>>,
    memory: Option<CaptureCache<'site>>,
    keeps: bool,
    /// Bytes added to the shadow so far.
    added: u64,
}

/// Says whether a content is kept at a path already, so that it need not be copied.
type HeldContent<'site> = dyn Fn(&RepoPath, Id) -> bool + 'site;

/// What was captured before, and the moment this capture began.
struct CaptureCache<'site> {
    cache: &'site mut StatCache,
    began_at: i128,
}

/// What became of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Captured {
    /// It is this, and all objects it needs are in the shadow.
    Is(PathContent),
    /// It was not captured.
    Skipped(Skip),
}

/// What is at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathContent {
    /// What it is.
    pub state: PathState,
    /// It changed while it was read, twice; the state is what was read last.
    pub moving: bool,
    /// The file as the system describes it; none where nothing is, or a repository.
    pub stat: Option<Stat>,
    /// Its bytes in the working tree.
    pub size: u64,
    /// Why its stored form is not what git would store: the old entry, or for a new file the bytes as they are.
    pub filter_failed: Option<String>,
}

impl PathContent {
    fn of(state: PathState) -> Self {
        Self {
            state,
            moving: false,
            stat: None,
            size: 0,
            filter_failed: None,
        }
    }
}

/// Why nothing can be captured at all.
#[derive(Debug, thiserror::Error)]
pub enum CaptureError {
    /// The working tree cannot be opened.
    #[error("the working tree cannot be opened")]
    Worktree(#[source] io::Error),
    /// The shadow cannot be written.
    #[error(transparent)]
    Shadow(#[from] ShadowError),
}

impl<'site> Capture<'site> {
    /// Begins to capture for one checkpoint.
    pub fn new(
        shadow: &'site Shadow,
        worktree: &'site GitWorktree,
        settings: &'site GitSettings,
        rules: &'site Rules,
    ) -> Result<Self, CaptureError> {
        Ok(Self {
            shadow,
            worktree,
            settings,
            rules,
            below: OpenFolder::open_root(&worktree.root).map_err(CaptureError::Worktree)?,
            attributes: Attributes::new(settings, worktree),
            stored: Box::new(|_| None),
            held: Box::new(|_, _| false),
            memory: None,
            keeps: true,
            added: 0,
        })
    }

    /// Attribute files that the working tree lacks, as in a sparse checkout, are taken from these entries.
    #[must_use]
    pub fn with_attributes_from(mut self, entry: impl Fn(&RepoPath) -> Option<TreeLeaf> + 'site) -> Self {
        let shadow = self.shadow;
        self.stored = Box::new(move |path| {
            let found =
                entry(path).filter(|found| matches!(found.mode, EntryMode::File | EntryMode::Exec))?;
            shadow.blob(found.id, attributes::LIMIT).ok()
        });
        self
    }

    /// Nothing is written: the states are told, and no object is kept.
    #[must_use]
    pub fn without_keeping(mut self) -> Self {
        self.keeps = false;
        self
    }

    /// Content that is kept at its path already is not copied. Whoever uses what was captured sees to it that it stays.
    #[must_use]
    pub fn with_held(mut self, held: impl Fn(&RepoPath, Id) -> bool + 'site) -> Self {
        self.held = Box::new(held);
        self
    }

    /// Files that have not changed since they were captured are not read again.
    #[must_use]
    pub fn with_memory(mut self, cache: &'site mut StatCache, now_ms: i64) -> Self {
        self.memory = Some(CaptureCache {
            cache,
            began_at: i128::from(now_ms) * 1_000_000,
        });
        self
    }

    /// Whether a checkout may give the file at a path other bytes than its stored form.
    pub fn is_converted(&mut self, path: &RepoPath) -> bool {
        let words = self.attributes.of(path, &self.below, &*self.stored);
        Conversion::of(&words, self.settings).alters_a_checkout(self.settings)
    }

    /// What is at a path now. `tracked` is what the index has there.
    pub fn take(&mut self, path: &RepoPath, tracked: Option<TreeLeaf>) -> Result<Captured, CaptureError> {
        self.take_tracked(path, &Tracked::known(tracked))
    }

    /// The same where the index is asked only if the answer matters: for most files it does not.
    pub fn take_asking(
        &mut self,
        path: &RepoPath,
        index: &dyn Fn(&RepoPath) -> Option<TreeLeaf>,
    ) -> Result<Captured, CaptureError> {
        self.take_tracked(path, &Tracked::asked(&|| index(path)))
    }

    fn take_tracked(&mut self, path: &RepoPath, tracked: &Tracked<'_>) -> Result<Captured, CaptureError> {
        if self.worktree.hides(path) || self.rules.exclude.has(path) {
            return Ok(Captured::Skipped(Skip::Excluded));
        }
        let found = self.below.spot(path);
        let found = found.and_then(|spot| spot.metadata().map(|stat| (spot, stat)));
        let (spot, stat) = match found {
            Ok(found) => found,
            Err(fault) => return Ok(unreached(&fault, tracked)),
        };
        match stat.kind {
            FileKind::File => self.file(path, (&spot, stat), tracked),
            FileKind::Link => self.link(path, (&spot, stat), tracked),
            FileKind::Folder => Ok(self.folder(path, tracked)),
            FileKind::Special(kind) => Ok(Captured::Skipped(Skip::Special(kind))),
        }
    }

    fn link(
        &mut self,
        path: &RepoPath,
        (spot, stat): (&NameInFolder<'_>, Stat),
        tracked: &Tracked<'_>,
    ) -> Result<Captured, CaptureError> {
        let target = match spot.read_link() {
            Ok(target) => target,
            Err(fault) => return Ok(unreached(&fault, tracked)),
        };
        let Some(id) = self.keep(path, &target)? else {
            return Ok(Captured::Skipped(Skip::BeyondTotal));
        };
        Ok(Captured::Is(PathContent {
            stat: Some(stat),
            size: length(&target),
            ..PathContent::of(PathState::plain(TreeLeaf {
                mode: EntryMode::Link,
                id,
            }))
        }))
    }

    /// A folder is no content of its own, unless it is a repository.
    fn folder(&self, path: &RepoPath, tracked: &Tracked<'_>) -> Captured {
        match repository::look(self.worktree, self.settings, path) {
            Folder::Repository(Some(id)) => Captured::Is(PathContent::of(PathState::plain(TreeLeaf {
                mode: EntryMode::Commit,
                id,
            }))),
            Folder::Repository(None) => Captured::Skipped(Skip::NestedRepository),
            // A submodule that is not checked out is what it was.
            Folder::Plain => {
                let submodule = tracked.get().filter(|entry| entry.mode == EntryMode::Commit);
                Captured::Is(PathContent::of(
                    submodule.map_or(PathState::Absent, PathState::plain),
                ))
            }
        }
    }

    fn file(
        &mut self,
        path: &RepoPath,
        (spot, stat): (&NameInFolder<'_>, Stat),
        tracked: &Tracked<'_>,
    ) -> Result<Captured, CaptureError> {
        let words = self.attributes.of(path, &self.below, &*self.stored);
        let conversion = Conversion::of(&words, self.settings);
        if let Some(state) = self.remembered(path, &stat, tracked, &conversion) {
            return Ok(Captured::Is(PathContent {
                stat: Some(stat),
                size: stat.size,
                ..PathContent::of(state)
            }));
        }
        let reading = match reading::read(spot, self.rules.max_file, &mut || {}) {
            Ok(reading) => reading,
            Err(ReadFailure::TooLarge(size)) => {
                let limit = self.rules.max_file;
                return Ok(Captured::Skipped(Skip::TooLarge { size, limit }));
            }
            Err(ReadFailure::Fault(fault)) => return Ok(unreached(&fault, tracked)),
        };
        let Some((state, filter_failed)) = self.state(path, &reading, tracked, &conversion)? else {
            return Ok(Captured::Skipped(Skip::BeyondTotal));
        };
        if let Some(memory) = &mut self.memory
            && !reading.moving
            && filter_failed.is_none()
        {
            let seen = (state, memory.began_at);
            memory
                .cache
                .remember(path, reading.stat, tracked.get(), conversion, seen);
        }
        Ok(Captured::Is(PathContent {
            state,
            moving: reading.moving,
            stat: Some(reading.stat),
            size: length(&reading.bytes),
            filter_failed,
        }))
    }

    /// What a file was when it was last read, if that is still true and still kept.
    fn remembered(
        &self,
        path: &RepoPath,
        stat: &Stat,
        tracked: &Tracked<'_>,
        conversion: &Conversion,
    ) -> Option<PathState> {
        let memory = self.memory.as_ref()?;
        let state = memory.cache.state(path, stat, tracked.get(), conversion)?;
        let PathState::Present { entry, raw } = state else {
            return None;
        };
        (self.shadow.owns(entry.id) && raw.is_none_or(|raw| self.shadow.owns(raw))).then_some(state)
    }

    /// The state of a file with these bytes; nothing if the checkpoint has no room for it.
    fn state(
        &mut self,
        path: &RepoPath,
        reading: &FileBytes,
        tracked: &Tracked<'_>,
        conversion: &Conversion,
    ) -> Result<Option<(PathState, Option<String>)>, CaptureError> {
        let mode = self.mode(&reading.stat, tracked);
        let stored = self.stored_form(path, &reading.bytes, tracked, conversion);
        let Some(bytes) = self.keep(path, &reading.bytes)? else {
            return Ok(None);
        };
        let (id, raw, failed) = match stored {
            Ok(None) => (bytes, None, None),
            Ok(Some(stored)) => match self.keep(path, &stored)? {
                Some(id) => (id, Some(bytes), None),
                None => return Ok(None),
            },
            Err(reason) => match tracked.get().filter(|old| mode_fits(mode, old.mode)) {
                Some(old) => (old.id, Some(bytes), Some(reason)),
                None => (bytes, None, Some(reason)),
            },
        };
        let state = PathState::Present {
            entry: TreeLeaf { mode, id },
            raw,
        };
        Ok(Some((state, failed)))
    }

    /// What git would store, or nothing if it is these bytes; or why that cannot be said.
    fn stored_form(
        &self,
        path: &RepoPath,
        bytes: &[u8],
        tracked: &Tracked<'_>,
        conversion: &Conversion,
    ) -> Result<Option<Vec<u8>>, String> {
        let mut cleaned = None;
        if let Some((name, driver)) = &conversion.driver {
            let name = String::from_utf8_lossy(name);
            if tracked.get().is_none() {
                return Err(format!("the filter `{name}` is run for tracked files only"));
            }
            let limits = Limits {
                time: driver::PATIENCE,
                bytes: usize::try_from(self.rules.max_file).unwrap_or(usize::MAX),
            };
            let made = driver::clean(&self.settings.git, driver, path, bytes, limits);
            cleaned = Some(made.map_err(|reason| format!("the filter `{name}`: {reason}"))?);
        }
        let limit = self.rules.max_file;
        let mut in_index = || {
            let entry = tracked
                .get()
                .filter(|entry| matches!(entry.mode, EntryMode::File | EntryMode::Exec))?;
            self.shadow.blob(entry.id, limit).ok()
        };
        let stored = conversion.apply(cleaned.as_deref().unwrap_or(bytes), &mut in_index)?;
        Ok(stored.or(cleaned).filter(|stored| stored != bytes))
    }

    fn mode(&self, stat: &Stat, tracked: &Tracked<'_>) -> EntryMode {
        let is_told_by_the_file = self.settings.symlinks && self.settings.file_mode;
        let old = (!is_told_by_the_file).then(|| tracked.get()).flatten();
        match old.map(|entry| entry.mode) {
            Some(EntryMode::Link) if !self.settings.symlinks => EntryMode::Link,
            Some(mode @ (EntryMode::File | EntryMode::Exec)) if !self.settings.file_mode => mode,
            _ if self.settings.file_mode && stat.is_executable() => EntryMode::Exec,
            _ => EntryMode::File,
        }
    }

    /// Whether a path would be answered without reading it.
    #[cfg(test)]
    pub(crate) fn remembers(&mut self, path: &RepoPath, tracked: Option<TreeLeaf>) -> bool {
        let words = self.attributes.of(path, &self.below, &*self.stored);
        let conversion = Conversion::of(&words, self.settings);
        let stat = self.below.metadata(path).unwrap();
        self.remembered(path, &stat, &Tracked::known(tracked), &conversion)
            .is_some()
    }

    /// Copies a blob of the user's into the shadow, and says whether it could.
    pub(crate) fn copy(&mut self, id: Id) -> Result<bool, CaptureError> {
        if self.shadow.owns(id) {
            return Ok(true);
        }
        match self.shadow.blob(id, self.rules.max_file) {
            Ok(bytes) => Ok(self.keep_own(id, &bytes)?.is_some()),
            // A partial clone lacks it, or it is beyond what is captured: then the staged content is not kept.
            Err(_) => Ok(false),
        }
    }

    /// Sees to it that the content of a path is kept; nothing if the checkpoint has no room for it.
    fn keep(&mut self, path: &RepoPath, bytes: &[u8]) -> Result<Option<Id>, CaptureError> {
        let id = self.shadow.hash_blob(bytes)?;
        if (self.held)(path, id) {
            return Ok(Some(id));
        }
        self.keep_own(id, bytes)
    }

    /// Keeps these bytes in the shadow; nothing if the checkpoint has no room for them.
    fn keep_own(&mut self, id: Id, bytes: &[u8]) -> Result<Option<Id>, CaptureError> {
        if !self.keeps {
            return Ok(Some(id));
        }
        // An object that is ours already is made young again, so that it is not tidied away meanwhile.
        if self.shadow.renew(id) {
            return Ok(Some(id));
        }
        let added = self.added.saturating_add(length(bytes));
        if added > self.rules.max_total {
            return Ok(None);
        }
        self.added = added;
        self.shadow.add_blob(id, bytes)?;
        Ok(Some(id))
    }
}

/// Whether an old entry can go on under the mode of the file that is there now.
pub(crate) fn mode_fits(now: EntryMode, old: EntryMode) -> bool {
    matches!(
        (now, old),
        (
            EntryMode::File | EntryMode::Exec,
            EntryMode::File | EntryMode::Exec
        )
    ) || now == old
}

/// A tracked file whose folder became a link is gone, as git sees it.
fn unreached(fault: &BelowFault, tracked: &Tracked<'_>) -> Captured {
    let gone = Captured::Is(PathContent::of(PathState::Absent));
    match fault {
        BelowFault::Missing | BelowFault::NotAFolder => gone,
        BelowFault::ThroughLink if tracked.get().is_some() => gone,
        BelowFault::ThroughLink => Captured::Skipped(Skip::ThroughLink),
        BelowFault::NotAFile => Captured::Skipped(Skip::Unreadable("it became something else".to_owned())),
        BelowFault::Io(error) => Captured::Skipped(Skip::Unreadable(plain(error))),
    }
}

/// The system's words without its numbers.
fn plain(error: &io::Error) -> String {
    let text = error.kind().to_string();
    if text == "other error" || text == "uncategorized error" {
        error.to_string()
    } else {
        text
    }
}

fn length(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
