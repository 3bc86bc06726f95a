//! One written word, taken apart: what is quoted, what is bare, what the shell replaces.

use super::{ansi, scan};
use std::borrow::Cow;

/// A part of a written word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum WordPiece<'a> {
    /// Outside quotes: patterns count, nothing else is special any more.
    Bare(&'a str),
    /// Quoted, so it stands for itself. Empty for empty quotes.
    Quoted(Cow<'a, str>),
    /// `$x` or `${…}`; the body without `$` and braces.
    Parameter { body: &'a str, at: usize, quoted: bool },
    /// `$(…)` or backticks; the body without them.
    Substitution {
        body: &'a str,
        at: usize,
        quoted: bool,
        backtick: bool,
    },
    /// `<(…)` and `>(…)`
    Process {
        body: &'a str,
        at: usize,
        is_input: bool,
    },
    /// `$((…))`
    Arithmetic { body: &'a str, at: usize },
}

/// Where a written word stands, which decides what is special in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WordPosition {
    /// A word of a command.
    Bare,
    /// Inside double quotes.
    Quoted,
    /// The body of a heredoc whose delimiter is not quoted: quotes are ordinary there.
    Heredoc,
}

/// The pieces of a written word, in order. None if a quote or substitution in it does not end.
pub(super) fn pieces(raw: &str, setting: WordPosition, depth: usize) -> Option<Vec<WordPiece<'_>>> {
    let mut lexer = WordLexer {
        raw,
        at: 0,
        from: 0,
        depth,
        pieces: Vec::new(),
    };
    match setting {
        WordPosition::Bare => lexer.bare()?,
        WordPosition::Quoted | WordPosition::Heredoc => lexer.quoted(raw.len(), setting)?,
    }
    Some(lexer.pieces)
}

struct WordLexer<'a> {
    raw: &'a str,
    at: usize,
    /// Where the text that is not yet in a piece begins.
    from: usize,
    depth: usize,
    pieces: Vec<WordPiece<'a>>,
}

impl<'a> WordLexer<'a> {
    fn byte(&self, ahead: usize) -> Option<u8> {
        self.raw.as_bytes().get(self.at + ahead).copied()
    }

