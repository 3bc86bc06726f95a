//! One pass over the bytes before the parser sees them: what nests too deep, what never ends, and where quotes,
//! substitutions and heredocs reach.
//!
//! The parser gets a copy in which the inside of all of these is blanked out, byte for byte, so that it decides the
//! grammar and nothing else; what is inside is read apart, from the original bytes.

mod heredoc;
mod keyword;

use heredoc::OpenHeredoc;
use memchr::memchr;
use std::ops::Range;

/// What keeps a text from being handed to the parser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScanFault {
    /// It nests deeper than the limit. Up to this byte it is complete and does not.
    TooDeep(usize),
    /// A quote, substitution or group never ends. Up to this byte everything is complete.
    Unfinished(usize),
    /// It has more words than the limit. Up to this byte it is complete and has fewer.
    TooLong(usize),
    /// It holds a byte that no shell can be given; here it ends, if one takes it all the same.
    Nul(usize),
}

/// How much a text may hold.
#[derive(Debug, Clone, Copy)]
pub struct Limit {
    /// How deep things may nest.
    pub depth: usize,
    /// How many words and operators there may be, data aside.
    pub words: usize,
}

/// A text as the parser may see it: of the same length, but for what was cut out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MaskedText {
    /// The text.
    pub text: String,
    /// What was cut out of it, from the front to the back.
    pub cuts: Vec<ElidedSpan>,
}

/// Bytes that were cut out: long data, of which the parser needs to know nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ElidedSpan {
    /// Where they were, in what is left.
    pub at: usize,
    /// How many.
    pub length: usize,
}

/// The text as the parser may see it.
pub fn blanked(text: &str, limit: Limit) -> Result<MaskedText, ScanFault> {
    if let Some(end) = memchr(0, text.as_bytes()) {
        return Err(ScanFault::Nul(end));
    }
    let mut scanner = Scanner::new(text, 0, limit.depth);
    scanner.words = limit.words;
    scanner.shown = text.as_bytes().to_vec();
    scanner.run(false)?;
    let (shown, cuts) = without(scanner.shown, &scanner.long);
    let text = String::from_utf8(shown).map_err(|_| ScanFault::Unfinished(0))?;
    Ok(MaskedText { text, cuts })
}

/// The bytes without these ranges, and where they were.
fn without(bytes: Vec<u8>, ranges: &[Range<usize>]) -> (Vec<u8>, Vec<ElidedSpan>) {
    if ranges.is_empty() {
        return (bytes, Vec::new());
    }
    let mut left = Vec::new();
    let mut cuts = Vec::new();
    let mut from = 0;
    for range in ranges {
        left.extend_from_slice(bytes.get(from..range.start).unwrap_or_default());
        cuts.push(ElidedSpan {
            at: left.len(),
            length: range.len(),
        });
        from = range.end;
    }
    left.extend_from_slice(bytes.get(from..).unwrap_or_default());
    (left, cuts)
}

/// How much of a text before this byte is complete.
pub fn complete_before(text: &str, end: usize, depth: usize) -> usize {
    let front = text.get(..text.floor_char_boundary(end)).unwrap_or_default();
    let mut scanner = Scanner::new(front, 0, depth);
    // Whether it ends well does not matter.
    let _ = scanner.run(false);
    scanner.complete
}

/// Where the substitution that opens at `start` (`$(`, `<(`, `>(`, `${`, `$((`, a backtick, a quote) ends: the byte
/// behind its last one.
pub fn end_of(text: &str, start: usize, depth: usize) -> Option<usize> {
    let mut scanner = Scanner::new(text, start, depth);
    scanner.run(true).ok()?;
    Some(scanner.at)
}

/// Whether the `$((` at `start` is arithmetic, and not a group within a substitution.
pub fn is_arithmetic(text: &str, start: usize, depth: usize) -> bool {
    let mut scanner = Scanner::new(text, start, depth);
    scanner.run(true).is_ok() && !scanner.plain.contains(&start)
}

/// What the scanner is inside of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Inside {
    /// `( … )` of commands, patterns or array elements.
    Group,
    /// `$( … )`, `<( … )`, `>( … )`
    Substitution,
    /// `$(( … ))` and `(( … ))`, with how many parentheses are open in it.
    Arithmetic { open: usize },
    /// `${ … }`
    Parameter,
    /// `" … "`
    Quotes,
    /// `case … esac`
    Case,
}

#[derive(Debug, Clone, Copy)]
struct Frame {
    inside: Inside,
    /// Where it opens.
    start: usize,
    /// Where the word began that it is a part of.
    word_start: usize,
}

struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The copy for the parser.
    shown: Vec<u8>,
    frames: Vec<Frame>,
    depth: usize,
    /// How many words there may still be.
    words: usize,
    /// How many `|`, `&`, `&&` and `||` there may still be.
    links: usize,
    /// How many `if`, loops and braces are open.
    compounds: usize,
    /// A command may begin here, so a keyword counts.
    at_command: bool,
    /// The byte before belongs to the same word.
    in_word: bool,
    /// Where the word began.
    word_start: usize,
    pending: Vec<OpenHeredoc>,
    /// Long data, which is cut out.
    long: Vec<Range<usize>>,
    /// Openings `((` that turned out not to be arithmetic.
    plain: Vec<usize>,
    /// Up to here all is complete.
    complete: usize,
}

/// What the beginning of a command counts, in words: it costs its readers more.
const COMMAND: usize = 12;
/// How many commands may be joined: the parser gives up a chain of more, and what stands before it as well.
const LINKS: usize = 999;
/// How often `((` may turn out to be two groups before the text counts as too deep.
const SECOND_LOOKS: usize = 16;

impl<'a> Scanner<'a> {
    fn new(text: &'a str, at: usize, depth: usize) -> Self {
        Self {
            bytes: text.as_bytes(),
            at,
            shown: Vec::new(),
            frames: Vec::new(),
            depth,
            words: usize::MAX,
            links: LINKS,
            compounds: 0,
            at_command: true,
            in_word: false,
            word_start: usize::MAX,
            pending: Vec::new(),
            long: Vec::new(),
            plain: Vec::new(),
            complete: 0,
        }
    }

    /// Scans to the end, or to the end of what opens first.
    fn run(&mut self, one: bool) -> Result<(), ScanFault> {
        let start = self.at;
        while let Some(byte) = self.byte(0) {
            match self.frames.last().map(|frame| frame.inside) {
                Some(Inside::Quotes) => self.in_quotes(byte)?,
                Some(Inside::Parameter) => self.in_parameter(byte)?,
                Some(Inside::Arithmetic { open }) => self.in_arithmetic(byte, open)?,
                Some(Inside::Group | Inside::Substitution | Inside::Case) | None => self.in_commands(byte)?,
            }
            if one && self.frames.is_empty() && self.at > start {
                return Ok(());
            }
        }
        let is_open = self.frames.iter().any(|frame| frame.inside != Inside::Case);
        if is_open || one {
            return Err(self.unfinished());
        }
        Ok(())
    }

    fn too_deep(&self) -> ScanFault {
        ScanFault::TooDeep(self.complete)
    }

    fn unfinished(&self) -> ScanFault {
        ScanFault::Unfinished(self.complete)
    }

