//! Patterns of paths, and whether two of them can mean the same file. Both are decided exactly, in bounded time.
//!
//! `*` and `?` stay within a name, `**` reaches over several, `**/` may stand for nothing, `[a-z]` and `[!a]` are one
//! letter of a name, `{a,b}` is either, a backslash makes the next letter ordinary, a slash at the end means everything
//! below. A name that begins with a dot is like any other.

mod letters;
mod overlap;
mod parsing;
mod place;

use letters::Letters;
use place::NamePosition;
use std::collections::BTreeSet;

/// Most characters of a pattern; more is an attack, and the work grows with the square.
pub const LONGEST: usize = 250;

/// A pattern of paths that is ready to be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    text: String,
    steps: Vec<Step>,
    /// It stands for exactly this path.
    only: Option<String>,
}

/// A path as the pattern of exactly that path.
pub fn escaped(path: &str) -> String {
    let mut done = String::with_capacity(path.len());
    for letter in path.chars() {
        if matches!(letter, '*' | '?' | '[' | ']' | '{' | '}' | ',' | '\\' | '!') {
            done.push('\\');
        }
        done.push(letter);
    }
    done
}

/// Why a text is no pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatternFault {
    /// There is nothing in it.
    Empty,
    /// It has more than [`LONGEST`] characters.
    TooLong,
    /// Braces lie too deep in one another.
    TooDeep,
    /// A `[` without its end, or with a range that runs backwards.
    Class,
    /// A `{` or `}` without its partner.
    Brace,
    /// A backslash with nothing behind it.
    Escape,
    /// A name of it is `.` or `..`, which no path has.
    Dots,
    /// It holds a character no path has.
    Control,
}

impl PatternFault {
    /// What is wrong, to stand behind "the pattern".
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Empty => "is empty",
            Self::TooLong => "is longer than 250 characters",
            Self::TooDeep => "nests braces too deep",
            Self::Class => "has a `[` that does not end",
            Self::Brace => "has a brace without its partner",
            Self::Escape => "ends with a backslash",
            Self::Dots => "has a name that is `.` or `..`",
            Self::Control => "holds a control character",
        }
    }
}

/// One state of the automaton; numbers are places in [`Pattern::steps`].
#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    /// One letter of these, then on.
    Letter(Letters, usize),
    /// Any of these, without a letter.
    Either(Vec<usize>),
    /// On without a letter, but only where a name begins.
    AtName(usize),
    /// The path fits.
    End,
}

impl Pattern {
    /// Reads a pattern.
    pub fn parse(text: &str) -> Result<Self, PatternFault> {
        parsing::parse(text)
    }

    /// The pattern of exactly this path, whatever characters it has.
    pub fn of_path(path: &str) -> Self {
        Self {
            text: path.to_owned(),
            steps: parsing::literal(path),
            only: Some(path.to_owned()),
        }
    }

    /// The pattern of everything below this folder, whatever characters its path has.
    pub fn below(folder: &str) -> Self {
        let folder = folder.trim_end_matches('/');
        Self {
            text: format!("{folder}/**"),
            steps: parsing::everything_below(folder),
            only: None,
        }
    }

    /// As it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether it stands for this path. The path is tidy: no empty name, no `.`, no `..`.
    pub fn fits(&self, path: &str) -> bool {
        if let Some(only) = &self.only {
            return only == path;
        }
        let mut place = NamePosition::Start;
        let mut now = self.reached([0], place);
        for letter in path.chars() {
            let next = now.iter().filter_map(|at| match self.steps.get(*at)? {
                Step::Letter(letters, next) if letters.has(letter) => Some(*next),
                Step::Letter(..) | Step::Either(_) | Step::AtName(_) | Step::End => None,
            });
            let next: Vec<usize> = next.collect();
            place = place.after(letter).unwrap_or(NamePosition::Name);
            now = self.reached(next, place);
            if now.is_empty() {
                return false;
            }
        }
        now.iter()
            .any(|at| matches!(self.steps.get(*at), Some(Step::End)))
    }

    /// Whether a path can exist that both stand for.
    pub fn overlaps(&self, other: &Self) -> bool {
        match (&self.only, &other.only) {
            (Some(one), Some(two)) => one == two,
            (Some(path), None) => other.fits(path),
            (None, Some(path)) => self.fits(path),
            (None, None) => overlap::exists(self, other),
        }
    }

    /// Every state that is reached from these without a letter.
    fn reached(&self, from: impl IntoIterator<Item = usize>, place: NamePosition) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        let mut open: Vec<usize> = from.into_iter().collect();
        while let Some(at) = open.pop() {
            if !found.insert(at) {
                continue;
            }
            match self.steps.get(at) {
                Some(Step::Either(next)) => open.extend(next),
                Some(Step::AtName(next)) if place.begins_name() => open.push(*next),
                Some(Step::AtName(_) | Step::Letter(..) | Step::End) | None => {}
            }
        }
        found
    }
}

#[cfg(test)]
mod tests;
