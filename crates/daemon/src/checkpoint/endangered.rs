//! Ignored files a command is about to destroy. No look ever finds them, so they are kept by their own names.

use super::chain::{ChangeOwner, Shelf, TouchedPath};
use super::cutter::{CutError, Cutter};
use super::order::Order;
use super::states::to_image;
use super::touching::shelved;
use engine::id::EventSeq;
use engine::policy::guard::zone::is_made_again;
use git::capture::{Capture, Captured, Exclude, Rules, Skip};
use git::path::RepoPath;
use git::tracking;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use store::table::touches::{self, Naming, PathObservation};
use store::{StoreError, TreePart};

/// More than this is not kept before a command, and such a command does not pass.
const MOST_FILES: usize = 20_000;

/// Which ignored files are kept before a command.
pub(super) struct Keeping {
    /// Bytes in all.
    pub most_bytes: u64,
    /// Names of what builds make again: not kept where a whole folder is cleaned.
    pub regenerable: Vec<String>,
}

impl Cutter<'_> {
    /// What the ignored targets of a command hold, captured. All of it, or the command has no way back.
    pub(super) fn endangered(&self, order: &Order, keeping: &Keeping) -> Result<Vec<TouchedPath>, CutError> {
        let root = &self.site.worktree.root;
        let inside = |path: &String| self.inside(path);
        for target in order.also.files.iter().filter_map(inside) {
            if let Some(nested) = nested(root, &fixed(&target), &keeping.regenerable)? {
                let nested = nested.display();
                return Err(CutError::Endangered(format!(
                    "`{nested}` is a repository of its own"
                )));
            }
        }
        let mut named: Vec<PathBuf> = order.also.ignored.iter().filter_map(inside).collect();
        // Outside git nothing is ignored.
        let has_git = self.site.place.git_dir.is_some();
        let below: Vec<PathBuf> = order.also.ignored_below.iter().filter_map(inside).collect();
        if has_git && !below.is_empty() {
            named.extend(self.cleaned(&below, keeping)?);
        }
        let mut files = Vec::new();
        for path in named {
            list(root, &path, &mut files)?;
        }
        files.sort();
        files.dedup();
        if files.is_empty() {
            return Ok(Vec::new());
        }
        let shadow = self.site.make_shadow()?;
        let settings = self.site.settings()?;
        let rules = Rules {
            max_file: keeping.most_bytes,
            max_total: keeping.most_bytes,
            exclude: Exclude::new::<&str>(&[]).0,
        };
        let mut capture = Capture::new(&shadow, &self.site.worktree, &settings, &rules)?;
        let mut found = Vec::new();
        for path in files {
            match capture.take(&path, None)? {
                Captured::Is(seen) => {
                    let state = shelved(seen.state, Shelf::Ignored);
                    found.push(TouchedPath {
                        path,
                        shelf: Shelf::Ignored,
                        pre: Some(state),
                        post: Some(state),
                        owner: ChangeOwner::outside(),
                    });
                }
                Captured::Skipped(reason) => return Err(not_kept(&path, &reason.to_string())),
            }
        }
        Ok(found)
    }

    /// The ignored paths at or below these, but for what builds make again.
    fn cleaned(&self, below: &[PathBuf], keeping: &Keeping) -> Result<Vec<PathBuf>, CutError> {
        let shadow = self.site.make_shadow()?;
        let address = self.site.worktree.address(shadow.folder());
        let found = tracking::ignored_below(&self.site.git(), &address, below, self.limit)?;
        let is_kept = |path: &PathBuf| !is_made_again(&path.to_string_lossy(), &keeping.regenerable);
        Ok(found
            .iter()
            .map(|path| path.to_path().to_path_buf())
            .filter(is_kept)
            .collect())
    }

    /// Whether the look at the worktree has all that the command would take away: a file that was passed over is in no
    /// checkpoint.
    pub(super) fn must_hold(&self, order: &Order, skipped: &[(RepoPath, Skip)]) -> Result<(), CutError> {
        // A pipe or a socket holds nothing that could be lost.
        let skipped: Vec<&(RepoPath, Skip)> = skipped
            .iter()
            .filter(|(_, reason)| !matches!(reason, Skip::Special(_)))
            .collect();
        if skipped.is_empty() {
            return Ok(());
        }
        let root = &self.site.worktree.root;
        let paths: Vec<RepoPath> = skipped.iter().map(|(path, _)| path.clone()).collect();
        let known = tracking::tracking(root, &paths, self.site.environment(), self.limit).tracked;
        for (path, reason) in skipped {
            let is_at = |targets: &[String]| {
                let inside = targets.iter().filter_map(|target| self.inside(target));
                inside
                    .into_iter()
                    .any(|target| path.to_path().starts_with(fixed(&target)))
            };
            let may_be = |tracked: bool| known.as_ref().is_none_or(|known| known.contains(path) == tracked);
            if is_at(&order.also.files)
                || is_at(&order.also.changes) && may_be(true)
                || is_at(&order.also.untracked) && may_be(false)
            {
                return Err(not_kept(path, &reason.to_string()));
            }
        }
        Ok(())
    }

    /// A path below the worktree's root; what lies elsewhere is no part of it, and a guard asks about it in another way.
    fn inside(&self, path: &str) -> Option<PathBuf> {
        Path::new(path)
            .strip_prefix(&self.site.worktree.root)
            .map(Path::to_path_buf)
            .ok()
    }

    /// Notes that the command may change them, so that its end is looked for there.
    pub(super) fn expect_changes(&self, order: &Order, found: &[TouchedPath]) -> Result<(), StoreError> {
        let (Some(actor), Some(call)) = (order.actor, &order.call) else {
            return Ok(());
        };
        if found.is_empty() {
            return Ok(());
        }
        let event = order.event.unwrap_or(EventSeq(0));
        self.write(|db| {
            for touched in found {
                let naming = Naming {
                    worktree: self.worktree,
                    path: touched.path.as_bytes(),
                    actor,
                    call,
                };
                let finding = PathObservation {
                    place: Some(TreePart::Ignored),
                    image: touched.pre.as_ref().map(to_image).unwrap_or_default(),
                    skip_reason: None,
                    dated: None,
                };
                let touch = touches::open(db, &naming, event)?;
                touches::set_pre(db, touch, &finding)?;
            }
            Ok(())
        })
    }
}

