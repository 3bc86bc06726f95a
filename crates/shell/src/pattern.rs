//! Shell patterns against known text: `*`, `?`, `[…]`, with a backslash before an ordinary character.

/// Steps that one name is worth.
const MOST_STEPS: usize = 100_000;

/// Whether a pattern of the shell stands for this name in a folder. A name that begins with a dot has to be asked for.
pub fn name_fits(pattern: &str, name: &str) -> bool {
    let is_hidden = name.starts_with('.') && !pattern.starts_with('.') && !pattern.starts_with("\\.");
    let mut steps = MOST_STEPS;
    !is_hidden && Glob::new(pattern).fits(name, &mut steps) == Some(true)
}

/// One element of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
enum GlobPart {
    Exactly(char),
    Any,
    Many,
    Class {
        negated: bool,
        ranges: Vec<(char, char)>,
    },
}

/// A pattern that is ready to be matched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Glob {
    parts: Vec<GlobPart>,
}

impl Glob {
    pub(super) fn new(text: &str) -> Self {
        let mut parts = Vec::new();
        let mut letters = text.chars().peekable();
        while let Some(letter) = letters.next() {
            parts.push(match letter {
                '*' => GlobPart::Many,
                '?' => GlobPart::Any,
                '\\' => GlobPart::Exactly(letters.next().unwrap_or('\\')),
                '[' => match class(letters.clone()) {
                    Some((class, rest)) => {
                        letters = rest;
                        class
                    }
                    None => GlobPart::Exactly('['),
                },
                _ => GlobPart::Exactly(letter),
            });
        }
        Self { parts }
    }

    /// Whether all of the text fits. Linear for every pattern with one `*`, and never worse than the product.
    /// None if that takes more than so many steps; those it took are taken off.
    pub(super) fn fits(&self, text: &str, steps: &mut usize) -> Option<bool> {
        let text: Vec<char> = text.chars().collect();
        *steps = steps.checked_sub(text.len())?;
        let (mut part, mut at) = (0, 0);
        let mut retry: Option<(usize, usize)> = None;
        loop {
            *steps = steps.checked_sub(1)?;
            match (self.parts.get(part), text.get(at)) {
                (Some(GlobPart::Many), _) => {
                    retry = Some((part, at));
                    part += 1;
                }
                (Some(element), Some(letter)) if element.takes(*letter) => {
                    part += 1;
                    at += 1;
                }
                (None, None) => return Some(true),
                _ => match retry {
                    Some((star, from)) if from < text.len() => {
                        retry = Some((star, from + 1));
                        part = star + 1;
                        at = from + 1;
                    }
                    _ => return Some(false),
                },
            }
        }
    }
}

impl GlobPart {
    fn takes(&self, letter: char) -> bool {
        match self {
            Self::Exactly(exactly) => *exactly == letter,
            Self::Any => true,
            Self::Many => false,
            Self::Class { negated, ranges } => {
                ranges
                    .iter()
                    .any(|(first, last)| (*first..=*last).contains(&letter))
                    != *negated
            }
        }
    }
}

type CharClass<'a> = std::iter::Peekable<std::str::Chars<'a>>;

/// Behind a `[`: the class, and what follows it.
fn class(mut letters: CharClass<'_>) -> Option<(GlobPart, CharClass<'_>)> {
    let negated = letters.next_if(|letter| matches!(letter, '!' | '^')).is_some();
    let mut ranges = Vec::new();
    let mut is_first = true;
    loop {
        let letter = match letters.next()? {
            ']' if !is_first => return Some((GlobPart::Class { negated, ranges }, letters)),
            '\\' => letters.next()?,
            letter => letter,
        };
        is_first = false;
        let mut ahead = letters.clone();
        let last = match (ahead.next(), ahead.next()) {
            (Some('-'), Some(last)) if last != ']' => {
                letters = ahead;
                last
            }
            _ => letter,
        };
        ranges.push((letter, last));
    }
}

#[cfg(test)]
mod tests;
