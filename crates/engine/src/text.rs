//! Makes foreign text safe to show: no control characters, no surprise length.

/// The text on one line, control and bidirectional-override characters escaped, at most `limit` characters.
pub fn one_line(text: &str, limit: usize) -> String {
    let mut shown = String::with_capacity(text.len().min(limit + 4));
    for (count, character) in text.chars().enumerate() {
        if count >= limit {
            shown.push('…');
            break;
        }
        if is_unsafe(character) {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    shown
}

/// The text with its lines kept and every other control character escaped.
pub fn lines(text: &str) -> String {
    text.split('\n')
        .map(|line| one_line(line.trim_end_matches('\r'), usize::MAX - 8))
        .collect::<Vec<_>>()
        .join("\n")
}

/// How the client counts: UTF-16 code units.
pub fn utf16_len(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

fn is_unsafe(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_what_could_rewrite_a_terminal_and_cuts_the_rest() {
        assert_eq!(
            one_line("a\u{1b}[2Jb\nc\u{202e}d", 40),
            "a\\u{1b}[2Jb\\nc\\u{202e}d"
        );
        assert_eq!(one_line("abcdef", 3), "abc…");
        assert_eq!(one_line("abc", 3), "abc");
    }

    #[test]
    fn counts_as_the_client_counts() {
        assert_eq!(utf16_len("aé😀"), 4);
    }
}
