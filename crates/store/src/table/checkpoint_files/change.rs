//! What happened to a path, and how it is known who did it.

use crate::file_state::FileState;

/// What happened to a path between two checkpoints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Change {
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

impl Change {
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

/// How it is known who changed a path. It decides what a rewind may touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Origin {
    /// A tool's payload named the path.
    Tool,
    /// A scan found it while one actor alone ran something that could have done it.
    Shell,
    /// The same, with several actors.
    Shared,
    /// Nothing that ran could have done it: the person, an editor, a server.
    Outside,
    /// A rewind or an undo did it.
    Rewind,
}

impl Origin {
    /// All origins.
    pub const ALL: [Self; 5] = [Self::Tool, Self::Shell, Self::Shared, Self::Outside, Self::Rewind];

    /// The word for it in the store and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Shell => "shell",
            Self::Shared => "shared",
            Self::Outside => "outside",
            Self::Rewind => "rewind",
        }
    }

    /// An origin only a newer version knows is no agent's as far as this one can tell.
    pub fn parse(word: &str) -> Self {
        Self::ALL
            .into_iter()
            .find(|origin| origin.as_str() == word)
            .unwrap_or(Self::Outside)
    }
}
