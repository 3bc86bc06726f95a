//! Foreign text as one word of a shell, for every command we print: whoever pastes it runs that command and nothing else.

use super::is_unsafe;
use std::fmt::Write as _;

/// The text as one word: as it is, in quotes, or, where it has bytes that no line may show, as `$'…'`.
pub fn word(text: impl AsRef<[u8]>) -> String {
    let bytes = text.as_ref();
    match std::str::from_utf8(bytes) {
        Ok(text) if is_bare(text) => text.to_owned(),
        Ok(text) if !text.chars().any(is_unsafe) => format!("'{}'", text.replace('\'', r"'\''")),
        Ok(_) | Err(_) => format!("$'{}'", escaped(bytes, '\'')),
    }
}

/// The path as one word that no command takes for an option.
pub fn path_word(path: impl AsRef<[u8]>) -> String {
    let bytes = path.as_ref();
    if bytes.starts_with(b"-") {
        word([b"./", bytes].concat())
    } else {
        word(bytes)
    }
}

/// Whether every shell reads the text as itself.
fn is_bare(text: &str) -> bool {
    let mut before = None;
    let mut is_itself = |letter: char| {
        let fits = match letter {
            // A home folder at the beginning of a word or of a value; a program of that name in some shells.
            '~' => before.is_some_and(char::is_alphanumeric),
            '=' => before.is_some(),
            letter => letter.is_alphanumeric() || "-_./:@%+,".contains(letter),
        };
        before = Some(letter);
        fits
    };
    !text.is_empty() && text.chars().all(&mut is_itself)
}

/// The bytes as they stand within these quotes: what no line may show as git and shells write it, `caf\303`.
pub fn escaped(bytes: &[u8], quote: char) -> String {
    let mut text = String::with_capacity(bytes.len() + 8);
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            match character {
                '\\' => text.push_str("\\\\"),
                '\n' => text.push_str("\\n"),
                '\t' => text.push_str("\\t"),
                other if other == quote => text.extend(['\\', quote]),
                other if is_unsafe(other) => octal(&mut text, other.encode_utf8(&mut [0; 4]).as_bytes()),
                other => text.push(other),
            }
        }
        octal(&mut text, chunk.invalid());
    }
    text
}

fn octal(text: &mut String, bytes: &[u8]) {
    for byte in bytes {
        // Writing to a string cannot fail.
        let _ = write!(text, "\\{byte:03o}");
    }
}

#[cfg(test)]
mod tests;
