//! What tells one file from another, however its path was spelled.

use crate::id::WorktreeId;
use serde::{Deserialize, Serialize};

/// One file: its worktree and its path in it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FileKey {
    /// The innermost worktree around the real file; `None` outside all of them, where the path is absolute.
    ///
    /// Rows are known inside the transaction only: answers of the world leave it empty and name
    /// [`Target::root`](super::Target::root) instead.
    pub worktree: Option<WorktreeId>,
    /// Relative to the worktree, with `/`, links resolved, NFC, folded where the volume ignores case. Bytes that are
    /// not UTF-8 are escaped.
    pub path: String,
    /// Device and inode (`2049:131`) of a file with several hard links.
    pub file_id: Option<String>,
}
