//! How option tables are written.
//!
//! ```toml
//! style = "gnu"                          # of the whole file, unless a program says otherwise
//! rmdir = "-p|--parents -v|--verbose"    # a program that has options only
//!
//! ["docker,podman"]                      # several programs that share a table
//! options = "-H|--host= --tls"
//! ["docker,podman".sub]
//! "remove|rm" = "-f|--force"             # a subcommand, with another name of it
//! "start,stop" = "-t|--time="            # two subcommands that share a table
//! container = { sub = { rm = "-f" } }    # a subcommand that has its own
//! ```
//! Options are separated by spaces, names of one option by `|`. Behind the names: `=` a value in this word or the next,
//! `[=]` a value in this word only, `[=N]` a number in this or the next, `=+` all words up to the next option, `=;` all words
//! up to `;` or `+`, `=...` all words up to the end. The names `-NUM` and `-SIG` stand for `-5` and `-KILL`.
//! `like = "docker compose"` takes over the table of another program or subcommand of the same file. `free = 2` counts words that
//! are in no table as subcommands; those of `verbs` end the path. `style` is one of [`STYLES`].
//!
//! Loaded tables are written as lines of text, one for a table, with numbers in place of the tables of subcommands: a process
//! finds a program's line and reads no other.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use serde::Deserialize;

/// How a program tells options and operands apart, by the names in the files.
pub const STYLES: [&str; 8] = [
    "gnu",
    "gnu-first",
    "git",
    "plain",
    "plain-first",
    "single",
    "single-first",
    "none",
];
/// What may stand behind the names of an option, the longest first.
pub const ENDINGS: [&str; 6] = ["[=N]", "[=]", "=...", "=+", "=;", "="];

