//! One folder as git stores it: entries in git's order, and nothing in it that could mislead whoever walks it.

use std::cmp::Ordering;

use gix::ObjectId;
use gix::objs::tree::name_order;

use super::ShadowError;
use crate::object::{EntryMode, Id, TreeLeaf};
use crate::path;

/// What one name in a folder stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FolderItem {
    Leaf(TreeLeaf),
    Folder(Id),
}

impl FolderItem {
    pub(super) fn is_folder(self) -> bool {
        matches!(self, Self::Folder(_))
    }

    pub(super) fn leaf(self) -> Option<TreeLeaf> {
        match self {
            Self::Leaf(entry) => Some(entry),
            Self::Folder(_) => None,
        }
    }

    pub(super) fn folder(self) -> Option<Id> {
        match self {
            Self::Leaf(_) => None,
            Self::Folder(id) => Some(id),
        }
    }

    /// Appends it the way git writes it.
    pub(super) fn write(self, name: &[u8], out: &mut Vec<u8>) {
        let (octal, id) = match self {
            Self::Leaf(entry) => (entry.mode.octal(), entry.id),
            Self::Folder(id) => ("40000", id),
        };
        out.extend_from_slice(octal.as_bytes());
        out.push(b' ');
        out.extend_from_slice(name);
        out.push(0);
        out.extend_from_slice(id.0.as_slice());
    }
}

/// One entry of a folder, and the bytes it was read from.
#[derive(Debug, Clone, Copy)]
pub(super) struct FolderEntry<'a> {
    pub(super) name: &'a [u8],
    pub(super) item: FolderItem,
    pub(super) bytes: &'a [u8],
}

impl FolderEntry<'_> {
    /// Git's order: folders compare as if their name ended with a slash.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        order(self.name, self.item, other.name, other.item)
    }
}

/// Git's order of two entries.
pub(super) fn order(name: &[u8], item: FolderItem, other: &[u8], other_item: FolderItem) -> Ordering {
    name_order(name, item.is_folder(), other, other_item.is_folder())
}

/// The entries of a folder. One that git would not have written is refused as a whole.
pub(super) fn parse(id: Id, bytes: &[u8]) -> Result<Vec<FolderEntry<'_>>, ShadowError> {
    let malformed = |fault| ShadowError::Malformed { id, fault };
    let width = id.0.kind().len_in_bytes();
    let mut entries: Vec<FolderEntry<'_>> = Vec::new();
    let mut files = NameSearch::default();
    let mut rest = bytes;
    while !rest.is_empty() {
        let (entry, tail) =
            first(rest, width).ok_or(malformed("an entry is cut short or of no known kind"))?;
        if entry.name.contains(&b'/') || !is_harmless(entry.name) {
            return Err(malformed("a name leads out of its folder or into `.git`"));
        }
        if entries.last().is_some_and(|last| last.order(&entry).is_ge()) {
            return Err(malformed("its names are not in order"));
        }
        if !files.admit(&entry) {
            return Err(malformed("a name is there twice"));
        }
        entries.push(entry);
        rest = tail;
    }
    Ok(entries)
}

/// The entries of a folder that was parsed before.
pub(super) fn walk(bytes: &[u8], width: usize) -> impl Iterator<Item = FolderEntry<'_>> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let (entry, tail) = first(rest, width)?;
        rest = tail;
        Some(entry)
    })
}

fn first(bytes: &[u8], width: usize) -> Option<(FolderEntry<'_>, &[u8])> {
    let space = bytes.iter().take(8).position(|byte| *byte == b' ')?;
    let (octal, after) = bytes.split_at_checked(space)?;
    let after = after.get(1..)?;
    let end = after.iter().position(|byte| *byte == 0)?;
    let name = after.get(..end)?;
    let (id, rest) = after.get(end + 1..)?.split_at_checked(width)?;
    let id = Id(ObjectId::try_from(id).ok()?);
    let item = match std::str::from_utf8(octal).ok()? {
        "40000" | "040000" => FolderItem::Folder(id),
        octal => FolderItem::Leaf(TreeLeaf {
            mode: EntryMode::parse(octal)?,
            id,
        }),
    };
    let length = bytes.len() - rest.len();
    let bytes = bytes.get(..length)?;
    Some((FolderEntry { name, item, bytes }, rest))
}

/// Most names are seen to be harmless by their first letter.
fn is_harmless(name: &[u8]) -> bool {
    match name.first() {
        Some(first) if first.is_ascii() && !matches!(first, b'.' | b'g' | b'G') => true,
        _ => path::check(name).is_ok(),
    }
}

/// Finds a file and a folder of one name: other names may stand between them, all beginning with it.
#[derive(Default)]
struct NameSearch<'a>(Vec<&'a [u8]>);

impl<'a> NameSearch<'a> {
    fn admit(&mut self, entry: &FolderEntry<'a>) -> bool {
        while self.0.last().is_some_and(|file| !entry.name.starts_with(file)) {
            self.0.pop();
        }
        if entry.item.is_folder() {
            self.0.last() != Some(&entry.name)
        } else {
            self.0.push(entry.name);
            true
        }
    }
}
