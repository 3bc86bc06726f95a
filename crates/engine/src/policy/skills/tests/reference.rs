//! The rules written down plainly, skill by skill and word by word; what is fast must say the same.

use super::*;
use crate::policy::skills::words::{self as fast, counts, is_unspaced};
use proptest::prelude::*;
use std::collections::BTreeSet;
use unicode_normalization::UnicodeNormalization;

/// Every skill that fits, as name, score and hits.
type Fits = Vec<(String, u32, Vec<String>)>;

fn plainly(prompt: &str, skills: &[Skill], map: &BTreeMap<String, Vec<String>>) -> Fits {
    let prompt = prompt.trim_start();
    if prompt.starts_with('/') {
        return Vec::new();
    }
    let prompt = small(&prompt.chars().take(20_000).collect::<String>());
    let said = words(&prompt);
    let mut fits: Fits = skills
        .iter()
        .filter(|skill| !is_called(&skill.name.to_ascii_lowercase(), &prompt))
        .map(|skill| fit(skill, &said, skills, map))
        .filter(|(_, score, _)| *score > 0)
        .collect();
    fits.sort_by(|one, two| two.1.cmp(&one.1).then_with(|| one.0.cmp(&two.0)));
    fits
}

fn fit(
    skill: &Skill,
    said: &[String],
    skills: &[Skill],
    map: &BTreeMap<String, Vec<String>>,
) -> (String, u32, Vec<String>) {
    let mut hits: BTreeMap<String, u32> = BTreeMap::new();
    for (words, points) in terms(skill, skills, map) {
        if said.windows(words.len()).any(|window| *window == words) {
            let known = hits.entry(words.join(" ")).or_default();
            *known = points.max(*known);
        }
    }
    let score = hits.values().sum();
    let mut hits: Vec<(String, u32)> = hits.into_iter().collect();
    hits.sort_by_key(|(_, points)| std::cmp::Reverse(*points));
    let hits = hits.into_iter().map(|(text, _)| text).collect();
    (skill.name.clone(), score, hits)
}

/// What gives a skill points: a word, or several in a row.
fn terms(skill: &Skill, skills: &[Skill], map: &BTreeMap<String, Vec<String>>) -> Vec<(Vec<String>, u32)> {
    let mut terms = Vec::new();
    for segment in words(&small(&skill.name)) {
        if segment.chars().count() >= 3 && counts(&segment) {
            terms.push((vec![segment], 3));
        }
    }
    let added = map.get(&skill.name).into_iter().flatten();
    for keyword in skill.keywords.iter().chain(added) {
        let mut words = words(&small(keyword));
        words.truncate(8);
        match words.as_slice() {
            [] => {}
            [word] if !counts(word) => {}
            [_] => terms.push((words, 3)),
            _ => terms.push((words, 4)),
        }
    }
    let having = |word: &String| {
        skills
            .iter()
            .filter(|skill| described(skill).contains(word))
            .count()
    };
    let rare = described(skill)
        .into_iter()
        .filter(|word| having(word) * 3 <= skills.len());
    terms.extend(rare.map(|word| (vec![word], 1)));
    terms
}

fn described(skill: &Skill) -> BTreeSet<String> {
    let words = words(&small(&skill.description)).into_iter();
    words
        .filter(|word| word.chars().count() >= 4 && counts(word))
        .collect()
}

fn small(text: &str) -> String {
    text.nfc().flat_map(char::to_lowercase).collect()
}

fn words(small: &str) -> Vec<String> {
    let mut words = Vec::new();
    for run in small
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|run| !run.is_empty())
    {
        if run.contains(is_unspaced) {
            words.extend(run.chars().map(String::from));
        } else {
            let stem = run
                .strip_suffix('s')
                .filter(|stem| stem.len() >= 3 && !stem.ends_with('s'));
            words.push(stem.unwrap_or(run).to_owned());
        }
    }
    words
}

