//! Which skills fit a prompt: by their name, by a keyword, or by two words of what they say of themselves.

use super::skill::Skill;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use unicode_normalization::UnicodeNormalization;

/// Most skills that count.
pub const MOST_SKILLS: usize = 500;
/// Characters of a prompt that count.
const MOST_CHARACTERS: usize = 20_000;
/// Words of one description that count.
const MOST_WORDS: usize = 400;
/// Words of one phrase.
const LONGEST_PHRASE: usize = 8;
/// Letters a word must have to say something of a skill.
const LETTERS: usize = 4;
/// Words that must fit where no name and no keyword does.
const ENOUGH: usize = 2;

/// Words that say nothing about a task.
const STOP_WORDS: &[&str] = &[
    "a", "about", "above", "after", "again", "all", "also", "am", "an", "and", "any", "are", "around", "as",
    "at", "be", "because", "been", "before", "being", "between", "both", "but", "by", "can", "could", "did",
    "do", "doe", "doing", "don", "done", "down", "during", "each", "either", "else", "etc", "even", "every",
    "few", "for", "from", "further", "get", "give", "had", "has", "have", "having", "he", "help", "her",
    "here", "him", "his", "how", "i", "if", "in", "instead", "into", "is", "it", "its", "just", "let",
    "like", "ll", "make", "many", "may", "me", "might", "more", "most", "much", "must", "my", "need", "no",
    "nor", "not", "now", "of", "off", "on", "once", "one", "only", "or", "other", "our", "out", "over",
    "own", "please", "re", "same", "shall", "she", "should", "since", "so", "some", "such", "sure", "take",
    "than", "that", "the", "their", "them", "then", "there", "these", "they", "thi", "thing", "this",
    "those", "through", "to", "too", "under", "until", "up", "upon", "us", "use", "used", "using", "ve",
    "very", "via", "want", "was", "we", "well", "were", "what", "when", "where", "whether", "which", "while",
    "who", "whom", "whose", "why", "will", "with", "within", "without", "would", "you", "your",
];

/// The skills of a project, with the words that call each of them to mind. Made once, asked with every prompt.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Catalogue {
    skills: Vec<Skill>,
    /// The skills whose name or description has a word.
    words: HashMap<String, Vec<usize>>,
    /// Names and keywords, by their first word.
    phrases: HashMap<String, Vec<Phrase>>,
}

/// A name or a keyword.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Phrase {
    skill: usize,
    words: Vec<String>,
    is_name: bool,
}

/// A skill that fits a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// The skill.
    pub name: String,
    /// What of the prompt it fits by: name and keywords first, then words.
    pub hits: Vec<String>,
}

/// What a prompt has of one skill.
#[derive(Default)]
struct Hits<'p> {
    has_name: bool,
    phrases: BTreeSet<String>,
    words: BTreeSet<&'p str>,
}

impl Catalogue {
    /// The skills, the first of each name, with what a person's map adds to their keywords.
    pub fn new(mut skills: Vec<Skill>, map: &BTreeMap<String, Vec<String>>) -> Self {
        let mut names = BTreeSet::new();
        skills.retain(|skill| names.insert(skill.name.clone()));
        skills.truncate(MOST_SKILLS);
        let mut words: HashMap<String, Vec<usize>> = HashMap::new();
        let mut phrases: HashMap<String, Vec<Phrase>> = HashMap::new();
        for (number, skill) in skills.iter().enumerate() {
            for word in telling_words(skill) {
                words.entry(word).or_default().push(number);
            }
            let added = map.get(&skill.name).into_iter().flatten();
            let keywords = skill.keywords.iter().chain(added).map(|keyword| (keyword, false));
            for (text, is_name) in keywords.chain([(&skill.name, true)]) {
                let text = small(text);
                let words: Vec<String> = words_in(&text)
                    .into_iter()
                    .take(LONGEST_PHRASE)
                    .map(str::to_owned)
                    .collect();
                if words.iter().any(|word| says_something(word)) || words.len() > 1 {
                    let first = words.first().cloned().unwrap_or_default();
                    phrases.entry(first).or_default().push(Phrase {
                        skill: number,
                        words,
                        is_name,
                    });
                }
            }
        }
        // What more than a third of the skills have tells none of them from the others.
        words.retain(|_, owners| owners.len() * 3 <= skills.len().max(3));
        Self {
            skills,
            words,
            phrases,
        }
    }

    /// The skills, in the order they were found.
    pub fn skills(&self) -> &[Skill] {
        &self.skills
    }

