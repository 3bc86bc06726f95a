//! What a program's option table says, once its line is read.

use foldhash::fast::RandomState;
use std::collections::HashMap;

/// A program that has an option table.
#[derive(Debug, Clone, Copy)]
pub struct KnownProgram {
    /// The base name it was found by.
    pub name: &'static str,
    /// Its own options, and its subcommands.
    pub table: &'static Table,
}

/// The options and subcommands that count at one level of a command.
#[derive(Debug, Clone, Default)]
pub struct Table {
    /// How words are told apart at this level.
    pub style: OptionStyle,
    /// Every option of this level.
    pub options: Vec<Flag>,
    pub(super) by_name: HashMap<&'static str, usize, RandomState>,
    /// Subcommands by every name they have: the first of their names, and the number of their table.
    pub(super) subs: HashMap<&'static str, (&'static str, usize), RandomState>,
    /// How many words that are in no table count as subcommands.
    pub free: usize,
    /// Words that end a path of free subcommands (`delete` of `gcloud compute instances delete NAME`).
    pub verbs: Vec<&'static str>,
    /// Whether the options of the levels above count here too.
    pub inherits: bool,
    /// Whether an option in no table takes the words behind it as its values.
    pub unknown_takes_values: bool,
    /// Whether a first word without a dash is a cluster (`tar xzf`).
    pub bare_cluster: bool,
}

/// How a program tells options and operands apart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OptionStyle {
    /// Clusters, options anywhere, long names may be shortened (`getopt_long`).
    Gnu,
    /// As `Gnu`, but the first operand ends the options.
    GnuFirst,
    /// As `Gnu`, and `--no-x` takes `--x` back.
    Git,
    /// Clusters, options anywhere, long names in full.
    #[default]
    Plain,
    /// As `Plain`, but the first operand ends the options.
    PlainFirst,
    /// Long names behind one dash, no clusters, options anywhere.
    Single,
    /// As `Single`, but the first operand ends the options.
    SingleFirst,
    /// No options at all: every word is an operand.
    None,
}

impl OptionStyle {
    /// Whether the first operand ends the options.
    pub fn ends_at_operand(self) -> bool {
        matches!(self, Self::GnuFirst | Self::PlainFirst | Self::SingleFirst)
    }

    /// Whether long names may be shortened while they stay unambiguous.
    pub fn abbreviates(self) -> bool {
        matches!(self, Self::Gnu | Self::GnuFirst | Self::Git)
    }

    /// Whether one dash may be followed by several one-letter options.
    pub fn clusters(self) -> bool {
        !matches!(self, Self::Single | Self::SingleFirst | Self::None)
    }
}

/// One option of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flag {
    /// The name that stands for it: its first long name, else its first.
    pub name: &'static str,
    /// Every name it has, with dashes.
    pub names: Vec<&'static str>,
    /// What belongs to it besides its name.
    pub takes: Takes,
}

/// What an option takes besides its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    /// Nothing.
    Nothing,
    /// A value, if it is written in the same word.
    Attached,
    /// A value in the same word, or a number in the next one.
    Number,
    /// A value in the same word or the next one.
    Value,
    /// Every word up to the next option.
    Many,
    /// Every word up to `;` or `+`, as find's `-exec`.
    Command,
    /// Every word up to the end.
    Rest,
}

impl Table {
    /// The option of this level with exactly this name.
    pub fn option(&self, name: &str) -> Option<&Flag> {
        self.by_name.get(name).and_then(|at| self.options.get(*at))
    }

    /// The table of a subcommand of this level, by any of its names, with the first of them.
    pub fn sub(&self, name: &str) -> Option<(&'static str, &'static Table)> {
        let (first, number) = self.subs.get(name)?;
        Some((first, super::built_in::table(*number)?))
    }

    /// Whether no subcommand of this level has a table.
    pub fn has_no_subs(&self) -> bool {
        self.subs.is_empty()
    }
}
