//! Looks at the files a call is about, before its transaction: which they are, and what they hold where that matters.

use super::content::{COARSENESS_MS, hash, stamp};
use super::locating::{Located, Surroundings, locate};
use crate::pipeline::PipelineContext;
use engine::id::{ActorKey, ToolUseId};
use engine::lease::{
    ContentIdentity, ContentStamp, FileChangeKind, FileTarget, LeaseAnswers, Means, Pattern, WantedFile,
    WantedOfCall, WrittenFiles,
};
use engine::settings::Settings;
use engine::time::Timestamp;
use git::path::RepoPath;
use git::place::Place;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// All looks of one event together. What comes later is unknown, and so is not stale.
pub(super) const PATIENCE: Duration = Duration::from_millis(100);
/// Files that are looked at for one call: more than are ever taken for one.
const MOST_FILES: usize = 501;
/// Looks at files that nobody holds, gone through for a command that may write or have written any.
const MOST_KNOWN: u64 = 500;
/// Worktrees whose volume is remembered.
const MOST_VOLUMES: usize = 256;
pub(super) const MEBIBYTE: u64 = 1024 * 1024;

/// What is known of volumes, by the root of a worktree.
#[derive(Debug, Default)]
pub struct Volumes(Mutex<HashMap<PathBuf, bool>>);

impl Volumes {
    fn folds_case(&self, root: &Path) -> bool {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(folds) = known.get(root) {
            return *folds;
        }
        let folds = git::target::look(root).is_some_and(|target| target.folds_case);
        if known.len() >= MOST_VOLUMES {
            known.clear();
        }
        known.insert(root.to_owned(), folds);
        folds
    }
}

impl Surroundings for PipelineContext {
    fn place_of(&self, folder: &Path) -> Arc<Place> {
        PipelineContext::place_of(self, folder)
    }

    fn folds_case(&self, root: &Path) -> bool {
        self.volumes.folds_case(root)
    }
}

/// Who looks, and from where.
#[derive(Clone, Copy)]
pub struct Looker<'a> {
    /// The actor.
    pub actor: &'a ActorKey,
    /// The call it is about.
    pub call: Option<&'a ToolUseId>,
    /// Where it stands.
    pub place: Option<&'a Arc<Place>>,
    /// The settings in force there.
    pub settings: &'a Settings,
}

impl PipelineContext {
    /// The files a call writes.
    pub(in crate::pipeline) fn look_at_files(
        &self,
        wanted: &WantedOfCall,
        looker: Looker<'_>,
        answers: &mut LeaseAnswers,
    ) {
        // Before the first look: whoever writes after it is found out.
        answers.looked = self.memory.newest_event();
        let until = Instant::now() + PATIENCE;
        for file in wanted.files.iter().take(MOST_FILES) {
            self.look_at(file, looker, until, answers);
        }
        if let (false, Some(place)) = (wanted.patterns.is_empty(), looker.place) {
            for file in self.fitting(wanted, place) {
                self.look_at(&file, looker, until, answers);
            }
        }
        answers
            .targets
            .sort_by(|one, two| (&one.root, &one.key).cmp(&(&two.root, &two.key)));
        answers.targets.dedup_by(|two, one| merged(one, two));
        if let Some(commit) = &wanted.commit {
            self.look_at_commit(commit, looker, answers);
        }
        if let Some(command) = &wanted.bulk {
            answers.bulk = Some(command.clone());
            answers.bulk_scopes.clone_from(&wanted.bulk_scopes);
            let there = wanted
                .bulk_at
                .as_deref()
                .map(|folder| PipelineContext::place_of(self, folder));
            answers.bulk_root = there
                .as_ref()
                .or(looker.place)
                .map(|place| crate::checkpoint::naming::root_of(place).to_owned());
        }
    }

    /// Says which of the files that a command writes git does not track. Asked of git once for each worktree.
    pub(in crate::pipeline) fn tell_untracked(&self, answers: &mut LeaseAnswers) {
        let by_git = |target: &&mut FileTarget| {
            let is_in_git = |root: &PathBuf| PipelineContext::place_of(self, root).worktree.is_some();
            target.means == Means::Shell && target.root.as_ref().is_some_and(is_in_git)
        };
        let mut asked: BTreeMap<PathBuf, Vec<RepoPath>> = BTreeMap::new();
        for target in answers.targets.iter_mut().filter(by_git) {
            target.untracked = true;
            if let (true, Some(root), Ok(path)) = (
                target.exists,
                &target.root,
                RepoPath::new(target.key.path.as_bytes()),
            ) {
                asked.entry(root.clone()).or_default().push(path);
            }
        }
        for (root, paths) in asked {
            let known = git::tracking::known_of(&root, &paths, &self.git, PATIENCE);
            for target in &mut answers.targets {
                let path = RepoPath::new(target.key.path.as_bytes()).ok();
                let is_known =
                    |known: &BTreeSet<RepoPath>| path.as_ref().is_some_and(|path| known.contains(path));
                if target.root.as_ref() == Some(&root) && target.means == Means::Shell {
                    target.tracked |= known.as_ref().is_some_and(is_known);
                    target.untracked &= known.is_some() && !target.tracked;
                }
            }
        }
    }

