//! Reads a command's words by its program's option table.

mod option;

use std::borrow::Cow;
use std::ops::Range;

use super::table::{KnownProgram, OptionStyle, Table};
use crate::Word;

/// A command's words, told apart.
#[derive(Debug, Clone, Default)]
pub struct Usage<'a> {
    /// The subcommand path behind global options, each by the first of its names (`npm i` is `install`). Without a table: the
    /// literal operands in front, which are operands too.
    pub sub: Vec<&'a str>,
    /// Whether that path is certain.
    pub sub_sure: bool,
    /// Every option given, in order.
    pub options: Vec<Given<'a>>,
    /// Every word that is neither option, value nor subcommand, in order.
    pub operands: Vec<Operand<'a>>,
    /// Whether an unquoted unknown word may stand for options nobody sees.
    pub has_unknown_options: bool,
}

/// One option of a command.
#[derive(Debug, Clone)]
pub struct Given<'a> {
    /// The table's name of it (`--force` for `-f`); as written if no table knows it.
    pub name: String,
    /// Every name the table has for it; empty if no table knows it.
    pub aliases: &'a [&'static str],
    /// The text of the word it stands in, as far as it is known.
    pub written: Cow<'a, str>,
    /// Its value.
    pub value: Option<Cow<'a, Word>>,
    /// The word it stands in.
    pub index: usize,
    /// That word and those that belong to it.
    pub words: Range<usize>,
    /// Whether it is certainly given.
    pub sure: bool,
}

impl Given<'_> {
    /// Whether this is the option of that name, long or short.
    pub fn is(&self, name: &str) -> bool {
        self.name == name || self.aliases.contains(&name)
    }

    /// Its value, if that is literal.
    pub fn literal(&self) -> Option<&str> {
        match self.value.as_deref() {
            Some(Word::Literal(text)) => Some(text),
            Some(Word::OneOf(_) | Word::Glob { .. } | Word::Unknown { .. }) | None => None,
        }
    }
}

/// A word that is neither option, value nor subcommand.
#[derive(Debug, Clone)]
pub struct Operand<'a> {
    /// The word itself.
    pub word: &'a Word,
    /// Where it stands.
    pub index: usize,
    /// Whether `--` stands before it.
    pub after_dashes: bool,
    /// Whether it is certainly no option's value.
    pub sure: bool,
}

impl<'a> Usage<'a> {
    /// Whether an option is given, by any of its names, certainly or not.
    pub fn has(&self, name: &str) -> bool {
        self.options.iter().any(|given| given.is(name))
    }

    /// The last value given to an option.
    pub fn value(&self, name: &str) -> Option<&Word> {
        self.options
            .iter()
            .rev()
            .find(|given| given.is(name))
            .and_then(|given| given.value.as_deref())
    }

    /// The first operand from a position on; where it stands says where an inner command starts.
    pub fn operand(&self, at: usize) -> Option<&Operand<'a>> {
        self.operands.get(at)
    }
}

/// Tells the words of a command apart; word 0 is the program.
///
/// Without a table both readings count: every letter behind a dash may be an option, and so may the whole word.
pub fn usage(program: Option<KnownProgram>, argv: &[Word]) -> Usage<'_> {
    let table = program.map(|program| program.table);
    let mut reading = UsageReader {
        argv,
        at: 1,
        tables: table.into_iter().collect(),
        found: Usage {
            sub_sure: true,
            ..Usage::default()
        },
        ended: EndOfOptions::No,
        free: table.map_or(0, |table| table.free),
        seeks_sub: table.is_some_and(|table| !table.has_no_subs() || table.free > 0),
    };
    reading.run();
    reading.found
}

#[derive(PartialEq, Eq, Clone, Copy)]
enum EndOfOptions {
    No,
    AtOperand,
    AtDashes,
}

struct UsageReader<'a> {
    argv: &'a [Word],
    at: usize,
    /// The tables that count, the innermost last; none for a program without one.
    tables: Vec<&'a Table>,
    found: Usage<'a>,
    ended: EndOfOptions,
    free: usize,
    seeks_sub: bool,
}

impl<'a> UsageReader<'a> {
    fn style(&self) -> OptionStyle {
        self.tables.last().map_or(OptionStyle::Plain, |table| table.style)
    }

    fn run(&mut self) {
        if let Some(Word::Literal(word)) = self.argv.get(1)
            && self.tables.last().is_some_and(|table| table.bare_cluster)
            && !word.starts_with('-')
        {
            self.at = 2;
            self.cluster(
                OptionText {
                    known: word,
                    open: false,
                },
                1,
            );
        }
        while let Some(word) = self.argv.get(self.at) {
            let index = self.at;
            self.at += 1;
            if self.ended == EndOfOptions::No && self.style() != OptionStyle::None {
                self.word(word, index);
            } else {
                self.operand(word, index);
            }
        }
        if self.tables.is_empty() {
            self.found.sub_sure = false;
        }
    }

