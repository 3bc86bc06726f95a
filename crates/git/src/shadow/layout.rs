//! The tree of a checkpoint: `files/`, `extra/` and `session/`.

use gix::objs::Kind;

use super::folder::{self, FolderItem};
use super::{Shadow, ShadowError};
use crate::object::{EntryMode, Id, TreeLeaf};
use crate::path::RepoPath;

/// The parts of a checkpoint's tree. Parts without content are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShadowLayout {
    /// What `git add -A && git write-tree` would give.
    pub files: Id,
    /// Ignored files an agent wrote itself.
    pub ignored: Option<Id>,
    /// Worktree bytes of files whose stored form differs.
    pub raw: Option<Id>,
    /// Permissions of files that were kept from others, as octal digits at the paths of the files.
    pub modes: Option<Id>,
    /// Staged content that is in neither HEAD nor the worktree.
    pub staged: Option<Id>,
    /// What is known of the session.
    pub session: Option<Id>,
}

impl ShadowLayout {
    /// A layout of files alone.
    pub fn of(files: Id) -> Self {
        Self {
            files,
            ignored: None,
            raw: None,
            modes: None,
            staged: None,
            session: None,
        }
    }
}

/// Permissions that every reader of a repository may have: what is narrower is noted.
const USUAL: u32 = 0o644;
/// A file of permissions holds three or four digits.
const LONGEST_MODE: u64 = 16;

impl Shadow {
    /// Writes the tree of a checkpoint.
    pub fn write_layout(&self, layout: &ShadowLayout) -> Result<Id, ShadowError> {
        let extra = self.write_parts(&[
            (b"ignored", layout.ignored),
            (b"modes", layout.modes),
            (b"raw", layout.raw),
            (b"staged", layout.staged),
        ])?;
        let root = self.write_parts(&[
            (b"extra", extra),
            (b"files", Some(layout.files)),
            (b"session", layout.session),
        ])?;
        root.ok_or(ShadowError::Missing(layout.files))
    }

    /// The parts of a checkpoint's tree. Names we do not know are passed over: a newer version may have more.
    pub fn read_layout(&self, tree: Id) -> Result<ShadowLayout, ShadowError> {
        let [files, extra, session] = self.parts(tree, [b"files", b"extra", b"session"])?;
        let [ignored, modes, raw, staged] = match extra {
            Some(extra) => self.parts(extra, [b"ignored", b"modes", b"raw", b"staged"])?,
            None => [None; 4],
        };
        Ok(ShadowLayout {
            files: files.ok_or(ShadowError::Malformed {
                id: tree,
                fault: "it has no `files`",
            })?,
            ignored,
            raw,
            modes,
            staged,
            session,
        })
    }

    /// The note of a file's permissions, if they are narrower than usual.
    pub fn write_bits(&self, bits: u32) -> Result<Option<TreeLeaf>, ShadowError> {
        if USUAL & !bits == 0 {
            return Ok(None);
        }
        let id = self.write_blob(format!("{:o}\n", bits & 0o777).as_bytes())?;
        Ok(Some(TreeLeaf {
            mode: EntryMode::File,
            id,
        }))
    }

    /// The permissions noted for a path of a checkpoint; nothing where they were as usual, or the note is none.
    pub fn bits(&self, layout: &ShadowLayout, path: &RepoPath) -> Option<u32> {
        let noted = self.entry(layout.modes?, path).ok().flatten()?;
        let text = self.blob(noted.id, LONGEST_MODE).ok()?;
        let text = std::str::from_utf8(text.trim_ascii()).ok()?;
        u32::from_str_radix(text, 8).ok().filter(|bits| *bits <= 0o777)
    }

    /// The folders of these names.
    fn parts<const N: usize>(&self, tree: Id, names: [&[u8]; N]) -> Result<[Option<Id>; N], ShadowError> {
        let bytes = self.folder_bytes(tree)?;
        Ok(names.map(|name| {
            let found = self.entries(&bytes).find(|entry| entry.name == name);
            found.and_then(|entry| entry.item.folder())
        }))
    }

    /// A folder of these folders, which are given in order; none if all are absent.
    fn write_parts(&self, parts: &[(&[u8], Option<Id>)]) -> Result<Option<Id>, ShadowError> {
        let mut bytes = Vec::new();
        for (name, id) in parts {
            // An empty folder is stored only as `files`, which every checkpoint has.
            let Some(id) = id.filter(|id| *name == b"files" || *id != self.objects.empty_tree()) else {
                continue;
            };
            if !self.objects.knows(id) {
                return Err(ShadowError::Missing(id));
            }
            FolderItem::Folder(id).write(name, &mut bytes);
        }
        if bytes.is_empty() {
            return Ok(None);
        }
        let id = self.objects.write(Kind::Tree, &bytes)?;
        debug_assert!(folder::parse(id, &bytes).is_ok());
        Ok(Some(id))
    }
}
