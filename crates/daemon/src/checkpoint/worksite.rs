//! One worktree as checkpoints see it: its shadow, its gate, and what is remembered between two looks.

use super::gate::Gate;
use super::naming::root_of;
use engine::id::ActorId;
use git::index::{GitIndex, IndexStamp};
use git::object::TreeLeaf;
use git::path::RepoPath;
use git::place::Place;
use git::run::{Git, GitEnvironment, GitError};
use git::settings::GitSettings;
use git::shadow::{Shadow, ShadowError, ShadowFiles, ShadowSite, Track};
use git::stat_cache::StatCache;
use git::worktree::GitWorktree;
use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Git's settings are a file or three; longer than this and something is wrong.
const SETTINGS_TIME: Duration = Duration::from_secs(2);
/// Shadow repositories that are kept open for the next who needs one.
const SPARE: usize = 2;
/// More worktrees than anybody works in at once; beyond it, all are looked up again.
const MOST: usize = 256;

/// See the module.
pub struct WorktreeContext {
    /// The files.
    pub worktree: GitWorktree,
    /// Where they are.
    pub place: Arc<Place>,
    /// Holds calls back until what came before them was read.
    pub gate: Arc<Gate>,
    /// Its line of checkpoints.
    pub line: Track,
    site: ShadowSite,
    environment: GitEnvironment,
    spare: Mutex<OpenShadows>,
    stats: Mutex<StatCache>,
    settings: Mutex<Option<(GitSettingsStamps, Arc<GitSettings>)>>,
    unmerged: Mutex<Option<(IndexStamp, Arc<BTreeSet<RepoPath>>)>>,
    late: Mutex<Vec<String>>,
    sound: Mutex<Option<ShadowFiles>>,
    looked_in: Mutex<Option<SessionTurn>>,
}

/// A turn of a session.
type SessionTurn = (Option<ActorId>, Option<u64>);

/// What the index has, for one who may ask of many paths, or of none.
pub struct IndexLookup<'a> {
    site: &'a WorktreeContext,
    index: OnceCell<GitIndex>,
}

impl IndexLookup<'_> {
    /// What the index has at a path; nothing outside git, or where nobody can say.
    pub fn entry(&self, path: &RepoPath) -> Option<TreeLeaf> {
        let index = self.index.get_or_init(|| self.site.index());
        index.entry(path).ok().flatten()
    }
}

/// Shadows that are kept open, and the folder they were opened in.
#[derive(Default)]
struct OpenShadows {
    folder: Option<(u64, u64)>,
    open: Vec<Shadow>,
}

/// What changes when git's settings do.
type GitSettingsStamps = Vec<Option<(u64, i64, i64)>>;

impl WorktreeContext {
    /// The worksite at a place; none where there are no files to keep.
    pub fn at(
        place: &Arc<Place>,
        environment: &GitEnvironment,
        outside_git: &Path,
    ) -> Result<Option<Self>, ShadowError> {
        let Some(worktree) = GitWorktree::of(place) else {
            return Ok(None);
        };
        let site = ShadowSite::of(place, outside_git)?;
        // All that Toprope keeps is in the folder around it, which a repository of a whole home contains.
        let own = outside_git.parent().unwrap_or(outside_git);
        let own = fs_err::canonicalize(own).unwrap_or_else(|_| own.to_path_buf());
        let worktree = worktree.hiding(&own);
        Ok(Some(Self {
            line: Track::of(&worktree.name),
            worktree,
            place: Arc::clone(place),
            gate: Arc::default(),
            site,
            environment: environment.clone(),
            spare: Mutex::default(),
            stats: Mutex::default(),
            settings: Mutex::default(),
            unmerged: Mutex::default(),
            late: Mutex::default(),
            sound: Mutex::default(),
            looked_in: Mutex::default(),
        }))
    }

    /// Where the shadow is.
    pub fn site(&self) -> &ShadowSite {
        &self.site
    }

