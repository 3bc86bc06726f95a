//! What differs between two trees. Folders of the same id are not looked into.

use std::cmp::Ordering;
use std::sync::Arc;

use super::folder::{self, FolderEntry};
use super::{Shadow, ShadowError};
use crate::object::{Id, TreeLeaf};
use crate::path::RepoPath;

/// More than any repository has to compare; a few small trees that name each other can spell more than memory holds.
const MOST: usize = 4_000_000;

/// One path that differs between two trees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delta {
    /// The path.
    pub path: RepoPath,
    /// What the old tree has there.
    pub before: Option<TreeLeaf>,
    /// What the new tree has there.
    pub after: Option<TreeLeaf>,
}

/// A folder still to be compared.
struct FolderPair {
    path: Vec<u8>,
    old: Option<Id>,
    new: Option<Id>,
}

impl Shadow {
    /// The leaves that differ, sorted by path. No tree is a tree without leaves.
    pub fn diff(&self, old: Option<Id>, new: Option<Id>) -> Result<Vec<Delta>, ShadowError> {
        self.diff_within(old, new, MOST)
    }

    /// The same, given up after this many comparisons.
    pub(super) fn diff_within(
        &self,
        old: Option<Id>,
        new: Option<Id>,
        most: usize,
    ) -> Result<Vec<Delta>, ShadowError> {
        let mut walk = TreeDiffWalk {
            open: Vec::new(),
            found: Vec::new(),
            left: most,
        };
        walk.visit(Vec::new(), old, new);
        while let Some(pair) = walk.open.pop() {
            let old_bytes = self.bytes_of(pair.old)?;
            let new_bytes = self.bytes_of(pair.new)?;
            let old: Vec<FolderEntry<'_>> = self.entries(&old_bytes).collect();
            let new: Vec<FolderEntry<'_>> = self.entries(&new_bytes).collect();
            walk.compare(&pair, &old, &new)?;
        }
        walk.found
            .sort_unstable_by(|one, other| one.path.cmp(&other.path));
        Ok(walk.found)
    }

    fn bytes_of(&self, tree: Option<Id>) -> Result<Arc<[u8]>, ShadowError> {
        tree.map_or(Ok(Arc::default()), |tree| self.folder_bytes(tree))
    }
}

struct TreeDiffWalk {
    open: Vec<FolderPair>,
    found: Vec<Delta>,
    left: usize,
}

impl TreeDiffWalk {
    fn visit(&mut self, path: Vec<u8>, old: Option<Id>, new: Option<Id>) {
        if old != new {
            self.open.push(FolderPair { path, old, new });
        }
    }

    fn compare(
        &mut self,
        pair: &FolderPair,
        old: &[FolderEntry<'_>],
        new: &[FolderEntry<'_>],
    ) -> Result<(), ShadowError> {
        let (mut old, mut new) = (old.iter().peekable(), new.iter().peekable());
        loop {
            let order = match (old.peek(), new.peek()) {
                (None, None) => return Ok(()),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(old), Some(new)) => old.order(new),
            };
            let before = if order.is_le() { old.next() } else { None };
            let after = if order.is_ge() { new.next() } else { None };
            self.differ(pair, before, after)?;
        }
    }

    /// Both are of one name, and both folders or both leaves.
    fn differ(
        &mut self,
        pair: &FolderPair,
        before: Option<&FolderEntry<'_>>,
        after: Option<&FolderEntry<'_>>,
    ) -> Result<(), ShadowError> {
        let Some(named) = before.or(after) else {
            return Ok(());
        };
        let before = before.map(|named| named.item);
        let after = after.map(|named| named.item);
        if before == after {
            return Ok(());
        }
        let too_much = |fault| ShadowError::Malformed {
            id: pair.new.or(pair.old).unwrap_or(match named.item {
                folder::FolderItem::Leaf(entry) => entry.id,
                folder::FolderItem::Folder(id) => id,
            }),
            fault,
        };
        self.left = self
            .left
            .checked_sub(1)
            .ok_or_else(|| too_much("it has more leaves than a repository can have"))?;
        let path = join(&pair.path, named.name);
        if named.item.is_folder() {
            let id = |item: Option<folder::FolderItem>| item.and_then(folder::FolderItem::folder);
            if path.len() > crate::path::LONGEST {
                return Err(too_much("its folders are too deep"));
            }
            self.visit(path, id(before), id(after));
        } else {
            let entry = |item: Option<folder::FolderItem>| item.and_then(folder::FolderItem::leaf);
            self.found.push(Delta {
                path: RepoPath::new(path).map_err(|_| too_much("a path in it is too long"))?,
                before: entry(before),
                after: entry(after),
            });
        }
        Ok(())
    }
}

fn join(folder: &[u8], name: &[u8]) -> Vec<u8> {
    let mut path = Vec::with_capacity(folder.len() + 1 + name.len());
    path.extend_from_slice(folder);
    if !folder.is_empty() {
        path.push(b'/');
    }
    path.extend_from_slice(name);
    path
}
