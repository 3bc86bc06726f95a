//! Splits code into names, strings and signs. Comments and regular expressions are left out.

mod quote;
mod syntax;

use super::Language;
use crate::word::Word;
use quote::Quoted;
use syntax::Syntax;

/// A piece of code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CodeToken {
    /// A name, number or variable, with its sign (`$x`, `@list`).
    Name(String),
    /// A string, unknown where something is put into it.
    Text(Word),
    /// A string that is run: backticks, `qx`, `%x`.
    Command(Word),
    /// One sign.
    Sign(char),
    /// The end of a line.
    Line,
}

impl CodeToken {
    pub(super) fn is(&self, sign: char) -> bool {
        *self == Self::Sign(sign)
    }

    pub(super) fn name(&self) -> Option<&str> {
        match self {
            Self::Name(name) => Some(name),
            Self::Text(_) | Self::Command(_) | Self::Sign(_) | Self::Line => None,
        }
    }
}

pub(super) fn tokens(language: Language, text: &str) -> Vec<CodeToken> {
    let mut lexer = CodeLexer {
        language,
        syntax: Syntax::of(language),
        text,
        at: 0,
        found: Vec::new(),
        heredocs: Vec::new(),
    };
    while lexer.at < text.len() {
        lexer.step();
    }
    lexer.found
}

struct CodeLexer<'a> {
    language: Language,
    syntax: Syntax,
    text: &'a str,
    at: usize,
    found: Vec<CodeToken>,
    /// Delimiters of heredocs whose bodies start at the next line.
    heredocs: Vec<String>,
}

impl<'a> CodeLexer<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn step(&mut self) {
        let rest = self.rest();
        let Some(first) = rest.chars().next() else {
            self.at = self.text.len();
            return;
        };
        if let Some(length) = self.comment(rest) {
            self.at += length;
        } else if first == '\n' {
            self.line_end();
        } else if first.is_whitespace() {
            self.at += first.len_utf8();
        } else if let Some((length, token)) = self.string(rest, first) {
            self.at += length;
            self.found.extend(token);
        } else if self.is_name(first) {
            self.name(rest);
        } else {
            self.at += first.len_utf8();
            self.found.push(CodeToken::Sign(first));
        }
    }

    fn is_name(&self, letter: char) -> bool {
        letter.is_alphanumeric() || letter == '_' || self.syntax.sigils.contains(letter)
    }

    fn name(&mut self, rest: &str) {
        let inner = |letter: char| {
            letter.is_alphanumeric() || letter == '_' || self.syntax.inside_names.contains(letter)
        };
        let first = rest.chars().next().map_or(1, char::len_utf8);
        let behind = rest.get(first..).unwrap_or_default();
        let length = first + behind.find(|letter| !inner(letter)).unwrap_or(behind.len());
        self.at += length;
        self.found
            .push(CodeToken::Name(rest.get(..length).unwrap_or_default().to_owned()));
    }

    fn comment(&self, rest: &str) -> Option<usize> {
        let line = |rest: &str| rest.find('\n').unwrap_or(rest.len());
        for (open, close) in self.syntax.blocks {
            if rest.starts_with(open) && (!open.starts_with('=') || self.at_line_start()) {
                return Some(rest.find(close).map_or(rest.len(), |end| end + close.len()));
            }
        }
        let open = self.syntax.lines.iter().find(|open| rest.starts_with(**open))?;
        // In a template or a variable (`$#list`) the sign means something else.
        let is_comment = *open != "#" || self.language != Language::Perl || !self.before_is('$');
        is_comment.then(|| line(rest))
    }

    fn at_line_start(&self) -> bool {
        self.at == 0
            || self
                .text
                .get(..self.at)
                .is_some_and(|before| before.ends_with('\n'))
    }

    fn before_is(&self, letter: char) -> bool {
        self.text
            .get(..self.at)
            .is_some_and(|before| before.ends_with(letter))
    }

    fn line_end(&mut self) {
        self.at += 1;
        self.found.push(CodeToken::Line);
        for end in std::mem::take(&mut self.heredocs) {
            let rest = self.rest();
            let mut length = 0;
            for line in rest.split_inclusive('\n') {
                length += line.len();
                if line.trim() == end || line.trim_end_matches([';', '\n']).trim() == end {
                    break;
                }
            }
            self.at += length;
        }
    }

    fn string(&mut self, rest: &str, first: char) -> Option<(usize, Option<CodeToken>)> {
        if let Some(end) = syntax::heredoc(self.language, rest) {
            self.heredocs.push(end.delimiter);
            return Some((end.length, Some(CodeToken::Text(Word::unknown()))));
        }
        if first == '/' && self.syntax.regexes && self.regex_may_start() {
            return quote::regex(rest).map(|length| (length, Some(CodeToken::Text(Word::unknown()))));
        }
        if self.language == Language::Perl
            && let Some(length) = quote::substitution(rest, self.found.last())
        {
            return Some((length, Some(CodeToken::Text(Word::unknown()))));
        }
        let quoted = Quoted::start(self.language, rest, self.found.last())?;
        Some(quoted.read(rest))
    }

    /// Behind a value a slash divides; elsewhere it starts a regular expression.
    fn regex_may_start(&self) -> bool {
        match self.found.iter().rev().find(|token| **token != CodeToken::Line) {
            Some(CodeToken::Name(name)) => matches!(
                name.as_str(),
                "return"
                    | "typeof"
                    | "case"
                    | "in"
                    | "of"
                    | "and"
                    | "or"
                    | "if"
                    | "unless"
                    | "split"
                    | "grep"
            ),
            Some(CodeToken::Text(_) | CodeToken::Command(_)) => false,
            Some(CodeToken::Sign(sign)) => !matches!(sign, ')' | ']' | '}'),
            Some(CodeToken::Line) | None => true,
        }
    }
}
