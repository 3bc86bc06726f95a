//! What a file holds in a commit or in the index.

use super::{WorldWitness, text};
use engine::policy::guard::facts::VersionFact;
use git::run::{Git, Limits};
use std::path::Path;
use std::time::Duration;

/// For one question to git.
const TIME: Duration = Duration::from_secs(1);
/// A commit's own text, beside the file's.
const MESSAGE: u64 = 256 * 1024;

impl WorldWitness<'_> {
    /// The file in that commit, if git says it in time. One process for both questions: is there such a commit, and what
    /// does the file hold in it.
    pub(super) fn version(&self, cwd: &Path, revision: &str, path: &str) -> Option<VersionFact> {
        if !cwd.is_absolute() || revision.contains('\n') || path.contains('\n') || self.left().is_zero() {
            return None;
        }
        let limits = Limits {
            time: self.left().min(TIME),
            bytes: usize::try_from(text::LONGEST_SETTINGS + MESSAGE).unwrap_or(usize::MAX),
        };
        let commit = if revision.is_empty() { "HEAD" } else { revision };
        let input = format!("{commit}\n{revision}:{path}\n").into_bytes();
        let told = Git::new(cwd, &self.world.git)
            .feed(&["cat-file", "--batch"], input, limits)
            .ok()?;
        let (commit, rest) = object(&told)?;
        // An index is there without a commit.
        let resolves = commit.is_some() || revision.is_empty();
        let text = object(rest).and_then(|(file, _)| file);
        Some(VersionFact {
            resolves,
            text: text.map(|text| String::from_utf8_lossy(text).into_owned()),
        })
    }
}

/// The first object of a batch, `None` where git has none of that name, and what is behind it.
fn object(told: &[u8]) -> Option<(Option<&[u8]>, &[u8])> {
    let end = told.iter().position(|byte| *byte == b'\n')?;
    let (head, rest) = (told.get(..end)?, told.get(end + 1..)?);
    let head = String::from_utf8_lossy(head);
    let size = head.rsplit(' ').next()?.parse::<usize>().ok();
    let Some(size) = size else {
        return Some((None, rest));
    };
    Some((Some(rest.get(..size)?), rest.get(size + 1..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_and_what_is_missing_are_told_apart() {
        let told = b"abc commit 3\nx\ny\nother:.claude/settings.json missing\n";
        let (commit, rest) = object(told).unwrap();
        assert_eq!(commit, Some(&b"x\ny"[..]));
        assert_eq!(object(rest), Some((None, &b""[..])));
        assert_eq!(object(b""), None);
    }
}
