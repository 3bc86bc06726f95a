//! A setting's value before it has its final type, and the place in [`Settings`](super::Settings) it goes to.

use super::{Attended, Created, Mode, OnFailure, Opaque, Profile, Scripts, Steps, Strategy, Until};
use serde::Serialize;
use std::fmt;

/// A value as a file, a variable or a command line gives it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum SettingValue {
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// One of a few words.
    Word(String),
    /// A list of words.
    Words(Vec<String>),
}

impl fmt::Display for SettingValue {
    /// Writes the value as it stands in a settings file.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => write!(f, "{value}"),
            Self::Int(value) => write!(f, "{value}"),
            Self::Word(word) => quoted(f, word),
            Self::Words(words) => {
                f.write_str("[")?;
                for (index, word) in words.iter().enumerate() {
                    if index > 0 {
                        f.write_str(", ")?;
                    }
                    quoted(f, word)?;
                }
                f.write_str("]")
            }
        }
    }
}

/// Writes a TOML basic string; `\u{…}` of Rust is not TOML, so control characters get four digits.
fn quoted(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_str("\"")?;
    for character in text.chars() {
        match character {
            '"' => f.write_str("\\\"")?,
            '\\' => f.write_str("\\\\")?,
            other if other.is_control() => write!(f, "\\u{:04X}", u32::from(other))?,
            other => write!(f, "{other}")?,
        }
    }
    f.write_str("\"")
}

/// The field a key stands for.
pub enum Slot<'a> {
    /// A switch.
    Bool(&'a mut bool),
    /// A number.
    Int(&'a mut u32),
    /// The profile.
    Profile(&'a mut Profile),
    /// A policy's mode.
    Mode(&'a mut Mode),
    /// Where a turn's work goes.
    Strategy(&'a mut Strategy),
    /// How fine the points within a turn are.
    Steps(&'a mut Steps),
    /// What an opaque command meets.
    Opaque(&'a mut Opaque),
    /// Whether a person watches.
    Attended(&'a mut Attended),
    /// Which scripts are read.
    Scripts(&'a mut Scripts),
    /// What removing a session's own file meets.
    Created(&'a mut Created),
    /// What a failing hook means.
    OnFailure(&'a mut OnFailure),
    /// When a main thread gives its files back.
    Until(&'a mut Until),
    /// A path within the project, or nothing.
    Text(&'a mut String),
    /// A list.
    Words(&'a mut Vec<String>),
}

impl Slot<'_> {
    /// What the field holds.
    pub fn value(&self) -> SettingValue {
        match self {
            Self::Bool(field) => SettingValue::Bool(**field),
            Self::Int(field) => SettingValue::Int(i64::from(**field)),
            Self::Profile(field) => SettingValue::Word(field.word().to_owned()),
            Self::Mode(field) => SettingValue::Word(field.word().to_owned()),
            Self::Strategy(field) => SettingValue::Word(field.word().to_owned()),
            Self::Steps(field) => SettingValue::Word(field.word().to_owned()),
            Self::Opaque(field) => SettingValue::Word(field.word().to_owned()),
            Self::Attended(field) => SettingValue::Word(field.word().to_owned()),
            Self::Scripts(field) => SettingValue::Word(field.word().to_owned()),
            Self::Created(field) => SettingValue::Word(field.word().to_owned()),
            Self::OnFailure(field) => SettingValue::Word(field.word().to_owned()),
            Self::Until(field) => SettingValue::Word(field.word().to_owned()),
            Self::Text(field) => SettingValue::Word((*field).clone()),
            Self::Words(field) => SettingValue::Words((*field).clone()),
        }
    }

    /// Puts the value there; a value that does not fit changes nothing.
    pub fn fill(self, value: &SettingValue) {
        match (self, value) {
            (Self::Bool(field), SettingValue::Bool(value)) => *field = *value,
            (Self::Int(field), SettingValue::Int(value)) => *field = u32::try_from(*value).unwrap_or(*field),
            (Self::Profile(field), SettingValue::Word(word)) => {
                *field = Profile::named(word).unwrap_or(*field);
            }
            (Self::Mode(field), SettingValue::Word(word)) => *field = Mode::named(word).unwrap_or(*field),
            (Self::Strategy(field), SettingValue::Word(word)) => {
                *field = Strategy::named(word).unwrap_or(*field);
            }
            (Self::Steps(field), SettingValue::Word(word)) => *field = Steps::named(word).unwrap_or(*field),
            (Self::Opaque(field), SettingValue::Word(word)) => *field = Opaque::named(word).unwrap_or(*field),
            (Self::Attended(field), SettingValue::Word(word)) => {
                *field = Attended::named(word).unwrap_or(*field);
            }
            (Self::Scripts(field), SettingValue::Word(word)) => {
                *field = Scripts::named(word).unwrap_or(*field);
            }
            (Self::Created(field), SettingValue::Word(word)) => {
                *field = Created::named(word).unwrap_or(*field);
            }
            (Self::OnFailure(field), SettingValue::Word(word)) => {
                *field = OnFailure::named(word).unwrap_or(*field);
            }
            (Self::Until(field), SettingValue::Word(word)) => *field = Until::named(word).unwrap_or(*field),
            (Self::Text(field), SettingValue::Word(word)) => field.clone_from(word),
            (Self::Words(field), SettingValue::Words(words)) => field.clone_from(words),
            (
                Self::Bool(_)
                | Self::Int(_)
                | Self::Profile(_)
                | Self::Mode(_)
                | Self::Strategy(_)
                | Self::Steps(_)
                | Self::Opaque(_)
                | Self::Attended(_)
                | Self::Scripts(_)
                | Self::Created(_)
                | Self::OnFailure(_)
                | Self::Until(_)
                | Self::Text(_)
                | Self::Words(_),
                _,
            ) => {}
        }
    }
}
