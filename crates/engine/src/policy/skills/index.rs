//! The words and phrases that call skills to mind, made so that a prompt is read once, word by word.

use super::marks::Marks;
use super::words::words;
use foldhash::fast::RandomState;
use std::collections::HashMap;

/// Words of one phrase.
pub(super) const LONGEST_PHRASE: usize = 8;

/// Every word and phrase, by the words it is made of.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Index {
    terms: Vec<Term>,
    /// The term of each word that is one, or is part of one.
    words: HashMap<Box<str>, usize, RandomState>,
    /// The term that a term and the next word make.
    longer: HashMap<(usize, usize), usize, RandomState>,
    /// Which marks the words have: most words of a prompt have none of them, and are not looked up.
    marks: Marks,
}

/// A word or a phrase, or the beginning of one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Term {
    /// Its words, as they are shown; empty if nothing but longer ones count.
    pub(super) text: String,
    /// The skills it calls to mind, in their order, with the points it gives them.
    pub(super) skills: Vec<(usize, u32)>,
    /// Longer ones begin with it.
    goes_on: bool,
}

/// The terms a text has, each once.
#[derive(Debug, Default)]
pub(super) struct Found {
    terms: Vec<usize>,
    is_found: Vec<bool>,
}

impl Index {
    /// The term gives the skill these points, or more if it already does. Skills come in their order.
    pub(super) fn call(&mut self, words: &[String], skill: usize, points: u32) {
        let words = words.get(..LONGEST_PHRASE).unwrap_or(words);
        let number = words
            .iter()
            .fold(None, |before, word| Some(self.next(before, word)));
        let Some(term) = number.and_then(|number| self.terms.get_mut(number)) else {
            return;
        };
        if term.text.is_empty() {
            term.text = words.join(" ");
        }
        match term.skills.last_mut() {
            Some((last, known)) if *last == skill => *known = points.max(*known),
            Some(_) | None => term.skills.push((skill, points)),
        }
    }

    /// The term of one word.
    pub(super) fn word(&self, word: &str) -> Option<usize> {
        if !self.marks.have(word) {
            return None;
        }
        self.words.get(word).copied()
    }

    /// The terms of a text in small letters.
    pub(super) fn found_in(&self, small: &str) -> Found {
        let mut found = Found {
            terms: Vec::new(),
            is_found: vec![false; self.terms.len()],
        };
        // What was begun and may go on with the next word.
        let mut begun: Vec<usize> = Vec::new();
        for word in words(small) {
            let Some(word) = self.word(word) else {
                begun.clear();
                continue;
            };
            begun.retain_mut(|term| match self.longer.get(&(*term, word)) {
                Some(longer) => {
                    *term = *longer;
                    found.add(*longer, self)
                }
                None => false,
            });
            if found.add(word, self) {
                begun.push(word);
            }
        }
        found
    }

    /// The terms that were found.
    pub(super) fn terms<'a>(&'a self, found: &'a Found) -> impl Iterator<Item = &'a Term> {
        found.terms.iter().filter_map(|number| self.terms.get(*number))
    }

    /// The term of these words and one more, made if there is none.
    fn next(&mut self, before: Option<usize>, word: &str) -> usize {
        let word = self.words.get(word).copied().unwrap_or_else(|| {
            let made = self.made();
            self.words.insert(word.into(), made);
            self.marks.add(word);
            made
        });
        let Some(before) = before else { return word };
        if let Some(known) = self.longer.get(&(before, word)) {
            return *known;
        }
        let made = self.made();
        self.longer.insert((before, word), made);
        if let Some(before) = self.terms.get_mut(before) {
            before.goes_on = true;
        }
        made
    }

    fn made(&mut self) -> usize {
        self.terms.push(Term::default());
        self.terms.len() - 1
    }
}

impl Found {
    /// Whether the text has a term.
    pub(super) fn has(&self, term: usize) -> bool {
        self.is_found.get(term).copied().unwrap_or_default()
    }

    /// Adds a term that counts and is new, and says whether longer ones begin with it.
    fn add(&mut self, number: usize, index: &Index) -> bool {
        let (Some(term), Some(is_found)) = (index.terms.get(number), self.is_found.get_mut(number)) else {
            return false;
        };
        if !*is_found && !term.skills.is_empty() {
            *is_found = true;
            self.terms.push(number);
        }
        term.goes_on
    }
}
