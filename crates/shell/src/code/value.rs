//! What an expression of code is known to be.

use crate::word::Word;

/// A value, as far as the scan follows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CodeValue {
    /// A string or a path.
    Text(Word),
    /// Several values.
    List(Vec<CodeValue>),
    /// An object's named parts.
    Object(Vec<(String, CodeValue)>),
    /// A module, function or class by its full name: `shutil.rmtree`.
    Symbol(String),
    /// Anything else.
    Unknown,
}

impl CodeValue {
    pub(super) fn literal(text: impl Into<String>) -> Self {
        Self::Text(Word::Literal(text.into()))
    }

    /// The person's home, as the shell's `$HOME`.
    pub(super) fn home() -> Self {
        Self::Text(Word::Unknown {
            prefix: String::new(),
            suffix: String::new(),
            quoted: true,
            name: Some("HOME".to_owned()),
        })
    }

    /// As a word of a command.
    pub(super) fn word(&self) -> Word {
        match self {
            Self::Text(word) => word.clone(),
            Self::List(values) => match values.as_slice() {
                [one] => one.word(),
                _ => Word::unknown(),
            },
            Self::Object(_) | Self::Symbol(_) | Self::Unknown => Word::unknown(),
        }
    }

    /// As the words of a command; a text alone is one word.
    pub(super) fn words(&self) -> Vec<Word> {
        match self {
            Self::List(values) => values.iter().map(Self::word).collect(),
            Self::Text(_) | Self::Object(_) | Self::Symbol(_) | Self::Unknown => vec![self.word()],
        }
    }

    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(word) => word.literal(),
            Self::List(_) | Self::Object(_) | Self::Symbol(_) | Self::Unknown => None,
        }
    }

    /// A named part of an object.
    pub(super) fn part(&self, name: &str) -> Option<&CodeValue> {
        match self {
            Self::Object(parts) => parts.iter().find(|(key, _)| key == name).map(|(_, value)| value),
            Self::Text(_) | Self::List(_) | Self::Symbol(_) | Self::Unknown => None,
        }
    }
}

/// Two texts, one behind the other.
pub(super) fn joined(first: &Word, second: &Word) -> Word {
    match (first, second) {
        (Word::Literal(first), Word::Literal(second)) => Word::Literal(format!("{first}{second}")),
        (
            Word::Unknown {
                prefix, suffix, name, ..
            },
            Word::Literal(second),
        ) => unknown(prefix.clone(), format!("{suffix}{second}"), name.clone()),
        (
            Word::Literal(first),
            Word::Unknown {
                prefix, suffix, name, ..
            },
        ) => unknown(format!("{first}{prefix}"), suffix.clone(), name.clone()),
        (first, second) => {
            let suffix = match second {
                Word::Unknown { suffix, .. } => suffix.clone(),
                Word::Literal(_) | Word::OneOf(_) | Word::Glob { .. } => String::new(),
            };
            unknown(first.prefix(), suffix, None)
        }
    }
}

fn unknown(prefix: String, suffix: String, name: Option<String>) -> Word {
    Word::Unknown {
        prefix,
        suffix,
        quoted: true,
        name,
    }
}

/// Paths joined by slashes; an absolute part starts anew.
pub(super) fn path(parts: &[CodeValue]) -> Word {
    let mut done: Option<Word> = None;
    for part in parts {
        let word = part.word();
        done = Some(match done {
            Some(_) if word.prefix().starts_with('/') => word,
            Some(before) => {
                let ends = matches!(&before, Word::Literal(text) if text.ends_with('/') || text.is_empty());
                let before = if ends {
                    before
                } else {
                    joined(&before, &Word::new("/"))
                };
                joined(&before, &word)
            }
            None => word,
        });
    }
    done.unwrap_or_else(Word::unknown)
}
