//! The trailers of a message: `Key: value` lines in its last paragraph.

/// The trailers, in order. A value that goes on in the next line is joined by a space.
///
/// The first paragraph is the subject and has none. A paragraph in which fewer than a quarter of the lines are
/// trailers is prose.
pub fn trailers(message: &[u8]) -> Vec<(String, String)> {
    let text = String::from_utf8_lossy(message);
    let lines: Vec<&str> = text.trim_end().lines().map(str::trim_end).collect();
    let Some(start) = lines.iter().rposition(|line| line.is_empty()) else {
        return Vec::new();
    };
    let mut found: Vec<(String, String)> = Vec::new();
    let mut prose = 0_usize;
    let mut is_trailer = false;
    for line in lines.into_iter().skip(start + 1) {
        if line.starts_with([' ', '\t']) {
            if let Some((_, value)) = found.last_mut().filter(|_| is_trailer) {
                value.push(' ');
                value.push_str(line.trim());
            }
            continue;
        }
        match trailer(line) {
            Some(pair) => found.push(pair),
            None => prose += 1,
        }
        is_trailer = trailer(line).is_some();
    }
    if found.len() * 4 < found.len() + prose {
        return Vec::new();
    }
    found
}

fn trailer(line: &str) -> Option<(String, String)> {
    let (key, value) = line.split_once(':')?;
    let is_key = !key.is_empty()
        && key
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || letter == '-');
    is_key.then(|| (key.to_owned(), value.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(message: &str) -> Vec<(String, String)> {
        trailers(message.as_bytes())
    }

    fn pair(key: &str, value: &str) -> (String, String) {
        (key.to_owned(), value.to_owned())
    }

    #[test]
    fn the_last_paragraph_gives_the_trailers_in_order() {
        let message = "Add a form\n\nWhy: because.\n\nToprope-Kind: turn\nToprope-Base: 00\n";
        assert_eq!(
            pairs(message),
            [pair("Toprope-Kind", "turn"), pair("Toprope-Base", "00")]
        );
    }

    #[test]
    fn a_subject_alone_is_no_trailer_however_it_reads() {
        assert_eq!(pairs("Toprope-Checkpoint: 0123"), []);
        assert_eq!(pairs(""), []);
        assert_eq!(pairs("\n\n\n"), []);
    }

    #[test]
    fn a_value_goes_on_where_the_next_line_is_indented() {
        assert_eq!(
            pairs("s\n\nKey: one\n  two\r\n\tthree"),
            [pair("Key", "one two three")]
        );
    }

    #[test]
    fn a_line_of_prose_among_trailers_is_passed_over_and_prose_has_none() {
        assert_eq!(
            pairs("s\n\n(cherry picked from commit 1)\nA: b"),
            [pair("A", "b")]
        );
        assert_eq!(pairs("s\n\none\ntwo\nthree\nfour\nA: b"), []);
    }

    #[test]
    fn bytes_that_are_no_text_do_not_hide_the_trailers() {
        assert_eq!(trailers(b"\xff\n\nA: \xfe"), [pair("A", "\u{fffd}")]);
    }
}