    fn byte(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    fn starts_with(&self, text: &[u8]) -> bool {
        self.bytes
            .get(self.at..)
            .is_some_and(|rest| rest.starts_with(text))
    }

    /// Blanks out a range for the parser. A word that begins with it is no keyword and no assignment.
    fn hide(&mut self, start: usize, end: usize) {
        if let Some(range) = self.shown.get_mut(start..end) {
            range.fill(b'x');
            if let (true, Some(first)) = (start == self.word_start, range.first_mut()) {
                *first = b'.';
            }
        }
    }

    fn open(&mut self, inside: Inside, length: usize) -> Result<(), ScanFault> {
        if self.frames.len() + self.compounds >= self.depth {
            return Err(self.too_deep());
        }
        self.frames.push(Frame {
            inside,
            start: self.at,
            word_start: self.word_start,
        });
        self.at += length;
        Ok(())
    }

    /// Closes the innermost frame, whose last `length` bytes are here.
    fn close(&mut self, length: usize) {
        if let Some(frame) = self.frames.pop() {
            match frame.inside {
                Inside::Substitution | Inside::Parameter | Inside::Quotes => {
                    self.word_start = frame.word_start;
                    self.hide(frame.start, self.at + length);
                }
                Inside::Arithmetic { .. } if self.bytes.get(frame.start) == Some(&b'$') => {
                    self.word_start = frame.word_start;
                    self.hide(frame.start, self.at + length);
                }
                Inside::Arithmetic { .. } => self.hide_arithmetic(frame.start + 2, self.at),
                Inside::Group | Inside::Case => {}
            }
            self.at_command = frame.inside == Inside::Group;
            self.in_word = frame.inside != Inside::Group;
        }
        self.at += length;
    }

    /// `for ((a; b; c))` keeps its semicolons: they are grammar.
    fn hide_arithmetic(&mut self, start: usize, end: usize) {
        if let Some(range) = self.shown.get_mut(start..end) {
            for byte in range {
                if *byte != b';' {
                    *byte = b'1';
                }
            }
        }
    }

    fn in_quotes(&mut self, byte: u8) -> Result<(), ScanFault> {
        match byte {
            b'"' => self.close(1),
            b'\\' => self.at += 2,
            _ if self.nested(byte)? => {}
            _ => self.at += 1,
        }
        Ok(())
    }

    fn in_parameter(&mut self, byte: u8) -> Result<(), ScanFault> {
        match byte {
            b'}' => self.close(1),
            b'\\' => self.at += 2,
            b'"' => self.open(Inside::Quotes, 1)?,
            // Within double quotes a single quote is an ordinary character.
            b'\'' if !self.is_quoted() => self.skip_single()?,
            _ if self.nested(byte)? => {}
            _ => self.at += 1,
        }
        Ok(())
    }

    fn is_quoted(&self) -> bool {
        let around = self
            .frames
            .iter()
            .rev()
            .find(|frame| frame.inside != Inside::Parameter);
        around.is_some_and(|frame| frame.inside == Inside::Quotes)
    }

    fn in_arithmetic(&mut self, byte: u8, open: usize) -> Result<(), ScanFault> {
        match byte {
            b'(' => self.set_open(open + 1),
            b')' if open > 0 => self.set_open(open - 1),
            b')' if self.byte(1) == Some(b')') => self.close(2),
            // It was no arithmetic after all, but a group within a group: look at it again.
            b')' => self.look_again()?,
            b'\\' => self.at += 2,
            b'"' => self.open(Inside::Quotes, 1)?,
            b'\'' => self.skip_single()?,
            _ if self.nested(byte)? => {}
            _ => self.at += 1,
        }
        Ok(())
    }

    fn set_open(&mut self, now: usize) {
        if let Some(frame) = self.frames.last_mut() {
            frame.inside = Inside::Arithmetic { open: now };
        }
        self.at += 1;
    }

    fn look_again(&mut self) -> Result<(), ScanFault> {
        let frame = self.frames.pop().ok_or_else(|| self.too_deep())?;
        if self.plain.len() >= SECOND_LOOKS {
            return Err(self.too_deep());
        }
        self.plain.push(frame.start);
        self.at = frame.start;
        self.at_command = true;
        Ok(())
    }

    /// What counts inside quotes and outside alike: substitutions and backticks. False if it is none of them.
    fn nested(&mut self, byte: u8) -> Result<bool, ScanFault> {
        match byte {
            b'`' => self.skip_backticks()?,
            b'$' if self.starts_with(b"$((") && !self.plain.contains(&self.at) => {
                self.open(Inside::Arithmetic { open: 0 }, 3)?;
            }
            b'$' if self.starts_with(b"$(") => {
                self.open(Inside::Substitution, 2)?;
                self.at_command = true;
                self.in_word = false;
            }
            b'$' if self.starts_with(b"${") => self.open(Inside::Parameter, 2)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// From a single quote to behind its end.
    fn skip_single(&mut self) -> Result<(), ScanFault> {
        let inner = self.at + 1;
        let rest = self.bytes.get(inner..).unwrap_or_default();
        let length = rest.iter().position(|byte| *byte == b'\'');
        let end = inner + length.ok_or_else(|| self.unfinished())?;
        self.hide(self.at, end + 1);
        self.at = end + 1;
        Ok(())
    }

    /// From `$'` or a backtick, `length` bytes long, to behind the mark that no backslash protects.
    fn skip_escaped(&mut self, length: usize, mark: u8) -> Result<(), ScanFault> {
        let inner = self.at + length;
        let mut end = inner;
        loop {
            match self.bytes.get(end) {
                None => return Err(self.unfinished()),
                Some(b'\\') => end += 2,
                Some(byte) if *byte == mark => break,
                Some(_) => end += 1,
            }
        }
        self.hide(self.at, end + 1);
        self.at = end + 1;
        Ok(())
    }

    fn skip_backticks(&mut self) -> Result<(), ScanFault> {
        self.skip_escaped(1, b'`')
    }

    fn in_commands(&mut self, byte: u8) -> Result<(), ScanFault> {
        match byte {
            b'\n' => self.line_end(),
            b' ' | b'\t' | b'\r' => {
                self.in_word = false;
                self.at += 1;
            }
            // A line that goes on: neither a word nor the end of one.
            b'\\' if self.byte(1) == Some(b'\n') => self.at += 2,
            b';' | b'|' | b'&' => return self.operator(byte),
            b'<' | b'>' => return self.redirection(byte),
            b'(' => return self.parenthesis(),
            b')' => self.closing(),
            b'#' if !self.in_word => return self.comment(),
            _ => return self.word(byte),
        }
        Ok(())
    }

    fn line_end(&mut self) {
        self.in_word = false;
        self.at_command = true;
        self.at += 1;
        if !self.pending.is_empty() {
            self.skip_heredocs();
        }
        if self.is_between() {
            self.complete = self.at;
        }
    }

    fn operator(&mut self, byte: u8) -> Result<(), ScanFault> {
        self.in_word = false;
        if byte == b'&' && self.byte(1) == Some(b'>') {
            self.at += 2;
            return Ok(());
        }
        let is_second = self.at > 0 && matches!(self.bytes.get(self.at - 1), Some(b'&' | b'|' | b';'));
        if !is_second {
            self.count(1)?;
            if byte != b';' {
                self.links = self
                    .links
                    .checked_sub(1)
                    .ok_or(ScanFault::TooLong(self.complete))?;
            }
            // What stands before an operator is complete.
            if self.is_between() {
                self.complete = if byte == b';' { self.at + 1 } else { self.at };
            }
        }
        self.at_command = true;
        self.at += 1;
        Ok(())
    }

    /// Whether nothing is open here.
    fn is_between(&self) -> bool {
        self.frames.is_empty() && self.compounds == 0 && self.pending.is_empty()
    }

    fn redirection(&mut self, byte: u8) -> Result<(), ScanFault> {
        self.in_word = false;
        if self.byte(1) == Some(b'(') {
            self.word_start = self.at;
            self.open(Inside::Substitution, 2)?;
            self.at_command = true;
            return Ok(());
        }
        if self.starts_with(b"<<<") {
            self.at += 3;
        } else if self.starts_with(b"<<") {
            self.heredoc();
        } else {
            // `>&`, `<&`, `>|`: no operator of its own follows.
            let joined = matches!((byte, self.byte(1)), (_, Some(b'&' | b'>')) | (b'>', Some(b'|')));
            self.at += if joined { 2 } else { 1 };
        }
        Ok(())
    }

    fn parenthesis(&mut self) -> Result<(), ScanFault> {
        if !self.in_word && self.starts_with(b"((") && !self.plain.contains(&self.at) {
            return self.open(Inside::Arithmetic { open: 0 }, 2);
        }
        let is_array = self.at > 0 && self.bytes.get(self.at - 1) == Some(&b'=');
        self.open(Inside::Group, 1)?;
        self.at_command = !is_array;
        self.in_word = false;
        Ok(())
    }

    fn closing(&mut self) {
        let inside = self.frames.last().map(|frame| frame.inside);
        if matches!(inside, Some(Inside::Group | Inside::Substitution)) {
            self.close(1);
            return;
        }
        // The end of a pattern, or a stray one that the parser will complain about.
        self.at_command = true;
        self.in_word = false;
        self.at += 1;
    }

    fn comment(&mut self) -> Result<(), ScanFault> {
        self.count(1)?;
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let length = memchr(b'\n', rest).unwrap_or(rest.len());
        self.hide(self.at + 1, self.at + length);
        self.at += length;
        Ok(())
    }

    /// Takes from what the text may hold.
    fn count(&mut self, words: usize) -> Result<(), ScanFault> {
        self.words = self
            .words
            .checked_sub(words)
            .ok_or(ScanFault::TooLong(self.complete))?;
        Ok(())
    }

    /// One byte or one quoted part of a word.
    fn word(&mut self, byte: u8) -> Result<(), ScanFault> {
        if !self.in_word {
            self.in_word = true;
            self.word_start = self.at;
            self.count(if self.at_command { COMMAND } else { 1 })?;
            if let Some(keyword) = self.begin_word() {
                return self.keyword(keyword);
            }
        }
        match byte {
            b'\\' => {
                self.hide(self.at, (self.at + 2).min(self.bytes.len()));
                self.at += 2;
            }
            b'\'' => self.skip_single()?,
            b'"' => self.open(Inside::Quotes, 1)?,
            b'$' if self.byte(1) == Some(b'\'') => self.skip_escaped(2, b'\'')?,
            _ if self.nested(byte)? => {}
            b'{' | b'}' if self.names_descriptor() => self.at += 1,
            b'{' | b'}' | b'$' | 0x80.. => {
                self.hide(self.at, self.at + 1);
                self.at += 1;
            }
            _ => self.at += 1,
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
