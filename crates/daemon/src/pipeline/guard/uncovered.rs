//! What a checkpoint taken now would pass over of what a command takes away. Asked where a command is about to be held, so
//! that no retry is announced that would be refused.

use super::WorldWitness;
use crate::checkpoint::endangered::fixed;
use crate::checkpoint::naming::root_of;
use engine::policy::guard::facts::{LossFact, LossOf};
use engine::policy::guard::zone::is_made_again;
use git::capture::{Exclude, Skip};
use git::content::is_as_in;
use git::object::TreeLeaf;
use git::path::RepoPath;
use git::run::Git;
use git::size::{Caps, measure};
use git::tracking::{changed_of, committed_of, ignored_below};
use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const MEGABYTE: u64 = 1024 * 1024;
/// For one look; what is not seen by then is looked at when the checkpoint is taken.
const LOOK: Duration = Duration::from_millis(500);
/// So many files too large to keep say enough.
const MOST_PASSED: usize = 64;
/// So many files are compared with those of the last commit, and no more than so many bytes.
const MOST_COMPARED: usize = 2000;
const MOST_BYTES: u64 = 64 * MEGABYTE;

/// What a command takes away, by absolute path.
pub(super) struct Targets<'a> {
    /// Everything there.
    pub files: &'a [String],
    /// Changes of files git knows.
    pub changes: &'a [String],
    /// What git does not know.
    pub untracked: &'a [String],
    /// Every ignored file there.
    pub below: &'a [String],
}

impl<'a> Targets<'a> {
    pub(super) fn of(of: &'a LossOf) -> Option<Self> {
        match of {
            LossOf::Uncovered {
                files,
                changes,
                untracked,
                below,
            } => Some(Self {
                files,
                changes,
                untracked,
                below,
            }),
            _ => None,
        }
    }
}

/// What was seen below the targets.
struct UncoveredWalk<'a> {
    root: &'a Path,
    regenerable: &'a [String],
    max_file: u64,
    exclude: Exclude,
    until: Instant,
    /// Files that are passed over if no commit has them, and why.
    passed: BTreeMap<RepoPath, Skip>,
    /// Repositories inside this one.
    nested: Vec<PathBuf>,
    /// Links to folders.
    links: Vec<PathBuf>,
    /// Something is called like what builds make.
    has_made: bool,
    bytes: u64,
    /// Every file, links among them.
    files: BTreeSet<RepoPath>,
    /// Not all was seen.
    is_cut: bool,
}

