//! Commands of git that change the files of a worktree: some name them, most go over all of it.

use super::{CertainWrites, CommandWords, Write, WriteKind};
use crate::word::Word;

/// A worktree goes over to another state.
const TREE: CertainWrites = CertainWrites {
    files: Vec::new(),
    tree: true,
    scopes: Vec::new(),
};

/// Where one of these is given a command only explains itself.
const HELP: &[&str] = &["--help", "-h"];

impl CommandWords<'_> {
    pub(super) fn git(&self) -> CertainWrites {
        let has = |name: &str| self.usage.has(name);
        let mut sub = self.usage.sub.iter().copied();
        let (sub, second) = (sub.next().unwrap_or_default(), sub.next());
        match (sub, second) {
            _ if has("--dry-run") || self.any_given(HELP) => CertainWrites::default(),
            ("checkout", _) => self.checked_out(),
            ("restore", _) if has("--staged") && !has("--worktree") => CertainWrites::default(),
            ("rm", _) if has("--cached") => CertainWrites::default(),
            ("rm", _) => self.paths(WriteKind::Remove, has("-r")),
            ("mv", _) => self.placed("git").into(),
            ("clean", _) if self.has_operands() => self.paths(WriteKind::Remove, true),
            ("restore", _) => self.paths(WriteKind::Overwrite, true),
            ("stash", None | Some("push")) if self.has_operands() => self.paths(WriteKind::Overwrite, true),
            _ if self.moves_tree(sub, second) => TREE,
            _ => CertainWrites::default(),
        }
    }

    /// Whether a command takes a worktree to another state.
    fn moves_tree(&self, sub: &str, second: Option<&str>) -> bool {
        let has_any = |options: &[&str]| options.iter().any(|option| self.usage.has(option));
        match sub {
            "pull" | "clean" | "filter-branch" | "filter-repo" => true,
            // A new branch without a place to begin at leaves all files as they are.
            "switch" => self.has_operands(),
            "stash" => matches!(second, None | Some("push" | "save" | "pop" | "apply" | "branch")),
            "reset" => has_any(&["--hard", "--merge", "--keep"]),
            "rebase" | "merge" | "cherry-pick" | "revert" | "am" => {
                // What was begun is finished or given up: nobody is helped by a tree in the middle of it.
                let goes_on = ["--abort", "--continue", "--skip", "--quit"];
                !has_any(&goes_on) && !has_any(&["--show-current-patch", "--edit-todo"])
            }
            "apply" => {
                let only_shows = ["--check", "--stat", "--numstat", "--summary", "--cached"];
                !has_any(&only_shows) || has_any(&["--apply", "--index"])
            }
            "bisect" => !matches!(second, None | Some("log" | "visualize" | "terms")),
            "sparse-checkout" => !matches!(second, None | Some("list" | "check-rules")),
            "read-tree" => has_any(&["-u"]),
            _ => false,
        }
    }

    fn has_operands(&self) -> bool {
        !self.usage.operands.is_empty()
    }

    /// `gh pr checkout 12`
    pub(super) fn github(&self) -> CertainWrites {
        let words = self.command.argv.iter().skip(1).filter_map(Word::literal);
        let mut names = words.filter(|word| !word.starts_with('-'));
        if names.next() == Some("pr") && matches!(names.next(), Some("checkout" | "co")) {
            return TREE;
        }
        CertainWrites::default()
    }

    fn checked_out(&self) -> CertainWrites {
        let operands = &self.usage.operands;
        if operands.iter().any(|operand| operand.after_dashes) {
            let paths = operands.iter().filter(|operand| operand.after_dashes);
            return chosen(paths.map(|operand| operand.word), WriteKind::Overwrite, true);
        }
        if self.usage.has("--ours") || self.usage.has("--theirs") || self.usage.has("--patch") {
            return self.paths(WriteKind::Overwrite, true);
        }
        let words: Vec<&Word> = operands.iter().map(|operand| operand.word).collect();
        match words.as_slice() {
            // A new branch without a place to begin at leaves all files as they are.
            [] => CertainWrites::default(),
            [_] if self.begins_branch() => TREE,
            [word] if word.literal().is_some_and(is_file) => chosen([*word], WriteKind::Overwrite, true),
            [_] => TREE,
            [first, rest @ ..] => {
                let first = first.literal().is_some_and(is_file).then_some(*first);
                chosen(
                    first.into_iter().chain(rest.iter().copied()),
                    WriteKind::Overwrite,
                    true,
                )
            }
        }
    }

    fn begins_branch(&self) -> bool {
        ["-b", "-B", "--orphan"]
            .iter()
            .any(|option| self.usage.has(option))
    }

    fn paths(&self, how: WriteKind, below: bool) -> CertainWrites {
        chosen(self.usage.operands.iter().map(|operand| operand.word), how, below)
    }
}

/// The files that pathspecs name; those for everything, and those with a meaning of their own, are the whole tree.
fn chosen<'w>(words: impl IntoIterator<Item = &'w Word>, how: WriteKind, below: bool) -> CertainWrites {
    let mut found = CertainWrites::default();
    for word in words {
        let is_all = |path: &str| {
            matches!(path, "." | "./" | ".." | "../" | "*")
                || path.starts_with(':')
                || path.contains(['*', '?'])
        };
        if word.literal().is_some_and(is_all) {
            found.tree = true;
        } else {
            found.files.push(Write::new(word.clone(), how).below(below));
        }
    }
    found
}

/// Whether a word that may be a branch or a file looks like a file: `src/a.rs`, not `v1.2` or `feature/x`.
fn is_file(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    let Some((stem, ending)) = name.rsplit_once('.') else {
        return false;
    };
    let has_letters = |text: &str| text.chars().any(char::is_alphabetic);
    let is_number = |text: &str| {
        text.trim_start_matches('v')
            .starts_with(|c: char| c.is_ascii_digit())
    };
    !word.contains(['~', '^', '@', ':'])
        && ending.len() <= 8
        && has_letters(ending)
        && (stem.is_empty() || !is_number(stem))
}
