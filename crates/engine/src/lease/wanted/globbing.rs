//! Patterns of the shell in a command that writes: `rm src/*.log`.

use crate::lease::pattern::{Pattern, escaped};
use crate::lease::target::FileChangeKind;

/// Files a command writes if they are there.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct WantedPattern {
    /// From the root on, as [`Pattern`] reads it.
    pattern: String,
    /// What happens to them.
    pub how: FileChangeKind,
}

impl WantedPattern {
    /// What a pattern of the shell means in a folder; `None` where that cannot be said.
    pub(super) fn new(glob: &str, cwd: Option<&str>, how: FileChangeKind, below: bool) -> Option<Self> {
        // Classes by name are the shell's own.
        if glob.contains("[:") {
            return None;
        }
        let glob = glob.replace('{', "\\{").replace('}', "\\}");
        let whole = if glob.starts_with('/') {
            glob
        } else {
            format!("{}/{glob}", escaped(cwd?))
        };
        let mut names: Vec<&str> = Vec::new();
        for name in whole.split('/') {
            match name {
                "" | "." => {}
                ".." => {
                    names.pop();
                }
                name => names.push(name),
            }
        }
        let all = if below { "{,/**}" } else { "" };
        Some(Self {
            pattern: format!("/{}{all}", names.join("/")),
            how,
        })
    }

    /// The pattern as paths below this folder see it; `None` if it is about files elsewhere.
    pub fn inside(&self, root: &str) -> Option<Pattern> {
        let front = format!("{}/", escaped(root.trim_end_matches('/')));
        let inside = self.pattern.strip_prefix(&front)?;
        Pattern::parse(inside).ok()
    }
}