    fn word(&mut self, word: &'a Word, index: usize) {
        match word {
            Word::Literal(text) if text == "--" => self.ended = EndOfOptions::AtDashes,
            Word::Literal(text) if self.is_option(text) => self.option(
                OptionText {
                    known: text,
                    open: false,
                },
                index,
            ),
            Word::Glob { pattern } if pattern.starts_with('-') => self.option(
                OptionText {
                    known: pattern,
                    open: false,
                },
                index,
            ),
            Word::Unknown { prefix, .. } if prefix.len() > 1 && prefix.starts_with('-') => {
                self.option(
                    OptionText {
                        known: prefix,
                        open: true,
                    },
                    index,
                );
            }
            Word::Unknown { prefix, .. } if prefix == "-" => self.found.has_unknown_options = true,
            Word::Unknown { quoted: false, .. } => {
                self.found.has_unknown_options = true;
                self.maybe_operand(word, index);
            }
            Word::OneOf(texts) => self.one_of(word, texts, index),
            Word::Literal(_) | Word::Glob { .. } | Word::Unknown { .. } => self.operand(word, index),
        }
    }

    /// An option has a dash in front, or is a word of its own in the table (`(` of find, `+o` of bash).
    fn is_option(&self, text: &str) -> bool {
        (text.starts_with('-') && text.len() > 1)
            || self
                .tables
                .last()
                .is_some_and(|table| table.option(text).is_some())
    }

    fn one_of(&mut self, word: &'a Word, texts: &'a [String], index: usize) {
        let (options, others): (Vec<&String>, Vec<&String>) =
            texts.iter().partition(|text| self.is_option(text));
        let before = self.found.options.len();
        let at = self.at;
        for text in options {
            self.option(
                OptionText {
                    known: text,
                    open: false,
                },
                index,
            );
            self.at = at;
        }
        for given in self.found.options.iter_mut().skip(before) {
            given.sure = false;
        }
        if !others.is_empty() {
            self.operand(word, index);
        }
    }

    /// An unquoted unknown word may be nothing at all: while a subcommand is looked for, the next word may be it.
    fn maybe_operand(&mut self, word: &'a Word, index: usize) {
        if self.seeks_sub && self.free > 0 && self.at < self.argv.len() {
            self.found.sub_sure = false;
        } else {
            self.operand(word, index);
        }
    }

    fn operand(&mut self, word: &'a Word, index: usize) {
        if self.seeks_sub && self.ended != EndOfOptions::AtDashes && self.descends(word) {
            return;
        }
        let sure = !self.tables.is_empty() || self.follows_no_option(index);
        let after_dashes = self.ended == EndOfOptions::AtDashes;
        self.found.operands.push(Operand {
            word,
            index,
            after_dashes,
            sure,
        });
        if self.tables.is_empty()
            && !after_dashes
            && let Word::Literal(text) = word
        {
            self.found.sub.push(text);
        }
        if self.ended == EndOfOptions::No && self.style().ends_at_operand() {
            self.ended = EndOfOptions::AtOperand;
        }
    }

    fn follows_no_option(&self, index: usize) -> bool {
        self.found
            .options
            .last()
            .is_none_or(|given| given.words.end != index || given.written.contains('='))
    }

    /// Whether a word is a subcommand; if so, its table counts from here on.
    fn descends(&mut self, word: &'a Word) -> bool {
        let Some(table) = self.tables.last().copied() else {
            return false;
        };
        let known = match word {
            Word::Literal(name) => table.sub(name),
            Word::OneOf(names) => {
                self.found.sub_sure = false;
                names.iter().find_map(|name| table.sub(name))
            }
            Word::Glob { .. } | Word::Unknown { .. } => {
                self.found.sub_sure &= self.free == 0;
                None
            }
        };
        if let Some((name, sub)) = known {
            self.found.sub.push(name);
            if !sub.inherits {
                self.tables.clear();
            }
            self.tables.push(sub);
            self.free = sub.free;
            self.seeks_sub = !sub.has_no_subs() || sub.free > 0;
            return true;
        }
        match word {
            Word::Literal(name) if self.free > 0 && !name.contains(['/', '=', ':', '.']) => {
                self.found.sub.push(name);
                self.free -= 1;
                self.seeks_sub = self.free > 0 && !table.verbs.contains(&name.as_str());
                true
            }
            Word::Literal(_) | Word::OneOf(_) | Word::Glob { .. } | Word::Unknown { .. } => {
                self.seeks_sub = false;
                false
            }
        }
    }
}

/// The known text of an option word, and whether an unknown part follows it.
#[derive(Clone, Copy)]
struct OptionText<'a> {
    known: &'a str,
    open: bool,
}
