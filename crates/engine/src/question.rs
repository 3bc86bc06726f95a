//! What a policy wants to know about the world before it judges. Bounded, answered before the transaction opens.

use crate::lease::{Means, WantedFile, WantedOfCall, WrittenFiles};
use crate::policy::guard::facts::WorldQuestion;
use shell::{Shown, ShownFile};
use std::path::PathBuf;

/// Files that are looked at in a moment.
const FEW: usize = 4;

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
    Guard(WorldQuestion),
    /// The files that a call writes: their keys, and what is there now. Answered with [`LeaseAnswers::targets`] and
    /// [`LeaseAnswers::bulk`].
    ///
    /// [`LeaseAnswers::targets`]: crate::lease::LeaseAnswers::targets
    /// [`LeaseAnswers::bulk`]: crate::lease::LeaseAnswers::bulk
    Files(WantedOfCall),
    /// The files that a call reads: what its reader is about to see. Answered with [`LeaseAnswers::read`] and
    /// [`LeaseAnswers::glimpsed`].
    ///
    /// [`LeaseAnswers::read`]: crate::lease::LeaseAnswers::read
    /// [`LeaseAnswers::glimpsed`]: crate::lease::LeaseAnswers::glimpsed
    Seen {
        /// Which, and how much of them.
        shown: Vec<Shown>,
        /// What shows them.
        means: Means,
    },
    /// What other sessions left in the worktree of a prompt and is not committed yet. Answered with
    /// [`Answers::uncommitted`](crate::answer::Answers::uncommitted).
    Uncommitted,
    /// The files that a call wrote or may have written. Answered with
    /// [`LeaseAnswers::targets`](crate::lease::LeaseAnswers::targets): those it names, and of the others what changed.
    Left(WrittenFiles),
}

impl Question {
    /// Whether answering it may take long enough to be done beside other events. A few files are looked at in a moment.
    pub fn may_take_long(&self) -> bool {
        match self {
            Self::ProjectState { .. } | Self::Guard(_) | Self::Uncommitted => true,
            Self::Files(wanted) => {
                // Git is asked about what commands write.
                let by_command = |file: &WantedFile| file.means == Means::Shell;
                !wanted.patterns.is_empty()
                    || wanted.files.len() > FEW
                    || wanted.files.iter().any(by_command)
                    || wanted.commit.is_some()
            }
            Self::Left(left) => left.watched || left.files.files.len() > FEW,
            Self::Seen { shown, .. } => {
                let by_pattern = |shown: &Shown| matches!(shown.file, ShownFile::Pattern { .. });
                shown.len() > FEW || shown.iter().any(by_pattern)
            }
        }
    }

    /// The files that are to be looked at.
    pub fn files(&self) -> impl Iterator<Item = &PathBuf> {
        let (named, shown) = match self {
            Self::ProjectState { .. } | Self::Guard(_) | Self::Uncommitted => ([].as_slice(), [].as_slice()),
            Self::Files(wanted) => (wanted.files.as_slice(), [].as_slice()),
            Self::Left(left) => (left.files.files.as_slice(), [].as_slice()),
            Self::Seen { shown, .. } => ([].as_slice(), shown.as_slice()),
        };
        let read = shown.iter().filter_map(|shown| match &shown.file {
            ShownFile::Path(path) => Some(path),
            ShownFile::Pattern { .. } => None,
        });
        named.iter().map(|file| &file.path).chain(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lease::FileChangeKind;
    use shell::extent::ReadExtent;

    #[test]
    fn a_few_files_are_looked_at_in_a_moment_and_many_are_not() {
        let files = |count: usize| WantedOfCall {
            files: vec![WantedFile::file(PathBuf::from("/a"), FileChangeKind::Change, Means::Tool); count],
            ..WantedOfCall::default()
        };
        let seen = |file: ShownFile| Question::Seen {
            shown: vec![Shown {
                file,
                extent: ReadExtent::Whole,
            }],
            means: Means::Shell,
        };
        assert!(!seen(ShownFile::Path(PathBuf::from("/a"))).may_take_long());
        let (folder, pattern) = (PathBuf::from("/"), "*".to_owned());
        assert!(seen(ShownFile::Pattern { folder, pattern }).may_take_long());
        assert!(!Question::Files(files(FEW)).may_take_long());
        assert!(Question::Files(files(FEW + 1)).may_take_long());
        let left = |watched| {
            Question::Left(WrittenFiles {
                files: files(1),
                watched,
                ..WrittenFiles::default()
            })
        };
        assert!(!left(false).may_take_long() && left(true).may_take_long());
    }
}