impl WorldWitness<'_> {
    /// What a checkpoint does not hold, each with its reason; nothing where it could not be told.
    pub(super) fn uncovered(&self, targets: &Targets<'_>) -> Option<LossFact> {
        let place = self.here?;
        let root = root_of(place);
        let settings = self.world.settings(Some(place));
        let checkpoints = &settings.settings.checkpoints;
        let mut walk = UncoveredWalk {
            root,
            regenerable: &self.settings.regenerable,
            max_file: u64::from(checkpoints.max_file_mb) * MEGABYTE,
            exclude: Exclude::new(&checkpoints.exclude).0,
            until: Instant::now() + self.left().min(LOOK),
            passed: BTreeMap::new(),
            nested: Vec::new(),
            links: Vec::new(),
            has_made: false,
            bytes: 0,
            files: BTreeSet::new(),
            is_cut: false,
        };
        let mut found = LossFact::default();
        walk.through(targets);
        if place.git_dir.is_some() && self.is_committed(targets, &walk) {
            found.committed = true;
            return Some(found);
        }
        if let Some(link) = walk.way_out(targets.files) {
            pass(&mut found, link, "behind a link");
        }
        let nested = walk
            .nested
            .iter()
            .find(|nested| walk.is_at(targets.files, nested));
        if let Some(nested) = nested {
            pass(&mut found, nested, "a repository of its own");
        }
        let has_git = place.git_dir.is_some();
        for (path, reason) in self.unsaved(targets, &walk, has_git)? {
            pass(&mut found, path.to_path(), &reason.to_string());
        }
        let limit = u64::from(self.settings.capture_limit_mb) * MEGABYTE;
        if has_git && (walk.has_made || walk.is_cut || walk.bytes > limit) {
            self.ignored(targets.below, root, limit, &mut found)?;
        }
        Some(found)
    }

    /// Whether all that goes is in the last commit as it is, or ignored and made again by builds.
    fn is_committed(&self, targets: &Targets<'_>, walk: &UncoveredWalk<'_>) -> bool {
        let takes_files_alone = targets.changes.is_empty() && targets.untracked.is_empty();
        // What a pattern stands for that could not be told may lie behind a link.
        let is_open = |target: &String| {
            walk.inside(target)
                .is_none_or(|fixed| !Path::new(target).ends_with(fixed))
        };
        let may_leave = !walk.links.is_empty() && targets.files.iter().any(is_open);
        if !takes_files_alone || walk.is_cut || !walk.nested.is_empty() || may_leave {
            return false;
        }
        let inside: Option<Vec<RepoPath>> = targets
            .files
            .iter()
            .map(|target| {
                let inside = walk.inside(target)?;
                // Git does not look through links, and would say that nothing is there.
                let above = walk.root.join(inside.parent()?);
                let is_plain = fs_err::canonicalize(&above).is_ok_and(|real| real == above);
                // Of the root itself more goes than git knows: its own files.
                RepoPath::new(inside.as_os_str().as_bytes())
                    .ok()
                    .filter(|_| is_plain)
            })
            .collect();
        let Some(inside) = inside.filter(|inside| !inside.is_empty()) else {
            return false;
        };
        let committed = committed_of(walk.root, &inside, &self.world.git, self.left());
        committed.is_some_and(|committed| self.is_on_disk(&committed, walk))
    }

    /// Whether every file there is that of the commit, byte by byte: git puts filters in between, and some lose something.
    fn is_on_disk(&self, committed: &BTreeMap<RepoPath, TreeLeaf>, walk: &UncoveredWalk<'_>) -> bool {
        if walk.files.len() > MOST_COMPARED || walk.bytes > MOST_BYTES {
            return false;
        }
        walk.files.iter().all(|path| {
            let is_same = |entry: &TreeLeaf| is_as_in(&walk.root.join(path.to_path()), *entry, MOST_BYTES);
            let in_time = !self.left().is_zero();
            in_time && committed.get(path).and_then(is_same).unwrap_or(false)
        })
    }

    /// The files that are passed over and that no commit has.
    fn unsaved<'w>(
        &self,
        targets: &Targets<'_>,
        walk: &'w UncoveredWalk<'_>,
        has_git: bool,
    ) -> Option<Vec<(&'w RepoPath, &'w Skip)>> {
        if walk.passed.is_empty() || !has_git {
            return Some(walk.passed.iter().collect());
        }
        let paths: Vec<RepoPath> = walk.passed.keys().cloned().collect();
        let changed = changed_of(walk.root, &paths, &self.world.git, self.left())?;
        let is_at = |list: &[String], path: &RepoPath| walk.is_at(list, path.to_path());
        let is_lost = |path: &RepoPath| {
            changed
                .iter()
                .filter(|changed| changed.path == *path)
                .any(|changed| {
                    is_at(targets.files, path)
                        || is_at(targets.changes, path) && changed.is_known
                        || is_at(targets.untracked, path) && !changed.is_known
                })
        };
        Some(walk.passed.iter().filter(|(path, _)| is_lost(path)).collect())
    }

    /// Of the ignored files below folders: whether builds make some of them again, and whether the rest is too much.
    fn ignored(&self, below: &[String], root: &Path, limit: u64, found: &mut LossFact) -> Option<()> {
        let git = Git::new(root, &self.world.git);
        let mut bytes = 0_u64;
        let inside = |path: &String| Path::new(path).strip_prefix(root).map(Path::to_path_buf).ok();
        let below: Vec<PathBuf> = below.iter().filter_map(inside).collect();
        for path in ignored_below(&git, &[], &below, self.left()).ok()? {
            if is_made_again(&path.to_string(), &self.settings.regenerable) {
                found.made_again = true;
                continue;
            }
            let caps = Caps {
                entries: u64::MAX,
                bytes: limit,
                time: self.left().min(LOOK),
            };
            bytes = bytes.saturating_add(measure(&root.join(path.to_path()), caps).bytes);
            if bytes > limit {
                let reason = format!("ignored files above {} MB", limit / MEGABYTE);
                pass(found, path.to_path(), &reason);
                return Some(());
            }
        }
        Some(())
    }
}

