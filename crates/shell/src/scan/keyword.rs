//! The words of the grammar that open and close things.

use super::{Inside, ScanFault, Scanner};

/// A reserved word where a command may begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keyword {
    /// `if`, a loop, or a brace: a command follows.
    Opens,
    /// `for`, `select`: a name follows.
    OpensNamed,
    /// `fi`, `done`, `}`
    Closes,
    /// `then`, `do`, `!`: a command follows.
    Continues,
    /// `function`: a name follows, and then a body.
    Function,
    /// `coproc`: a command follows, or a name and a group.
    Coproc,
    /// `case`
    Case,
    /// `esac`
    Esac,
}

impl Keyword {
    fn of(word: &[u8]) -> Option<Self> {
        Some(match word {
            b"if" | b"while" | b"until" | b"{" => Self::Opens,
            b"for" | b"select" => Self::OpensNamed,
            b"fi" | b"done" | b"}" => Self::Closes,
            b"then" | b"do" | b"else" | b"elif" | b"!" | b"time" => Self::Continues,
            b"function" => Self::Function,
            b"coproc" => Self::Coproc,
            b"case" => Self::Case,
            b"esac" => Self::Esac,
            _ => return None,
        })
    }
}

const ENDS: &[u8] = b" \t\r\n;&|()<>";
const QUOTES: &[u8] = b"\"'`$\\";

impl Scanner<'_> {
    /// At the first byte of a word: the keyword it is, if one counts here. Otherwise the word is what the command is
    /// called, or an assignment in front of it.
    pub(super) fn begin_word(&mut self) -> Option<Keyword> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let is_plain = |byte: &u8| !ENDS.contains(byte) && !QUOTES.contains(byte);
        // No keyword and no name is longer; a long word need not be looked at twice.
        let length = rest.iter().take(64).position(|byte| !is_plain(byte));
        let word = rest
            .get(..length.unwrap_or(rest.len().min(64)))
            .unwrap_or_default();
        let is_whole = rest.get(word.len()).is_none_or(|byte| ENDS.contains(byte));
        let in_case = self
            .frames
            .last()
            .is_some_and(|frame| frame.inside == Inside::Case);
        if is_whole && word == b"in" && in_case {
            self.at_command = true;
            return None;
        }
        if !self.at_command {
            return None;
        }
        if is_whole && let Some(keyword) = Keyword::of(word) {
            return Some(keyword);
        }
        self.at_command = is_assignment(word);
        None
    }

    pub(super) fn keyword(&mut self, keyword: Keyword) -> Result<(), ScanFault> {
        let length = self.keyword_length();
        match keyword {
            Keyword::Opens | Keyword::OpensNamed => {
                self.compounds += 1;
                if self.compounds + self.frames.len() > self.depth {
                    return Err(self.too_deep());
                }
            }
            Keyword::Closes => self.compounds = self.compounds.saturating_sub(1),
            Keyword::Continues => {}
            Keyword::Function => {
                self.at += length;
                self.skip_name();
                return Ok(());
            }
            Keyword::Coproc => {
                self.at += length;
                let start = self.at;
                self.skip_name();
                if !self.opens_group() {
                    self.at = start;
                }
                return Ok(());
            }
            Keyword::Case => {
                self.open(Inside::Case, length)?;
                self.at_command = false;
                return Ok(());
            }
            Keyword::Esac => {
                if self
                    .frames
                    .last()
                    .is_some_and(|frame| frame.inside == Inside::Case)
                {
                    self.frames.pop();
                }
            }
        }
        self.at_command = keyword != Keyword::OpensNamed;
        self.at += length;
        Ok(())
    }

    /// Behind `function`: skips the name, so that the body's brace counts.
    fn skip_name(&mut self) {
        while matches!(self.byte(0), Some(b' ' | b'\t')) {
            self.at += 1;
        }
        self.at += self.keyword_length();
        self.at_command = true;
        self.in_word = false;
    }

    fn opens_group(&self) -> bool {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let next = rest.iter().find(|byte| !matches!(byte, b' ' | b'\t'));
        matches!(next, Some(b'{' | b'('))
    }

    fn keyword_length(&self) -> usize {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        rest.iter().take_while(|byte| !ENDS.contains(byte)).count()
    }

    /// At a brace within a word: whether it is `{name}` in front of a redirection.
    pub(super) fn names_descriptor(&self) -> bool {
        let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        if rest.first() == Some(&b'}') {
            let before = self.bytes.get(..self.at).unwrap_or_default();
            let name = before
                .iter()
                .rev()
                .take(32)
                .take_while(|byte| is_name(byte))
                .count();
            let opens = before.len().checked_sub(name + 1).and_then(|at| before.get(at)) == Some(&b'{');
            return opens && matches!(rest.get(1), Some(b'<' | b'>'));
        }
        let name = rest
            .iter()
            .skip(1)
            .take(32)
            .take_while(|byte| is_name(byte))
            .count();
        rest.get(name + 1) == Some(&b'}') && matches!(rest.get(name + 2), Some(b'<' | b'>'))
    }
}

/// `name=…`, `name+=…`, `name[…]=…`
fn is_assignment(word: &[u8]) -> bool {
    let name = word
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_')
        .count();
    let starts_well = word.first().is_some_and(|byte| !byte.is_ascii_digit());
    name > 0 && starts_well && matches!(word.get(name), Some(b'=' | b'+' | b'['))
}
