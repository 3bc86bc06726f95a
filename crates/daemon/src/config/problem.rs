//! What is wrong with a setting: where, what, and what to do about it.

use engine::text::one_line;
use std::fmt;
use std::path::{Path, PathBuf};

/// Paths longer than this are cut when shown.
const LONGEST_PATH: usize = 400;

/// One thing wrong in a settings file. It never stops anything: another value stands instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsProblem {
    /// The file.
    pub file: PathBuf,
    /// The line, from 1.
    pub line: Option<u32>,
    /// The column in characters, from 1.
    pub column: Option<u32>,
    /// The dotted name as it stands there.
    pub key: Option<String>,
    /// One sentence.
    pub message: String,
    /// What to do.
    pub hint: Option<String>,
}

impl SettingsProblem {
    /// A problem with a whole file.
    pub(super) fn with_file(path: &Path, message: impl Into<String>) -> Self {
        Self {
            file: path.to_owned(),
            line: None,
            column: None,
            key: None,
            message: message.into(),
            hint: None,
        }
    }

    pub(super) fn at(mut self, spot: FilePosition) -> Self {
        self.line = Some(spot.line);
        self.column = Some(spot.column);
        self
    }

    pub(super) fn about(mut self, key: &str) -> Self {
        self.key = Some(key.to_owned());
        self
    }

    pub(super) fn hinting(mut self, hint: Option<String>) -> Self {
        self.hint = hint;
        self
    }
}

impl fmt::Display for SettingsProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&shown(&self.file))?;
        if let (Some(line), Some(column)) = (self.line, self.column) {
            write!(f, ":{line}:{column}")?;
        }
        f.write_str(": ")?;
        f.write_str(&self.message)?;
        if let Some(hint) = &self.hint {
            write!(f, "\nhint: {hint}")?;
        }
        Ok(())
    }
}

/// A place in a file, both from 1; columns count characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FilePosition {
    pub line: u32,
    pub column: u32,
}

/// A text that can tell the place of a byte, without reading it again for each.
pub(super) struct LineIndex<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> LineIndex<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts = std::iter::once(0)
            .chain(breaks.map(|(index, _)| index + 1))
            .collect();
        Self { text, starts }
    }

    pub(super) fn spot(&self, byte: usize) -> FilePosition {
        let line = self.starts.partition_point(|start| *start <= byte).max(1);
        let start = self.starts.get(line - 1).copied().unwrap_or_default();
        let before = self
            .text
            .get(start..byte.min(self.text.len()))
            .unwrap_or_default();
        let column = before.trim_start_matches('\u{feff}').chars().count() + 1;
        FilePosition {
            line: number(line),
            column: number(column),
        }
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// A path as people may read it: no character in it can move the cursor.
pub(super) fn shown(path: &Path) -> String {
    one_line(&path.to_string_lossy(), LONGEST_PATH)
}
