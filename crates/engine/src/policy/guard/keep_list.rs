//! What must be kept before a held command may run, beside the tree itself.

use super::command_view::CommandView;
use super::path::absolute;
use crate::effect::{KeepList, KeptCommit};
use shell::Word;

/// What must be kept, beside the tree.
pub type Keep = KeepList;

impl KeepList {
    /// Takes over what another asks for.
    pub fn join(&mut self, other: Self) {
        add(&mut self.ignored, other.ignored);
        add(&mut self.ignored_below, other.ignored_below);
        add(&mut self.commits, other.commits);
        add(&mut self.files, other.files);
        add(&mut self.changes, other.changes);
        add(&mut self.untracked, other.untracked);
        add(&mut self.beside, other.beside);
        self.made_again |= other.made_again;
    }
}

fn add<T: PartialEq>(to: &mut Vec<T>, more: Vec<T>) {
    for one in more {
        if !to.contains(&one) {
            to.push(one);
        }
    }
}

/// What a git command may lose beside the tree.
pub fn endangered(seen: &CommandView<'_>) -> Keep {
    Keep {
        ignored_below: cleaned(seen),
        commits: commits(seen),
        ..Keep::default()
    }
}

/// The folders a `git clean` takes every ignored file from.
fn cleaned(seen: &CommandView<'_>) -> Vec<String> {
    let is_clean = seen.program == Some("git") && seen.usage.sub.first().copied() == Some("clean");
    let (true, Some(cwd)) = (is_clean && seen.has(&["-x", "-X"]), &seen.command.cwd) else {
        return Vec::new();
    };
    let named: Vec<&str> = seen.literals().filter(|word| !word.starts_with(':')).collect();
    // A pathspec nobody can read may mean anything here.
    if named.is_empty() || named.len() < seen.operands().len() {
        return vec![cwd.clone()];
    }
    named
        .into_iter()
        .map(|word| absolute(word, Some(cwd.as_str())).unwrap_or_else(|| cwd.clone()))
        .collect()
}

/// The commits a git command may leave without a name.
fn commits(seen: &CommandView<'_>) -> Vec<KeptCommit> {
    let Some(cwd) = &seen.command.cwd else {
        return Vec::new();
    };
    if seen.program != Some("git") {
        return Vec::new();
    }
    let kept = |revision: String| KeptCommit {
        cwd: cwd.clone(),
        revision,
    };
    let names = |prefix: &str| -> Vec<KeptCommit> {
        seen.literals()
            .filter(|name| !name.starts_with('-'))
            .map(|name| kept(format!("{prefix}{name}")))
            .collect()
    };
    match seen.usage.sub.first().copied() {
        Some("reset" | "checkout" | "switch" | "rebase" | "commit" | "pull" | "merge") => {
            let moved = seen
                .value(&["-B", "--force-create"])
                .and_then(Word::literal)
                .map(|name| kept(format!("refs/heads/{name}")));
            std::iter::once(kept("HEAD".to_owned())).chain(moved).collect()
        }
        Some("branch") if seen.has(&["-r", "--remotes"]) => names("refs/remotes/"),
        Some("branch") => names("refs/heads/"),
        Some("tag") => names("refs/tags/"),
        Some("update-ref") => names(""),
        Some("stash") => vec![kept("refs/stash".to_owned())],
        Some(_) | None => Vec::new(),
    }
}
