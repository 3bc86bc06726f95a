//! Looks into trees: one path, or all of them.

use std::sync::Arc;

use gix::objs::Kind;

use super::folder::{self, FolderEntry, FolderItem};
use super::{Shadow, ShadowError};
use crate::object::{Id, TreeLeaf};
use crate::path::RepoPath;

impl Shadow {
    /// The leaf at a path; none if nothing or a folder is there.
    pub fn entry(&self, tree: Id, path: &RepoPath) -> Result<Option<TreeLeaf>, ShadowError> {
        let mut item = FolderItem::Folder(tree);
        for name in path.components() {
            let Some(id) = item.folder() else { return Ok(None) };
            match self.child(id, name)? {
                Some(child) => item = child,
                None => return Ok(None),
            }
        }
        Ok(item.leaf())
    }

    /// Whether a tree has something below a folder.
    pub fn has_below(&self, tree: Id, folder: &RepoPath) -> Result<bool, ShadowError> {
        let mut at = tree;
        for name in folder.components() {
            match self.child(at, name)?.and_then(FolderItem::folder) {
                Some(child) => at = child,
                None => return Ok(false),
            }
        }
        Ok(true)
    }

    /// All leaves of a tree, sorted by path.
    pub fn leaves(&self, tree: Id) -> Result<Vec<(RepoPath, TreeLeaf)>, ShadowError> {
        let added = self.diff(None, Some(tree))?;
        Ok(added
            .into_iter()
            .filter_map(|delta| delta.after.map(|entry| (delta.path, entry)))
            .collect())
    }

    /// What a folder has under this name.
    pub(super) fn child(&self, tree: Id, name: &[u8]) -> Result<Option<FolderItem>, ShadowError> {
        let bytes = self.folder_bytes(tree)?;
        Ok(self
            .entries(&bytes)
            .find(|entry| entry.name == name)
            .map(|entry| entry.item))
    }

    /// A folder as it is stored, which is one git would have written. The empty one needs no object.
    pub(super) fn folder_bytes(&self, tree: Id) -> Result<Arc<[u8]>, ShadowError> {
        if tree == self.objects.empty_tree() {
            return Ok(Arc::default());
        }
        let record = self.objects.record(tree, Kind::Tree)?;
        if !record.is_sound {
            folder::parse(tree, &record.bytes)?;
            self.objects.vouch(tree, &record.bytes);
        }
        Ok(record.bytes)
    }

    /// The entries of a folder whose bytes these are.
    pub(super) fn entries<'a>(&self, bytes: &'a [u8]) -> impl Iterator<Item = FolderEntry<'a>> + use<'a> {
        folder::walk(bytes, self.format().kind().len_in_bytes())
    }
}
