//! Rust text as the figures see it: without comments, and without what only tests compile.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A Rust file of the repository.
pub struct SourceFile {
    /// Relative to the root.
    pub path: PathBuf,
    /// Its text.
    text: String,
    /// The same in as many lines: comments are blank, what literals hold is `s`.
    code: String,
    /// Which of its lines only tests compile.
    test_lines: Vec<bool>,
}

impl SourceFile {
    /// How many lines have code that ships.
    pub fn product_lines(&self) -> usize {
        self.lines_with_code(false)
    }

    /// How many lines have code that tests alone compile.
    pub fn test_lines(&self) -> usize {
        self.lines_with_code(true)
    }

    fn lines_with_code(&self, of_tests: bool) -> usize {
        let lines = self.code.lines().zip(&self.test_lines);
        lines
            .filter(|(line, is_test)| **is_test == of_tests && !line.trim().is_empty())
            .count()
    }

    /// The code that ships, with its line numbers.
    pub fn product(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.code.lines().zip(&self.test_lines).enumerate();
        lines
            .filter(|(_, (_, is_test))| !**is_test)
            .map(|(number, (line, _))| (number + 1, line))
    }

    /// Its lines that ship as they are written, without those that are comments alone.
    pub fn written(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.text.lines().enumerate();
        let product = self.product().filter(|(_, code)| !code.trim().is_empty());
        let product: BTreeSet<usize> = product.map(|(number, _)| number).collect();
        lines
            .map(|(number, line)| (number + 1, line))
            .filter(move |(number, _)| product.contains(number))
    }

    /// Each doc comment of what ships, as one text.
    pub fn docs(&self) -> Vec<String> {
        let (mut found, mut open): (Vec<String>, bool) = (Vec::new(), false);
        for (line, is_test) in self.text.lines().zip(&self.test_lines) {
            let line = line.trim_start();
            let said = line.strip_prefix("///").or_else(|| line.strip_prefix("//!"));
            match (said.filter(|_| !is_test), found.last_mut()) {
                (Some(said), Some(last)) if open => last.push_str(said),
                (Some(said), _) => found.push(said.to_owned()),
                (None, _) => {}
            }
            open = said.is_some();
        }
        found
    }

    /// What ships, as one text.
    pub fn product_text(&self) -> String {
        let lines: Vec<&str> = self.product().map(|(_, line)| line).collect();
        lines.join("\n")
    }

    /// The crate it belongs to, and its path below that crate's sources; nothing for a file that does not ship.
    pub fn in_crate(&self) -> Option<(&str, &Path)> {
        let inside = self.path.strip_prefix("crates").ok()?;
        let name = inside.iter().next()?.to_str()?;
        let below = inside.strip_prefix(name).ok()?.strip_prefix("src").ok()?;
        (name != "testkit").then_some((name, below))
    }
}

/// Reads every file: which ones are for tests is said where they are declared.
pub fn read(sources: impl Iterator<Item = (PathBuf, String)>) -> Vec<SourceFile> {
    let mut files: Vec<SourceFile> = sources
        .map(|(path, text)| {
            let code = without_comments(&text);
            let test_lines = only_in_tests(&code);
            SourceFile {
                path,
                text,
                code,
                test_lines,
            }
        })
        .collect();
    let declared: BTreeSet<PathBuf> = files.iter().flat_map(test_modules).collect();
    for file in &mut files {
        let is_declared = declared
            .iter()
            .any(|module| file.path == module.with_extension("rs") || file.path.starts_with(module));
        if file.in_crate().is_none() || is_declared {
            file.test_lines.fill(true);
        }
    }
    files
}

/// The modules that a file declares for tests alone, as paths without an end.
fn test_modules(file: &SourceFile) -> Vec<PathBuf> {
    let stem = file.path.file_stem().unwrap_or_default();
    let folder = match stem.to_str() {
        Some("mod" | "lib" | "main") => file.path.with_file_name(""),
        _ => file.path.with_extension(""),
    };
    let lines = file.code.lines().zip(&file.test_lines);
    lines
        .filter(|(_, is_test)| **is_test)
        .filter_map(|(line, _)| {
            let rest = line.split_once("mod ")?.1;
            Some(folder.join(rest.strip_suffix(';')?))
        })
        .collect()
}

/// Blanks comments, and what literals hold: their lines stay lines with code.
fn without_comments(text: &str) -> String {
    let mut found = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let (length, shown) = token(rest, first);
        let (token, after) = rest.split_at(length);
        match shown {
            Shown::AsItIs => found.push_str(token),
            Shown::Blank => found.extend(token.chars().filter(|letter| *letter == '\n')),
            Shown::Literal => found.extend(token.chars().map(|letter| match letter {
                '\n' => '\n',
                _ => 's',
            })),
        }
        rest = after;
    }
    found
}

#[derive(PartialEq, Eq)]
enum Shown {
    AsItIs,
    Blank,
    Literal,
}

