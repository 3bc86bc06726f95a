//! Strings of many languages: quotes, triple quotes, templates, `q()`, `%w[]`, long brackets.

use super::super::Language;
use super::CodeToken;
use crate::word::Word;

/// A string that starts here.
pub(super) struct Quoted {
    /// How long what opens it is.
    open: usize,
    close: String,
    /// The opening sign, where it nests.
    nests: Option<char>,
    /// What puts a value into it.
    inserts: &'static [&'static str],
    /// Whether backslashes mean something.
    escapes: bool,
    /// Whether it is run.
    runs: bool,
}

impl Quoted {
    fn plain(open: usize, close: &str) -> Self {
        Self {
            open,
            close: close.to_owned(),
            nests: None,
            inserts: &[],
            escapes: true,
            runs: false,
        }
    }

    pub(super) fn start(language: Language, rest: &str, last: Option<&CodeToken>) -> Option<Self> {
        match language {
            Language::Python => python(rest),
            Language::JavaScript => Some(match rest.chars().next()? {
                '`' => Self {
                    inserts: &["${"],
                    ..Self::plain(1, "`")
                },
                '"' => Self::plain(1, "\""),
                '\'' => Self::plain(1, "'"),
                _ => return None,
            }),
            Language::Perl => worded(rest, last, &["$", "@"]).or_else(|| common(rest, &["$", "@"])),
            Language::Ruby => percent(rest, last).or_else(|| common(rest, &["#{"])),
            Language::Php => common(rest, &["$", "{$"]),
            Language::Lua => match rest.get(..2) {
                Some("[[") => Some(Self {
                    escapes: false,
                    ..Self::plain(2, "]]")
                }),
                _ => common(rest, &[]).filter(|quoted| !quoted.runs),
            },
            Language::AppleScript | Language::Awk => rest.starts_with('"').then(|| Self::plain(1, "\"")),
            Language::Tcl => rest.starts_with('"').then(|| Self {
                inserts: &["$", "["],
                ..Self::plain(1, "\"")
            }),
        }
    }

    /// Its length, and the token it becomes.
    pub(super) fn read(&self, rest: &str) -> (usize, Option<CodeToken>) {
        let body = rest.get(self.open..).unwrap_or_default();
        let mut text = String::new();
        let mut known: Option<(String, usize)> = None;
        let mut depth = 0_usize;
        let mut at = 0;
        let mut end = None;
        while let Some(here) = body.get(at..).filter(|here| !here.is_empty()) {
            let letter = here.chars().next().unwrap_or(' ');
            if depth == 0 && here.starts_with(&self.close) {
                end = Some(at + self.close.len());
                break;
            }
            if letter == '\\' && self.escapes {
                let (length, escaped) = escape(here);
                text.push_str(&escaped);
                at += length;
                continue;
            }
            if known.is_none() && self.inserts.iter().any(|insert| here.starts_with(insert)) && puts_in(here)
            {
                known = Some((text.clone(), at));
            }
            if let Some(open) = self.nests {
                depth += usize::from(letter == open);
                depth -= usize::from(depth > 0 && self.close.starts_with(letter));
            }
            text.push(letter);
            at += letter.len_utf8();
        }
        let length = self.open + end.unwrap_or(body.len());
        let word = match known {
            Some((prefix, start)) => self.unknown(
                prefix,
                body.get(start..end.unwrap_or(body.len())).unwrap_or_default(),
            ),
            None => Word::Literal(text),
        };
        let token = if self.runs {
            CodeToken::Command(word)
        } else {
            CodeToken::Text(word)
        };
        (length, Some(token))
    }

    fn unknown(&self, prefix: String, behind: &str) -> Word {
        let behind = behind.strip_suffix(self.close.as_str()).unwrap_or(behind);
        let suffix = match self.inserts.first() {
            Some(&("${" | "#{" | "{")) => behind.rsplit('}').next().unwrap_or_default(),
            _ => behind
                .rsplit(|letter: char| letter.is_alphanumeric() || letter == '_')
                .next()
                .unwrap_or_default(),
        };
        Word::Unknown {
            prefix,
            suffix: suffix.to_owned(),
            quoted: true,
            name: None,
        }
    }
}

/// A sign alone at the end or before a blank is itself; `{{` is a brace.
fn puts_in(here: &str) -> bool {
    let behind = here.chars().nth(1);
    match here.chars().next() {
        Some('{') => behind != Some('{'),
        Some('$' | '@') => {
            behind.is_some_and(|letter| letter.is_alphabetic() || letter == '_' || letter == '{')
        }
        _ => true,
    }
}

fn escape(here: &str) -> (usize, String) {
    let Some(letter) = here.chars().nth(1) else {
        return (here.len(), String::new());
    };
    let known = match letter {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        '0' => '\0',
        'x' | 'u' => {
            let digits = if letter == 'x' { 2 } else { 4 };
            let code = here
                .get(2..2 + digits)
                .and_then(|code| u32::from_str_radix(code, 16).ok())
                .and_then(char::from_u32);
            return code.map_or((2, letter.to_string()), |code| (2 + digits, code.to_string()));
        }
        '\n' => return (2, String::new()),
        other => other,
    };
    (1 + letter.len_utf8(), known.to_string())
}

