//! One word with a dash in front: which options it gives, and which words belong to them.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::{Given, OptionText, UsageReader};
use crate::Word;
use crate::grammar::table::{Flag, OptionStyle, Takes};

/// How many letters of one word are looked at as options.
const MOST_LETTERS: usize = 128;

impl<'a> UsageReader<'a> {
    pub(super) fn option(&mut self, text: OptionText<'a>, index: usize) {
        if self.tables.is_empty() {
            self.both_ways(text, index);
        } else if let Some(option) = self.find(text.known).filter(|_| !text.open) {
            self.give(option, text, None, index);
        } else if text.known.starts_with("--") || !self.style().clusters() {
            self.long(text, index);
        } else {
            self.cluster(text, index);
        }
    }

    /// The option of that name, in the innermost table that has it.
    fn find(&self, name: &str) -> Option<&'a Flag> {
        self.tables.iter().rev().find_map(|table| table.option(name))
    }

    fn long(&mut self, text: OptionText<'a>, index: usize) {
        let (name, value) = match text.known.split_once('=') {
            Some((name, value)) => (name, Some(self.rest(text, value, index))),
            None => (text.known, None),
        };
        if text.open && value.is_none() {
            self.found.has_unknown_options = true;
            return;
        }
        let found = match self.find(name).or_else(|| self.other_dashes(name)) {
            Some(option) => vec![option],
            None => self.abbreviated(name),
        };
        match found.as_slice() {
            [option] => self.give(option, text, value, index),
            [] if let Some(taken_back) = self.taken_back(name) => {
                self.found.options.retain(|given| given.name != taken_back);
            }
            [] if self.style() == OptionStyle::Single && name.len() > 1 && self.signal(text, index) => {}
            [] => self.unknown(name, text, value, index),
            several => {
                for option in several {
                    self.push(option, text, value.clone(), index..index + 1);
                    self.doubt_last();
                }
            }
        }
    }

    /// Programs that write long names behind one dash mostly take two as well (`terraform --auto-approve`).
    fn other_dashes(&self, name: &str) -> Option<&'a Flag> {
        if self.style().clusters() {
            return None;
        }
        match name.strip_prefix("--") {
            Some(bare) => self.find(&format!("-{bare}")),
            None => name
                .strip_prefix('-')
                .and_then(|bare| self.find(&format!("--{bare}"))),
        }
    }

    fn abbreviated(&self, name: &str) -> Vec<&'a Flag> {
        if !self.style().abbreviates() || name.len() < 3 {
            return Vec::new();
        }
        let mut found: Vec<&Flag> = Vec::new();
        for table in &self.tables {
            for option in &table.options {
                if option.names.iter().any(|known| known.starts_with(name)) && !found.contains(&option) {
                    found.push(option);
                }
            }
        }
        found
    }

    /// The option that `--no-x` takes back, in programs whose parser knows that for every option.
    fn taken_back(&self, name: &str) -> Option<&'static str> {
        let bare = name
            .strip_prefix("--no-")
            .filter(|_| self.style() == OptionStyle::Git)?;
        self.find(&format!("--{bare}")).map(|option| option.name)
    }

    pub(super) fn cluster(&mut self, text: OptionText<'a>, index: usize) {
        if self.signal(text, index) {
            return;
        }
        let letters = text.known.strip_prefix(['-', '+']).unwrap_or(text.known);
        let sign = if text.known.starts_with('+') { '+' } else { '-' };
        let mut until = 0;
        let mut given = BTreeSet::new();
        for (at, letter) in letters.char_indices() {
            // Said twice is said once; more letters than there are options are no options.
            if at < until || !given.insert(letter) {
                continue;
            }
            if given.len() > MOST_LETTERS {
                self.found.has_unknown_options = true;
                return;
            }
            let name = format!("{sign}{letter}");
            let start = at + letter.len_utf8();
            let behind = letters.get(start..).unwrap_or_default();
            let Some(option) = self.find(&name) else {
                self.unknown(&name, text, None, index);
                continue;
            };
            if option.takes == Takes::Number && !behind.is_empty() {
                // Only digits belong to it: `perl -l0ne`.
                let digits = behind.find(|c: char| !c.is_ascii_digit()).unwrap_or(behind.len());
                until = start + digits;
                let value = behind.get(..digits).filter(|digits| !digits.is_empty());
                let value = value.map(|digits| Cow::Owned(Word::new(digits)));
                self.push(option, text, value, index..index + 1);
                continue;
            }
            let has_value = !behind.is_empty() || text.open;
            if option.takes == Takes::Nothing || !has_value {
                self.give(option, text, None, index);
                continue;
            }
            // `-o=x` means `x` to some parsers; a lone `=` is itself the value: `cut -d=`.
            let value = match behind.strip_prefix('=') {
                Some(value) if !value.is_empty() || text.open => value,
                Some(_) | None => behind,
            };
            let value = self.rest(text, value, index);
            self.give(option, text, Some(value), index);
            return;
        }
        self.found.has_unknown_options |= text.open;
    }

    /// `-5` and `-KILL`, where the table has `-NUM` or `-SIG`.
    fn signal(&mut self, text: OptionText<'a>, index: usize) -> bool {
        let Some(bare) = text.known.strip_prefix('-').filter(|bare| !bare.is_empty()) else {
            return false;
        };
        let is_number = bare.chars().all(|c| c.is_ascii_digit());
        let is_signal = bare.len() > 1 && bare.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit());
        let name = if is_number { "-NUM" } else { "-SIG" };
        let option = self
            .find(name)
            .or_else(|| self.find("-SIG"))
            .filter(|_| is_number || is_signal);
        let Some(option) = option else { return false };
        let is_given = self
            .found
            .options
            .iter()
            .any(|given| given.is("-SIG") || given.is("--signal"));
        if let Some(word) = self.argv.get(index).filter(|_| is_given && option.name == "-SIG") {
            // `kill -9 -1`: the first names the signal, the second a process group.
            self.operand(word, index);
            return true;
        }
        let value = self.rest(text, bare, index);
        self.push(option, text, Some(value), index..index + 1);
        true
    }

    /// The part of an option word that is its value, with the unknown end it may have.
    fn rest(&self, text: OptionText<'a>, value: &str, index: usize) -> Cow<'a, Word> {
        let value = value.to_owned();
        Cow::Owned(match self.argv.get(index) {
            Some(Word::Unknown {
                suffix, quoted, name, ..
            }) if text.open => Word::Unknown {
                prefix: value,
                suffix: suffix.clone(),
                quoted: *quoted,
                name: name.clone(),
            },
            Some(Word::Glob { .. }) => Word::Glob { pattern: value },
            _ => Word::Literal(value),
        })
    }

    /// Gives an option, with the words behind it that are its value.
    fn give(&mut self, option: &'a Flag, text: OptionText<'a>, value: Option<Cow<'a, Word>>, index: usize) {
        let start = self.at;
        let end = match option.takes {
            Takes::Nothing | Takes::Attached => start,
            Takes::Value | Takes::Number | Takes::Many if value.is_some() => start,
            Takes::Value => (start + 1).min(self.argv.len()),
            Takes::Number => start + usize::from(self.literal(start).is_some_and(is_number)),
            Takes::Many => self.first_from(start, |text| text.starts_with('-')),
            Takes::Command => {
                (self.first_from(start, |text| text == ";" || text == "+") + 1).min(self.argv.len())
            }
            Takes::Rest => self.argv.len(),
        };
        let value = value.or_else(|| self.argv.get(start).filter(|_| end > start).map(Cow::Borrowed));
        self.at = end;
        let words = if end > start { index..end } else { index..index + 1 };
        self.push(option, text, value, words);
    }

    fn literal(&self, at: usize) -> Option<&'a str> {
        match self.argv.get(at) {
            Some(Word::Literal(text)) => Some(text),
            Some(Word::OneOf(_) | Word::Glob { .. } | Word::Unknown { .. }) | None => None,
        }
    }

    fn first_from(&self, start: usize, is_it: impl Fn(&str) -> bool) -> usize {
        (start..self.argv.len())
            .find(|at| self.literal(*at).is_some_and(&is_it))
            .unwrap_or(self.argv.len())
    }

    fn push(
        &mut self,
        option: &'a Flag,
        text: OptionText<'a>,
        value: Option<Cow<'a, Word>>,
        words: std::ops::Range<usize>,
    ) {
        self.found.options.push(Given {
            name: option.name.to_owned(),
            aliases: &option.names,
            written: Cow::Borrowed(text.known),
            value,
            index: words.start,
            words,
            sure: true,
        });
    }

    fn doubt_last(&mut self) {
        if let Some(given) = self.found.options.last_mut() {
            given.sure = false;
        }
    }

    /// An option no table knows. It is there for certain; what belongs to it is not.
    fn unknown(&mut self, name: &str, text: OptionText<'a>, value: Option<Cow<'a, Word>>, index: usize) {
        let takes = self.tables.iter().any(|table| table.unknown_takes_values)
            && value.is_none()
            && name.starts_with("--");
        let start = self.at;
        if takes {
            self.at = self.first_from(start, |text| text.starts_with('-'));
        }
        let value = value.or_else(|| {
            self.argv
                .get(start)
                .filter(|_| self.at > start)
                .map(Cow::Borrowed)
        });
        let words = index..self.at.max(index + 1);
        let written = Cow::Borrowed(text.known);
        self.found.options.push(Given {
            name: name.to_owned(),
            aliases: &[],
            written,
            value,
            index,
            words,
            sure: true,
        });
    }

    /// Without a table: the whole word may be one option, and so may each letter.
    fn both_ways(&mut self, text: OptionText<'a>, index: usize) {
        let (name, value) = match text.known.split_once('=') {
            Some((name, value)) => (name, Some(self.rest(text, value, index))),
            None => (text.known, None),
        };
        self.found.has_unknown_options |= text.open && value.is_none();
        self.unknown(name, text, value, index);
        if name.starts_with("--") || name.chars().count() <= 2 {
            return;
        }
        self.doubt_last();
        let mut given = BTreeSet::new();
        let letters = name.chars().skip(1).take(MOST_LETTERS);
        for letter in letters.filter(|letter| given.insert(*letter)) {
            self.unknown(&format!("-{letter}"), text, None, index);
            self.doubt_last();
        }
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_digit())
}
