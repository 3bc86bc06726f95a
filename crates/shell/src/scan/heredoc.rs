//! Heredocs: the delimiter behind `<<`, and the lines up to it.

use super::Scanner;
use memchr::{memchr, memmem};

/// A longer body is cut out.
const LONG: usize = 1024;

/// A heredoc whose lines are still to come.
#[derive(Debug, Clone)]
pub(super) struct OpenHeredoc {
    delimiter: Vec<u8>,
    /// `<<-`: tabs in front of a line do not count.
    strips: bool,
}

impl Scanner<'_> {
    /// At `<<`: takes the delimiter and remembers to look for it.
    pub(super) fn heredoc(&mut self) {
        self.at += 2;
        let strips = self.byte(0) == Some(b'-');
        if strips {
            self.at += 1;
        }
        while matches!(self.byte(0), Some(b' ' | b'\t')) {
            self.at += 1;
        }
        let mut delimiter = Vec::new();
        let start = self.at;
        while let Some(byte) = self.byte(0) {
            match byte {
                b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')' => break,
                b'\\' => {
                    delimiter.extend(self.byte(1));
                    self.at += 2;
                }
                b'\'' | b'"' => self.quoted_part(byte, &mut delimiter),
                _ => {
                    delimiter.push(byte);
                    self.at += 1;
                }
            }
        }
        if self.at > start {
            self.pending.push(OpenHeredoc { delimiter, strips });
        }
        self.in_word = false;
    }

    fn quoted_part(&mut self, mark: u8, delimiter: &mut Vec<u8>) {
        self.at += 1;
        while let Some(byte) = self.byte(0) {
            self.at += 1;
            if byte == mark {
                return;
            }
            delimiter.push(byte);
        }
    }

    /// At the start of a line: skips the bodies of all heredocs that wait.
    pub(super) fn skip_heredocs(&mut self) {
        for heredoc in std::mem::take(&mut self.pending) {
            let start = self.at;
            let end = self.body_end(&heredoc);
            let blank = if heredoc.delimiter.iter().all(|byte| *byte == b'x') {
                b'y'
            } else {
                b'x'
            };
            let last = end.saturating_sub(1);
            if self.frames.is_empty() && last > start + LONG {
                // A byte and the line's end are left of it.
                self.long.push(start + 1..last);
                self.fill(start, start + 1, blank);
                continue;
            }
            // One long line: the parser need not look for the delimiter in each of many.
            self.fill(start, last, blank);
            let is_line_end = self.shown.get(last) == Some(&b'\n');
            if end > start && !is_line_end {
                self.fill(last, end, blank);
            }
        }
    }

    fn fill(&mut self, start: usize, end: usize, blank: u8) {
        if let Some(bytes) = self.shown.get_mut(start..end) {
            bytes.fill(blank);
        }
    }

    /// Moves behind the delimiter's line and says where the body ends.
    fn body_end(&mut self, heredoc: &OpenHeredoc) -> usize {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let end = if heredoc.strips {
            stripped_end(rest, &heredoc.delimiter)
        } else {
            plain_end(rest, &heredoc.delimiter)
        };
        let start = self.at + end.unwrap_or(rest.len());
        let behind = self.bytes.get(start..).unwrap_or_default();
        self.at = start + memchr(b'\n', behind).map_or(behind.len(), |length| length + 1);
        start
    }
}

/// Where the line stands that is the delimiter: most bodies are data, and long ones are passed over at once.
fn plain_end(rest: &[u8], delimiter: &[u8]) -> Option<usize> {
    let is_line = |start: usize| {
        let line = rest.get(start..).and_then(|line| line.strip_prefix(delimiter));
        line.is_some_and(|behind| matches!(behind.first(), None | Some(b'\n')))
    };
    if is_line(0) {
        return Some(0);
    }
    let with_line_end: Vec<u8> = std::iter::once(b'\n').chain(delimiter.iter().copied()).collect();
    let mut found = memmem::find_iter(rest, &with_line_end).map(|at| at + 1);
    found.find(|start| is_line(*start))
}

/// The same, where tabs in front of it do not count.
fn stripped_end(rest: &[u8], delimiter: &[u8]) -> Option<usize> {
    let mut start = 0;
    loop {
        let behind = rest.get(start..).filter(|behind| !behind.is_empty())?;
        let length = memchr(b'\n', behind);
        let line = behind.get(..length.unwrap_or(behind.len())).unwrap_or_default();
        if without_tabs(line) == delimiter {
            return Some(start);
        }
        start += length? + 1;
    }
}

fn without_tabs(line: &[u8]) -> &[u8] {
    let tabs = line.iter().take_while(|byte| **byte == b'\t').count();
    line.get(tabs..).unwrap_or_default()
}