/// How long the token at the start is, and what is shown of it.
fn token(rest: &str, first: char) -> (usize, Shown) {
    if rest.starts_with("//") {
        return (rest.find('\n').unwrap_or(rest.len()), Shown::Blank);
    }
    if rest.starts_with("/*") {
        return (block_comment(rest), Shown::Blank);
    }
    if let Some(length) = raw_string(rest) {
        return (length, Shown::Literal);
    }
    match first {
        '"' => (closed_by(rest, '"'), Shown::Literal),
        '\'' if is_letter(rest) => (closed_by(rest, '\''), Shown::Literal),
        _ if is_word(first) => {
            let length = rest.find(|letter| !is_word(letter)).unwrap_or(rest.len());
            (length, Shown::AsItIs)
        }
        _ => (first.len_utf8(), Shown::AsItIs),
    }
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// Whether a quote begins a letter, not a lifetime.
fn is_letter(rest: &str) -> bool {
    let mut letters = rest.chars().skip(1);
    match (letters.next(), letters.next()) {
        (Some('\\'), _) => true,
        (Some(_), after) => after == Some('\''),
        _ => false,
    }
}

/// The length of a literal up to the quote that no backslash precedes.
fn closed_by(rest: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, letter) in rest.char_indices().skip(1) {
        if letter == quote && !is_escaped {
            return at + quote.len_utf8();
        }
        is_escaped = letter == '\\' && !is_escaped;
    }
    rest.len()
}

fn raw_string(rest: &str) -> Option<usize> {
    let inside = rest.strip_prefix("br").or_else(|| rest.strip_prefix('r'))?;
    let hashes = inside.len() - inside.trim_start_matches('#').len();
    let content = inside.get(hashes..)?.strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let length = content.find(&end).map_or(content.len(), |at| at + end.len());
    Some(rest.len() - content.len() + length)
}

/// Comments nest.
fn block_comment(rest: &str) -> usize {
    let (mut depth, mut at) = (0_u32, 0);
    while let Some(here) = rest.get(at..).filter(|here| !here.is_empty()) {
        let step = if here.starts_with("/*") {
            depth += 1;
            2
        } else if here.starts_with("*/") {
            depth -= 1;
            2
        } else {
            here.chars().next().map_or(1, char::len_utf8)
        };
        at += step;
        if depth == 0 {
            break;
        }
    }
    at
}

/// Which lines belong to an item that only tests compile.
fn only_in_tests(code: &str) -> Vec<bool> {
    if code.lines().any(|line| line.trim() == "#![cfg(test)]") {
        return vec![true; code.lines().count()];
    }
    let mut marked = Vec::new();
    let mut item: Option<OpenItem> = None;
    for line in code.lines() {
        let is_marker = ["#[cfg(test)]", "#[test]"].contains(&line.trim());
        if item.is_none() && is_marker {
            item = Some(OpenItem::default());
        }
        marked.push(item.is_some());
        if !is_marker && item.as_mut().is_some_and(|item| item.ends_with(line)) {
            item = None;
        }
    }
    marked
}

/// An item whose end was not met yet.
#[derive(Default)]
struct OpenItem {
    depth: usize,
    has_body: bool,
}

impl OpenItem {
    fn ends_with(&mut self, line: &str) -> bool {
        if line.trim_start().starts_with("#[") {
            return false;
        }
        for letter in line.chars() {
            match letter {
                '{' | '(' | '[' => {
                    self.depth += 1;
                    self.has_body |= letter == '{';
                }
                '}' | ')' | ']' => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
        }
        let last = line.trim_end().chars().last();
        self.depth == 0 && (self.has_body || matches!(last, Some(';' | ',')))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> (usize, usize) {
        let files = read(std::iter::once((
            "crates/engine/src/a.rs".into(),
            text.to_owned(),
        )));
        (files[0].product_lines(), files[0].test_lines())
    }

    #[test]
    fn comments_and_blanks_are_no_code_and_strings_are() {
        assert_eq!(
            lines("// no\n\n/* no\n /* no */ */ let a = 1;\n"),
            (1, 0),
            "what follows a comment counts"
        );
        assert_eq!(lines("let a = \"// one\ntwo\";\n"), (2, 0));
        assert_eq!(lines("let a = r#\"\" // one\ntwo\"#; // no\n"), (2, 0));
        assert_eq!(lines("let a = '\"'; // no\nlet b: &'a str = c;\n"), (2, 0));
        assert_eq!(lines("let a = '\\''; // no\n// no\n"), (1, 0));
    }

    #[test]
    fn what_only_tests_compile_is_no_product() {
        assert_eq!(
            lines("fn a() {}\n#[cfg(test)]\nmod tests {\n    fn b() {}\n}\nfn c() {}\n"),
            (2, 4)
        );
        assert_eq!(lines("#[cfg(test)]\nuse a::b;\nfn c() {}\n"), (1, 2));
        assert_eq!(
            lines("struct A {\n    b: u8,\n    #[cfg(test)]\n    c: Cell<u8>,\n}\n"),
            (3, 2)
        );
        assert_eq!(lines("#![cfg(test)]\nfn a() {}\n"), (0, 2));
    }

    #[test]
    fn a_module_declared_for_tests_is_a_test_with_all_below_it() {
        let sources = [
            ("crates/engine/src/a.rs", "#[cfg(test)]\nmod tests;\n"),
            ("crates/engine/src/a/tests.rs", "mod b;\n"),
            ("crates/engine/src/a/tests/b.rs", "fn b() {}\n"),
            ("crates/engine/src/a/other.rs", "fn b() {}\n"),
            ("crates/engine/tests/c.rs", "fn c() {}\n"),
        ];
        let files = read(
            sources
                .into_iter()
                .map(|(path, text)| (path.into(), text.to_owned())),
        );
        let counted: Vec<(usize, usize)> = files
            .iter()
            .map(|file| (file.product_lines(), file.test_lines()))
            .collect();
        assert_eq!(counted, [(0, 2), (0, 1), (0, 1), (1, 0), (0, 1)]);
    }
}
