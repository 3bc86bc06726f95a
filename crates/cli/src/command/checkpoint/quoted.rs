//! Paths as a terminal may show them: as they are, or in quotes where a byte of theirs could mislead.

use engine::text::one_line;

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
    engine::text::escaped(bytes, '"')
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