    /// Git, as it runs in this worktree.
    pub fn git(&self) -> Git {
        Git::new(&self.worktree.root, &self.environment)
    }

    /// The index, read when it is first asked.
    pub fn tracking(&self) -> IndexLookup<'_> {
        IndexLookup {
            site: self,
            index: OnceCell::new(),
        }
    }

    /// The paths of which the index has several versions, read again when the index changed.
    pub fn unmerged(&self) -> Result<Arc<BTreeSet<RepoPath>>, GitError> {
        let stamp = IndexStamp::of(&self.worktree);
        let mut known = self.unmerged.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((then, unmerged)) = &*known
            && *then == stamp
        {
            return Ok(Arc::clone(unmerged));
        }
        let unmerged = git::index::unmerged(&self.worktree, self.site.format, &self.git())?;
        let unmerged = Arc::new(unmerged);
        *known = Some((stamp, Arc::clone(&unmerged)));
        Ok(unmerged)
    }

    /// Every path that git knows; none outside git.
    pub(super) fn tracked(&self) -> Vec<RepoPath> {
        self.index().paths().map(Iterator::collect).unwrap_or_default()
    }

    fn index(&self) -> GitIndex {
        GitIndex::read(&self.worktree, self.site.format, &self.git())
    }

    /// What git needs to know of the person's environment.
    pub fn environment(&self) -> &GitEnvironment {
        &self.environment
    }

    /// The shadow, for as long as the guard lives; nothing if it was never made.
    pub fn shadow(&self) -> Result<Option<Borrowed<'_>>, ShadowError> {
        match self.spare() {
            Some(shadow) => Ok(Some(self.lend(shadow))),
            None => Ok(Shadow::open(&self.site)?.map(|shadow| self.lend(shadow))),
        }
    }

    /// The shadow, made if there is none.
    pub fn make_shadow(&self) -> Result<Borrowed<'_>, ShadowError> {
        match self.spare() {
            Some(shadow) => Ok(self.lend(shadow)),
            None => Shadow::make(&self.site).map(|shadow| self.lend(shadow)),
        }
    }

    /// Says whether the shadow can still be used, though it was opened before.
    pub fn verify(&self) -> Result<(), ShadowError> {
        let now = ShadowFiles::of(&self.site);
        let mut sound = self.sound.lock().unwrap_or_else(PoisonError::into_inner);
        if sound.as_ref() != Some(&now) {
            Shadow::verify(&self.site)?;
            *sound = Some(now);
        }
        Ok(())
    }

    /// Whether this is another turn than that of the last look.
    pub(super) fn is_first_look_of(&self, turn: SessionTurn) -> bool {
        let mut last = self.looked_in.lock().unwrap_or_else(PoisonError::into_inner);
        last.replace(turn) != Some(turn)
    }

    /// Takes a shadow that cannot be used out of the way, never to be deleted, and says where it is now.
    pub fn set_aside(&self, stamp: &str) -> Result<PathBuf, ShadowError> {
        self.lock_spare().open.clear();
        Shadow::set_aside(&self.site, stamp)
    }

    /// What is remembered of the paths that differ, for one who scans.
    pub fn stats(&self) -> MutexGuard<'_, StatCache> {
        self.stats.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Git's settings here, asked again when one of their files changed.
    pub fn settings(&self) -> Result<Arc<GitSettings>, GitError> {
        let stamps = self.stamps();
        let mut known = self.settings.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((then, settings)) = &*known
            && *then == stamps
        {
            return Ok(Arc::clone(settings));
        }
        let read = GitSettings::read(&self.git(), &self.worktree, &self.site.shadow, SETTINGS_TIME)?;
        let settings = Arc::new(read);
        *known = Some((stamps, Arc::clone(&settings)));
        Ok(settings)
    }

    /// Something was late: the next checkpoint says so.
    pub fn note_late(&self, what: String) {
        let mut late = self.late.lock().unwrap_or_else(PoisonError::into_inner);
        if !late.contains(&what) {
            late.push(what);
        }
    }

    /// What was late since the last checkpoint.
    pub fn take_late(&self) -> Vec<String> {
        std::mem::take(&mut *self.late.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn stamps(&self) -> GitSettingsStamps {
        let home = self.environment.home.as_ref().map(PathBuf::from);
        let files = [
            self.worktree
                .common_dir
                .as_ref()
                .map(|folder| folder.join("config")),
            self.worktree
                .git_dir
                .as_ref()
                .map(|folder| folder.join("config.worktree")),
            home.as_ref().map(|home| home.join(".gitconfig")),
            home.as_ref().map(|home| home.join(".config/git/config")),
            self.worktree
                .common_dir
                .as_ref()
                .map(|folder| folder.join("info/attributes")),
        ];
        files
            .into_iter()
            .map(|file| {
                let found = fs_err::metadata(file?).ok()?;
                Some((found.ino(), found.mtime(), found.mtime_nsec()))
            })
            .collect()
    }

    fn lend(&self, shadow: Shadow) -> Borrowed<'_> {
        Borrowed {
            site: self,
            shadow: Some(shadow),
        }
    }

    /// A shadow that is open, if the folder is still the one it was opened in.
    fn spare(&self) -> Option<Shadow> {
        let mut spare = self.lock_spare();
        let now = identity(&self.site.shadow);
        if now.is_none() || spare.folder != now {
            spare.open.clear();
            spare.folder = now;
        }
        spare.open.pop()
    }

    fn lock_spare(&self) -> MutexGuard<'_, OpenShadows> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What tells a folder from one that took its name.
fn identity(folder: &Path) -> Option<(u64, u64)> {
    let found = fs_err::metadata(folder).ok()?;
    Some((found.dev(), found.ino()))
}

/// A shadow in use; it is kept open for the next when this one is done.
pub struct Borrowed<'a> {
    site: &'a WorktreeContext,
    shadow: Option<Shadow>,
}

