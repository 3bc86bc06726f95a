//! How well each skill fits a prompt.

use super::catalogue::{Catalogue, SEGMENT};
use super::words::{counts, small, words, words_of};
use std::collections::{BTreeMap, BTreeSet};

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
pub fn score(prompt: &str, catalogue: &Catalogue) -> Vec<Suggestion> {
    let prompt = prompt.trim_start();
    if prompt.is_empty() || prompt.starts_with('/') {
        return Vec::new();
    }
    let end = prompt.char_indices().nth(MOST_CHARACTERS).map(|(at, _)| at);
    let text = small(end.and_then(|end| prompt.get(..end)).unwrap_or(prompt));
    let mut found: Vec<Suggestion> = hits(&text, catalogue)
        .into_iter()
        .filter_map(|(number, hits)| suggestion(catalogue, number, hits))
        .filter(|suggestion| !(says_name(suggestion) && is_called(&suggestion.name, &text)))
        .collect();
    found.sort_by(|one, two| two.score.cmp(&one.score).then_with(|| one.name.cmp(&two.name)));
    found
}

/// What the prompt says to each skill: distinct words and phrases, with their points.
fn hits(text: &str, catalogue: &Catalogue) -> BTreeMap<usize, BTreeMap<String, u32>> {
    let words: Vec<&str> = words(text).collect();
    let mut found: BTreeMap<usize, BTreeMap<String, u32>> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    for (at, word) in words.iter().enumerate() {
        let Some(entry) = catalogue.entries.get(*word) else {
            continue;
        };
        for phrase in &entry.phrases {
            let rest = words.get(at + 1..).unwrap_or_default();
            let is_there =
                phrase.rest.len() <= rest.len() && phrase.rest.iter().zip(rest).all(|(a, b)| a == b);
            if is_there {
                let shown = [&[(*word).to_owned()], phrase.rest.as_slice()].concat().join(" ");
                found
                    .entry(phrase.skill)
                    .or_default()
                    .insert(shown, phrase.points);
            }
        }
        if !entry.skills.is_empty() && counts(word) && seen.insert(*word) {
            for (skill, points) in &entry.skills {
                let hits = found.entry(*skill).or_default();
                hits.insert((*word).to_owned(), *points);
            }
        }
    }
    found
}

fn suggestion(catalogue: &Catalogue, number: usize, hits: BTreeMap<String, u32>) -> Option<Suggestion> {
    let skill = catalogue.skills().get(number)?;
    let score = hits.values().sum();
    let mut hits: Vec<(String, u32)> = hits.into_iter().collect();
    hits.sort_by_key(|(_, points)| std::cmp::Reverse(*points));
    Some(Suggestion {
        name: skill.name.clone(),
        score,
        hits: hits.into_iter().map(|(word, _)| word).collect(),
    })
}

/// Whether the longest word of the skill's name is among those it fits by; else looking for the name is in vain.
fn says_name(suggestion: &Suggestion) -> bool {
    let name = words_of(&suggestion.name);
    let longest = name
        .iter()
        .filter(|word| counts(word))
        .max_by_key(|word| word.len());
    longest.is_none_or(|word| word.len() < SEGMENT || suggestion.hits.contains(word))
}

/// Whether the prompt itself calls the skill: by `/name`, or by a name that no ordinary word is.
fn is_called(name: &str, text: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | ':' | '-');
    text.match_indices(&name).any(|(at, _)| {
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
