//! What a destructive command moved in git itself, and the git commands that bring it back. Nothing is run here.

use super::Rewinder;
use super::error::RewindError;
use super::proposal::Proposal;
use git::path::RepoPath;
use store::table::checkpoints::Kind;

/// More staged files than this are counted, not named.
const MOST_NAMED: usize = 20;

impl Rewinder<'_> {
    /// The commands that bring back what a command moved: commits that are no longer checked out, and what was staged.
    pub fn moved(&self, proposal: &Proposal) -> Result<Vec<String>, RewindError> {
        let before = &proposal.target;
        if before.kind != Kind::Before {
            return Ok(Vec::new());
        }
        let mut commands = Vec::new();
        let now = proposal.head.map(|head| head.to_string());
        if let Some(then) = before.head.as_ref().filter(|then| now.as_ref() != Some(*then)) {
            commands.push(format!("git reset --keep {then}"));
        }
        let Some(shadow) = self.cutter.site.shadow()? else {
            return Ok(commands);
        };
        if let Some(staged) = proposal.layout.staged {
            let leaves = shadow.leaves(staged)?;
            for (path, entry) in leaves.iter().take(MOST_NAMED) {
                let mode = entry.mode.octal();
                commands.push(format!(
                    "git update-index --add --cacheinfo {mode},{},{}",
                    entry.id,
                    quoted(path)
                ));
            }
        }
        Ok(commands)
    }
}

/// A path as a shell reads it.
fn quoted(path: &RepoPath) -> String {
    let text = path.to_string();
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-/+@".contains(&byte);
    if text.bytes().all(is_plain) {
        text
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}