    fn hits<'p>(&self, words: &[&'p str]) -> BTreeMap<usize, Hits<'p>> {
        let mut found: BTreeMap<usize, Hits<'p>> = BTreeMap::new();
        let mut met = HashSet::new();
        for (at, word) in words.iter().copied().enumerate() {
            let is_new = met.insert(word);
            for skill in self.words.get(word).filter(|_| is_new).into_iter().flatten() {
                found.entry(*skill).or_default().words.insert(word);
            }
            let rest = words.get(at..).unwrap_or_default();
            for phrase in self.phrases.get(word).into_iter().flatten() {
                if rest.len() >= phrase.words.len()
                    && phrase.words.iter().zip(rest).all(|(one, two)| one == two)
                {
                    let hits = found.entry(phrase.skill).or_default();
                    hits.has_name |= phrase.is_name;
                    hits.phrases.insert(phrase.words.join(" "));
                }
            }
        }
        found.retain(|_, hits| !hits.phrases.is_empty() || hits.words.len() >= ENOUGH);
        found
    }
}

/// Every skill that fits a prompt and is not called by it, best first, ties by name.
pub fn fitting(prompt: &str, catalogue: &Catalogue) -> Vec<Suggestion> {
    let prompt = prompt.trim_start();
    if prompt.starts_with('/') {
        return Vec::new();
    }
    let end = prompt
        .char_indices()
        .nth(MOST_CHARACTERS)
        .map_or(prompt.len(), |(at, _)| at);
    let text = small(prompt.get(..end).unwrap_or(prompt));
    let commands: Vec<&str> = text
        .split_whitespace()
        .filter_map(|word| word.strip_prefix('/'))
        .collect();
    let mut found: Vec<(&Skill, Hits<'_>)> = catalogue
        .hits(&words_in(&text))
        .into_iter()
        .filter_map(|(number, hits)| Some((catalogue.skills.get(number)?, hits)))
        .filter(|(skill, _)| !is_called(&skill.name, &commands))
        .collect();
    found.sort_by_key(|(skill, hits)| {
        let strength = (hits.has_name, hits.phrases.len(), hits.words.len());
        (Reverse(strength), &skill.name)
    });
    found
        .into_iter()
        .map(|(skill, mut hits)| {
            let Hits { words, phrases, .. } = &mut hits;
            words.retain(|word| {
                !phrases
                    .iter()
                    .any(|phrase| phrase.split(' ').any(|part| part == *word))
            });
            let words = words.iter().map(|word| (*word).to_owned());
            Suggestion {
                name: skill.name.clone(),
                hits: phrases.iter().cloned().chain(words).collect(),
            }
        })
        .collect()
}

/// The words of a name and a description that tell something of a skill.
fn telling_words(skill: &Skill) -> BTreeSet<String> {
    let (name, described) = (small(&skill.name), small(&skill.description));
    let words = words_in(&name)
        .into_iter()
        .chain(words_in(&described).into_iter().take(MOST_WORDS));
    words
        .filter(|word| word.chars().count() >= LETTERS && says_something(word))
        .map(str::to_owned)
        .collect()
}

fn says_something(word: &str) -> bool {
    STOP_WORDS.binary_search(&word).is_err()
}

/// Whether one of the commands in a prompt is the skill.
fn is_called(name: &str, commands: &[&str]) -> bool {
    let name = name.to_lowercase();
    let goes_on = |letter: char| letter.is_alphanumeric() || "_-:/".contains(letter);
    commands
        .iter()
        .filter_map(|command| command.strip_prefix(&name))
        .any(|rest| !rest.starts_with(goes_on))
}

/// The text in small letters, its letters put together the usual way.
fn small(text: &str) -> String {
    if text.is_ascii() {
        text.to_ascii_lowercase()
    } else {
        text.nfc().flat_map(char::to_lowercase).collect()
    }
}

/// Every word of a text in small letters, without a plain plural. In scripts that set no spaces, every letter is one.
fn words_in(small: &str) -> Vec<&str> {
    let mut words = Vec::new();
    for run in small.split(|letter: char| !letter.is_alphanumeric()) {
        if run.contains(is_unspaced) {
            words.extend(run.split("").filter(|letter| !letter.is_empty()));
        } else if !run.is_empty() {
            words.push(singular(run));
        }
    }
    words
}

fn singular(word: &str) -> &str {
    let stem = word
        .strip_suffix('s')
        .filter(|stem| stem.len() >= 3 && !stem.ends_with('s'));
    stem.unwrap_or(word)
}

/// Letters of scripts that set no spaces between words.
fn is_unspaced(letter: char) -> bool {
    matches!(letter,
        '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_so_that_it_can_be_searched() {
        assert!(STOP_WORDS.is_sorted());
    }

    #[test]
    fn words_are_small_whole_and_singular() {
        let cases: &[(&str, &[&str])] = &[
            ("Add the Services!", &["add", "the", "service"]),
            ("class glass bus gas", &["class", "glass", "bus", "gas"]),
            ("effect-ts/di_layer", &["effect", "ts", "di", "layer"]),
            ("Zoe\u{308} ÜBER", &["zoë", "über"]),
            ("依存 注入", &["依", "存", "注", "入"]),
            ("  \n\t--", &[]),
            ("x1 2nd", &["x1", "2nd"]),
        ];
        for (text, expected) in cases {
            assert_eq!(words_in(&small(text)), *expected, "{text}");
        }
    }
}
