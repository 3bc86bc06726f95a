//! What a policy wants to know about the world before it judges. Bounded, answered before the transaction opens.

use crate::lease::{Left, WantedOfCall};
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
    /// The files that a call writes: their keys, and what is there now. Answered with [`LeaseAnswers::targets`] and
    /// [`LeaseAnswers::bulk`].
    ///
    /// [`LeaseAnswers::targets`]: crate::lease::LeaseAnswers::targets
    /// [`LeaseAnswers::bulk`]: crate::lease::LeaseAnswers::bulk
    Files(WantedOfCall),
    /// The file that a call reads, by absolute path: what its reader is about to see. Answered with
    /// [`LeaseAnswers::read`](crate::lease::LeaseAnswers::read).
    Seen(PathBuf),
    /// The files that a call wrote or may have written. Answered with
    /// [`LeaseAnswers::targets`](crate::lease::LeaseAnswers::targets): those it names, and of the others what changed.
    Left(Left),
}
