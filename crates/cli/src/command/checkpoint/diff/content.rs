//! What a file held, as far as it can be compared line by line.

use crate::command::checkpoint::place::unreadable;
use crate::failure::Failure;
use git::object::{Entry, Mode};
use git::shadow::{Shadow, ShadowError};

/// A larger file is said to differ, and not shown.
const LARGEST: u64 = 16 * 1024 * 1024;
/// Git looks as far for a NUL.
const LOOKED_AT: usize = 8_000;

/// What a file held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// Lines.
    Text(Vec<u8>),
    /// Not text.
    Binary,
    /// More than is worth showing.
    TooLarge,
    /// The checkpoint names it, and it is in no repository any more.
    Gone,
}

impl Content {
    /// What an entry holds; an absent one holds nothing.
    pub fn of(shadow: &Shadow, entry: Option<Entry>) -> Result<Self, Failure> {
        let Some(entry) = entry else {
            return Ok(Self::Text(Vec::new()));
        };
        if entry.mode == Mode::Commit {
            return Ok(Self::Text(
                format!("Subproject commit {}\n", entry.id).into_bytes(),
            ));
        }
        match shadow.blob(entry.id, LARGEST) {
            Ok(bytes) if bytes.iter().take(LOOKED_AT).any(|byte| *byte == 0) => Ok(Self::Binary),
            Ok(bytes) => Ok(Self::Text(bytes)),
            Err(ShadowError::TooLarge { .. }) => Ok(Self::TooLarge),
            Err(ShadowError::Missing(_)) => Ok(Self::Gone),
            Err(error) => Err(unreadable(error)),
        }
    }
}
