mod files;
mod fitting;
mod labelled;
mod telling;

use super::*;
use std::collections::BTreeMap;
use std::path::PathBuf;

fn skill(name: &str, description: &str, keywords: &[&str]) -> Skill {
    Skill {
        name: name.to_owned(),
        description: description.to_owned(),
        keywords: keywords.iter().map(|word| (*word).to_owned()).collect(),
        source: PathBuf::from(format!("/skills/{name}/SKILL.md")),
    }
}

fn map(entries: &[(&str, &[&str])]) -> BTreeMap<String, Vec<String>> {
    let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    entries
        .iter()
        .map(|(name, words)| ((*name).to_owned(), owned(words)))
        .collect()
}

/// The skills and the map of the seed.
fn effect() -> Catalogue {
    let skills = vec![
        skill("effect-services", "How we write them", &[]),
        skill("effect-errors", "How we write them", &[]),
        skill("release", "How we write them", &["order"]),
        skill("sql", "How we write them", &[]),
    ];
    let map = map(&[
        ("effect-services", &["service", "layer", "dependency injection"]),
        ("effect-errors", &["typed error", "retry", "di"]),
        ("unknown", &["retry"]),
    ]);
    Catalogue::new(skills, &map)
}

/// Each fitting skill with what it fits by.
fn fits(prompt: &str, catalogue: &Catalogue) -> String {
    let each = fitting(prompt, catalogue).into_iter();
    let each = each.map(|one| format!("{} ({})", one.name, one.hits.join(", ")));
    each.collect::<Vec<_>>().join("; ")
}
