//! Where a value begins and ends that follows a name or an option.

use std::ops::Range;

/// What ends a value that is not quoted, where commands are written.
const SHELL_ENDS: &[char] = &['"', '\'', '`', ';', '&', '|', ')', '}', ']', ',', '<', '>'];
/// What ends one in a sentence: people do not quote what a shell would read otherwise.
const PROSE_ENDS: &[char] = &['"', '\'', '`', ','];

/// How a value is written if it is not quoted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueStyle {
    Shell,
    Prose,
}

/// The value that begins here, without its quotes; nothing if there is none, or if it only names where one is.
pub fn value(text: &str, style: ValueStyle) -> Option<Range<usize>> {
    let quoted = ["\\\"", "\"", "'", "`"]
        .into_iter()
        .find(|quote| text.starts_with(quote));
    let range = if let Some(quote) = quoted {
        let inside = text.get(quote.len()..)?;
        quote.len()..quote.len() + inside.find(quote).unwrap_or(inside.len())
    } else {
        let ends = match style {
            ValueStyle::Shell => SHELL_ENDS,
            ValueStyle::Prose => PROSE_ENDS,
        };
        let is_end = |letter: char| letter.is_whitespace() || ends.contains(&letter);
        0..text.find(is_end).unwrap_or(text.len())
    };
    let value = text.get(range.clone())?;
    // A variable, a command's output or a placeholder is no secret itself.
    (!value.is_empty() && !value.starts_with(['$', '<', '`'])).then_some(range)
}

/// The length of the blanks a text begins with.
pub fn blanks(text: &str) -> usize {
    text.len() - text.trim_start_matches([' ', '\t']).len()
}

/// The same range, further on in the text.
pub fn moved(range: &Range<usize>, by: usize) -> Range<usize> {
    range.start + by..range.end + by
}