fn pass(found: &mut LossFact, path: &Path, reason: &str) {
    found.count += 1;
    found.first.push(format!("{} ({reason})", path.display()));
}

impl UncoveredWalk<'_> {
    /// A target from the root, without what a pattern in it leaves open.
    fn inside(&self, target: &str) -> Option<PathBuf> {
        Path::new(target).strip_prefix(self.root).map(fixed).ok()
    }

    /// Whether a path from the root is at or below one of the targets.
    fn is_at(&self, targets: &[String], path: &Path) -> bool {
        let mut inside = targets.iter().filter_map(|target| self.inside(target));
        inside.any(|target| path.starts_with(target))
    }

    /// A link that a pattern may go through. The two stars of a search, and one name behind them, do not.
    fn way_out(&self, files: &[String]) -> Option<&Path> {
        let goes_on = |target: &&String| {
            let open = || {
                let inside = Path::new(target).strip_prefix(self.root).ok()?;
                let open = inside.strip_prefix(fixed(inside)).ok()?;
                open.to_str().map(str::to_owned)
            };
            let open = open().unwrap_or_default();
            let open = open.strip_prefix("**/").unwrap_or(&open);
            open.contains('/') || !open.is_empty() && target.ends_with('/')
        };
        let mut places = files
            .iter()
            .filter(goes_on)
            .filter_map(|target| self.inside(target));
        places.find_map(|place| {
            let links = self.links.iter().map(PathBuf::as_path);
            links.into_iter().find(|link| link.starts_with(&place))
        })
    }

    fn through(&mut self, targets: &Targets<'_>) {
        let all = [targets.files, targets.changes, targets.untracked, targets.below].concat();
        let mut waiting: Vec<PathBuf> = all.iter().filter_map(|target| self.inside(target)).collect();
        waiting.sort();
        // What lies below another target is seen with that one.
        waiting.dedup_by(|below, above| below.starts_with(above));
        while let Some(next) = waiting.pop() {
            if Instant::now() > self.until || self.passed.len() > MOST_PASSED {
                self.is_cut = true;
                return;
            }
            let whole = self.root.join(&next);
            let Ok(found) = fs_err::symlink_metadata(&whole) else {
                continue;
            };
            if !found.is_dir() {
                if found.is_symlink() && whole.is_dir() {
                    self.links.push(next.clone());
                }
                self.file(&next, &found);
                continue;
            }
            let Ok(entries) = fs_err::read_dir(&whole) else {
                self.is_cut = true;
                continue;
            };
            for entry in entries.flatten() {
                let name = entry.file_name();
                if name == ".git" {
                    if !next.as_os_str().is_empty() {
                        self.nested.push(next.clone());
                    }
                } else if is_made_again(&name.to_string_lossy(), self.regenerable) {
                    self.has_made = true;
                } else {
                    waiting.push(next.join(name));
                }
            }
        }
    }

    fn file(&mut self, path: &Path, found: &std::fs::Metadata) {
        let Ok(name) = RepoPath::new(path.as_os_str().as_bytes()) else {
            self.is_cut = true;
            return;
        };
        self.files.insert(name.clone());
        if found.is_file() {
            self.bytes = self.bytes.saturating_add(found.len());
        }
        if self.exclude.has(&name) {
            self.passed.insert(name, Skip::Excluded);
        } else if found.is_file() && found.len() > self.max_file {
            let skip = Skip::TooLarge {
                size: found.len(),
                limit: self.max_file,
            };
            self.passed.insert(name, skip);
        }
    }
}
