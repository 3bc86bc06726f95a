//! The built-in tables. The build made a line of text of each; one is read when a command first needs it.

use foldhash::fast::RandomState;
use std::collections::HashMap;
use std::sync::OnceLock;

use super::table::{Flag, KnownProgram, OptionStyle, Table, Takes};

const TEXT: &str = include_str!(concat!(env!("OUT_DIR"), "/grammar.txt"));
include!(concat!(env!("OUT_DIR"), "/grammar.rs"));

static READ: [OnceLock<Box<Table>>; TABLES.len()] = [const { OnceLock::new() }; TABLES.len()];

/// The program of exactly this name.
pub(super) fn program(name: &str) -> Option<KnownProgram> {
    let found = PROGRAMS
        .binary_search_by(|(start, end, _)| text(*start, *end).cmp(name))
        .ok()?;
    let (start, end, number) = PROGRAMS.get(found)?;
    Some(KnownProgram {
        name: text(*start, *end),
        table: table(usize::from(*number))?,
    })
}

/// A table by its number.
pub(super) fn table(number: usize) -> Option<&'static Table> {
    let (start, end) = TABLES.get(number)?;
    let cell = READ.get(number)?;
    Some(cell.get_or_init(|| Box::new(read(text(*start, *end)))))
}

/// Every program that has a table.
#[cfg(test)]
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    PROGRAMS.iter().map(|(start, end, _)| text(*start, *end))
}

fn text(start: u32, end: u32) -> &'static str {
    let place = usize::try_from(start).ok().zip(usize::try_from(end).ok());
    place
        .and_then(|(start, end)| TEXT.get(start..end))
        .unwrap_or_default()
}

const STYLES: [OptionStyle; 8] = [
    OptionStyle::Gnu,
    OptionStyle::GnuFirst,
    OptionStyle::Git,
    OptionStyle::Plain,
    OptionStyle::PlainFirst,
    OptionStyle::Single,
    OptionStyle::SingleFirst,
    OptionStyle::None,
];

const ENDINGS: [(&str, Takes); 6] = [
    ("[=N]", Takes::Number),
    ("[=]", Takes::Attached),
    ("=...", Takes::Rest),
    ("=+", Takes::Many),
    ("=;", Takes::Command),
    ("=", Takes::Value),
];

/// Reads a line as the build wrote it: style, free words, three flags, verbs, options, subcommands.
fn read(line: &'static str) -> Table {
    let mut fields = line.split('\t');
    let mut field = || fields.next().unwrap_or_default();
    let style = field().parse().ok().and_then(|at: usize| STYLES.get(at).copied());
    let free = field().parse().unwrap_or_default();
    let mut flags = field().chars().map(|flag| flag == '1');
    let mut flag = || flags.next().unwrap_or_default();
    let (verbs, options, subs) = (field(), field(), field());
    let mut table = Table {
        style: style.unwrap_or_default(),
        free,
        inherits: flag(),
        unknown_takes_values: flag(),
        bare_cluster: flag(),
        verbs: verbs.split_ascii_whitespace().collect(),
        options: Vec::with_capacity(count(options)),
        subs: HashMap::with_capacity_and_hasher(count(subs), RandomState::default()),
        by_name: HashMap::with_capacity_and_hasher(
            count(options) + options.bytes().filter(|byte| *byte == b'|').count(),
            RandomState::default(),
        ),
    };
    table.options.extend(options.split_ascii_whitespace().map(option));
    table.subs.extend(subs.split_ascii_whitespace().filter_map(sub));
    for (at, option) in table.options.iter().enumerate() {
        table.by_name.extend(option.names.iter().map(|name| (*name, at)));
    }
    table
}

/// How many words a field has.
fn count(field: &str) -> usize {
    if field.is_empty() {
        0
    } else {
        1 + field.bytes().filter(|byte| *byte == b' ').count()
    }
}

/// `name|first name|number of the table`; a name that is the first has none in the middle.
fn sub(written: &'static str) -> Option<(&'static str, (&'static str, usize))> {
    let mut parts = written.split('|');
    let (name, first) = (parts.next()?, parts.next()?);
    let first = if first.is_empty() { name } else { first };
    Some((name, (first, parts.next()?.parse().ok()?)))
}

fn option(written: &'static str) -> Flag {
    let (names, takes) = ENDINGS
        .iter()
        .find_map(|(ending, takes)| written.strip_suffix(ending).map(|names| (names, *takes)))
        .unwrap_or((written, Takes::Nothing));
    let names: Vec<&str> = names.split('|').collect();
    let name = names
        .iter()
        .find(|name| name.starts_with("--"))
        .or(names.first())
        .copied()
        .unwrap_or_default();
    Flag { name, names, takes }
}
