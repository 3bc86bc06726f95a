//! From a pattern's text to its automaton.

use super::letters::Letters;
use super::{LONGEST, Pattern, PatternFault, Step};
use std::iter::Peekable;
use std::vec::IntoIter;
use unicode_normalization::UnicodeNormalization;

/// How deep braces may lie in one another.
const DEEPEST: usize = 8;

pub(super) fn parse(written: &str) -> Result<Pattern, PatternFault> {
    if written.chars().nth(LONGEST).is_some() {
        return Err(PatternFault::TooLong);
    }
    if written.chars().any(char::is_control) {
        return Err(PatternFault::Control);
    }
    let composed: String = written.nfc().collect();
    let mut text = composed.trim_start_matches("./").to_owned();
    if text.is_empty() {
        return Err(PatternFault::Empty);
    }
    if text.split('/').any(|name| matches!(name, "." | "..")) {
        return Err(PatternFault::Dots);
    }
    if text.ends_with('/') {
        text.push_str("**");
    }
    let mut parser = PatternParser::default();
    let letters: Vec<char> = text.chars().collect();
    let mut letters = letters.into_iter().peekable();
    parser.sequence(&mut letters, 0)?;
    if letters.next().is_some() {
        return Err(PatternFault::Brace);
    }
    parser.steps.push(Step::End);
    Ok(Pattern {
        text: written.to_owned(),
        steps: parser.steps,
        only: (!text.contains(['*', '?', '[', '{', '\\'])).then_some(text),
    })
}

/// The automaton of exactly this path.
pub(super) fn literal(path: &str) -> Vec<Step> {
    let mut parser = PatternParser::default();
    for letter in path.chars() {
        parser.letter(Letters::one(letter));
    }
    parser.steps.push(Step::End);
    parser.steps
}

/// The automaton of everything below this folder.
pub(super) fn everything_below(folder: &str) -> Vec<Step> {
    let mut parser = PatternParser::default();
    if !folder.is_empty() {
        for letter in folder.chars().chain(['/']) {
            parser.letter(Letters::one(letter));
        }
    }
    parser.repeated(Letters::any());
    parser.steps.push(Step::End);
    parser.steps
}

type PatternChars = Peekable<IntoIter<char>>;

/// The automaton so far: what comes next goes on where it ends.
#[derive(Default)]
struct PatternParser {
    steps: Vec<Step>,
}

impl PatternParser {
    fn here(&self) -> usize {
        self.steps.len()
    }

    fn letter(&mut self, letters: Letters) {
        let next = self.here() + 1;
        self.steps.push(Step::Letter(letters, next));
    }

    /// Any number of these letters.
    fn repeated(&mut self, letters: Letters) {
        let here = self.here();
        self.steps.push(Step::Either(vec![here + 1, here + 2]));
        self.steps.push(Step::Letter(letters, here));
    }

    /// Up to the end, or to the `,` or `}` of the braces around it.
    fn sequence(&mut self, text: &mut PatternChars, depth: usize) -> Result<(), PatternFault> {
        while let Some(letter) = text.next_if(|letter| depth == 0 || !matches!(letter, ',' | '}')) {
            match letter {
                '*' => self.star(text),
                '?' => self.letter(Letters::of_name()),
                '[' => {
                    let class = class(text).ok_or(PatternFault::Class)?;
                    self.letter(class);
                }
                '{' => self.braces(text, depth + 1)?,
                '}' => return Err(PatternFault::Brace),
                '\\' => {
                    let meant = text.next().ok_or(PatternFault::Escape)?;
                    self.letter(Letters::one(meant));
                }
                other => self.letter(Letters::one(other)),
            }
        }
        Ok(())
    }

    /// One star stays within a name; several do not, and with the slash behind them may stand for nothing.
    fn star(&mut self, text: &mut PatternChars) {
        if text.next_if_eq(&'*').is_none() {
            self.repeated(Letters::of_name());
            return;
        }
        while text.next_if_eq(&'*').is_some() {}
        if text.next_if_eq(&'/').is_none() {
            self.repeated(Letters::any());
            return;
        }
        let start = self.here();
        self.steps.push(Step::Either(vec![start + 1, start + 2]));
        // The way around is known once the other way is laid.
        self.steps.push(Step::AtName(start));
        self.repeated(Letters::any());
        self.letter(Letters::one('/'));
        let behind = self.here();
        if let Some(around) = self.steps.get_mut(start + 1) {
            *around = Step::AtName(behind);
        }
    }

    fn braces(&mut self, text: &mut PatternChars, depth: usize) -> Result<(), PatternFault> {
        if depth > DEEPEST {
            return Err(PatternFault::TooDeep);
        }
        let fork = self.here();
        self.steps.push(Step::Either(Vec::new()));
        let (mut begins, mut ends) = (Vec::new(), Vec::new());
        loop {
            begins.push(self.here());
            self.sequence(text, depth)?;
            ends.push(self.here());
            self.steps.push(Step::Either(Vec::new()));
            match text.next() {
                Some(',') => {}
                Some('}') => break,
                Some(_) | None => return Err(PatternFault::Brace),
            }
        }
        let behind = self.here();
        for end in ends {
            self.lead(end, vec![behind]);
        }
        self.lead(fork, begins);
        Ok(())
    }

    fn lead(&mut self, from: usize, to: Vec<usize>) {
        if let Some(step) = self.steps.get_mut(from) {
            *step = Step::Either(to);
        }
    }
}

/// Behind a `[`: the letters up to its end.
fn class(text: &mut PatternChars) -> Option<Letters> {
    let negated = text.next_if(|letter| matches!(letter, '!' | '^')).is_some();
    let mut ranges = Vec::new();
    loop {
        let first = match text.next()? {
            ']' if !ranges.is_empty() => return Some(Letters::class(&ranges, negated)),
            '\\' => text.next()?,
            letter => letter,
        };
        let mut last = first;
        if text.peek() == Some(&'-') {
            text.next();
            match text.peek()? {
                // A dash before the end is a letter.
                ']' => ranges.push(('-', '-')),
                _ => {
                    last = match text.next()? {
                        '\\' => text.next()?,
                        letter => letter,
                    };
                }
            }
        }
        if last < first {
            return None;
        }
        ranges.push((first, last));
    }
}
