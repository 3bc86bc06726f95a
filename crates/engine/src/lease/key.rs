//! What tells one file from another, however its path was spelled.

use crate::id::WorktreeId;
use crate::text::one_line;
use serde::{Deserialize, Serialize};

/// One file: its worktree and its path in it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FileKey {
    /// The innermost worktree around the real file; `None` outside all of them, where the path is absolute.
    ///
    /// Rows are known inside the transaction only: answers of the world leave it empty and name
    /// [`FileTarget::root`](super::FileTarget::root) instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<WorktreeId>,
    /// Relative to the worktree, with `/`, links resolved, NFC, folded where the volume ignores case. Bytes that are
    /// not UTF-8 are escaped.
    pub path: String,
    /// Device and inode (`2049:131`) of a file with several hard links.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_id: Option<String>,
}

/// Characters of a path that are shown.
pub const LONGEST_SHOWN: usize = 120;

impl FileKey {
    /// The path as messages show it: on one line, and not too long.
    pub fn shown(&self) -> String {
        one_line(&self.path, LONGEST_SHOWN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_shown_on_one_line_and_cut() {
        let key = |path: &str| FileKey {
            worktree: None,
            path: path.to_owned(),
            file_id: None,
        };
        assert_eq!(key("a\n\u{1b}[2Jb").shown(), "a\\n\\u{1b}[2Jb");
        assert_eq!(key(&"x".repeat(4_000)).shown().chars().count(), LONGEST_SHOWN + 1);
    }
}
