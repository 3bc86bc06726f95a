//! A path a person names, as the worktree knows it: relative to its root, whatever folder they stand in.

use super::place::CheckpointPlace;
use crate::failure::{Failure, FailureKind};
use git::path::RepoPath;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

/// The path within the worktree; `None` for its root. A link is itself, not what it leads to.
pub fn within(here: &CheckpointPlace, path: &OsStr) -> Result<Option<RepoPath>, Failure> {
    let whole = tidied(&here.folder.join(path));
    let inner = below(here.root(), &whole).ok_or_else(|| {
        let shown = super::quoted::path(path.as_bytes());
        Failure::saying(FailureKind::WrongUse, format!("{shown} is not in this worktree"))
            .hint(format!("its root is {}", here.root().display()))
    })?;
    if inner.as_os_str().is_empty() {
        return Ok(None);
    }
    RepoPath::new(inner.as_os_str().as_bytes())
        .map(Some)
        .map_err(|fault| {
            let shown = super::quoted::path(path.as_bytes());
            Failure::saying(
                FailureKind::WrongUse,
                format!("{shown} is never in a checkpoint: {fault}"),
            )
        })
}

fn below(root: &Path, whole: &Path) -> Option<PathBuf> {
    if let Ok(inner) = whole.strip_prefix(root) {
        return Some(inner.to_path_buf());
    }
    // The way to the worktree may lead over a link.
    let folder = fs_err::canonicalize(whole.parent()?).ok()?;
    let real = folder.join(whole.file_name()?);
    real.strip_prefix(root).map(Path::to_path_buf).ok()
}

/// The path without `.` and `..`, by its words alone.
fn tidied(path: &Path) -> PathBuf {
    let mut tidy = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                tidy.pop();
            }
            Component::Normal(_) | Component::RootDir | Component::Prefix(_) => tidy.push(part),
        }
    }
    tidy
}
