//! Written words become words: quotes go, variables and substitutions are put in, the rest is split.

use super::{Level, Page, Reader};
use crate::shell::brace;
use crate::shell::field::{Field, Fields};
use crate::shell::gap;
use crate::shell::intent::Cause;
use crate::shell::piece::{Piece, Setting, pieces};
use crate::shell::state::State;
use crate::shell::word::Word;
use std::borrow::Cow;

/// How what is put in becomes words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// A word of a command: split, patterns count.
    Words,
    /// A value: exactly one word, nothing is split.
    One,
}

impl Reader<'_> {
    /// The words that a written word becomes.
    pub(super) fn word(
        &mut self,
        word: &shuck_ast::Word,
        page: &Page<'_>,
        state: &mut State,
        level: &Level,
    ) -> Vec<Field> {
        let part = page.part(word.span.start.offset(), word.span.end.offset());
        self.fields(&part, state, level)
    }

    /// The words that a written text becomes, as a word of a command.
    pub(super) fn fields(&mut self, part: &Page<'_>, state: &mut State, level: &Level) -> Vec<Field> {
        if !self.spend() {
            return Vec::new();
        }
        if is_plain(part.text) {
            return vec![Field::from(Word::new(part.text))];
        }
        let mut looked = 0;
        let written = brace::expanded(part.text, self.scene.budget.depth, &mut looked);
        let (Some(written), true) = (written, self.spend_bytes(looked)) else {
            return vec![Field::from(Word::unknown_words())];
        };
        if !self.spend_more(written.len()) {
            return Vec::new();
        }
        let mut fields = Fields::default();
        let is_same = written.len() == 1;
        for raw in &written {
            let base = if is_same { part.base } else { None };
            let part = Page {
                text: raw,
                base,
                cuts: &[],
            };
            self.put_fields(&part, Setting::Bare, Mode::Words, &mut fields, state, level);
            fields.end_word();
            if fields.count() > self.scene.budget.words {
                self.run_over(part.text);
                break;
            }
        }
        fields.finish(false)
    }

    /// The one word that a written value becomes.
    pub(super) fn value(
        &mut self,
        part: &Page<'_>,
        setting: Setting,
        state: &mut State,
        level: &Level,
    ) -> Field {
        self.spend();
        let mut fields = Fields::default();
        self.put_fields(part, setting, Mode::One, &mut fields, state, level);
        let found = fields.finish(true).into_iter().next();
        found.unwrap_or_else(|| Field::from(Word::unknown()))
    }

    /// Follows what is substituted in a text, and nothing else.
    pub(super) fn substitutions_in(&mut self, part: &Page<'_>, state: &mut State, level: &Level) {
        if part.text.contains(['$', '`', '<', '>']) {
            let mut fields = Fields::default();
            self.put_fields(part, Setting::Bare, Mode::One, &mut fields, state, level);
        }
    }

    pub(super) fn put_fields(
        &mut self,
        part: &Page<'_>,
        setting: Setting,
        mode: Mode,
        fields: &mut Fields,
        state: &mut State,
        level: &Level,
    ) {
        let Some(pieces) = pieces(part.text, setting, self.scene.budget.depth) else {
            self.note(Cause::Unparseable, part.text, None);
            fields.unknown(false, None);
            return;
        };
        for (index, piece) in pieces.iter().enumerate() {
            let is_free = matches!(piece, Piece::Bare(_) | Piece::Quoted(_));
            if self.is_over || (!is_free && !self.spend()) {
                fields.unknown(false, None);
                return;
            }
            if let (0, Piece::Bare(text)) = (index, piece)
                && let Some((folder, behind)) = self.tilde(text, state)
            {
                fields.whole(&folder);
                put_bare(behind, mode, fields);
                continue;
            }
            self.piece(piece, part, mode, fields, state, level);
        }
    }

    fn piece(
        &mut self,
        piece: &Piece<'_>,
        part: &Page<'_>,
        mode: Mode,
        fields: &mut Fields,
        state: &mut State,
        level: &Level,
    ) {
        match piece {
            Piece::Bare(text) => put_bare(text, mode, fields),
            Piece::Quoted(text) => fields.quoted(text),
            Piece::Parameter { body, at, quoted } => {
                let is_quoted = *quoted || mode == Mode::One;
                let body = part.part(*at, *at + body.len());
                self.parameter(&body, is_quoted, fields, state, level);
            }
            Piece::Substitution {
                body,
                at,
                quoted,
                backtick,
            } => {
                let text: Cow<'_, str> = if *backtick {
                    unescaped(body, *quoted)
                } else {
                    Cow::Borrowed(*body)
                };
                let base = part
                    .base
                    .map(|base| base + at)
                    .filter(|_| matches!(text, Cow::Borrowed(_)));
                let body = Page {
                    text: &text,
                    base,
                    cuts: &[],
                };
                self.substituted(&body, *quoted || mode == Mode::One, fields, state, level);
            }
            Piece::Process { body, at, is_input } => {
                let body = part.part(*at, *at + body.len());
                self.process(&body, *is_input, fields, state, level);
            }
            Piece::Arithmetic { body, at } => {
                let body = part.part(*at, *at + body.len());
                self.arithmetic(&body, fields, state, level);
            }
        }
    }

    /// `~`, `~+`, `~-`, `~name` at the start of a word.
    fn tilde<'t>(&self, text: &'t str, state: &State) -> Option<(Word, &'t str)> {
        let rest = text.strip_prefix('~')?;
        let name = rest.split(['/', ':']).next().unwrap_or_default();
        let behind = rest.get(name.len()..)?;
        let folder = match name {
            "" => state.text("HOME").map(str::to_owned),
            "+" => state.cwd.clone(),
            "-" => state.previous.clone(),
            "root" => Some("/root".to_owned()),
            name if self.is_user(name) => self.scene.home.clone(),
            name if name
                .chars()
                .all(|letter| letter.is_alphanumeric() || "_-.".contains(letter)) =>
            {
                Some(format!("/home/{name}"))
            }
            _ => return None,
        };
        let folder = folder.map_or_else(Word::unknown, Word::Literal);
        Some((folder, behind))
    }

    fn is_user(&self, name: &str) -> bool {
        self.is_personal.set(true);
        self.scene.user.as_deref() == Some(name)
    }

    fn arithmetic(&mut self, body: &Page<'_>, fields: &mut Fields, state: &mut State, level: &Level) {
        let text = body.text.trim();
        if let Ok(number) = text.parse::<i64>() {
            fields.quoted(&number.to_string());
            return;
        }
        self.substitutions_in(body, state, level);
        fields.unknown(true, None);
    }
}

fn put_bare(text: &str, mode: Mode, fields: &mut Fields) {
    match mode {
        Mode::Words => fields.bare(text),
        Mode::One => fields.quoted(text),
    }
}

/// Whether a written word stands for itself.
fn is_plain(text: &str) -> bool {
    !text.bytes().any(|byte| b"\\'\"`$*?[{~<>(".contains(&byte)) && !gap::has_gaps(text)
}

/// What stands between backticks, without the backslashes that protect it there.
fn unescaped(body: &str, quoted: bool) -> Cow<'_, str> {
    if !body.contains('\\') {
        return Cow::Borrowed(body);
    }
    let mut text = String::with_capacity(body.len());
    let mut letters = body.chars().peekable();
    while let Some(letter) = letters.next() {
        let next = letters.peek().copied();
        let drops = match next {
            Some('`' | '\\' | '$') => true,
            Some('"') => quoted,
            _ => false,
        };
        if letter == '\\' && drops {
            text.extend(letters.next());
        } else {
            text.push(letter);
        }
    }
    Cow::Owned(text)
}
