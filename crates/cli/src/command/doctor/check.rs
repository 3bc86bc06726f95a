//! One line of the examination: how a thing is, and one hint that can be pasted where it is not well.

use serde::Serialize;

/// How a thing is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckState {
    /// As it should be.
    Ok,
    /// It works, but not as it should.
    Warn,
    /// It does not work.
    Fail,
}

impl CheckState {
    /// Its name in the lines.
    pub fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warn => "warn",
            Self::Fail => "fail",
        }
    }

    /// The exit code when this is the worst of all.
    pub fn exit(self) -> u8 {
        match self {
            Self::Ok => 0,
            Self::Warn => 10,
            Self::Fail => 11,
        }
    }
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DoctorCheck {
    /// What was looked at.
    pub name: &'static str,
    /// How it is.
    pub state: CheckState,
    /// One sentence.
    pub text: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl DoctorCheck {
    /// All is well.
    pub fn ok(name: &'static str, text: impl Into<String>) -> Self {
        Self {
            name,
            state: CheckState::Ok,
            text: text.into(),
            hint: None,
        }
    }

    /// Something is not as it should be.
    pub fn warn(name: &'static str, text: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            name,
            state: CheckState::Warn,
            text: text.into(),
            hint: Some(hint.into()),
        }
    }

    /// Something does not work.
    pub fn fail(name: &'static str, text: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            name,
            state: CheckState::Fail,
            text: text.into(),
            hint: Some(hint.into()),
        }
    }
}

/// The worst of all states.
pub fn worst(checks: &[DoctorCheck]) -> CheckState {
    checks
        .iter()
        .map(|check| check.state)
        .max()
        .unwrap_or(CheckState::Ok)
}
