//! Which files are leased at all: `include` minus `exclude`, within each list the last pattern that fits decides.

use super::pattern::{Pattern, PatternFault};
use crate::settings::LeaseSettings;

/// The files that settings cover.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeaseCover {
    include: GlobList,
    exclude: GlobList,
}

/// Patterns in order; one with a `!` in front takes back what those before it took.
#[derive(Debug, Clone, PartialEq, Eq)]
struct GlobList {
    rules: Vec<(bool, Pattern)>,
}

/// A pattern of a list that is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CoverFault {
    /// As it was written.
    pub pattern: String,
    /// What is wrong with it.
    pub fault: PatternFault,
}

impl LeaseCover {
    /// What these two lists say.
    pub fn new(include: &[String], exclude: &[String]) -> Result<Self, CoverFault> {
        Ok(Self {
            include: GlobList::new(include)?,
            exclude: GlobList::new(exclude)?,
        })
    }

    /// What the settings say. Patterns that are none never get so far; if they did, everything but git's own files
    /// would be covered.
    pub fn of(settings: &LeaseSettings) -> Self {
        Self::new(&settings.include, &settings.exclude).unwrap_or_default()
    }

    /// Whether a file is covered, by its path in the worktree, or its whole path outside all of them.
    pub fn has(&self, path: &str) -> bool {
        self.include.takes(path) && !self.exclude.takes(path)
    }
}

impl Default for LeaseCover {
    /// Everything but git's own files.
    fn default() -> Self {
        let below = |folder: &str| GlobList {
            rules: vec![(true, Pattern::below(folder))],
        };
        Self {
            include: below(""),
            exclude: below(".git"),
        }
    }
}

/// Whether the settings cover a file; see [`LeaseCover::has`]. For several files, make a [`LeaseCover`] once.
pub fn covers(settings: &LeaseSettings, path: &str) -> bool {
    LeaseCover::of(settings).has(path)
}

/// Whether a text can stand in such a list, and if not, why.
pub fn check(entry: &str) -> Result<(), PatternFault> {
    rule(entry).map(|_| ())
}

impl GlobList {
    fn new(entries: &[String]) -> Result<Self, CoverFault> {
        let read = entries.iter().map(|entry| {
            rule(entry).map_err(|fault| CoverFault {
                pattern: entry.clone(),
                fault,
            })
        });
        let rules = read.collect::<Result<_, _>>()?;
        Ok(Self { rules })
    }

    fn takes(&self, path: &str) -> bool {
        let last = self.rules.iter().rev().find(|(_, pattern)| pattern.fits(path));
        last.is_some_and(|(takes, _)| *takes)
    }
}

fn rule(entry: &str) -> Result<(bool, Pattern), PatternFault> {
    match entry.strip_prefix('!') {
        Some(rest) => Ok((false, Pattern::parse(rest)?)),
        None => Ok((true, Pattern::parse(entry)?)),
    }
}

#[cfg(test)]
mod tests;