    /// The files a call wrote, and of those that somebody holds or knows the ones it may have written.
    pub(in crate::pipeline) fn look_at_left(
        &self,
        left: &WrittenFiles,
        looker: Looker<'_>,
        answers: &mut LeaseAnswers,
    ) {
        let mut files = left.files.clone();
        let began = looker.call.and_then(|call| self.memory.began(looker.actor, call));
        if let (true, Some(place)) = (left.watched, looker.place) {
            let watched = self.memory.watched(place, MOST_KNOWN).into_iter();
            files.files.extend(
                watched
                    .filter(|path| began.is_none_or(|began| moved_since(path, began)))
                    .map(|path| left.changed(path)),
            );
        }
        self.look_at_files(&files, looker, answers);
        for target in &mut answers.targets {
            let path = target
                .root
                .as_deref()
                .unwrap_or(Path::new("/"))
                .join(&target.key.path);
            target.moved = began.is_some_and(|began| moved_since(&path, began));
        }
    }

    /// Of the files that somebody holds or knows, those that patterns of the shell stand for.
    fn fitting(&self, wanted: &WantedOfCall, place: &Place) -> Vec<WantedFile> {
        let patterns: Vec<(Pattern, FileChangeKind)> = wanted
            .patterns
            .iter()
            .filter_map(|pattern| Some((pattern.inside("/")?, pattern.how)))
            .collect();
        let mut found = Vec::new();
        for path in self.memory.watched(place, MOST_KNOWN) {
            let inside = path.to_str().map(|path| path.trim_start_matches('/'));
            let fits = patterns
                .iter()
                .find(|(pattern, _)| inside.is_some_and(|inside| pattern.fits(inside)));
            found.extend(fits.map(|(_, how)| WantedFile::file(path.clone(), *how, Means::Shell)));
        }
        found
    }

    fn look_at(&self, file: &WantedFile, looker: Looker<'_>, until: Instant, answers: &mut LeaseAnswers) {
        let Some(located) = locate(&file.path, looker.place, self) else {
            let shown = engine::text::one_line(&file.path.to_string_lossy(), 120);
            return answers.unresolved.push(shown);
        };
        let is_folder = located.found.as_ref().is_some_and(std::fs::Metadata::is_dir);
        match (&file.into, is_folder) {
            (Some(name), true) => {
                let inside = WantedFile {
                    background: file.background,
                    incidental: file.incidental,
                    ..WantedFile::file(file.path.join(name), file.how, file.means)
                };
                self.look_at(&inside, looker, until, answers);
            }
            (_, true) => {
                if file.below {
                    answers.folders.push(self.target(located, file, looker, until));
                }
            }
            (_, false) => answers.targets.push(self.target(located, file, looker, until)),
        }
    }

    pub(super) fn target(
        &self,
        located: Located,
        file: &WantedFile,
        looker: Looker<'_>,
        until: Instant,
    ) -> FileTarget {
        let leasable = located.is_leasable();
        let root = located
            .place
            .as_deref()
            .map(|place| crate::checkpoint::naming::root_of(place).to_owned());
        let found = located.found.as_ref().filter(|found| found.is_file());
        let stamp = found.map(stamp);
        let content = match (found, stamp) {
            (Some(found), Some(now)) if leasable => self.known(&located, now, looker).unwrap_or_else(|| {
                let most = u64::from(looker.settings.stale_write.max_mib).saturating_mul(MEBIBYTE);
                hash(&located.real, found, most, until)
            }),
            _ => ContentIdentity::Nothing,
        };
        let shown = located.shown_from(looker.place);
        FileTarget {
            key: located.key,
            root,
            shown,
            how: file.how,
            means: file.means,
            folder: false,
            background: file.background,
            moved: false,
            incidental: file.incidental,
            untracked: false,
            tracked: false,
            exists: located.found.is_some(),
            leasable,
            stamp,
            content,
        }
    }

    /// What is in the file, if the actor certainly knows it: then nobody has to read it.
    fn known(&self, located: &Located, now: ContentStamp, looker: Looker<'_>) -> Option<ContentIdentity> {
        let seen = self
            .memory
            .seen(looker.actor, located.place.as_deref(), &located.key)?;
        let is_hashed = matches!(seen.content, ContentIdentity::Hash(_));
        (is_hashed && seen.still_is(&now)).then_some(seen.content)
    }
}

/// Whether a file may have changed since a call began, by what no program can set back. When a file went its folder tells.
fn moved_since(path: &Path, began: Timestamp) -> bool {
    let Some(found) = path.ancestors().find_map(|path| path.symlink_metadata().ok()) else {
        return true;
    };
    let changed = found
        .ctime()
        .saturating_mul(1000)
        .saturating_add(found.ctime_nsec() / 1_000_000);
    changed.saturating_add(COARSENESS_MS) >= began.0
}

/// Whether the second is the same file as the first; the harsher of both happens to it.
fn merged(one: &mut FileTarget, two: &FileTarget) -> bool {
    let is_same = one.root == two.root && one.key == two.key;
    if is_same && two.how != FileChangeKind::Change {
        one.how = two.how;
    }
    is_same
}
