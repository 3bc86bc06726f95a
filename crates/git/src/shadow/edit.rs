//! Lays changes over a tree. Only the folders on the way to a change are read and written.

use std::collections::BTreeMap;
use std::sync::Arc;

use gix::objs::Kind;

use super::folder::{self, FolderItem};
use super::{Shadow, ShadowError};
use crate::object::{Id, TreeLeaf};
use crate::path::RepoPath;

impl Shadow {
    /// The tree with these leaves put (`Some`) or removed (`None`). Folders left empty vanish, except the root.
    ///
    /// A leaf that is put takes the place of a folder of its name, and a folder that of a leaf. Removing a leaf leaves
    /// a folder of its name alone. A folder that `base` has at the same place is not written: `base` must be kept by
    /// other means.
    pub fn edit(
        &self,
        tree: Option<Id>,
        base: Option<Id>,
        changes: &BTreeMap<RepoPath, Option<TreeLeaf>>,
    ) -> Result<Id, ShadowError> {
        let mut draft = TreeDraft::of(changes)?;
        if let Some(foreign) = changes
            .values()
            .flatten()
            .find(|entry| !self.objects.knows(entry.id))
        {
            return Err(ShadowError::Missing(foreign.id));
        }
        draft.load(self, tree, base)?;
        match (draft.build(self)?, tree) {
            (Some(id), _) => Ok(id),
            (None, Some(tree)) if tree == self.objects.empty_tree() => Ok(tree),
            (None, _) => self.objects.write(Kind::Tree, b""),
        }
    }
}

/// Where a folder is: how deep, and its path. Parents sort before what is in them.
type FolderDepth<'c> = (usize, &'c [u8]);

/// The folders on the way to all changes.
struct TreeDraft<'c>(BTreeMap<FolderDepth<'c>, EditedFolder<'c>>);

/// One folder that may change.
#[derive(Default)]
struct EditedFolder<'c> {
    tree: Option<Id>,
    base: Option<Id>,
    bytes: Arc<[u8]>,
    names: BTreeMap<&'c [u8], EditedName<'c>>,
}

/// One name in a folder that may change.
#[derive(Default)]
struct EditedName<'c> {
    change: TreeEdit,
    /// The folder of this name, if something in it may change.
    within: Option<&'c [u8]>,
    /// What is there now.
    now: Option<FolderItem>,
    /// The folder of this name after the changes; none if nothing is left in it.
    rebuilt: Option<Id>,
}

/// What is asked of the leaf of a name.
#[derive(Debug, Clone, Copy, Default)]
enum TreeEdit {
    #[default]
    Nothing,
    Remove,
    Put(TreeLeaf),
}

impl EditedName<'_> {
    fn result(&self) -> Option<FolderItem> {
        let remaining = match (self.change, self.now) {
            (TreeEdit::Put(entry), _) => return Some(FolderItem::Leaf(entry)),
            (TreeEdit::Remove, Some(FolderItem::Leaf(_))) => None,
            (TreeEdit::Nothing | TreeEdit::Remove, now) => now,
        };
        match (self.within, self.rebuilt) {
            (None, _) => remaining,
            (Some(_), Some(id)) => Some(FolderItem::Folder(id)),
            (Some(_), None) => remaining.filter(|item| !item.is_folder()),
        }
    }
}

impl<'c> TreeDraft<'c> {
    fn of(changes: &'c BTreeMap<RepoPath, Option<TreeLeaf>>) -> Result<Self, ShadowError> {
        let mut folders: BTreeMap<FolderDepth<'c>, EditedFolder<'c>> = BTreeMap::new();
        folders.insert((0, b""), EditedFolder::default());
        for (path, change) in changes {
            let bytes = path.as_bytes();
            let (mut depth, mut start) = (0, 0);
            let mut folder: &[u8] = b"";
            loop {
                let rest = bytes.get(start..).unwrap_or_default();
                let end = rest.iter().position(|byte| *byte == b'/');
                let component = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
                let name = folders
                    .entry((depth, folder))
                    .or_default()
                    .names
                    .entry(component)
                    .or_default();
                let Some(end) = end else {
                    name.change = change.map_or(TreeEdit::Remove, TreeEdit::Put);
                    break;
                };
                folder = bytes.get(..start + end).unwrap_or_default();
                name.within = Some(folder);
                depth += 1;
                start += end + 1;
            }
        }
        if let Some(path) = clash(changes) {
            return Err(ShadowError::Clash(path.clone()));
        }
        Ok(Self(folders))
    }

    /// Reads the folders from the root down.
    fn load(&mut self, shadow: &Shadow, tree: Option<Id>, base: Option<Id>) -> Result<(), ShadowError> {
        let places: Vec<FolderDepth<'c>> = self.0.keys().copied().collect();
        if let Some(root) = self.0.get_mut(&(0, &b""[..])) {
            (root.tree, root.base) = (tree, base);
        }
        for place in places {
            let Some(folder) = self.0.get_mut(&place) else {
                continue;
            };
            let below = folder.load(shadow)?;
            for (path, tree, base) in below {
                if let Some(child) = self.0.get_mut(&(place.0 + 1, path)) {
                    (child.tree, child.base) = (tree, base);
                }
            }
        }
        Ok(())
    }

