//! Reads strict JSON into places. Comments, trailing commas and repeated keys are refused.

use super::{BYTE_ORDER_MARK, JsonError, JsonKind, Member, Node};
use std::collections::HashSet;

/// Deeper than any settings file, shallow enough for any stack.
pub const DEPTH_LIMIT: usize = 200;

/// Reads the whole text as one value.
pub fn parse(text: &str) -> Result<Node, JsonError> {
    let mut parser = JsonParser { text, at: 0 };
    if text.starts_with(BYTE_ORDER_MARK) {
        parser.at = BYTE_ORDER_MARK.len();
    }
    parser.skip_blank();
    let root = parser.value(0)?;
    parser.skip_blank();
    match parser.peek() {
        None => Ok(root),
        Some(b'/') => Err(parser.problem("a comment")),
        Some(_) => Err(parser.problem("text after the end of the value")),
    }
}

struct JsonParser<'text> {
    text: &'text str,
    at: usize,
}

impl JsonParser<'_> {
    fn value(&mut self, depth: usize) -> Result<Node, JsonError> {
        if depth > DEPTH_LIMIT {
            return Err(JsonError::TooDeep { limit: DEPTH_LIMIT });
        }
        let start = self.at;
        let kind = match self.peek() {
            Some(b'{') => self.object(depth)?,
            Some(b'[') => self.array(depth)?,
            Some(b'"') => JsonKind::Text(self.string()?),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(b't') => self.word("true")?,
            Some(b'f') => self.word("false")?,
            Some(b'n') => self.word("null")?,
            Some(b'/') => return Err(self.problem("a comment")),
            Some(b'\'') => return Err(self.problem("a string in single quotes")),
            Some(b',' | b'}' | b']' | b':') => return Err(self.problem("a value is missing")),
            Some(_) => return Err(self.problem("not a value")),
            None => return Err(self.problem("the file ends too early")),
        };
        Ok(Node {
            span: start..self.at,
            kind,
        })
    }

    fn object(&mut self, depth: usize) -> Result<JsonKind, JsonError> {
        self.at += 1;
        let mut members = Vec::new();
        let mut keys = HashSet::new();
        self.skip_blank();
        if self.take(b'}') {
            return Ok(JsonKind::Object(members));
        }
        loop {
            let member = self.key_and_value(depth)?;
            if !keys.insert(member.key.clone()) {
                let (line, column) = position(self.text, member.key_span.start);
                return Err(JsonError::Duplicate {
                    key: member.key,
                    line,
                    column,
                });
            }
            members.push(member);
            self.skip_blank();
            if self.take(b'}') {
                return Ok(JsonKind::Object(members));
            }
            self.comma("expected `,` or `}`")?;
        }
    }

    fn key_and_value(&mut self, depth: usize) -> Result<Member, JsonError> {
        let start = self.at;
        match self.peek() {
            Some(b'"') => {}
            Some(b'/') => return Err(self.problem("a comment")),
            Some(_) => return Err(self.problem("expected a key in double quotes")),
            None => return Err(self.problem("the file ends too early")),
        }
        let key = self.string()?;
        let key_span = start..self.at;
        self.skip_blank();
        if !self.take(b':') {
            return Err(self.problem("expected `:` after a key"));
        }
        self.skip_blank();
        let value = self.value(depth + 1)?;
        Ok(Member { key, key_span, value })
    }

    fn array(&mut self, depth: usize) -> Result<JsonKind, JsonError> {
        self.at += 1;
        let mut elements = Vec::new();
        self.skip_blank();
        if self.take(b']') {
            return Ok(JsonKind::Array(elements));
        }
        loop {
            elements.push(self.value(depth + 1)?);
            self.skip_blank();
            if self.take(b']') {
                return Ok(JsonKind::Array(elements));
            }
            self.comma("expected `,` or `]`")?;
        }
    }

    /// Takes the comma between two children; one with nothing after it is an error at the comma.
    fn comma(&mut self, otherwise: &'static str) -> Result<(), JsonError> {
        let comma = self.at;
        if !self.take(b',') {
            return Err(self.problem(match self.peek() {
                Some(b'/') => "a comment",
                Some(_) => otherwise,
                None => "the file ends too early",
            }));
        }
        self.skip_blank();
        if matches!(self.peek(), Some(b'}' | b']')) {
            self.at = comma;
            return Err(self.problem("a comma with nothing after it"));
        }
        Ok(())
    }

    fn string(&mut self) -> Result<String, JsonError> {
        self.at += 1;
        let mut units = UnescapedText::default();
        loop {
            let Some(next) = self.text.get(self.at..).and_then(|rest| rest.chars().next()) else {
                return Err(self.problem("a string without an end"));
            };
            match next {
                '"' => {
                    self.at += 1;
                    return Ok(units.finish());
                }
                '\\' => {
                    let unit = self.escape()?;
                    units.push_unit(unit);
                }
                control if control < ' ' => {
                    return Err(self.problem("a line break or control character inside a string"));
                }
                plain => {
                    self.at += plain.len_utf8();
                    units.push(plain);
                }
            }
        }
    }

    fn escape(&mut self) -> Result<u16, JsonError> {
        let unit = match self.byte(self.at + 1) {
            Some(quoted @ (b'"' | b'\\' | b'/')) => u16::from(quoted),
            Some(b'b') => 0x08,
            Some(b'f') => 0x0c,
            Some(b'n') => 0x0a,
            Some(b'r') => 0x0d,
            Some(b't') => 0x09,
            Some(b'u') => return self.hex_escape(),
            Some(_) | None => return Err(self.problem("an unknown escape")),
        };
        self.at += 2;
        Ok(unit)
    }

    fn hex_escape(&mut self) -> Result<u16, JsonError> {
        let digits = self.text.get(self.at + 2..self.at + 6).unwrap_or_default();
        if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return Err(self.problem("an unknown escape"));
        }
        let unit = u16::from_str_radix(digits, 16).map_err(|_| self.problem("an unknown escape"))?;
        self.at += 6;
        Ok(unit)
    }

    fn number(&mut self) -> Result<JsonKind, JsonError> {
        let start = self.at;
        self.take(b'-');
        if !self.take(b'0') && self.digits() == 0 {
            return Err(self.problem_at(start, "not a number"));
        }
        if self.take(b'.') && self.digits() == 0 {
            return Err(self.problem_at(start, "not a number"));
        }
        if self.take(b'e') || self.take(b'E') {
            let _sign = self.take(b'+') || self.take(b'-');
            if self.digits() == 0 {
                return Err(self.problem_at(start, "not a number"));
            }
        }
        if matches!(self.peek(), Some(b'0'..=b'9')) {
            return Err(self.problem_at(start, "not a number"));
        }
        Ok(JsonKind::Literal)
    }

    fn digits(&mut self) -> usize {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        self.at - start
    }

    fn word(&mut self, word: &str) -> Result<JsonKind, JsonError> {
        if !self
            .text
            .get(self.at..)
            .is_some_and(|rest| rest.starts_with(word))
        {
            return Err(self.problem("not a value"));
        }
        self.at += word.len();
        Ok(JsonKind::Literal)
    }

    fn skip_blank(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn take(&mut self, wanted: u8) -> bool {
        let found = self.peek() == Some(wanted);
        self.at += usize::from(found);
        found
    }

    fn peek(&self) -> Option<u8> {
        self.byte(self.at)
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    fn problem(&self, problem: &'static str) -> JsonError {
        self.problem_at(self.at, problem)
    }

    fn problem_at(&self, at: usize, problem: &'static str) -> JsonError {
        let (line, column) = position(self.text, at);
        JsonError::Syntax {
            line,
            column,
            problem,
        }
    }
}

/// Joins surrogate pairs while unescaping; half a pair becomes the replacement character.
#[derive(Default)]
struct UnescapedText {
    text: String,
    high: Option<u16>,
}

impl UnescapedText {
    fn push(&mut self, character: char) {
        self.drop_half();
        self.text.push(character);
    }

    fn push_unit(&mut self, unit: u16) {
        let pair = [self.high.take(), Some(unit)];
        let mut rest = char::decode_utf16(pair.into_iter().flatten()).peekable();
        while let Some(decoded) = rest.next() {
            match decoded {
                Ok(character) => self.text.push(character),
                Err(half) if rest.peek().is_none() && is_high(half.unpaired_surrogate()) => {
                    self.high = Some(half.unpaired_surrogate());
                }
                Err(_) => self.text.push(char::REPLACEMENT_CHARACTER),
            }
        }
    }

    fn drop_half(&mut self) {
        if self.high.take().is_some() {
            self.text.push(char::REPLACEMENT_CHARACTER);
        }
    }

    fn finish(mut self) -> String {
        self.drop_half();
        self.text
    }
}

fn is_high(unit: u16) -> bool {
    (0xd800..0xdc00).contains(&unit)
}

/// Line and column of a byte, both counted from 1.
fn position(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let before = before.strip_prefix(BYTE_ORDER_MARK).unwrap_or(before);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let column = before.get(line_start..).unwrap_or_default().chars().count() + 1;
    (before.matches('\n').count() + 1, column)
}
