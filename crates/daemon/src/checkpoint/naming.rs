//! Which file of which worktree a payload means. Links are followed as the agent's own tool will follow them.

use git::path::{PathFault, RepoPath};
use git::place::Place;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// A file a payload named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedFile {
    /// The worktree that contains it; not always the one the agent stands in.
    pub place: Arc<Place>,
    /// Where it is in there.
    pub path: RepoPath,
}

/// Why a name leads to no file of a worktree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unplaced {
    /// Relative, and nobody knows to what; or beyond reach.
    #[error("it cannot be resolved")]
    Nowhere,
    /// Not below a worktree of this project.
    #[error("it is outside every known worktree")]
    Outside,
    /// A name no checkpoint may hold.
    #[error(transparent)]
    Refused(#[from] PathFault),
}

/// The root whose files are captured at a place: the worktree, or outside git the project's folder.
pub fn root_of(place: &Place) -> &Path {
    place.worktree.as_deref().unwrap_or(&place.project.root)
}

/// Finds the file `name` means for an agent that stands in `cwd` at `here`. `find` says where a folder belongs.
pub fn locate(
    here: &Arc<Place>,
    cwd: Option<&Path>,
    name: &Path,
    find: impl Fn(&Path) -> Arc<Place>,
) -> Result<PlacedFile, Unplaced> {
    let real = real_path(cwd, name)?;
    let folder = real.parent().ok_or(Unplaced::Nowhere)?;
    let there = find(folder);
    let place = if there.project.key == here.project.key {
        there
    } else if there.worktree.is_none() && real.starts_with(root_of(here)) {
        // Outside git every folder looks like a project of its own; it belongs to the one the agent works in.
        Arc::clone(here)
    } else {
        return Err(Unplaced::Outside);
    };
    let inner = real
        .strip_prefix(root_of(&place))
        .map_err(|_| Unplaced::Outside)?;
    let path = RepoPath::new(inner.as_os_str().as_bytes())?;
    Ok(PlacedFile { place, path })
}

/// The path without links: of the file itself where it exists, else of the deepest folder that does.
fn real_path(cwd: Option<&Path>, name: &Path) -> Result<PathBuf, Unplaced> {
    if name.as_os_str().as_bytes().contains(&0) {
        return Err(Unplaced::Refused(PathFault::Zero));
    }
    let whole = match cwd {
        _ if name.is_absolute() => name.to_path_buf(),
        Some(cwd) if cwd.is_absolute() => cwd.join(name),
        _ => return Err(Unplaced::Nowhere),
    };
    if let Ok(real) = fs_err::canonicalize(&whole) {
        return Ok(real);
    }
    for ancestor in whole.ancestors().skip(1) {
        let Ok(real) = fs_err::canonicalize(ancestor) else {
            continue;
        };
        let missing = whole.strip_prefix(ancestor).map_err(|_| Unplaced::Nowhere)?;
        let is_plain = missing
            .components()
            .all(|part| matches!(part, Component::Normal(_)));
        // Below what does not exist, `..` could mean anything by the time the file is written.
        return if is_plain {
            Ok(real.join(missing))
        } else {
            Err(Unplaced::Refused(PathFault::Dots))
        };
    }
    Err(Unplaced::Nowhere)
}

#[cfg(test)]
mod tests;
