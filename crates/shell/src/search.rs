//! What a `find` picks by name, once what it leaves out and what it chooses between is told apart.

use super::grammar::{Given, Usage};
use super::word::Word;

/// What a search hands on of the places it looks in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Picked {
    /// Whatever is there, the places themselves included.
    All,
    /// What is called like one of these patterns.
    Named(Vec<String>),
    /// Some of it; nobody knows what it is called.
    Some,
}

/// What the tests of a `find` pick by name.
pub fn picked(argv: &[Word], usage: &Usage<'_>) -> Picked {
    let is = |at: usize, words: &[&str]| {
        argv.get(at)
            .and_then(Word::literal)
            .is_some_and(|text| words.contains(&text))
    };
    let every = |words: &[&str]| -> Vec<usize> { (0..argv.len()).filter(|at| is(*at, words)).collect() };
    // `-prune -o …` leaves out what is in front of it; `-prune -exec …` takes it.
    let leaves_out = |at: &usize| {
        let next = at + 1 + usize::from(is(at + 1, &[")"]));
        is(next, &["-o", "-or"])
    };
    let pruned = every(&["-prune"]).into_iter().rfind(leaves_out);
    let from = pruned.unwrap_or_default();
    let is_left_out = |given: &&Given<'_>| {
        let before = given.index.checked_sub(1);
        before.is_some_and(|at| is(at, &["!", "-not"]))
    };
    let named: Vec<&Given<'_>> = usage
        .options
        .iter()
        .filter(|given| given.is("-name") || given.is("-iname"))
        .filter(|given| given.index >= from)
        .collect();
    let patterns: Vec<String> = named
        .iter()
        .filter(|given| !is_left_out(given))
        .map(|given| given.value.as_deref().map_or_else(|| "*".to_owned(), pattern))
        .collect();
    let choices = every(&["-o", "-or"]).iter().filter(|at| **at > from).count();
    // What is pruned is the first choice, and the rest is the other.
    let choices = choices.saturating_sub(usize::from(pruned.is_some()));
    if patterns.is_empty() {
        let chooses = !named.is_empty() || pruned.is_some();
        return if chooses { Picked::Some } else { Picked::All };
    }
    if choices == 0 || choices + 1 == patterns.len() {
        Picked::Named(patterns)
    } else {
        Picked::Some
    }
}

fn pattern(word: &Word) -> String {
    match word {
        Word::Literal(text) => text.clone(),
        Word::Glob { pattern } => pattern.clone(),
        Word::OneOf(_) | Word::Unknown { .. } => "*".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar;

    fn named(text: &str) -> Picked {
        let argv: Vec<Word> = text.split(' ').map(Word::new).collect();
        picked(&argv, &grammar::usage(grammar::program("find"), &argv))
    }

    fn names(patterns: &[&str]) -> Picked {
        Picked::Named(patterns.iter().map(|pattern| (*pattern).to_owned()).collect())
    }

    #[test]
    fn names_are_what_is_picked() {
        assert_eq!(named("find . -type f -name *.rs"), names(&["*.rs"]));
        assert_eq!(
            named("find . ( -name a -o -iname b ) -delete"),
            names(&["a", "b"])
        );
        assert_eq!(named("find . -name a -not -path ./x/*"), names(&["a"]));
        assert_eq!(named("find . -type f -delete"), Picked::All);
        assert_eq!(named("find . -name a -prune -exec rm {} +"), names(&["a"]));
        assert_eq!(
            named("find . ( -name a -o -name b ) -prune -exec rm {} +"),
            names(&["a", "b"])
        );
    }

    #[test]
    fn what_is_left_out_is_not_what_is_picked() {
        assert_eq!(named("find . -not -name a -delete"), Picked::Some);
        assert_eq!(named("find . ! -name a -delete"), Picked::Some);
        assert_eq!(named("find . -name a -prune -o -type f -delete"), Picked::Some);
        assert_eq!(named("find . -name a -prune -o -name b -delete"), names(&["b"]));
        assert_eq!(
            named("find . ( -name a -o -name b ) -prune -o -type f -delete"),
            Picked::Some
        );
        assert_eq!(named("find . -name a -o -type f -delete"), Picked::Some);
    }
}
