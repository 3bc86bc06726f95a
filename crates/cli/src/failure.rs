//! How a command fails: one sentence, the cause, a hint that can be pasted, and an exit code with a meaning.

use std::io::Write;
use std::process::ExitCode;

/// What kind of failure it is; the exit code says the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// It did not work.
    Failed,
    /// It was asked wrongly.
    WrongUse,
    /// It was not to be had: held, busy, time up, condition not met.
    NotObtained,
    /// Nothing matches, or more than one thing does.
    NoMatch,
    /// A person has to do this.
    NeedsPerson,
}

impl FailureKind {
    /// The exit code.
    pub fn exit(self) -> ExitCode {
        ExitCode::from(self.code())
    }

    fn code(self) -> u8 {
        match self {
            Self::Failed => 1,
            Self::WrongUse => 2,
            Self::NotObtained => 3,
            Self::NoMatch => 4,
            Self::NeedsPerson => 5,
        }
    }
}

/// A failure, ready to be told.
#[derive(Debug)]
pub struct Failure {
    kind: FailureKind,
    error: anyhow::Error,
    hint: Option<String>,
}

impl Failure {
    /// A failure of this kind.
    pub fn new(kind: FailureKind, error: impl Into<anyhow::Error>) -> Self {
        Self {
            kind,
            error: error.into(),
            hint: None,
        }
    }

    /// A failure that is one sentence.
    pub fn saying(kind: FailureKind, sentence: impl Into<String>) -> Self {
        Self::new(kind, anyhow::Error::msg(sentence.into()))
    }

    /// The same failure with a hint that can be pasted.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The text a person reads.
    pub fn text(&self) -> String {
        let mut text = format!("error: {:#}\n", self.error);
        if let Some(hint) = &self.hint {
            text.push_str("hint: ");
            text.push_str(hint);
            text.push('\n');
        }
        text
    }

    /// Tells the person and gives the exit code.
    pub fn report(&self) -> ExitCode {
        let _ = std::io::stderr().write_all(self.text().as_bytes());
        self.kind.exit()
    }
}

impl<E: Into<anyhow::Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::new(FailureKind::Failed, error)
    }
}