/// `/name` where a command may stand, or a name with a sign in it that is not part of more.
fn is_called(name: &str, text: &str) -> bool {
    let letters: Vec<char> = text.chars().collect();
    let wanted: Vec<char> = name.chars().collect();
    let is_part = |letter: &char| letter.is_alphanumeric() || *letter == '_';
    let mut at = 0;
    while let Some(window) = letters.get(at..at + wanted.len()) {
        if window != wanted {
            at += 1;
            continue;
        }
        let before = at.checked_sub(1).map(|before| letters[before]);
        let outer = at.checked_sub(2).map(|outer| letters[outer]);
        let after = letters.get(at + wanted.len());
        let ends = match after {
            Some(':' | '-') => !letters.get(at + wanted.len() + 1).is_some_and(is_part),
            after => !after.is_some_and(is_part),
        };
        let is_command = before == Some('/') && outer.is_none_or(char::is_whitespace);
        let is_word = !before.is_some_and(|before| is_part(&before) || "/:-".contains(before));
        if ends && (is_command || (is_word && name.contains(['-', '_', ':']))) {
            return true;
        }
        at += wanted.len();
    }
    false
}

/// Words that meet each other, and what letters can do to them.
const WORDS: &[&str] = &[
    "service",
    "services",
    "Layer",
    "layers",
    "di",
    "to",
    "the",
    "class",
    "retry",
    "error",
    "typed",
    "İ",
    "J\u{30c}",
    "Zoe\u{308}",
    "zoë",
    "über",
    "ÜBER",
    "依存",
    "依",
    "注入",
    "ſ",
    "\u{212a}elvin",
    "kelvin",
    "x1",
    "s",
    "it",
    "<\u{338}",
    "\u{345}a",
    "e\u{301}s",
    "“quoted”",
    "naïves",
    "orders",
    "border",
    "abcdefgh",
    "abcdefghi",
];
const SIGNS: &[&str] = &[
    " ", " ", " ", "-", "_", "/", ":", ", ", ".\n", "—", "\u{a0}", " /", "", "\u{301}",
];

fn text(most: usize) -> impl Strategy<Value = String> {
    let part = (prop::sample::select(WORDS), prop::sample::select(SIGNS));
    prop::collection::vec(part, 0..most).prop_map(|parts| {
        let each = parts.iter().flat_map(|(word, sign)| [*word, *sign]);
        each.collect()
    })
}

prop_compose! {
    fn skills()(made in prop::collection::vec((prop::collection::vec(0..12_usize, 1..4), text(6), prop::collection::vec(text(4), 0..4)), 1..7)) -> Vec<Skill> {
        let mut names = BTreeSet::new();
        made.into_iter()
            .map(|(name, description, keywords)| {
                let words: Vec<&str> = name.iter().map(|at| WORDS[*at]).filter(|word| word.is_ascii()).collect();
                let keywords: Vec<&str> = keywords.iter().map(String::as_str).collect();
                skill(&format!("{}x", words.join("-")), &description, &keywords)
            })
            .filter(|skill| names.insert(skill.name.clone()))
            .collect()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn what_fits_is_what_the_rules_say(
        skills in skills(),
        added in prop::collection::vec(text(4), 0..3),
        parts in prop::collection::vec((text(8), 0..8_usize), 1..4),
    ) {
        let names: Vec<String> = skills.iter().map(|skill| skill.name.clone()).collect();
        let map = BTreeMap::from([(names[0].clone(), added)]);
        // Names between the words, so that some are called.
        let prompt: String = parts
            .iter()
            .flat_map(|(text, at)| [text.as_str(), names.get(*at).map_or("", String::as_str)])
            .collect();
        let catalogue = Catalogue::new(skills.clone(), &map);
        let found: Fits = fitting(&prompt, &catalogue).map(|one| (one.name, one.score, one.hits)).collect();
        prop_assert_eq!(found, plainly(&prompt, &skills, &map), "{:?}", prompt);
    }

    #[test]
    fn words_are_those_of_the_whole_text_put_together(prompt in "(?s)(.|[a-zA-Z<=> \u{300}-\u{345}依ー]){0,40}") {
        let text = fast::small(&prompt);
        let found: Vec<&str> = fast::words(&text).collect();
        prop_assert_eq!(found, words(&small(&prompt)));
    }
}
