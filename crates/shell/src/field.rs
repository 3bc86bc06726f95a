//! The words a written word becomes: parts are joined, split where the shell splits, and made into [`Word`]s.

use super::gap::{self, GapPart};
use super::word::Word;

/// A part of a word that is being put together.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Atom {
    /// Known text; patterns in it count unless it is quoted.
    Text { text: String, quoted: bool },
    /// One of some texts.
    Choice(Vec<String>),
    /// Not known.
    Unknown { quoted: bool, name: Option<String> },
}

/// One resulting word, and the commands whose output stands in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ExpandedWord {
    pub(super) word: Word,
    pub(super) feeds: Vec<usize>,
    /// The text with its gaps, if some of it is known and some is not.
    pub(super) template: Option<String>,
}

impl From<Word> for ExpandedWord {
    fn from(word: Word) -> Self {
        Self {
            word,
            feeds: Vec::new(),
            template: None,
        }
    }
}

/// A longer text with gaps is not followed.
const TEMPLATE_BYTES: usize = 64 * 1024;

/// Puts the words together.
#[derive(Debug, Default)]
pub(super) struct WordAssembler {
    done: Vec<ExpandedWord>,
    atoms: Vec<Atom>,
    feeds: Vec<usize>,
}

impl WordAssembler {
    /// Quoted text, possibly empty.
    pub(super) fn quoted(&mut self, text: &str) {
        if gap::has_gaps(text) {
            return self.with_gaps(text, true);
        }
        match self.atoms.last_mut() {
            Some(Atom::Text {
                text: before,
                quoted: true,
            }) => before.push_str(text),
            _ => self.atoms.push(Atom::Text {
                text: text.to_owned(),
                quoted: true,
            }),
        }
    }

    /// Written text outside quotes: patterns count, nothing is split.
    pub(super) fn bare(&mut self, text: &str) {
        if gap::has_gaps(text) {
            return self.with_gaps(text, false);
        }
        self.atoms.push(Atom::Text {
            text: without_groups(text).unwrap_or_else(|| text.to_owned()),
            quoted: false,
        });
    }

    fn with_gaps(&mut self, text: &str, quoted: bool) {
        for part in gap::parts(text) {
            match part {
                GapPart::Known(text) if quoted => self.quoted(text),
                GapPart::Known(text) => self.bare(text),
                GapPart::Gap(name) => self.unknown(quoted, name),
            }
        }
    }

    /// The value of something outside quotes: split at the separators.
    pub(super) fn split(&mut self, text: &str, separators: &str) {
        let mut parts = text.split(|letter| separators.contains(letter)).peekable();
        while let Some(part) = parts.next() {
            if !part.is_empty() {
                self.bare(part);
            }
            if parts.peek().is_some() {
                self.end_word();
            }
        }
    }

    /// One of some values. Outside quotes they are split: then each place takes what may stand there.
    pub(super) fn choice(&mut self, texts: &[String], quoted: bool, separators: &str) {
        let needs_splitting =
            |text: &String| text.is_empty() || text.contains(|letter| separators.contains(letter));
        if quoted || !texts.iter().any(needs_splitting) {
            self.atoms.push(Atom::Choice(texts.to_vec()));
            return;
        }
        let split = |text: &String| -> Vec<String> {
            let parts = text.split(|letter| separators.contains(letter));
            parts.filter(|part| !part.is_empty()).map(str::to_owned).collect()
        };
        let rows: Vec<Vec<String>> = texts.iter().map(split).collect();
        let longest = rows.iter().map(Vec::len).max().unwrap_or(0);
        for place in 0..longest {
            if place > 0 {
                self.end_word();
            }
            let column = rows.iter().filter_map(|row| row.get(place).cloned());
            self.atoms.push(Atom::Choice(column.collect()));
        }
    }

    /// Something nobody knows.
    pub(super) fn unknown(&mut self, quoted: bool, name: Option<&str>) {
        self.atoms.push(Atom::Unknown {
            quoted,
            name: name.map(str::to_owned),
        });
    }

    /// Commands whose output stands in the word that is being put together.
    pub(super) fn fed_by(&mut self, commands: &[usize]) {
        self.feeds.extend_from_slice(commands);
    }

    /// `"$@"` without parameters is no word, although it has quotes.
    pub(super) fn vanish(&mut self) {
        if matches!(self.atoms.as_slice(), [Atom::Text { text, quoted: true }] if text.is_empty()) {
            self.atoms.clear();
        }
    }

    /// The word ends here; nothing happens between two words.
    pub(super) fn end_word(&mut self) {
        let mut feeds = std::mem::take(&mut self.feeds);
        feeds.sort_unstable();
        feeds.dedup();
        let atoms = std::mem::take(&mut self.atoms);
        if atoms.is_empty() {
            return;
        }
        let word = word(&atoms);
        let template = if word.is_unknown() { template(&atoms) } else { None };
        self.done.push(ExpandedWord {
            word,
            feeds,
            template,
        });
    }

