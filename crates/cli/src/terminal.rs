//! What standard output can show: how wide it is, whether colour is wanted, and how wide a text is on it.

use daemon::environment::Environment;
use std::io::IsTerminal;

/// Where nobody says how wide a line may be: a table.
const USUAL_WIDTH: usize = 120;
/// The same for anything else.
const NARROW_WIDTH: usize = 80;
/// Narrower than this, cutting would leave nothing to read.
const LEAST_WIDTH: usize = 40;

/// Standard output, as far as showing things goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Terminal {
    /// Columns of a line.
    pub width: usize,
    /// Whether colour is wanted.
    pub colour: bool,
    /// Whether it is one, with a person before it.
    pub interactive: bool,
}

impl Terminal {
    /// Standard output as it is now.
    pub fn of_stdout(environment: &Environment) -> Self {
        let is_terminal = std::io::stdout().is_terminal();
        let plain = environment.value("NO_COLOR").is_some() || environment.text("TERM") == Some("dumb");
        Self {
            width: known_width().unwrap_or(USUAL_WIDTH),
            colour: is_terminal && !plain,
            interactive: is_terminal,
        }
    }
}

/// Columns of a line of prose, which is to be read on every terminal.
pub fn stdout_width() -> usize {
    known_width().unwrap_or(NARROW_WIDTH)
}

/// How wide the terminal is, if there is one that says so.
fn known_width() -> Option<usize> {
    let stdout = std::io::stdout();
    let size = rustix::termios::tcgetwinsize(&stdout).ok()?;
    let width = usize::from(size.ws_col);
    (stdout.is_terminal() && width > 0).then(|| width.max(LEAST_WIDTH))
}

/// How many columns a text takes.
pub fn width(text: &str) -> usize {
    text.chars().map(columns).sum()
}

/// The text within so many columns, ending in a mark if it was cut.
pub fn cut(text: &str, limit: usize) -> String {
    if width(text) <= limit {
        return text.to_owned();
    }
    let mut left = limit.saturating_sub(1);
    let mut kept = String::new();
    for character in text.chars() {
        let Some(rest) = left.checked_sub(columns(character)) else {
            break;
        };
        left = rest;
        kept.push(character);
    }
    if limit > 0 {
        kept.push('…');
    }
    kept
}

/// The text followed by spaces up to so many columns.
pub fn padded(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

/// Marks take no column of their own; the scripts and pictures of the far east take two.
fn columns(character: char) -> usize {
    match u32::from(character) {
        0x300..=0x36f | 0x200b..=0x200d | 0xfe00..=0xfe0f => 0,
        0x1100..=0x115f
        | 0x2e80..=0xa4cf
        | 0xac00..=0xd7a3
        | 0xf900..=0xfaff
        | 0xfe30..=0xfe6f
        | 0xff00..=0xff60
        | 0xffe0..=0xffe6
        | 0x1f300..=0x1f64f
        | 0x1f680..=0x1faff
        | 0x20000..=0x3fffd => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_to_the_columns_it_takes() {
        assert_eq!(cut("abcdef", 6), "abcdef");
        assert_eq!(cut("abcdef", 5), "abcd…");
        assert_eq!(cut("日本語", 6), "日本語");
        assert_eq!(cut("日本語", 5), "日本…");
        assert_eq!(cut("日本語", 4), "日…");
        assert_eq!(cut("abc", 0), "");
    }

    #[test]
    fn padding_counts_columns_not_characters() {
        assert_eq!(padded("日", 4), "日  ");
        assert_eq!(padded("e\u{301}", 3), "e\u{301}  ");
        assert_eq!(padded("long", 2), "long");
    }
}
