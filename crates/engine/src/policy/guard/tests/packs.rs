//! The built-in packs load, and every example of every rule holds.

use crate::policy::guard::entry::ListedRule;
use crate::policy::guard::loading::RuleSource;
use crate::policy::guard::pack::{FILES, entries, read};
use crate::policy::guard::rule::Rule;
use crate::policy::guard::synthetic::failing_example;
use std::sync::Arc;

/// Every built-in rule as its TOML says.
fn rules() -> Vec<Arc<Rule>> {
    let files = FILES.iter();
    files
        .flat_map(|(name, text)| read(name, text).rules)
        .map(Arc::new)
        .collect()
}

#[test]
fn every_built_in_rule_loads() {
    for (name, text) in FILES {
        let loaded = read(name, text);
        let problems: Vec<String> = loaded.problems.iter().map(ToString::to_string).collect();
        assert_eq!(problems, Vec::<String>::new(), "{name}");
        assert!(loaded.rules.iter().all(|rule| rule.pack() == name), "{name}");
    }
}

#[test]
fn every_rule_has_two_hits_and_two_misses_and_they_hold() {
    let mut failing = Vec::new();
    for rule in rules() {
        assert!(rule.hits.len() >= 2 && rule.misses.len() >= 2, "{}", rule.id);
        if let Some((command, should_hit)) = failing_example(&rule, RuleSource::BuiltIn) {
            failing.push(format!("{} should_hit={should_hit}: {command}", rule.id));
        }
    }
    assert_eq!(failing, Vec::<String>::new());
}

#[test]
fn ids_are_unique_over_all_packs() {
    let rules = rules();
    let mut ids: Vec<&str> = rules.iter().map(|rule| rule.id.as_str()).collect();
    ids.sort_unstable();
    let count = ids.len();
    ids.dedup();
    assert_eq!(ids.len(), count);
}

#[test]
fn what_the_build_made_of_a_rule_is_what_its_toml_says() {
    let key = |entry: &ListedRule| {
        let found = (entry.class, entry.verdict, entry.strict, entry.found_by.clone());
        (entry.id.clone(), format!("{found:?} {:?}", entry.rule()))
    };
    let mut written: Vec<(String, String)> = rules().iter().map(|rule| key(&ListedRule::of(rule))).collect();
    let mut built: Vec<(String, String)> = entries().iter().map(|entry| key(entry)).collect();
    written.sort();
    built.sort();
    assert_eq!(built, written);
}