    /// A whole word that is known as it is, between others.
    pub(super) fn whole(&mut self, value: &Word) {
        match value {
            Word::Literal(text) => self.quoted(text),
            Word::OneOf(texts) => self.atoms.push(Atom::Choice(texts.clone())),
            Word::Glob { pattern } => self.bare(pattern),
            Word::Unknown {
                prefix,
                suffix,
                quoted,
                name,
            } => {
                self.quoted(prefix);
                self.unknown(*quoted, name.as_deref());
                self.quoted(suffix);
            }
        }
    }

    /// All words. `as_one`: what is no list (the value of an assignment) is always exactly one.
    pub(super) fn finish(mut self, as_one: bool) -> Vec<ExpandedWord> {
        if as_one && self.done.is_empty() && self.atoms.is_empty() {
            self.quoted("");
        }
        self.end_word();
        self.done
    }

    /// How many words there are so far.
    pub(super) fn count(&self) -> usize {
        self.done.len()
    }
}

fn word(atoms: &[Atom]) -> Word {
    if atoms.iter().any(|atom| matches!(atom, Atom::Unknown { .. })) {
        return unknown(atoms);
    }
    if atoms.iter().any(|atom| matches!(atom, Atom::Choice(_))) {
        return choices(atoms).unwrap_or_else(|| unknown(atoms));
    }
    let texts = atoms.iter().filter_map(|atom| match atom {
        Atom::Text { text, quoted } => Some((text.as_str(), *quoted)),
        Atom::Choice(_) | Atom::Unknown { .. } => None,
    });
    if texts.clone().any(|(text, quoted)| !quoted && is_pattern(text)) {
        return Word::Glob {
            pattern: texts.map(|(text, quoted)| escaped(text, quoted)).collect(),
        };
    }
    Word::Literal(texts.map(|(text, _)| text).collect())
}

fn template(atoms: &[Atom]) -> Option<String> {
    let text: String = atoms
        .iter()
        .map(|atom| match atom {
            Atom::Text { text, .. } => text.clone(),
            Atom::Choice(_) => gap::gap(None),
            Atom::Unknown { name, .. } => gap::gap(name.as_deref()),
        })
        .collect();
    (text.len() <= TEMPLATE_BYTES).then_some(text)
}

/// Whether the text has a character that makes it a pattern.
fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?'])
        || text
            .find('[')
            .is_some_and(|at| text.get(at..).is_some_and(|rest| rest.contains(']')))
}

/// The pattern with `!(…)`, `?(…)`, `+(…)`, `@(…)` and `*(…)` as `*`, which fits at least as much. None if it has none.
fn without_groups(text: &str) -> Option<String> {
    let mut simpler = String::new();
    let mut rest = text;
    while let Some((before, group)) = rest.split_once('(') {
        let Some(front) = before.strip_suffix(['!', '?', '+', '@', '*']) else {
            break;
        };
        let Some(end) = group_end(group) else {
            break;
        };
        simpler.push_str(front);
        simpler.push('*');
        rest = group.get(end..).unwrap_or_default();
    }
    if simpler.is_empty() {
        return None;
    }
    simpler.push_str(rest);
    Some(simpler)
}

/// Behind an open parenthesis: where the text behind its closing one begins.
fn group_end(group: &str) -> Option<usize> {
    let mut open = 1_usize;
    let end = group.find(|letter| {
        match letter {
            '(' => open += 1,
            ')' => open -= 1,
            _ => {}
        }
        open == 0
    })?;
    Some(end + 1)
}

fn escaped(text: &str, quoted: bool) -> String {
    if !quoted {
        return text.to_owned();
    }
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        if matches!(letter, '*' | '?' | '[' | ']' | '\\') {
            escaped.push('\\');
        }
        escaped.push(letter);
    }
    escaped
}

/// Every combination, if there are few.
fn choices(atoms: &[Atom]) -> Option<Word> {
    let mut texts = vec![String::new()];
    for atom in atoms {
        let options: &[String] = match atom {
            Atom::Text { text, .. } => std::slice::from_ref(text),
            Atom::Choice(options) => options,
            Atom::Unknown { .. } => return None,
        };
        if texts.len() * options.len() > Word::MOST {
            return None;
        }
        let join = |text: &String| -> Vec<String> {
            options.iter().map(|option| format!("{text}{option}")).collect()
        };
        texts = texts.iter().flat_map(join).collect();
    }
    Some(Word::one_of(texts))
}

fn unknown(atoms: &[Atom]) -> Word {
    let text = |atom: &&Atom| match atom {
        Atom::Text { text, .. } => Some(text.clone()),
        Atom::Choice(_) | Atom::Unknown { .. } => None,
    };
    let prefix: String = atoms.iter().map_while(|atom| text(&atom)).collect();
    let mut suffix: Vec<String> = atoms.iter().rev().map_while(|atom| text(&atom)).collect();
    suffix.reverse();
    let mut names = Vec::new();
    let mut quoted = true;
    for atom in atoms {
        match atom {
            Atom::Unknown {
                quoted: is_quoted,
                name,
            } => {
                names.push(name.clone());
                quoted &= *is_quoted;
            }
            Atom::Choice(_) => names.push(None),
            Atom::Text { .. } => {}
        }
    }
    Word::Unknown {
        prefix,
        suffix: suffix.concat(),
        quoted,
        name: match names.as_slice() {
            [name] => name.clone(),
            _ => None,
        },
    }
}

#[cfg(test)]
mod tests;
