//! Files that a pattern of `git add` or `git commit` names, whoever fills it in: the shell, or git itself.

use crate::path::joined;
use crate::pattern::{Glob, name_fits};
use crate::word::Word;

/// Steps that one path is worth.
const MOST_STEPS: usize = 100_000;

/// A pattern, and where it counts from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Pathspec {
    /// The folder in front of its first star, absolute.
    pub folder: String,
    pattern: String,
    /// Git fills it in: to it a star stands for any number of folders too.
    is_git: bool,
}

impl Pathspec {
    /// What a word names beside the path that it is.
    pub fn of(word: &Word, cwd: Option<&str>) -> Option<Self> {
        let (pattern, is_git) = match word {
            // Magic words leave out as often as they take.
            Word::Literal(text) if !text.starts_with(':') => (text, true),
            Word::Glob { pattern } => (pattern, pattern.contains("**")),
            Word::Literal(_) | Word::OneOf(_) | Word::Unknown { .. } => return None,
        };
        let star = pattern.find(['*', '?', '[', '\\'])?;
        let folder = pattern.get(..star)?.rfind('/').map_or(0, |slash| slash + 1);
        let (folder, pattern) = pattern.split_at_checked(folder)?;
        Some(Self {
            folder: joined(cwd, if folder.is_empty() { "." } else { folder })?,
            pattern: pattern.to_owned(),
            is_git,
        })
    }

    /// The same, with its folder under another name.
    #[must_use]
    pub fn at(&self, folder: String) -> Self {
        Self {
            folder,
            ..self.clone()
        }
    }

    /// Whether it names a file, or a folder above it; given by its absolute path.
    pub fn takes(&self, path: &str) -> bool {
        let inside = path
            .strip_prefix(self.folder.trim_end_matches('/'))
            .and_then(|rest| rest.strip_prefix('/'));
        let Some(inside) = inside else { return false };
        if self.is_git {
            let mut steps = MOST_STEPS;
            return Glob::new(&self.pattern).fits(inside, &mut steps) == Some(true);
        }
        let mut names = inside.split('/');
        let mut wanted = self.pattern.split('/').filter(|name| !name.is_empty());
        wanted.all(|wanted| names.next().is_some_and(|name| name_fits(wanted, name)))
    }
}