fn python(rest: &str) -> Option<Quoted> {
    let prefix = rest
        .bytes()
        .take(3)
        .position(|byte| matches!(byte, b'"' | b'\''))?;
    let kind = rest.get(..prefix)?.to_ascii_lowercase();
    if !kind.chars().all(|letter| "rbfu".contains(letter)) {
        return None;
    }
    let quotes = rest.get(prefix..)?;
    let close = ["\"\"\"", "'''", "\"", "'"]
        .into_iter()
        .find(|close| quotes.starts_with(close))?;
    let inserts: &[&str] = if kind.contains('f') { &["{"] } else { &[] };
    Some(Quoted {
        inserts,
        escapes: !kind.contains('r'),
        ..Quoted::plain(prefix + close.len(), close)
    })
}

/// `'…'`, `"…"` and the backticks that run a command.
fn common(rest: &str, inserts: &'static [&'static str]) -> Option<Quoted> {
    match rest.chars().next()? {
        '\'' => Some(Quoted::plain(1, "'")),
        '"' => Some(Quoted {
            inserts,
            ..Quoted::plain(1, "\"")
        }),
        '`' => Some(Quoted {
            inserts,
            runs: true,
            ..Quoted::plain(1, "`")
        }),
        _ => None,
    }
}

/// Perl's `q{}`, `qq{}`, `qx{}`, `qw{}`, `m{}`; none behind a sign that makes it a key or a method.
fn worded(rest: &str, last: Option<&CodeToken>, inserts: &'static [&'static str]) -> Option<Quoted> {
    let length = rest.bytes().take(4).position(|byte| !byte.is_ascii_lowercase())?;
    let word = rest.get(..length)?;
    if !matches!(word, "q" | "qq" | "qx" | "qw" | "m" | "qr")
        || last.is_some_and(|last| last.is('>') || last.is('{'))
    {
        return None;
    }
    let blank = rest.get(length..)?.len() - rest.get(length..)?.trim_start_matches(' ').len();
    let open = rest.get(length + blank..)?.chars().next()?;
    if open.is_alphanumeric() || matches!(open, ',' | ';' | '=' | ')' | ' ' | '\n') {
        return None;
    }
    let inserts: &[&str] = if matches!(word, "qq" | "qx") { inserts } else { &[] };
    Some(Quoted {
        inserts,
        runs: word == "qx",
        ..bracketed(length + blank, open)
    })
}

/// Ruby's `%q()`, `%Q[]`, `%w[]`, `%x{}` and bare `%()`.
fn percent(rest: &str, last: Option<&CodeToken>) -> Option<Quoted> {
    let behind = rest.strip_prefix('%')?;
    let kind = behind.chars().next()?;
    if matches!(last, Some(CodeToken::Name(_) | CodeToken::Text(_)) if !"qQwWxi".contains(kind)) {
        return None;
    }
    let letters = usize::from("qQwWxirs".contains(kind));
    let open = behind.get(letters..)?.chars().next()?;
    if !matches!(open, '(' | '[' | '{' | '<' | '|' | '!' | '/') {
        return None;
    }
    let inserts: &[&str] = if "qwi".contains(kind) { &[] } else { &["#{"] };
    Some(Quoted {
        inserts,
        runs: kind == 'x',
        ..bracketed(1 + letters, open)
    })
}

fn bracketed(before: usize, open: char) -> Quoted {
    let close = match open {
        '(' => ')',
        '[' => ']',
        '{' => '}',
        '<' => '>',
        other => other,
    };
    Quoted {
        nests: (close != open).then_some(open),
        ..Quoted::plain(before + open.len_utf8(), close.encode_utf8(&mut [0; 4]))
    }
}

/// A longer one is taken for a division, so that a text of slashes is read once.
const MOST_REGEX: usize = 1024;

/// The length of `/…/`, if it ends on its line.
pub(super) fn regex(rest: &str) -> Option<usize> {
    let mut letters = rest.char_indices().skip(1).take(MOST_REGEX);
    let mut in_class = false;
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\n' => return None,
            '\\' => {
                letters.next();
            }
            '[' => in_class = true,
            ']' => in_class = false,
            '/' if !in_class => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// The length of Perl's `s/…/…/`, `tr/…/…/` and `y/…/…/`, which are no calls.
pub(super) fn substitution(rest: &str, last: Option<&CodeToken>) -> Option<usize> {
    let word = ["tr", "s", "y"].into_iter().find(|word| rest.starts_with(word))?;
    let delimiter = rest.get(word.len()..)?.chars().next()?;
    let is_key = last.is_some_and(|last| last.is('>') || last.is('{') || last.is('-'));
    if is_key || !matches!(delimiter, '/' | '|' | '#' | '!' | ',' | '{' | '~') {
        return None;
    }
    let mut parts = 0;
    let mut letters = rest.char_indices().skip(word.len() + 1).take(MOST_REGEX);
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => {
                letters.next();
            }
            '}' if delimiter == '{' => parts += 1,
            _ if letter == delimiter && delimiter != '{' => parts += 1,
            _ => {}
        }
        if parts == 2 {
            return Some(at + letter.len_utf8());
        }
    }
    None
}
