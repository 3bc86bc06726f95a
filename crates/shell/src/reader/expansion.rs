//! Written words become words: quotes go, variables and substitutions are put in, the rest is split.

use super::{GroupLevel, ShellReader, SourceText};
use crate::brace;
use crate::field::{ExpandedWord, WordAssembler};
use crate::gap;
use crate::intent::UnreadCause;
use crate::piece::{WordPiece, WordPosition, pieces};
use crate::state::ShellState;
use crate::word::Word;
use std::borrow::Cow;

/// How what is put in becomes words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SplitMode {
    /// A word of a command: split, patterns count.
    Words,
    /// A value: exactly one word, nothing is split.
    One,
}

impl ShellReader<'_> {
    /// The words that a written word becomes.
    pub(super) fn word(
        &mut self,
        word: &shuck_ast::Word,
        page: &SourceText<'_>,
        state: &mut ShellState,
        level: &GroupLevel,
    ) -> Vec<ExpandedWord> {
        let part = page.part(word.span.start.offset(), word.span.end.offset());
        self.fields(&part, state, level)
    }

    /// The words that a written text becomes, as a word of a command.
    pub(super) fn fields(
        &mut self,
        part: &SourceText<'_>,
        state: &mut ShellState,
        level: &GroupLevel,
    ) -> Vec<ExpandedWord> {
        if !self.spend() {
            return Vec::new();
        }
        if is_plain(part.text) {
            return vec![ExpandedWord::from(Word::new(part.text))];
        }
        let mut looked = 0;
        let written = brace::expanded(part.text, self.scene.budget.depth, &mut looked);
        let (Some(written), true) = (written, self.spend_bytes(looked)) else {
            return vec![ExpandedWord::from(Word::unknown_words())];
        };
        if !self.spend_more(written.len()) {
            return Vec::new();
        }
        let mut fields = WordAssembler::default();
        let is_same = written.len() == 1;
        for raw in &written {
            let base = if is_same { part.base } else { None };
            let part = SourceText {
                text: raw,
                base,
                cuts: &[],
            };
            self.put_fields(
                &part,
                WordPosition::Bare,
                SplitMode::Words,
                &mut fields,
                state,
                level,
            );
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
        part: &SourceText<'_>,
        setting: WordPosition,
        state: &mut ShellState,
        level: &GroupLevel,
    ) -> ExpandedWord {
        self.spend();
        let mut fields = WordAssembler::default();
        self.put_fields(part, setting, SplitMode::One, &mut fields, state, level);
        let found = fields.finish(true).into_iter().next();
        found.unwrap_or_else(|| ExpandedWord::from(Word::unknown()))
    }

    /// Follows what is substituted in a text, and nothing else.
    pub(super) fn substitutions_in(
        &mut self,
        part: &SourceText<'_>,
        state: &mut ShellState,
        level: &GroupLevel,
    ) {
        if part.text.contains(['$', '`', '<', '>']) {
            let mut fields = WordAssembler::default();
            self.put_fields(
                part,
                WordPosition::Bare,
                SplitMode::One,
                &mut fields,
                state,
                level,
            );
        }
    }

    pub(super) fn put_fields(
        &mut self,
        part: &SourceText<'_>,
        setting: WordPosition,
        mode: SplitMode,
        fields: &mut WordAssembler,
        state: &mut ShellState,
        level: &GroupLevel,
    ) {
        let Some(pieces) = pieces(part.text, setting, self.scene.budget.depth) else {
            self.note(UnreadCause::Unparseable, part.text, None);
            fields.unknown(false, None);
            return;
        };
        for (index, piece) in pieces.iter().enumerate() {
            let is_free = matches!(piece, WordPiece::Bare(_) | WordPiece::Quoted(_));
            if self.is_over || (!is_free && !self.spend()) {
                fields.unknown(false, None);
                return;
            }
            if let (0, WordPiece::Bare(text)) = (index, piece)
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
        piece: &WordPiece<'_>,
        part: &SourceText<'_>,
        mode: SplitMode,
        fields: &mut WordAssembler,
        state: &mut ShellState,
        level: &GroupLevel,
    ) {
        match piece {
            WordPiece::Bare(text) => put_bare(text, mode, fields),
            WordPiece::Quoted(text) => fields.quoted(text),
            WordPiece::Parameter { body, at, quoted } => {
                let is_quoted = *quoted || mode == SplitMode::One;
                let body = part.part(*at, *at + body.len());
                self.parameter(&body, is_quoted, fields, state, level);
            }
            WordPiece::Substitution {
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
                let body = SourceText {
                    text: &text,
                    base,
                    cuts: &[],
                };
                self.substituted(&body, *quoted || mode == SplitMode::One, fields, state, level);
            }
            WordPiece::Process { body, at, is_input } => {
                let body = part.part(*at, *at + body.len());
                self.process(&body, *is_input, fields, state, level);
            }
            WordPiece::Arithmetic { body, at } => {
                let body = part.part(*at, *at + body.len());
                self.arithmetic(&body, fields, state, level);
            }
        }
    }

    /// `~`, `~+`, `~-`, `~name` at the start of a word.
    fn tilde<'t>(&self, text: &'t str, state: &ShellState) -> Option<(Word, &'t str)> {
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

    fn arithmetic(
        &mut self,
        body: &SourceText<'_>,
        fields: &mut WordAssembler,
        state: &mut ShellState,
        level: &GroupLevel,
    ) {
        let text = body.text.trim();
        if let Ok(number) = text.parse::<i64>() {
            fields.quoted(&number.to_string());
            return;
        }
        self.substitutions_in(body, state, level);
        fields.unknown(true, None);
    }
}

fn put_bare(text: &str, mode: SplitMode, fields: &mut WordAssembler) {
    match mode {
        SplitMode::Words => fields.bare(text),
        SplitMode::One => fields.quoted(text),
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
