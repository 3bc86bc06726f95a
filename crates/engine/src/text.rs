//! Makes foreign text safe to show: no control characters, no surprise length.

mod plain;
mod word;

pub use plain::{plain, shortened};
pub use word::{escaped, path_word, word};

use std::fmt::Write;

/// The text on one line, what could mislead a reader escaped, at most `limit` characters and a mark where it was cut.
pub fn one_line(text: &str, limit: usize) -> String {
    let mut shown = String::with_capacity(text.len().min(limit.saturating_add(4)));
    let mut left = limit;
    for character in text.chars() {
        let escaped = is_unsafe(character).then(|| character.escape_default());
        let cost = escaped.as_ref().map_or(1, ExactSizeIterator::len);
        if cost > left {
            shown.push('…');
            break;
        }
        left -= cost;
        match escaped {
            Some(escaped) => shown.extend(escaped),
            None => shown.push(character),
        }
    }
    shown
}

/// The text with its lines kept and everything else that could mislead a reader escaped.
pub fn lines(text: &str) -> String {
    text.split('\n')
        .map(|line| one_line(line.trim_end_matches('\r'), usize::MAX))
        .collect::<Vec<_>>()
        .join("\n")
}

/// JSON text with everything in it that could mislead a reader escaped. It means the same: outside of strings JSON has
/// none of these characters but line ends, which stay.
pub fn json_escaped(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for character in json.chars() {
        if is_unsafe(character) && character != '\n' {
            for unit in character.encode_utf16(&mut [0; 2]) {
                // Writing to a string cannot fail.
                let _ = write!(escaped, "\\u{unit:04x}");
            }
        } else {
            escaped.push(character);
        }
    }
    escaped
}

/// How the client counts: UTF-16 code units.
pub fn utf16_len(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

/// The text within `limit` UTF-16 code units, ending in a mark if it was cut.
pub fn cut_utf16(text: &str, limit: usize) -> String {
    if utf16_len(text) <= limit {
        return text.to_owned();
    }
    let mut left = limit.saturating_sub(1);
    let mut kept: String = text
        .chars()
        .take_while(|character| {
            let fits = character.len_utf16() <= left;
            left = left.saturating_sub(character.len_utf16());
            fits
        })
        .collect();
    if limit > 0 {
        kept.push('…');
    }
    kept
}

/// Characters that move a cursor, turn the reading direction, break a line, or are read by models but not by people.
fn is_unsafe(character: char) -> bool {
    // Nearly everything that is shown is one of these.
    if matches!(character, ' '..='~') {
        return false;
    }
    character.is_control()
        || matches!(character,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
            | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests;
