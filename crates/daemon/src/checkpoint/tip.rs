//! Where a line of checkpoints stands: its newest commit, its row, and the state of every path in it.

use super::chain::Shelf;
use git::object::{EntryMode, Id, PathState, TreeLeaf};
use git::path::RepoPath;
use git::shadow::{Shadow, ShadowError, ShadowLayout};
use store::table::checkpoints::Checkpoint;

/// See the module.
#[derive(Debug, Clone)]
pub struct Tip {
    /// The newest commit on the line; a seal counts.
    pub commit: Option<Id>,
    /// The parts of its tree.
    pub layout: Option<ShadowLayout>,
    /// The newest checkpoint.
    pub row: Option<Checkpoint>,
}

impl Tip {
    /// A line without checkpoints.
    pub fn none() -> Self {
        Self {
            commit: None,
            layout: None,
            row: None,
        }
    }

    /// The tip at a commit.
    pub fn at(shadow: &Shadow, commit: Id, row: Option<Checkpoint>) -> Result<Self, ShadowError> {
        let layout = shadow.read_layout(shadow.tree_of(commit)?)?;
        Ok(Self {
            commit: Some(commit),
            layout: Some(layout),
            row,
        })
    }

    /// The commit that was checked out when it was made.
    pub fn head(&self) -> Option<Id> {
        self.row.as_ref()?.head.as_deref()?.parse().ok()
    }

    /// What a path is in a checkpoint; before the first one, what it is in `base`.
    pub fn state(
        &self,
        shadow: &Shadow,
        base: Option<Id>,
        path: &RepoPath,
        shelf: Shelf,
    ) -> Result<PathState, ShadowError> {
        let Some(layout) = &self.layout else {
            let entry = match (base, shelf) {
                (Some(base), Shelf::Files) => shadow.entry(base, path)?,
                _ => None,
            };
            return Ok(entry.map_or(PathState::Absent, PathState::plain));
        };
        match (state_in(shadow, layout, path, shelf)?, shelf) {
            // It was ignored until now.
            (PathState::Absent, Shelf::Files) => state_in(shadow, layout, path, Shelf::Ignored),
            (state, _) => Ok(state),
        }
    }

    /// Everything a checkpoint has below a path; before the first one, what is there in `base`.
    pub fn below(
        &self,
        shadow: &Shadow,
        base: Option<Id>,
        path: &RepoPath,
        shelf: Shelf,
    ) -> Result<Vec<RepoPath>, ShadowError> {
        let tree = match (&self.layout, shelf) {
            (Some(layout), Shelf::Files) => Some(layout.files),
            (Some(layout), Shelf::Ignored) => layout.ignored,
            (None, Shelf::Files) => base,
            (None, Shelf::Ignored) => None,
        };
        let Some(tree) = tree else { return Ok(Vec::new()) };
        if !shadow.has_below(tree, path)? {
            return Ok(Vec::new());
        }
        let leaves = shadow.leaves(tree)?.into_iter().map(|(leaf, _)| leaf);
        Ok(leaves.filter(|leaf| leaf.is_below(path)).collect())
    }
}

/// What a path is in a checkpoint with these parts.
pub fn state_in(
    shadow: &Shadow,
    layout: &ShadowLayout,
    path: &RepoPath,
    shelf: Shelf,
) -> Result<PathState, ShadowError> {
    let within = |tree: Option<Id>| tree.map_or(Ok(None), |tree| shadow.entry(tree, path));
    Ok(match shelf {
        Shelf::Ignored => within(layout.ignored)?.map_or(PathState::Absent, PathState::plain),
        Shelf::Files => match shadow.entry(layout.files, path)? {
            None => PathState::Absent,
            Some(entry) => PathState::Present {
                entry,
                raw: within(layout.raw)?.map(|raw| raw.id),
            },
        },
    })
}

/// Where a path is kept in a checkpoint with these parts; `Files` where it is in none.
pub fn shelf_in(shadow: &Shadow, layout: &ShadowLayout, path: &RepoPath) -> Result<Shelf, ShadowError> {
    let is_ignored = match layout.ignored {
        Some(tree) => shadow.entry(tree, path)?.is_some() && shadow.entry(layout.files, path)?.is_none(),
        None => false,
    };
    Ok(if is_ignored { Shelf::Ignored } else { Shelf::Files })
}

/// The bytes of a file as a leaf of their own: how raw bytes and ignored files are kept.
pub fn as_bytes(mode: EntryMode, id: Id) -> TreeLeaf {
    TreeLeaf { mode, id }
}
