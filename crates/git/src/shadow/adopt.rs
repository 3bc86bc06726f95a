//! Makes a tree our own: what another commit than its base was holding gets a copy that nobody else can drop.

use std::collections::HashSet;
use std::sync::Arc;

use gix::objs::Kind;

use super::folder::{FolderEntry, FolderItem};
use super::{Shadow, ShadowError};
use crate::object::{EntryMode, Id, TreeLeaf};

impl Shadow {
    /// Writes our own copy of everything this tree has and `base` does not have at the same place, and counts the
    /// copies. Needed where a tree that was made on one commit goes on as a tree on another.
    ///
    /// A blob larger than `limit` cannot be copied and is an error.
    pub fn adopt(&self, tree: Id, base: Option<Id>, limit: u64) -> Result<usize, ShadowError> {
        let mut copies = 0;
        let mut seen = HashSet::new();
        let mut open = vec![(tree, base)];
        while let Some((tree, base)) = open.pop() {
            if Some(tree) == base || !seen.insert((tree, base)) {
                continue;
            }
            let bytes = self.folder_bytes(tree)?;
            let base_bytes = base.map_or(Ok(Arc::default()), |base| self.folder_bytes(base))?;
            copies += usize::from(!self.objects.renew(tree));
            self.objects.write_known(tree, Kind::Tree, &bytes)?;
            let held: Vec<FolderEntry<'_>> = self.entries(&base_bytes).collect();
            for entry in self.entries(&bytes) {
                let found = held.binary_search_by(|held| held.order(&entry));
                let held = found.ok().and_then(|at| held.get(at)).map(|held| held.item);
                match entry.item {
                    FolderItem::Folder(id) => open.push((id, held.and_then(FolderItem::folder))),
                    FolderItem::Leaf(leaf) if held != Some(entry.item) => {
                        copies += self.adopt_leaf(leaf, limit)?;
                    }
                    FolderItem::Leaf(_) => {}
                }
            }
        }
        Ok(copies)
    }

    fn adopt_leaf(&self, leaf: TreeLeaf, limit: u64) -> Result<usize, ShadowError> {
        if leaf.mode == EntryMode::Commit || self.objects.renew(leaf.id) {
            return Ok(0);
        }
        self.write_blob(&self.blob(leaf.id, limit)?)?;
        Ok(1)
    }
}
