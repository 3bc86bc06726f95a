//! `[skills.map]` in a settings file: words that call a skill to mind. Each layer adds to what is below it.

use super::document::{DocumentPart, DocumentWalk, kind_of, read};
use super::guard_tables::NamedValue;
use super::layer::SettingOrigin;
use super::merge::{FileLayer, Merge};
use engine::settings::SettingValue;
use serde_json::json;
use std::collections::BTreeMap;

/// Words of one skill that are read.
const MOST_WORDS: usize = 64;
/// Characters of a name, and of a word or phrase.
const LONGEST: usize = 80;

const TABLE: &str = "skills.map";

/// The words so far, by skill.
#[derive(Debug, Default)]
pub(super) struct SkillsMap {
    words: BTreeMap<String, (Vec<String>, SettingOrigin)>,
}

impl SkillsMap {
    /// As the settings hold them.
    pub(super) fn values(&self) -> BTreeMap<String, Vec<String>> {
        let words = self.words.iter();
        words
            .map(|(skill, (words, _))| (skill.clone(), words.clone()))
            .collect()
    }

    /// Each of them as people see it.
    pub(super) fn shown(&self) -> impl Iterator<Item = (String, serde_json::Value, SettingOrigin)> {
        let words = self.words.iter();
        words.map(|(skill, (words, origin))| (format!("{TABLE}.{skill:?}"), json!(words), origin.clone()))
    }
}

impl Merge<'_> {
    /// Adds a file's words on top; what is shown as their origin is the last file that added one.
    pub(super) fn add_skills_map(&mut self, file: &FileLayer, map: &[NamedValue<Vec<String>>]) {
        for skill in map {
            let origin = SettingOrigin::File {
                layer: file.layer,
                path: file.path.to_owned(),
                line: skill.spot.line,
                column: skill.spot.column,
            };
            let known = self.skills_map.words.entry(skill.name.clone());
            let (words, shown) = known.or_insert_with(|| (Vec::new(), origin.clone()));
            let before = words.len();
            for word in &skill.value {
                if words.len() < MOST_WORDS && !words.contains(word) {
                    words.push(word.clone());
                }
            }
            if words.len() > before {
                *shown = origin;
            }
        }
    }
}

impl DocumentWalk<'_> {
    /// Reads the map; `false`: the path names something else.
    pub(super) fn skills_map_table(&mut self, path: &str, part: &DocumentPart) -> bool {
        if path != TABLE {
            return false;
        }
        self.each(path, part, Self::skill_words);
        true
    }

    fn skill_words(&mut self, name: &str, part: &DocumentPart) {
        let words = match read(part) {
            Ok(SettingValue::Word(word)) => vec![word],
            Ok(SettingValue::Words(words)) => words,
            Ok(_) | Err(_) => Vec::new(),
        };
        let is_sound = (1..=MOST_WORDS).contains(&words.len())
            && words.iter().all(|word| is_phrase(word))
            && is_phrase(part.name);
        if !is_sound {
            let expected = format!("from 1 to {MOST_WORDS} words or phrases");
            return self.unfit(name, part.value_at, &kind_of(part.value), &expected, None);
        }
        let named = self.named(part, words);
        self.skills_map.push(named);
    }
}

fn is_phrase(text: &str) -> bool {
    !text.trim().is_empty() && text.chars().count() <= LONGEST && !text.chars().any(char::is_control)
}

#[cfg(test)]
mod tests;
