//! One file that differs: what it was, what it is, and which of its lines changed.

use super::content::Content;
use crate::failure::Failure;
use ::daemon::checkpoint::chain::Shelf;
use ::daemon::checkpoint::comparison::Difference;
use git::path::RepoPath;
use git::shadow::Shadow;
use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};
use std::time::{Duration, Instant};

/// After this long a file is compared more coarsely.
const PATIENCE: Duration = Duration::from_secs(2);

/// See the module.
#[derive(Debug)]
pub struct Changed<'a> {
    /// Which file, and its two states.
    pub difference: &'a Difference,
    /// What can be said about its content.
    pub body: Body,
}

/// What can be said about the content of a file that differs.
#[derive(Debug)]
pub enum Body {
    /// It is the same: only the mode differs.
    Same,
    /// Lines.
    Lines(Lines),
    /// Not text.
    Binary,
    /// More than is worth showing.
    TooLarge,
    /// In no repository any more.
    Gone,
}

/// Two texts and what leads from one to the other.
#[derive(Debug)]
pub struct Lines {
    before: Vec<u8>,
    after: Vec<u8>,
    /// Equal and different runs of lines.
    pub operations: Vec<DiffOp>,
}

impl Lines {
    fn of(before: Vec<u8>, after: Vec<u8>) -> Self {
        let operations = capture_diff_slices_deadline(
            Algorithm::Myers,
            &split(&before),
            &split(&after),
            Instant::now().checked_add(PATIENCE),
        );
        Self {
            before,
            after,
            operations,
        }
    }

    /// The lines before, each with its end.
    pub fn before(&self) -> Vec<&[u8]> {
        split(&self.before)
    }

    /// The lines after, each with its end.
    pub fn after(&self) -> Vec<&[u8]> {
        split(&self.after)
    }
}

fn split(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n').collect()
}

/// How much of a file changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// Which file.
    pub path: RepoPath,
    /// Lines that are new and lines that are gone; `None` where it is not compared by lines.
    pub lines: Option<(u64, u64)>,
    /// It is not text.
    pub is_binary: bool,
    /// Whether git ignores it.
    pub shelf: Shelf,
}

impl<'a> Changed<'a> {
    /// Reads both states.
    pub fn of(shadow: &Shadow, difference: &'a Difference) -> Result<Self, Failure> {
        let ids = (
            difference.before.map(|entry| entry.id),
            difference.after.map(|entry| entry.id),
        );
        let body = if ids.0 == ids.1 {
            Body::Same
        } else {
            let before = Content::of(shadow, difference.before)?;
            let after = Content::of(shadow, difference.after)?;
            match (before, after) {
                (Content::Gone, _) | (_, Content::Gone) => Body::Gone,
                (Content::TooLarge, _) | (_, Content::TooLarge) => Body::TooLarge,
                (Content::Binary, _) | (_, Content::Binary) => Body::Binary,
                (Content::Text(before), Content::Text(after)) => Body::Lines(Lines::of(before, after)),
            }
        };
        Ok(Self { difference, body })
    }

    /// How much of it changed.
    pub fn summary(&self) -> Summary {
        let lines = match &self.body {
            Body::Lines(lines) => Some(counted(&lines.operations)),
            Body::Same => Some((0, 0)),
            Body::Binary | Body::TooLarge | Body::Gone => None,
        };
        Summary {
            path: self.difference.path.clone(),
            lines,
            is_binary: matches!(self.body, Body::Binary),
            shelf: self.difference.shelf,
        }
    }
}

fn counted(operations: &[DiffOp]) -> (u64, u64) {
    let mut counted = (0, 0);
    for operation in operations {
        let (old, new) = match *operation {
            DiffOp::Equal { .. } => (0, 0),
            DiffOp::Delete { old_len, .. } => (old_len, 0),
            DiffOp::Insert { new_len, .. } => (0, new_len),
            DiffOp::Replace { old_len, new_len, .. } => (old_len, new_len),
        };
        counted.0 += u64::try_from(new).unwrap_or(0);
        counted.1 += u64::try_from(old).unwrap_or(0);
    }
    counted
}
