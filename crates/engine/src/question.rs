//! What a policy wants to know about the world before it judges. Bounded, answered before the transaction opens.

use crate::policy::guard::facts::Asked;
use std::path::PathBuf;

/// One question. The answer is stored with the event, so that a replay is exact.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Question {
    /// Branch, changes, tree and last commits of the worktree at this folder.
    ProjectState {
        /// Where to look.
        cwd: PathBuf,
        /// How long all of it may take.
        timeout_ms: u64,
    },
    /// Something a guard wants to know of a path, a repository or a script.
    Guard(Asked),
}
