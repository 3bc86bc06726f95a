//! Ignored files a command is about to destroy. No look ever finds them, so they are kept by their own names.

use super::chain::{Owner, Shelf, Touched};
use super::cutter::{CutError, Cutter};
use super::order::Order;
use super::states::to_image;
use super::touching::shelved;
use engine::id::EventSeq;
use engine::policy::guard::zone::is_made_again;
use git::capture::{Capture, Exclude, Found, Rules};
use git::path::RepoPath;
use git::tracking;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use store::table::touches::{self, Finding, Naming};
use store::{Place, StoreError};

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
    pub(super) fn endangered(&self, order: &Order, keeping: &Keeping) -> Result<Vec<Touched>, CutError> {
        let root = &self.site.worktree.root;
        // What lies elsewhere is no part of this worktree; a guard asks about it in another way.
        let inside = |path: &String| Path::new(path).strip_prefix(root).map(Path::to_path_buf).ok();
        let mut named: Vec<PathBuf> = order.also.ignored.iter().filter_map(inside).collect();
        for folder in order.also.ignored_below.iter().filter_map(inside) {
            named.extend(self.cleaned(&folder, keeping)?);
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
                Found::Is(seen) => {
                    let state = shelved(seen.state, Shelf::Ignored);
                    found.push(Touched {
                        path,
                        shelf: Shelf::Ignored,
                        pre: Some(state),
                        post: Some(state),
                        owner: Owner::outside(),
                    });
                }
                Found::Skipped(reason) => return Err(not_kept(&path, &reason.to_string())),
            }
        }
        Ok(found)
    }

    /// The ignored paths below a folder, but for what builds make again.
    fn cleaned(&self, folder: &Path, keeping: &Keeping) -> Result<Vec<PathBuf>, CutError> {
        let root = &self.site.worktree.root;
        let found = tracking::ignored_below(root, folder, self.site.environment(), self.limit)?;
        let is_kept = |path: &PathBuf| !is_made_again(&path.to_string_lossy(), &keeping.regenerable);
        Ok(found
            .iter()
            .map(|path| path.to_path().to_path_buf())
            .filter(is_kept)
            .collect())
    }

    /// Notes that the command may change them, so that its end is looked for there.
    pub(super) fn expect_changes(&self, order: &Order, found: &[Touched]) -> Result<(), StoreError> {
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
                let finding = Finding {
                    place: Some(Place::Ignored),
                    image: touched.pre.as_ref().map(to_image).unwrap_or_default(),
                    skip_reason: None,
                };
                let touch = touches::open(db, &naming, event)?;
                touches::set_pre(db, touch, &finding)?;
            }
            Ok(())
        })
    }
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
