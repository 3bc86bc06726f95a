//! What is at the paths a command names: one look at each, and one question to git for all of a worktree.

use super::{WorldWitness, text};
use engine::policy::guard::facts::{PathFact, PathKind};
use git::path::RepoPath;
use git::place::Place;
use git::size::{Caps, measure};
use git::target::{self, PathTarget, TargetKind};
use git::tracking::tracking;
use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use store::FileState;

/// Counting stops here.
const MOST_ENTRIES: u64 = 50_000;
/// For the counting of one path.
const COUNTING: Duration = Duration::from_millis(300);
/// A folder with more files is not asked about file by file.
const MOST_FILES: usize = 64;

/// A longer file is not compared with what the session left there.
const LONGEST_COMPARED: u64 = 8 * 1024 * 1024;

/// A path that was looked at.
struct PathView<'a> {
    asked: &'a str,
    target: PathTarget,
    /// Where the path itself belongs.
    place: Arc<Place>,
    /// Its worktree and its path in there, by what git is asked.
    named: Option<(PathBuf, RepoPath)>,
}

impl WorldWitness<'_> {
    /// What is at each of these paths, as far as it can be told.
    pub(super) fn paths(&self, asked: &[&str]) -> Vec<(String, PathFact)> {
        let seen: Vec<PathView<'_>> = asked.iter().filter_map(|path| self.look(path)).collect();
        let git = self.ask_git(&seen);
        seen.iter()
            .map(|one| (one.asked.to_owned(), self.fact(one, &git)))
            .collect()
    }

    /// Where a path leads, and whether a key is there: without git, and without measuring it.
    pub(super) fn identity(&self, asked: &str) -> Option<PathFact> {
        let seen = self.look(asked)?;
        Some(self.known(&seen))
    }

    fn look<'a>(&self, asked: &'a str) -> Option<PathView<'a>> {
        let target = target::look(Path::new(asked))?;
        let above = target.itself.parent().unwrap_or(Path::new("/"));
        let around = self.world.place_of(above);
        let named = around.worktree.as_ref().and_then(|root| {
            let inside = target.itself.strip_prefix(root).ok()?;
            let path = RepoPath::new(inside.as_os_str().as_bytes()).ok()?;
            Some((root.clone(), path))
        });
        let place = if target.kind == Some(TargetKind::Folder) {
            self.world.place_of(&target.itself)
        } else {
            around
        };
        Some(PathView {
            asked,
            target,
            place,
            named,
        })
    }

    /// Whether git knows or ignores them: one question for each worktree.
    fn ask_git(&self, seen: &[PathView<'_>]) -> BTreeMap<(PathBuf, RepoPath), (bool, bool)> {
        let mut by_root: BTreeMap<&Path, Vec<RepoPath>> = BTreeMap::new();
        for (root, path) in seen.iter().filter_map(|one| one.named.as_ref()) {
            by_root.entry(root).or_default().push(path.clone());
        }
        let mut told = BTreeMap::new();
        for (root, paths) in by_root {
            let found = tracking(root, &paths, &self.world.git, self.left());
            for path in paths {
                let has = |set: &Option<std::collections::BTreeSet<RepoPath>>| {
                    set.as_ref().is_some_and(|set| set.contains(&path))
                };
                let said = (has(&found.tracked), has(&found.ignored));
                told.insert((root.to_path_buf(), path), said);
            }
        }
        told
    }

    fn fact(&self, seen: &PathView<'_>, git: &BTreeMap<(PathBuf, RepoPath), (bool, bool)>) -> PathFact {
        let target = &seen.target;
        let (tracked, ignored) = seen
            .named
            .as_ref()
            .and_then(|named| git.get(named).copied())
            .unwrap_or_default();
        let caps = Caps {
            entries: MOST_ENTRIES,
            // What is larger is not kept before a command.
            bytes: u64::from(self.settings.capture_limit_mb) * 1024 * 1024,
            time: COUNTING.min(self.left()),
        };
        let extent = match target.kind {
            Some(TargetKind::Folder | TargetKind::File) => measure(&target.itself, caps),
            Some(TargetKind::Link | TargetKind::BlockDevice | TargetKind::Other) | None => {
                git::size::FolderSize::default()
            }
        };
        let (wrote, created) = self.authored(seen);
        PathFact {
            tracked,
            ignored,
            bytes: extent.bytes,
            files: extent.files,
            capped: extent.capped,
            created,
            wrote,
            ..self.known(seen)
        }
    }

    /// What one look at a path tells.
    fn known(&self, seen: &PathView<'_>) -> PathFact {
        let PathView { target, place, .. } = seen;
        let real = target.real.to_string_lossy();
        let here = self.here.and_then(|here| here.worktree.as_ref());
        PathFact {
            exists: target.kind.is_some(),
            kind: kind(target.kind),
            real: if real == seen.asked {
                String::new()
            } else {
                real.into_owned()
            },
            mount: target.is_mount,
            folds_case: target.folds_case,
            worktree: place
                .worktree
                .as_ref()
                .filter(|root| Some(*root) != here)
                .map(|root| root.to_string_lossy().into_owned()),
            git_dir: place.git_dir.is_some() && place.worktree.is_none(),
            private_key: text::is_private_key(&target.itself),
            ..PathFact::default()
        }
    }

    /// Whether this session wrote it, and whether it is all its own.
    fn authored(&self, seen: &PathView<'_>) -> (bool, bool) {
        let target = &seen.target;
        match target.kind {
            Some(TargetKind::Folder) => (false, self.made_all(&target.itself)),
            Some(TargetKind::File | TargetKind::Link | TargetKind::BlockDevice | TargetKind::Other)
            | None => {
                let found = self.authorship(&target.itself);
                (found.wrote, found.created && target.kind.is_some())
            }
        }
    }

    /// Whether everything below a folder was made by this session; folders themselves belong to nobody.
    fn made_all(&self, folder: &Path) -> bool {
        let mut folders = vec![folder.to_path_buf()];
        let mut files = Vec::new();
        while let Some(next) = folders.pop() {
            let Ok(entries) = fs_err::read_dir(&next) else {
                return false;
            };
            for entry in entries.flatten() {
                match entry.file_type() {
                    Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                    Ok(_) => files.push(entry.path()),
                    Err(_) => return false,
                }
                if files.len() > MOST_FILES || folders.len() > MOST_FILES {
                    return false;
                }
            }
        }
        !files.is_empty() && files.iter().all(|file| self.authorship(file).created)
    }

    pub(super) fn authorship(&self, path: &Path) -> store::table::touches::Authorship {
        let above = path.parent().unwrap_or(Path::new("/"));
        let place = self.world.place_of(above);
        let mut found = self
            .world
            .memory
            .authorship(&self.event.actor, &place, path)
            .unwrap_or_default();
        // Rows tell of agents; what an editor did since shows in the bytes alone.
        found.created &= is_as_left(path, found.left.as_ref());
        found
    }
}

/// Whether a file holds what the session left there, as far as that was looked at.
fn is_as_left(path: &Path, left: Option<&FileState>) -> bool {
    let bytes = left.map(|left| left.raw.as_ref().unwrap_or(&left.id));
    let Some(id) = bytes.and_then(|id| id.parse().ok()) else {
        return true;
    };
    match fs_err::read_link(path) {
        Ok(_) => true,
        Err(_) => git::content::holds(path, id, LONGEST_COMPARED).unwrap_or(false),
    }
}

fn kind(kind: Option<TargetKind>) -> PathKind {
    match kind {
        Some(TargetKind::File) | None => PathKind::File,
        Some(TargetKind::Folder) => PathKind::Folder,
        Some(TargetKind::Link) => PathKind::Link,
        Some(TargetKind::BlockDevice) => PathKind::BlockDevice,
        Some(TargetKind::Other) => PathKind::Other,
    }
}