    fn slice(&self, start: usize, end: usize) -> &'a str {
        self.raw.get(start..end).unwrap_or_default()
    }

    fn flush(&mut self, quoted: bool) {
        let text = self.slice(self.from, self.at);
        if text.is_empty() {
            return;
        }
        self.pieces.push(if quoted {
            WordPiece::Quoted(Cow::Borrowed(text))
        } else {
            WordPiece::Bare(text)
        });
    }

    /// Moves on; what follows is not yet in a piece.
    fn skip_to(&mut self, at: usize) {
        self.at = at;
        self.from = at;
    }

    fn bare(&mut self) -> Option<()> {
        while let Some(byte) = self.byte(0) {
            match byte {
                b'\\' => {
                    self.flush(false);
                    self.escaped();
                }
                b'\'' => {
                    self.flush(false);
                    let end = scan::end_of(self.raw, self.at, self.depth)?;
                    let inner = self.slice(self.at + 1, end.checked_sub(1)?);
                    self.pieces.push(WordPiece::Quoted(Cow::Borrowed(inner)));
                    self.skip_to(end);
                }
                b'"' => self.double()?,
                b'$' if self.byte(1) == Some(b'\'') => self.ansi()?,
                b'$' if self.byte(1) == Some(b'"') => {
                    self.flush(false);
                    self.skip_to(self.at + 1);
                }
                b'<' | b'>' if self.byte(1) == Some(b'(') => self.process(byte)?,
                b'$' | b'`' => {
                    if !self.replaced(false)? {
                        self.at += 1;
                    }
                }
                _ => self.at += 1,
            }
        }
        self.flush(false);
        Some(())
    }

    /// A backslash outside quotes: the next character is ordinary, a line end vanishes.
    fn escaped(&mut self) {
        let rest = self.slice(self.at + 1, self.raw.len());
        match rest.chars().next() {
            Some('\n') => self.skip_to(self.at + 2),
            Some(letter) => {
                let end = self.at + 1 + letter.len_utf8();
                let text = self.slice(self.at + 1, end);
                self.pieces.push(WordPiece::Quoted(Cow::Borrowed(text)));
                self.skip_to(end);
            }
            None => {
                self.pieces.push(WordPiece::Quoted(Cow::Borrowed("\\")));
                self.skip_to(self.at + 1);
            }
        }
    }

    fn double(&mut self) -> Option<()> {
        self.flush(false);
        let end = scan::end_of(self.raw, self.at, self.depth)?;
        self.pieces.push(WordPiece::Quoted(Cow::Borrowed("")));
        self.skip_to(self.at + 1);
        self.quoted(end.checked_sub(1)?, WordPosition::Quoted)?;
        self.skip_to(end);
        Some(())
    }

    /// Up to `end`, everything but `$`, backticks and some backslashes stands for itself.
    fn quoted(&mut self, end: usize, setting: WordPosition) -> Option<()> {
        while self.at < end {
            match self.byte(0)? {
                b'\\' => self.escaped_in_quotes(setting),
                b'$' | b'`' => {
                    if !self.replaced(true)? {
                        self.at += 1;
                    }
                }
                _ => self.at += 1,
            }
        }
        self.at = end;
        self.flush(true);
        Some(())
    }

    fn escaped_in_quotes(&mut self, setting: WordPosition) {
        match self.byte(1) {
            Some(b'\n') => {
                self.flush(true);
                self.skip_to(self.at + 2);
            }
            Some(b'$' | b'`' | b'\\') => self.drop_backslash(),
            Some(b'"') if setting == WordPosition::Quoted => self.drop_backslash(),
            _ => self.at += 1,
        }
    }

    fn drop_backslash(&mut self) {
        self.flush(true);
        self.skip_to(self.at + 1);
        self.at += 1;
    }

    fn ansi(&mut self) -> Option<()> {
        self.flush(false);
        let inner = self.at + 2;
        let mut end = inner;
        loop {
            match self.raw.as_bytes().get(end)? {
                b'\\' => end += 2,
                b'\'' => break,
                _ => end += 1,
            }
        }
        let text = ansi::decoded(self.slice(inner, end));
        self.pieces.push(WordPiece::Quoted(Cow::Owned(text)));
        self.skip_to(end + 1);
        Some(())
    }

    fn process(&mut self, byte: u8) -> Option<()> {
        self.flush(false);
        let end = scan::end_of(self.raw, self.at, self.depth)?;
        self.pieces.push(WordPiece::Process {
            body: self.slice(self.at + 2, end.checked_sub(1)?),
            at: self.at + 2,
            is_input: byte == b'<',
        });
        self.skip_to(end);
        Some(())
    }

    /// At `$` or a backtick: takes what the shell replaces. False if it is an ordinary character.
    fn replaced(&mut self, quoted: bool) -> Option<bool> {
        let start = self.at;
        let piece = match (self.byte(0), self.byte(1)) {
            (Some(b'`'), _) => self.substitution(1, quoted, true)?,
            (Some(b'$'), Some(b'(')) if self.is_arithmetic() => {
                let end = scan::end_of(self.raw, start, self.depth)?;
                let body = self.slice(start + 3, end.checked_sub(2)?);
                (WordPiece::Arithmetic { body, at: start + 3 }, end)
            }
            (Some(b'$'), Some(b'(')) => self.substitution(2, quoted, false)?,
            (Some(b'$'), Some(b'{')) => {
                let end = scan::end_of(self.raw, start, self.depth)?;
                let body = self.slice(start + 2, end.checked_sub(1)?);
                let at = start + 2;
                (WordPiece::Parameter { body, at, quoted }, end)
            }
            (Some(b'$'), Some(b'[')) => {
                let length = self.slice(start, self.raw.len()).find(']')?;
                let body = self.slice(start + 2, start + length);
                (WordPiece::Arithmetic { body, at: start + 2 }, start + length + 1)
            }
            (Some(b'$'), Some(byte)) => {
                let length = name_length(self.slice(start + 1, self.raw.len()), byte);
                if length == 0 {
                    return Some(false);
                }
                let body = self.slice(start + 1, start + 1 + length);
                let at = start + 1;
                (WordPiece::Parameter { body, at, quoted }, start + 1 + length)
            }
            _ => return Some(false),
        };
        self.flush(quoted);
        self.pieces.push(piece.0);
        self.skip_to(piece.1);
        Some(true)
    }

    fn substitution(&self, length: usize, quoted: bool, backtick: bool) -> Option<(WordPiece<'a>, usize)> {
        let end = scan::end_of(self.raw, self.at, self.depth)?;
        let at = self.at + length;
        let body = self.slice(at, end.checked_sub(1)?);
        let piece = WordPiece::Substitution {
            body,
            at,
            quoted,
            backtick,
        };
        Some((piece, end))
    }

    fn is_arithmetic(&self) -> bool {
        self.byte(2) == Some(b'(') && scan::is_arithmetic(self.raw, self.at, self.depth)
    }
}

/// How long the name behind a `$` is: letters and digits, one digit, or one special character.
fn name_length(rest: &str, first: u8) -> usize {
    if first.is_ascii_alphabetic() || first == b'_' {
        let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        return rest.bytes().take_while(is_name).count();
    }
    usize::from(first.is_ascii_digit() || b"@*#?$!-".contains(&first))
}

#[cfg(test)]
mod tests;
