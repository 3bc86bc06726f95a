//! How well each skill fits a prompt.

use super::catalogue::Catalogue;
use super::index::Found;
use super::words::small;
use memchr::memmem;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Characters of a prompt that count.
const MOST_CHARACTERS: usize = 20_000;

/// A skill that fits a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// The skill.
    pub name: String,
    /// How well it fits.
    pub score: u32,
    /// The words of the prompt that it fits by, the weightiest first.
    pub hits: Vec<String>,
}

/// Every skill that fits a prompt at all and is not called by it, best first, ties by name.
///
/// A suggestion is made when it is asked for: of hundreds that fit a little, few are ever shown.
pub struct Fitting<'c> {
    catalogue: &'c Catalogue,
    text: String,
    found: Found,
    ranked: BinaryHeap<Ranked<'c>>,
}

/// Score, name and number of a skill.
type Ranked<'c> = (u32, Reverse<&'c str>, usize);

/// The skills that fit a prompt.
pub fn fitting<'c>(prompt: &str, catalogue: &'c Catalogue) -> Fitting<'c> {
    let prompt = prompt.trim_start();
    let counted = if prompt.starts_with('/') {
        ""
    } else {
        beginning(prompt)
    };
    let text = small(counted);
    let found = catalogue.index.found_in(&text);
    Fitting {
        catalogue,
        ranked: ranked(catalogue, &found),
        text,
        found,
    }
}

impl Iterator for Fitting<'_> {
    type Item = Suggestion;

    fn next(&mut self) -> Option<Suggestion> {
        loop {
            let (score, Reverse(name), number) = self.ranked.pop()?;
            let may_be_named = self
                .catalogue
                .longest(number)
                .is_none_or(|word| self.found.has(word));
            if may_be_named && is_called(name, &self.text) {
                continue;
            }
            return Some(Suggestion {
                name: name.to_owned(),
                score,
                hits: self.hits(number),
            });
        }
    }
}

impl Fitting<'_> {
    fn hits(&self, number: usize) -> Vec<String> {
        let terms = self.catalogue.index.terms(&self.found);
        let mut hits: Vec<(Reverse<u32>, &String)> = terms
            .filter_map(|term| {
                let at = term.skills.binary_search_by_key(&number, |(skill, _)| *skill);
                let (_, points) = term.skills.get(at.ok()?)?;
                Some((Reverse(*points), &term.text))
            })
            .collect();
        hits.sort_unstable();
        hits.into_iter().map(|(_, text)| text.clone()).collect()
    }
}

/// The part of a prompt that counts.
fn beginning(prompt: &str) -> &str {
    let mut rest = prompt.chars();
    let counted = match rest.nth(MOST_CHARACTERS - 1) {
        Some(_) => prompt.len() - rest.as_str().len(),
        None => prompt.len(),
    };
    prompt.get(..counted).unwrap_or(prompt)
}

/// Adds up what the terms give to each skill.
fn ranked<'c>(catalogue: &'c Catalogue, found: &Found) -> BinaryHeap<Ranked<'c>> {
    let skills = catalogue.skills();
    let mut scores = vec![0; skills.len()];
    for (skill, points) in catalogue.index.terms(found).flat_map(|term| &term.skills) {
        if let Some(score) = scores.get_mut(*skill) {
            *score += points;
        }
    }
    let fits = skills.iter().zip(scores).enumerate();
    fits.filter(|(_, (_, score))| *score > 0)
        .map(|(number, (skill, score))| (score, Reverse(skill.name.as_str()), number))
        .collect()
}

/// Whether the prompt itself calls the skill: by `/name`, or by a name that no ordinary word is.
fn is_called(name: &str, text: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | ':' | '-');
    memmem::find_iter(text.as_bytes(), &name).any(|at| {
        let before = text.get(..at).unwrap_or_default();
        let after = text.get(at + name.len()..).unwrap_or_default();
        let is_command = before
            .strip_suffix('/')
            .is_some_and(|outer| !outer.ends_with(|letter: char| !letter.is_whitespace()));
        let is_word = !before.ends_with(|letter: char| is_part(letter) || letter == '/');
        let stands_out = name.contains(['-', '_', ':']);
        ends_name(after) && (is_command || (is_word && stands_out))
    })
}

/// A colon or dash belongs to a name only if the name goes on behind it.
fn ends_name(after: &str) -> bool {
    let mut letters = after.chars();
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    match letters.next() {
        Some(':' | '-') => !letters.next().is_some_and(is_part),
        next => !next.is_some_and(is_part),
    }
}
