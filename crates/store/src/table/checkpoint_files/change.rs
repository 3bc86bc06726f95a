//! What happened to a path, and how it is known who did it.

use crate::file_state::FileState;

/// What happened to a path between two checkpoints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CheckpointFileChange {
    /// It was not there before.
    Added,
    /// Its content changed.
    Modified,
    /// It is gone.
    Deleted,
    /// Only its exec bit changed.
    Mode,
    /// A file became a link, a link a repository, and so on.
    Type,
    /// It changed, and its content was not captured.
    Skipped,
}

impl CheckpointFileChange {
    /// All changes.
    pub const ALL: [Self; 6] = [
        Self::Added,
        Self::Modified,
        Self::Deleted,
        Self::Mode,
        Self::Type,
        Self::Skipped,
    ];

    /// The word for it in the store and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Modified => "modified",
            Self::Deleted => "deleted",
            Self::Mode => "mode",
            Self::Type => "type",
            Self::Skipped => "skipped",
        }
    }

    /// What leads from one state to another; `None` where nothing does.
    pub fn between(before: Option<&FileState>, after: Option<&FileState>) -> Option<Self> {
        match (before, after) {
            (None, None) => None,
            (None, Some(_)) => Some(Self::Added),
            (Some(_), None) => Some(Self::Deleted),
            (Some(before), Some(after)) if before == after => None,
            (Some(before), Some(after)) if !before.is_same_type(after) => Some(Self::Type),
            (Some(before), Some(after)) if before.id == after.id && before.raw == after.raw => {
                Some(Self::Mode)
            }
            (Some(_), Some(_)) => Some(Self::Modified),
        }
    }

    /// The change a word stands for; one only a newer version knows is some change.
    pub fn parse(word: &str) -> Self {
        Self::ALL
            .into_iter()
            .find(|change| change.as_str() == word)
            .unwrap_or(Self::Modified)
    }
}