/// Why an option table cannot be used.
#[derive(Debug, PartialEq, Eq)]
pub enum GrammarError {
    /// The file is no TOML, or a key in it has no meaning.
    Malformed(String),
    /// An option is named twice at one level.
    Twice(String),
    /// `like` names a program the file does not have.
    Like(String),
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Entry {
    Options(String),
    Full(Box<Full>),
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct Full {
    style: Option<String>,
    options: String,
    free: Option<usize>,
    verbs: String,
    inherits: Option<bool>,
    unknown_takes_values: bool,
    bare_cluster: bool,
    like: Option<String>,
    sub: BTreeMap<String, Entry>,
}

/// Every table of every file, by number, and the programs that have one.
#[derive(Debug, Default)]
pub struct Tables {
    lines: Vec<String>,
    subs: Vec<BTreeMap<String, (String, usize)>>,
    programs: BTreeMap<String, usize>,
}

impl Tables {
    /// Adds every program of a file.
    pub fn add(&mut self, text: &str) -> Result<(), GrammarError> {
        let malformed = |error: toml::de::Error| GrammarError::Malformed(error.message().to_owned());
        let mut file: toml::Table = toml::from_str(text).map_err(malformed)?;
        let style: String = match file.remove("style") {
            Some(style) => style.try_into().map_err(malformed)?,
            None => "plain".to_owned(),
        };
        let mut found: BTreeMap<String, usize> = BTreeMap::new();
        let mut borrowed = Vec::new();
        for (names, value) in file {
            let entry: Entry = value.try_into().map_err(|error: toml::de::Error| {
                GrammarError::Malformed(format!("{names}: {}", error.message()))
            })?;
            let table = match &entry {
                Entry::Full(full) if full.like.is_some() => {
                    borrowed.push((names, full.like.clone().unwrap_or_default()));
                    continue;
                }
                Entry::Full(_) | Entry::Options(_) => self.table(&entry, &style, true)?,
            };
            found.extend(names.split([',', '|']).map(|name| (name.to_owned(), table)));
        }
        for (names, like) in borrowed {
            let table = self.shared(&found, &like).ok_or(GrammarError::Like(like))?;
            found.extend(names.split([',', '|']).map(|name| (name.to_owned(), table)));
        }
        for (name, table) in found {
            if self.programs.insert(name.clone(), table).is_some() {
                return Err(GrammarError::Twice(name));
            }
        }
        Ok(())
    }

    fn shared(&self, found: &BTreeMap<String, usize>, path: &str) -> Option<usize> {
        let mut names = path.split(' ');
        let mut table = *found.get(names.next()?)?;
        for name in names {
            table = self.subs.get(table)?.get(name)?.1;
        }
        Some(table)
    }

    /// Adds a table and those below it; returns its number.
    fn table(&mut self, entry: &Entry, above: &str, is_program: bool) -> Result<usize, GrammarError> {
        let full = match entry {
            Entry::Options(options) => &Full {
                options: options.clone(),
                ..Full::default()
            },
            Entry::Full(full) => full.as_ref(),
        };
        let style = full.style.as_deref().unwrap_or(above);
        let style_number = STYLES.iter().position(|known| *known == style);
        let style_number =
            style_number.ok_or_else(|| GrammarError::Malformed(format!("`{style}` is no style")))?;
        check(&full.options)?;
        let mut subs = BTreeMap::new();
        for (names, entry) in &full.sub {
            let sub = self.table(entry, style, false)?;
            for names in names.split(',') {
                let first = names.split('|').next().unwrap_or_default();
                for name in names.split('|') {
                    subs.insert(name.to_owned(), (first.to_owned(), sub));
                }
            }
        }
        let free = full
            .free
            .unwrap_or(usize::from(is_program && !full.sub.is_empty()));
        let inherits = full.inherits.unwrap_or(style != "git");
        let flag = |is_on: bool| if is_on { '1' } else { '0' };
        let mut line = format!(
            "{style_number}\t{free}\t{}{}{}\t{}\t{}\t",
            flag(inherits),
            flag(full.unknown_takes_values),
            flag(full.bare_cluster),
            one_line(&full.verbs),
            one_line(&full.options),
        );
        for (at, (name, (first, sub))) in subs.iter().enumerate() {
            let gap = if at > 0 { " " } else { "" };
            let first = if first == name { "" } else { first };
            // Writing to a string cannot fail.
            let _ = write!(line, "{gap}{name}|{first}|{sub}");
        }
        self.lines.push(line);
        self.subs.push(subs);
        Ok(self.lines.len() - 1)
    }

    /// All tables, one in a line; then the names of all programs, sorted, without anything between them.
    pub fn text(&self) -> String {
        let names: String = self.programs.keys().map(String::as_str).collect();
        format!("{}\n{names}", self.lines.join("\n"))
    }

    /// Where each table starts and ends in the text, and where each program's name, with its table.
    pub fn source(&self) -> String {
        let mut at = 0;
        let mut tables = String::new();
        for line in &self.lines {
            let _ = write!(tables, "({at}, {}),", at + line.len());
            at += line.len() + 1;
        }
        let mut programs = String::new();
        for (name, table) in &self.programs {
            let _ = write!(programs, "({at}, {}, {table}),", at + name.len());
            at += name.len();
        }
        let expect = "#[expect(clippy::unreadable_literal, reason = \"nobody reads it\")]\n";
        format!(
            "{expect}static TABLES: [(u32, u32); {}] = [{tables}];\n\
             {expect}static PROGRAMS: [(u32, u32, u16); {}] = [{programs}];\n",
            self.lines.len(),
            self.programs.len(),
        )
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether every option of a level has names, and each name once.
fn check(options: &str) -> Result<(), GrammarError> {
    let mut seen = BTreeSet::new();
    for written in options.split_whitespace() {
        let names = ENDINGS
            .iter()
            .find_map(|ending| written.strip_suffix(ending))
            .unwrap_or(written);
        for name in names.split('|') {
            if name.is_empty() || name.contains('=') {
                return Err(GrammarError::Malformed(format!("{names} is no option")));
            }
            if !seen.insert(name) {
                return Err(GrammarError::Twice(name.to_owned()));
            }
        }
    }
    Ok(())
}
