//! Where a checkpoint came from.

/// Where a checkpoint came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CheckpointSource {
    /// It was made here.
    Local,
    /// It was taken over from elsewhere and holds no files.
    Import,
}

impl CheckpointSource {
    /// The word for it in the store.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::Import => "import",
        }
    }

    pub(crate) fn parse(word: &str) -> Self {
        match word {
            "import" => Self::Import,
            _ => Self::Local,
        }
    }
}
