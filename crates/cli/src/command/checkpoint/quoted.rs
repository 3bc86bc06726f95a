//! Paths as a terminal may show them: as they are, or in quotes where a byte of theirs could mislead.

use engine::text::one_line;
use std::fmt::Write as _;

/// The path as one line. What is not plain text is in quotes, its odd bytes as git writes them: `"caf\303"`.
pub fn path(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) if is_plain(text) => text.to_owned(),
        _ => format!("\"{}\"", escaped(bytes)),
    }
}

/// Whether a path is shown as it is.
pub fn is_plain(text: &str) -> bool {
    !text.contains(['"', '\\']) && one_line(text, usize::MAX) == text
}

/// The path's bytes with everything but plain text as git writes it within quotes.
pub fn escaped(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() + 8);
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            let mut buffer = [0; 4];
            let plain = character.encode_utf8(&mut buffer);
            match character {
                '"' => text.push_str("\\\""),
                '\\' => text.push_str("\\\\"),
                '\n' => text.push_str("\\n"),
                '\t' => text.push_str("\\t"),
                _ if is_plain(plain) => text.push(character),
                _ => octal(&mut text, plain.as_bytes()),
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
mod tests {
    use super::*;

    #[test]
    fn plain_paths_stay_and_odd_ones_are_quoted() {
        for (bytes, shown) in [
            (&b"src/a b.rs"[..], "src/a b.rs"),
            ("src/ä.rs".as_bytes(), "src/ä.rs"),
            (b"caf\xc3", "\"caf\\303\""),
            (b"a\nb\x1b[31m", "\"a\\nb\\033[31m\""),
            (b"a\"b\\c", "\"a\\\"b\\\\c\""),
            ("a\u{202e}b".as_bytes(), "\"a\\342\\200\\256b\""),
        ] {
            assert_eq!(path(bytes), shown);
        }
    }
}
