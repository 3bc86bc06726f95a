//! Splits SQL into words and signs; comments and strings are left out.

/// A word or sign of SQL.
#[derive(Debug, Clone, Copy)]
pub(super) struct SqlToken<'a> {
    pub(super) text: &'a str,
    pub(super) start: usize,
}

impl SqlToken<'_> {
    /// In lower case, for keywords.
    pub(super) fn word(&self) -> String {
        self.text.to_ascii_lowercase()
    }

    pub(super) fn is(&self, keyword: &str) -> bool {
        self.text.eq_ignore_ascii_case(keyword)
    }
}

pub(super) fn tokens(text: &str) -> Vec<SqlToken<'_>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let (length, is_token) = one(
            rest,
            at == 0 || text.get(..at).is_some_and(|before| before.ends_with('\n')),
        );
        if let Some(text) = rest.get(..length).filter(|_| is_token) {
            found.push(SqlToken { text, start: at });
        }
        at += length.max(1);
        while !text.is_char_boundary(at) {
            at += 1;
        }
    }
    found
}

/// How long the next piece is, and whether it counts.
fn one(rest: &str, at_line: bool) -> (usize, bool) {
    let first = rest.chars().next().unwrap_or(' ');
    match first {
        _ if rest.starts_with("--") || rest.starts_with("#!") => (line(rest), false),
        // A comment, or a client's own command (`\d`, `.tables`), ends with its line.
        '#' | '\\' | '.' if at_line => (line(rest), false),
        '/' if rest.starts_with("/*") => (rest.find("*/").map_or(rest.len(), |end| end + 2), false),
        '\'' => (quoted(rest, '\''), true),
        '"' => (quoted(rest, '"'), true),
        '`' => (quoted(rest, '`'), true),
        '$' => dollar(rest),
        _ if first.is_whitespace() => (first.len_utf8(), false),
        _ if first.is_alphanumeric() || first == '_' => (
            rest.find(|c: char| !(c.is_alphanumeric() || c == '_'))
                .unwrap_or(rest.len()),
            true,
        ),
        _ => (first.len_utf8(), true),
    }
}

fn line(rest: &str) -> usize {
    rest.find('\n').map_or(rest.len(), |end| end + 1)
}

/// A doubled quote, or one behind a backslash, does not end it.
fn quoted(rest: &str, quote: char) -> usize {
    let mut letters = rest.char_indices().skip(1).peekable();
    while let Some((at, letter)) = letters.next() {
        if letter == '\\' && quote != '`' {
            letters.next();
        } else if letter == quote {
            if letters.peek().is_some_and(|(_, next)| *next == quote) {
                letters.next();
            } else {
                return at + 1;
            }
        }
    }
    rest.len()
}

/// `$tag$ … $tag$`
fn dollar(rest: &str) -> (usize, bool) {
    let tag = rest.get(1..).and_then(|inner| inner.find('$')).map(|end| end + 2);
    let Some(tag) = tag.and_then(|end| rest.get(..end)).filter(|tag| is_tag(tag)) else {
        return (1, true);
    };
    let behind = rest.get(tag.len()..).unwrap_or_default();
    (
        behind.find(tag).map_or(rest.len(), |end| end + 2 * tag.len()),
        true,
    )
}

fn is_tag(tag: &str) -> bool {
    tag.len() <= 64 && tag.chars().all(|c| c == '$' || c == '_' || c.is_alphanumeric())
}
