//! Why a JSON file is not edited, and what the person can do about it.

/// A reason to leave a JSON file alone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JsonError {
    /// The text breaks the grammar at a place.
    #[error("not valid JSON at line {line}, column {column}: {problem}")]
    Syntax {
        /// Counted from 1.
        line: usize,
        /// Counted from 1, in characters.
        column: usize,
        /// What is wrong there.
        problem: &'static str,
    },
    /// One object holds a key twice, so an edit could change the one that is not in force.
    #[error("the key `{key}` stands twice in one object, again at line {line}, column {column}")]
    Duplicate {
        /// The key, unescaped.
        key: String,
        /// Counted from 1.
        line: usize,
        /// Counted from 1, in characters.
        column: usize,
    },
    /// Deeper than any settings file; read on and a hostile file could exhaust the stack.
    #[error("nested deeper than {limit} levels")]
    TooDeep {
        /// The deepest level that is read.
        limit: usize,
    },
    /// The bytes are not text.
    #[error("not valid UTF-8")]
    NotUtf8,
    /// A value has another shape than the client documents.
    #[error("{place} is not {expected}")]
    Shape {
        /// The value, as a sentence names it.
        place: String,
        /// What it should be, with its article.
        expected: &'static str,
    },
}

impl JsonError {
    /// What the person can do, without the file's name.
    pub fn hint(&self) -> String {
        match self {
            Self::Syntax { line, column, .. } => {
                format!(
                    "correct line {line}, column {column} (comments and trailing commas are not JSON), then run it again"
                )
            }
            Self::Duplicate { key, .. } => {
                format!("keep one of the two `{key}` (the client reads the later one), then run it again")
            }
            Self::TooDeep { .. } => "flatten the file, or choose another one with `--scope`".to_owned(),
            Self::NotUtf8 => "save the file as UTF-8, then run it again".to_owned(),
            Self::Shape { place, expected } => {
                format!("make {place} {expected} or remove it, then run it again")
            }
        }
    }
}
