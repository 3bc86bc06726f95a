//! All skills of a project, with the words that call each of them to mind. Made once, asked with every prompt.

use super::index::Index;
use super::skill::Skill;
use super::words::{counts, words_of};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Most skills that count.
pub const MOST_SKILLS: usize = 500;
/// Words of one description that are looked at.
const MOST_WORDS: usize = 400;
/// Letters a segment of a name, and a word of a description, must have.
const SEGMENT: usize = 3;
const WORD: usize = 4;

const PHRASE_POINTS: u32 = 4;
const KEYWORD_POINTS: u32 = 3;
const NAME_POINTS: u32 = 3;
const DESCRIPTION_POINTS: u32 = 1;

/// The skills of a project.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Catalogue {
    skills: Vec<Skill>,
    /// The longest word of each name, where it says something: a text without it does not have the name.
    longest: Vec<Option<usize>>,
    pub(super) index: Index,
}

impl Catalogue {
    /// The skills, the first of each name, with what a person's map adds to their keywords.
    pub fn new(skills: Vec<Skill>, map: &BTreeMap<String, Vec<String>>) -> Self {
        let mut names = BTreeSet::new();
        let mut skills = skills;
        skills.retain(|skill| names.insert(skill.name.clone()));
        skills.truncate(MOST_SKILLS);
        let descriptions: Vec<BTreeSet<String>> = skills.iter().map(described).collect();
        let owners = owners(&descriptions);
        let (mut index, mut longest) = (Index::default(), Vec::new());
        for (number, (skill, words)) in skills.iter().zip(&descriptions).enumerate() {
            for word in words {
                if !is_common(owners.get(word.as_str()), skills.len()) {
                    index.call(std::slice::from_ref(word), number, DESCRIPTION_POINTS);
                }
            }
            let name = words_of(&skill.name);
            call_by_name(&mut index, number, &name);
            let added = map.get(&skill.name).into_iter().flatten();
            for keyword in skill.keywords.iter().chain(added) {
                call_by_keyword(&mut index, number, &words_of(keyword));
            }
            longest.push(longest_of(&name).and_then(|word| index.word(word)));
        }
        Self {
            skills,
            longest,
            index,
        }
    }

    /// The skills, in the order they were found.
    pub fn skills(&self) -> &[Skill] {
        &self.skills
    }

    /// The term without which a text does not have the name of a skill.
    pub(super) fn longest(&self, number: usize) -> Option<usize> {
        self.longest.get(number).copied().flatten()
    }
}

fn call_by_name(index: &mut Index, number: usize, name: &[String]) {
    for segment in name {
        if segment.chars().count() >= SEGMENT && counts(segment) {
            index.call(std::slice::from_ref(segment), number, NAME_POINTS);
        }
    }
}

fn call_by_keyword(index: &mut Index, number: usize, words: &[String]) {
    match words {
        [word] if counts(word) => index.call(words, number, KEYWORD_POINTS),
        [] | [_] => {}
        _ => index.call(words, number, PHRASE_POINTS),
    }
}

fn longest_of(name: &[String]) -> Option<&String> {
    let words = name.iter().filter(|word| counts(word));
    let longest = words.max_by_key(|word| word.len());
    longest.filter(|word| word.len() >= SEGMENT)
}

/// The words of a description that can say something.
fn described(skill: &Skill) -> BTreeSet<String> {
    let words = words_of(&skill.description).into_iter();
    words
        .filter(|word| word.chars().count() >= WORD && counts(word))
        .take(MOST_WORDS)
        .collect()
}

/// How many descriptions have each word.
fn owners(descriptions: &[BTreeSet<String>]) -> HashMap<&str, usize> {
    let mut count: HashMap<&str, usize> = HashMap::new();
    for word in descriptions.iter().flatten() {
        *count.entry(word).or_default() += 1;
    }
    count
}

/// Words that more than a third of the skills have say nothing.
fn is_common(owners: Option<&usize>, skills: usize) -> bool {
    owners.is_some_and(|owners| owners * 3 > skills)
}
