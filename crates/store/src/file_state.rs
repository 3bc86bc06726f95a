//! What a path held at one moment, in git's words. Texts only: the store knows no repository.

use crate::db::RowFields;

/// Content at a path. That there was none is the `None` around it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileState {
    /// As git writes modes: `100644`, `100755`, `120000`, `160000`.
    pub mode: String,
    /// The object in its stored form.
    pub id: String,
    /// The object with the bytes of the worktree, where they differ from the stored form.
    pub raw: Option<String>,
}

impl FileState {
    /// The state that three columns hold.
    pub(crate) fn take(row: &mut RowFields<'_>) -> rusqlite::Result<Option<Self>> {
        let (mode, id): (Option<String>, Option<String>) = (row.take()?, row.take()?);
        let raw = row.take()?;
        Ok(mode.zip(id).map(|(mode, id)| Self { mode, id, raw }))
    }

    /// Whether a file, a link and a repository stand at such a path: what `mode` says beside the exec bit.
    pub(crate) fn is_same_type(&self, other: &Self) -> bool {
        self.file_type() == other.file_type()
    }

    fn file_type(&self) -> &str {
        self.mode.get(..3).unwrap_or(&self.mode)
    }
}

/// The columns of a state that may be absent: mode, id, raw.
pub(crate) fn columns_of(state: Option<&FileState>) -> (Option<&str>, Option<&str>, Option<&str>) {
    match state {
        Some(state) => (Some(&state.mode), Some(&state.id), state.raw.as_deref()),
        None => (None, None, None),
    }
}

/// Where in a checkpoint a path is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TreePart {
    /// Among the files git would commit.
    Files,
    /// Among the ignored files an actor wrote itself.
    Ignored,
}

impl TreePart {
    /// The word for it in the store and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Files => "files",
            Self::Ignored => "ignored",
        }
    }

    pub(crate) fn parse(word: &str) -> Self {
        match word {
            "ignored" => Self::Ignored,
            _ => Self::Files,
        }
    }
}