    /// Writes the folders that changed, the deepest first, and gives the root; none if it is empty.
    fn build(mut self, shadow: &Shadow) -> Result<Option<Id>, ShadowError> {
        while let Some(((depth, path), folder)) = self.0.pop_last() {
            let built = folder.build(shadow)?;
            let Some(above) = depth.checked_sub(1) else {
                return Ok(built);
            };
            let cut = path.iter().rposition(|byte| *byte == b'/');
            let parent = cut.and_then(|cut| path.get(..cut)).unwrap_or_default();
            let name = path.get(cut.map_or(0, |cut| cut + 1)..).unwrap_or_default();
            let parent = self.0.get_mut(&(above, parent));
            if let Some(name) = parent.and_then(|parent| parent.names.get_mut(name)) {
                name.rebuilt = built;
            }
        }
        Ok(None)
    }
}

/// A folder below another: its path, its tree, and the tree of the base at the same place.
type SubtreeEdit<'c> = (&'c [u8], Option<Id>, Option<Id>);

impl<'c> EditedFolder<'c> {
    /// Reads what is there under the names that may change, and tells what that means for the folders below.
    fn load(&mut self, shadow: &Shadow) -> Result<Vec<SubtreeEdit<'c>>, ShadowError> {
        if let Some(tree) = self.tree {
            self.bytes = shadow.folder_bytes(tree)?;
            for entry in shadow.entries(&self.bytes) {
                if let Some(name) = self.names.get_mut(entry.name) {
                    name.now = Some(entry.item);
                }
            }
        }
        let held = self.held(shadow)?;
        let below = |(component, name): (&&'c [u8], &EditedName<'c>)| {
            let tree = name.now.and_then(FolderItem::folder);
            let base = held.as_ref().map_or(tree, |held| held.get(component).copied());
            Some((name.within?, tree, base))
        };
        Ok(self.names.iter().filter_map(below).collect())
    }

    /// The folders the base has under these names; none if it is the very folder we edit.
    fn held(&self, shadow: &Shadow) -> Result<Option<BTreeMap<&'c [u8], Id>>, ShadowError> {
        if self.base == self.tree {
            return Ok(None);
        }
        let mut held = BTreeMap::new();
        if let Some(base) = self.base {
            let bytes = shadow.folder_bytes(base)?;
            for entry in shadow.entries(&bytes) {
                if let (Some((name, _)), Some(id)) =
                    (self.names.get_key_value(entry.name), entry.item.folder())
                {
                    held.insert(*name, id);
                }
            }
        }
        Ok(Some(held))
    }

    /// The folder after the changes; none if nothing is left.
    fn build(self, shadow: &Shadow) -> Result<Option<Id>, ShadowError> {
        let is_changed = self.names.values().any(|name| name.result() != name.now);
        if !is_changed {
            return Ok(self.tree.filter(|_| !self.bytes.is_empty()));
        }
        let bytes = self.merged(shadow);
        if bytes.is_empty() {
            return Ok(None);
        }
        let id = shadow.objects.hash(Kind::Tree, &bytes)?;
        if self.base != Some(id) {
            shadow.objects.write_known(id, Kind::Tree, &bytes)?;
        }
        Ok(Some(id))
    }

    /// The entries that stay, byte for byte, and the new ones between them.
    fn merged(&self, shadow: &Shadow) -> Vec<u8> {
        let is_new = |name: &EditedName<'_>| name.result() != name.now;
        let mut new: Vec<(&[u8], FolderItem)> = self
            .names
            .iter()
            .filter(|(_, name)| is_new(name))
            .filter_map(|(component, name)| Some((*component, name.result()?)))
            .collect();
        new.sort_unstable_by(|one, other| folder::order(one.0, one.1, other.0, other.1));
        let mut new = new.into_iter().peekable();
        let mut out = Vec::with_capacity(self.bytes.len() + 64);
        for old in shadow.entries(&self.bytes) {
            if self.names.get(old.name).is_some_and(is_new) {
                continue;
            }
            while let Some((name, item)) =
                new.next_if(|(name, item)| folder::order(name, *item, old.name, old.item).is_lt())
            {
                item.write(name, &mut out);
            }
            out.extend_from_slice(old.bytes);
        }
        for (name, item) in new {
            item.write(name, &mut out);
        }
        out
    }
}

/// A file that is put, together with something below it.
fn clash(changes: &BTreeMap<RepoPath, Option<TreeLeaf>>) -> Option<&RepoPath> {
    let mut files: Vec<&RepoPath> = Vec::new();
    for (path, change) in changes {
        // In the order of bytes all that begins with a path follows it.
        while files
            .last()
            .is_some_and(|file| !path.as_bytes().starts_with(file.as_bytes()))
        {
            files.pop();
        }
        if change.is_some() {
            if let Some(file) = files.iter().find(|file| path.is_below(file)) {
                return Some(file);
            }
            files.push(path);
        }
    }
    None
}
