//! What a command that goes over parts of a worktree reaches there: held files by their paths, reservations by the files that
//! are there.

use engine::lease::{BulkScope, Pattern};
use std::path::Path;

/// Files that are looked at for one reservation; where there are more, the command is taken to reach it.
const MOST_FILES: usize = 2000;

/// See the module.
#[derive(Clone, Copy)]
pub(super) struct BulkReach<'a> {
    /// The root of the worktree.
    pub(super) root: &'a Path,
    /// The parts; none if it is all of it.
    pub(super) scopes: &'a [BulkScope],
}

impl BulkReach<'_> {
    /// Whether a file of the worktree is reached.
    pub(super) fn has(&self, path: &str) -> bool {
        let file = self.root.join(path);
        self.scopes.is_empty() || file.to_str().is_none_or(|file| self.is_in_scope(file))
    }

    fn is_in_scope(&self, file: &str) -> bool {
        self.scopes.iter().any(|scope| scope.has(file))
    }

    /// Whether a file is there that is reached and that a reservation is about.
    pub(super) fn meets(&self, reserved: &str) -> bool {
        if self.scopes.is_empty() {
            return true;
        }
        let Ok(pattern) = Pattern::parse(reserved) else {
            return self.has(reserved);
        };
        let front = reserved
            .find(['*', '?', '[', '{', '\\'])
            .unwrap_or(reserved.len());
        let front = reserved.get(..front).unwrap_or_default();
        let folder = front.rsplit_once('/').map_or("", |(folder, _)| folder);
        let mut left = MOST_FILES;
        self.finds(&self.root.join(folder), &pattern, &mut left)
    }

    fn finds(&self, folder: &Path, pattern: &Pattern, left: &mut usize) -> bool {
        let Ok(entries) = fs_err::read_dir(folder) else {
            return false;
        };
        for entry in entries.flatten() {
            if *left == 0 {
                return true;
            }
            *left -= 1;
            let path = entry.path();
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let found = if is_folder {
                entry.file_name() != ".git" && self.finds(&path, pattern, left)
            } else {
                self.is_reserved(&path, pattern)
            };
            if found {
                return true;
            }
        }
        false
    }

    fn is_reserved(&self, file: &Path, pattern: &Pattern) -> bool {
        let inside = file.strip_prefix(self.root).ok().and_then(Path::to_str);
        let fits = inside.is_some_and(|inside| pattern.fits(inside));
        fits && file.to_str().is_some_and(|file| self.is_in_scope(file))
    }

    /// As messages show it; `None` if it is the whole worktree.
    pub(super) fn shown(&self) -> Option<String> {
        let root = self.root.to_string_lossy();
        let shown: Vec<String> = self
            .scopes
            .iter()
            .take(3)
            .map(|scope| scope.shown(&root))
            .collect();
        (!shown.is_empty()).then(|| shown.join(", "))
    }
}
