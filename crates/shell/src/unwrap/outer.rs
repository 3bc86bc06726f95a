//! The command whose words are looked into, told apart by its program's table.

use std::borrow::Cow;
use std::ops::Range;

use crate::gap;
use crate::grammar::{self, Usage};
use crate::inner::{Inner, Inputs};
use crate::place::CommandHost;
use crate::word::Word;

/// A command with a literal program name.
pub(super) struct WrapperCommand<'a> {
    pub(super) argv: &'a [Word],
    /// The program's base name.
    pub(super) name: &'a str,
    pub(super) usage: Usage<'a>,
}

impl<'a> WrapperCommand<'a> {
    pub(super) fn new(argv: &'a [Word]) -> Option<Self> {
        let written = argv.first()?.literal()?;
        let name = written.rsplit('/').next().filter(|name| !name.is_empty())?;
        let usage = grammar::usage(grammar::program(name), argv);
        Some(Self { argv, name, usage })
    }

    /// The subcommand path.
    pub(super) fn sub(&self) -> &[&'a str] {
        &self.usage.sub
    }

    /// Whether the subcommand path begins like this.
    pub(super) fn is_sub(&self, path: &[&str]) -> bool {
        self.usage.sub.get(..path.len()) == Some(path)
    }

    /// The program's name with its subcommand, as people should see it.
    pub(super) fn label(&self) -> String {
        match self.usage.sub.first() {
            Some(sub) => format!("{} {sub}", self.name),
            None => self.name.to_owned(),
        }
    }

    /// The text of an operand, if there is one and it is known.
    pub(super) fn literal(&self, operand: usize) -> Option<&'a str> {
        self.usage
            .operands
            .get(operand)
            .and_then(|operand| operand.word.literal())
    }

    /// The operands from one on, as they stand.
    pub(super) fn operands(&self, from: usize) -> Vec<Word> {
        let operands = self.usage.operands.iter().skip(from);
        operands.map(|operand| operand.word.clone()).collect()
    }

    /// Every value of an option.
    pub(super) fn values<'b>(&'b self, name: &'b str) -> impl Iterator<Item = &'b Word> {
        self.usage
            .options
            .iter()
            .filter(move |given| given.is(name))
            .filter_map(|given| given.value.as_deref())
    }

    /// The command that starts with an operand and runs to the end; dashes in front of it belong to nobody.
    pub(super) fn command(&self, operand: usize) -> Vec<Inner> {
        let dashes = operand > 0 && self.literal(operand) == Some("--");
        match self.usage.operands.get(operand + usize::from(dashes)) {
            Some(first) => self.words(first.index..self.argv.len(), self.label()),
            None => Vec::new(),
        }
    }

    /// The command in a row of the outer words.
    pub(super) fn words(&self, range: Range<usize>, through: String) -> Vec<Inner> {
        let words = self.argv.get(range.clone()).unwrap_or_default().to_vec();
        if words.is_empty() {
            return Vec::new();
        }
        vec![Inner::Words {
            words,
            from: Some(range),
            inputs: Inputs::None,
            cwd: None,
            env: Vec::new(),
            place: None,
            through,
        }]
    }

    /// A command made of words that do not stand in one row.
    pub(super) fn made(&self, words: Vec<Word>) -> Vec<Inner> {
        if words.is_empty() {
            return Vec::new();
        }
        vec![Inner::Words {
            words,
            from: None,
            inputs: Inputs::None,
            cwd: None,
            env: Vec::new(),
            place: None,
            through: self.label(),
        }]
    }

    /// Shell text in another shell.
    pub(super) fn text(&self, text: Word) -> Inner {
        Inner::Text {
            text,
            arguments: Vec::new(),
            is_same_shell: false,
            place: None,
            through: self.label(),
        }
    }
}

/// Puts what a command runs on another machine.
pub(super) fn placed(inner: Vec<Inner>, to: &CommandHost) -> Vec<Inner> {
    let mut inner = inner;
    for inner in &mut inner {
        match inner {
            Inner::Words { place, .. } | Inner::Text { place, .. } | Inner::Stdin { place, .. } => {
                *place = Some(to.clone());
            }
            Inner::File { .. } | Inner::Code { .. } | Inner::Sql { .. } | Inner::Task { .. } => {}
        }
    }
    inner
}

/// `NAME=value` in front of a command.
pub(super) fn assignment(word: &Word) -> Option<(String, Word)> {
    let known = match word {
        Word::Literal(text) => text.as_str(),
        Word::Unknown { prefix, .. } => prefix.as_str(),
        Word::Glob { pattern } => pattern.as_str(),
        Word::OneOf(_) => return None,
    };
    let (name, value) = known.split_once('=')?;
    let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if name.is_empty() || !is_name || name.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let value = match word {
        Word::Unknown {
            suffix, quoted, name, ..
        } => Word::Unknown {
            prefix: value.to_owned(),
            suffix: suffix.clone(),
            quoted: *quoted,
            name: name.clone(),
        },
        Word::Literal(_) | Word::Glob { .. } | Word::OneOf(_) => Word::Literal(value.to_owned()),
    };
    Some((name.to_owned(), value))
}

/// Words as one text, the way `eval` and `ssh` join them; what is not known becomes a gap in it.
pub(super) fn joined(words: &[Word]) -> Word {
    if let [one] = words {
        return one.clone();
    }
    let text = words.iter().map(with_gaps).collect::<Vec<_>>().join(" ");
    if gap::is_blank(&text) {
        return Word::unknown();
    }
    Word::Literal(text)
}

fn with_gaps(word: &Word) -> Cow<'_, str> {
    match word {
        Word::Literal(text) => Cow::Borrowed(text),
        Word::Glob { pattern } => Cow::Borrowed(pattern),
        Word::OneOf(_) => Cow::Owned(gap::gap(None)),
        Word::Unknown {
            prefix, suffix, name, ..
        } => Cow::Owned(format!("{prefix}{}{suffix}", gap::gap(name.as_deref()))),
    }
}

/// Whether a file's name ends like this, in any case.
pub(super) fn has_ending(path: &str, ending: &str) -> bool {
    path.rsplit_once('.')
        .is_some_and(|(_, found)| found.eq_ignore_ascii_case(ending))
}
