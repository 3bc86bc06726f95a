//! Which of the shadow's own objects something still needs.

use std::collections::HashSet;

use gix::objs::Kind;

use super::folder::{self, FolderItem};
use super::objects::{Objects, RECORD_LIMIT};
use super::own::Own;
use super::{Shadow, ShadowError};
use crate::object::{EntryMode, Id};

/// An own object that is needed, and the name it has where it was first found; git packs like names together.
pub(super) struct Needed {
    pub(super) id: Id,
    pub(super) name: Vec<u8>,
}

impl Shadow {
    /// All own objects reachable from the tips of lines and from others, through own objects only: the rest is held in the user's repository.
    ///
    /// A tree that git would refuse still keeps what it names. Commits are all our own; one that is lost is an error.
    pub(super) fn reachable(
        &self,
        own: &Own,
        tips: &[Id],
        others: impl Iterator<Item = Id>,
    ) -> Result<Vec<Needed>, ShadowError> {
        let mut walk = ReachabilityWalk {
            own,
            seen: HashSet::new(),
            open: Vec::new(),
            needed: Vec::new(),
        };
        for tip in tips {
            walk.visit_commit(*tip, &self.objects)?;
        }
        for id in others.filter(|id| own.has(*id)) {
            walk.visit(id, self.objects.kind(id)?, &[]);
        }
        while let Some((id, kind)) = walk.open.pop() {
            match kind {
                Kind::Commit => {
                    let commit = self.read_commit(id)?;
                    walk.visit(commit.tree, Kind::Tree, &[]);
                    for parent in commit.parents {
                        walk.visit_commit(parent, &self.objects)?;
                    }
                }
                Kind::Tree => {
                    let bytes = self.objects.read(id, Kind::Tree, RECORD_LIMIT)?;
                    for entry in folder::walk(&bytes, id.0.kind().len_in_bytes()) {
                        match entry.item {
                            FolderItem::Folder(id) => walk.visit(id, Kind::Tree, entry.name),
                            FolderItem::Leaf(leaf) if leaf.mode == EntryMode::Commit => {}
                            FolderItem::Leaf(leaf) => walk.visit(leaf.id, Kind::Blob, entry.name),
                        }
                    }
                }
                Kind::Blob | Kind::Tag => {}
            }
        }
        Ok(walk.needed)
    }
}

struct ReachabilityWalk<'a> {
    own: &'a Own,
    seen: HashSet<Id>,
    open: Vec<(Id, Kind)>,
    needed: Vec<Needed>,
}

impl ReachabilityWalk<'_> {
    /// A commit may be newer than the inventory: it is walked all the same.
    fn visit_commit(&mut self, id: Id, objects: &Objects) -> Result<(), ShadowError> {
        if self.own.has(id) {
            self.visit(id, Kind::Commit, &[]);
        } else if !objects.owns(id) {
            return Err(ShadowError::Missing(id));
        } else if self.seen.insert(id) {
            self.open.push((id, Kind::Commit));
        }
        Ok(())
    }

    fn visit(&mut self, id: Id, kind: Kind, name: &[u8]) {
        if self.own.has(id) && self.seen.insert(id) {
            self.needed.push(Needed {
                id,
                name: name.to_vec(),
            });
            if matches!(kind, Kind::Commit | Kind::Tree) {
                self.open.push((id, kind));
            }
        }
    }
}