/// The part of a path that a pattern in it leaves certain.
pub(crate) fn fixed(path: &Path) -> PathBuf {
    let has_pattern = |part: &std::path::Component<'_>| {
        let text = part.as_os_str().as_bytes();
        text.iter().any(|byte| matches!(byte, b'*' | b'?' | b'['))
    };
    path.components().take_while(|part| !has_pattern(part)).collect()
}

/// A repository below a folder of the worktree, but for what builds make again.
fn nested(root: &Path, inside: &Path, regenerable: &[String]) -> Result<Option<PathBuf>, CutError> {
    let mut waiting: Vec<PathBuf> = vec![inside.to_path_buf()];
    let mut seen = 0;
    while let Some(next) = waiting.pop() {
        let whole = root.join(&next);
        let is_folder = fs_err::symlink_metadata(&whole).is_ok_and(|found| found.is_dir());
        if !is_folder {
            continue;
        }
        for entry in fs_err::read_dir(&whole)? {
            let entry = entry?;
            if entry.file_name() == ".git" {
                if next.as_os_str().is_empty() {
                    continue;
                }
                return Ok(Some(next));
            }
            let name = entry.file_name();
            let is_made = || is_made_again(&name.to_string_lossy(), regenerable);
            if entry.file_type()?.is_dir() && !is_made() {
                waiting.push(next.join(&name));
            }
        }
        seen += 1;
        if seen > MOST_FILES {
            return Err(CutError::Endangered(format!("more than {MOST_FILES} folders")));
        }
    }
    Ok(None)
}

/// The files at and below a path of the worktree; links are not followed.
fn list(root: &Path, inside: &Path, files: &mut Vec<RepoPath>) -> Result<(), CutError> {
    let mut waiting: Vec<PathBuf> = vec![inside.to_path_buf()];
    while let Some(next) = waiting.pop() {
        let whole = root.join(&next);
        let Ok(found) = fs_err::symlink_metadata(&whole) else {
            continue;
        };
        if found.is_dir() {
            for entry in fs_err::read_dir(&whole)? {
                waiting.push(next.join(entry?.file_name()));
            }
            continue;
        }
        let name = RepoPath::new(next.as_os_str().as_bytes())
            .map_err(|fault| CutError::Endangered(format!("`{}`: {fault}", next.display())))?;
        files.push(name);
        if files.len() > MOST_FILES {
            return Err(CutError::Endangered(format!("more than {MOST_FILES} files")));
        }
    }
    Ok(())
}

fn not_kept(path: &RepoPath, reason: &str) -> CutError {
    CutError::Endangered(format!("`{}`: {reason}", path.to_path().display()))
}
