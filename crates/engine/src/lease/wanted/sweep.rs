//! The files of a worktree that a call reaches by a folder or a pattern, without naming them.

use super::WantedOfCall;
use crate::lease::pattern::Pattern;
use crate::lease::target::FileChangeKind;
use std::path::Path;

/// What a call reaches in one worktree.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReachedPatterns {
    patterns: Vec<(Pattern, FileChangeKind)>,
}

impl WantedOfCall {
    /// What the call reaches in the worktree of this root without naming it. Empty for most calls.
    pub fn reached(&self, root: &Path) -> ReachedPatterns {
        let folders = self.files.iter().filter(|file| file.below);
        let folders = folders.filter_map(|file| {
            let inside = file.path.strip_prefix(root).ok()?.to_str()?;
            Some((Pattern::below(inside), file.how))
        });
        let root = root.to_str();
        let patterns = self
            .patterns
            .iter()
            .filter_map(|wanted| Some((wanted.inside(root?)?, wanted.how)));
        ReachedPatterns {
            patterns: folders.chain(patterns).collect(),
        }
    }
}

impl ReachedPatterns {
    /// Whether nothing is reached so.
    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// What happens to the file at this path of the worktree; `None` if it is not reached.
    pub fn how(&self, path: &str) -> Option<FileChangeKind> {
        let found = self.patterns.iter().find(|(pattern, _)| pattern.fits(path));
        found.map(|(_, how)| *how)
    }
}