impl std::ops::Deref for Borrowed<'_> {
    type Target = Shadow;

    fn deref(&self) -> &Shadow {
        self.shadow
            .as_ref()
            .expect("taken out only when it is given back")
    }
}

impl Drop for Borrowed<'_> {
    fn drop(&mut self) {
        let mut spare = self.site.lock_spare();
        if spare.open.len() < SPARE {
            spare.open.extend(self.shadow.take());
        }
    }
}

/// Every worksite this process works at.
pub struct WorktreeContexts {
    environment: GitEnvironment,
    outside_git: PathBuf,
    known: Mutex<HashMap<PathBuf, Arc<WorktreeContext>>>,
}

impl WorktreeContexts {
    /// No worksite yet. Folders outside git have their shadows in `outside_git`.
    pub fn new(environment: GitEnvironment, outside_git: PathBuf) -> Self {
        Self {
            environment,
            outside_git,
            known: Mutex::default(),
        }
    }

    /// The worksite at a place; none where there are no files to keep.
    pub fn at(&self, place: &Arc<Place>) -> Result<Option<Arc<WorktreeContext>>, ShadowError> {
        let root = root_of(place);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(site) = known.get(root)
            && is_same(&site.place, place)
        {
            return Ok(Some(Arc::clone(site)));
        }
        let Some(site) = WorktreeContext::at(place, &self.environment, &self.outside_git)? else {
            return Ok(None);
        };
        let site = Arc::new(site);
        if known.len() >= MOST {
            known.clear();
        }
        known.insert(root.to_path_buf(), Arc::clone(&site));
        Ok(Some(site))
    }
}

/// Whether two places are one worktree. How each was found is another matter: a file in a folder that is still to be
/// made belongs to it too.
fn is_same(one: &Place, other: &Place) -> bool {
    let parts = |place: &Place| {
        (
            place.worktree.clone(),
            place.common_dir.clone(),
            place.git_dir.clone(),
        )
    };
    parts(one) == parts(other) && one.project == other.project
}

#[cfg(test)]
mod tests;
