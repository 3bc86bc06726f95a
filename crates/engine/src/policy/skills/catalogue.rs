//! All skills of a project, with the words that call each of them to mind. Made once, asked with every prompt.

use super::skill::Skill;
use super::words::{counts, words_of};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Most skills that count.
pub const MOST_SKILLS: usize = 500;
/// Words of one description that are looked at.
const MOST_WORDS: usize = 400;
/// Words of one phrase.
const LONGEST_PHRASE: usize = 8;
/// Letters a segment of a name, and a word of a description, must have.
pub(super) const SEGMENT: usize = 3;
const WORD: usize = 4;

const PHRASE_POINTS: u32 = 4;
const KEYWORD_POINTS: u32 = 3;
const NAME_POINTS: u32 = 3;
const DESCRIPTION_POINTS: u32 = 1;

/// The skills of a project.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Catalogue {
    skills: Vec<Skill>,
    /// What each word calls to mind.
    pub(super) entries: HashMap<String, Entry>,
}

/// What one word calls to mind.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Entry {
    /// Skills, with the points the word gives them.
    pub(super) skills: Vec<(usize, u32)>,
    /// Phrases that begin with it.
    pub(super) phrases: Vec<Phrase>,
}

/// Words that count together only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Phrase {
    pub(super) skill: usize,
    pub(super) rest: Vec<String>,
    pub(super) points: u32,
}

impl Catalogue {
    /// The skills, the first of each name, with what a person's map adds to their keywords.
    pub fn new(skills: Vec<Skill>, map: &BTreeMap<String, Vec<String>>) -> Self {
        let mut names = BTreeSet::new();
        let mut skills = skills;
        skills.retain(|skill| names.insert(skill.name.clone()));
        skills.truncate(MOST_SKILLS);
        let mut found = Self {
            skills,
            entries: HashMap::new(),
        };
        let descriptions: Vec<BTreeSet<String>> = found.skills.iter().map(described).collect();
        let common = common(&descriptions);
        for (number, words) in descriptions.iter().enumerate() {
            for word in words.iter().filter(|word| !common.contains(word.as_str())) {
                found.call(number, word.clone(), DESCRIPTION_POINTS);
            }
        }
        for number in 0..found.skills.len() {
            found.name_and_keywords(number, map);
        }
        found
    }

    /// The skills, in the order they were found.
    pub fn skills(&self) -> &[Skill] {
        &self.skills
    }

    fn name_and_keywords(&mut self, number: usize, map: &BTreeMap<String, Vec<String>>) {
        let Some(skill) = self.skills.get(number).cloned() else {
            return;
        };
        for segment in words_of(&skill.name) {
            if segment.chars().count() >= SEGMENT && counts(&segment) {
                self.call(number, segment, NAME_POINTS);
            }
        }
        let added = map.get(&skill.name).into_iter().flatten();
        for keyword in skill.keywords.iter().chain(added) {
            let mut words = words_of(keyword).into_iter().take(LONGEST_PHRASE);
            let (Some(first), rest) = (words.next(), words.collect::<Vec<_>>()) else {
                continue;
            };
            if !rest.is_empty() {
                let phrase = Phrase {
                    skill: number,
                    rest,
                    points: PHRASE_POINTS,
                };
                let phrases = &mut self.entries.entry(first).or_default().phrases;
                if !phrases.contains(&phrase) {
                    phrases.push(phrase);
                }
            } else if counts(&first) {
                self.call(number, first, KEYWORD_POINTS);
            }
        }
    }

    /// The word gives the skill these points, or more if it already does.
    fn call(&mut self, number: usize, word: String, points: u32) {
        let skills = &mut self.entries.entry(word).or_default().skills;
        match skills.iter_mut().find(|(skill, _)| *skill == number) {
            Some((_, known)) => *known = points.max(*known),
            None => skills.push((number, points)),
        }
    }
}

/// The words of a description that can say something.
fn described(skill: &Skill) -> BTreeSet<String> {
    let words = words_of(&skill.description).into_iter();
    words
        .filter(|word| word.chars().count() >= WORD && counts(word))
        .take(MOST_WORDS)
        .collect()
}

/// Words that more than a third of the skills have say nothing.
fn common(descriptions: &[BTreeSet<String>]) -> BTreeSet<&str> {
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    for word in descriptions.iter().flatten() {
        *count.entry(word).or_default() += 1;
    }
    count.retain(|_, count| *count * 3 > descriptions.len());
    count.into_keys().collect()
}
