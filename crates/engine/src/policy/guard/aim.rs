//! What a strike is about: targets as they resolve, so that a retry is told from another loss.
//!
//! An aim is a kind and a target, separated by a space: `files /home/dev/app/src`, `changes /home/dev/app`. Of kind `words` it
//! is a whole command, which only the same command meets again.

use super::approval::command_hash;
use super::command_view::CommandView;
use super::glob::{StarReach, fits, is_pattern};
use super::message::shown_word;
use super::path::is_within;

/// Files that would be gone or emptied, with all that is below them.
pub const FILES: &str = "files";
/// The same, but of folders nothing.
pub const FILE: &str = "file";
/// Uncommitted changes, staged or not.
pub const CHANGES: &str = "changes";
/// Uncommitted changes that are not staged.
pub const UNSTAGED: &str = "unstaged";
/// Files git does not know.
pub const UNTRACKED: &str = "untracked";
/// Files git ignores.
pub const IGNORED: &str = "ignored";
const WORDS: &str = "words";

/// More targets than this are one command, and only the same one is the same.
pub const MOST: usize = 64;
/// A longer command is told by its hash.
const LONGEST: usize = 400;

/// An aim at a path, or at all that fits a pattern.
pub fn at(kind: &str, path: &str) -> String {
    format!("{kind} {path}")
}

/// An aim that only the same text meets.
pub fn of_text(text: &str, cwd: Option<&str>) -> String {
    let whole = format!("{}\n{text}", cwd.unwrap_or_default());
    if whole.len() > LONGEST {
        return at(WORDS, &command_hash(&whole));
    }
    at(WORDS, &whole)
}

/// The command itself, in its folder.
pub fn of_command(seen: &CommandView<'_>) -> String {
    let words: Vec<String> = seen.command.argv.iter().map(shown_word).collect();
    of_text(&words.join(" "), seen.command.cwd.as_deref())
}

/// The command itself, about more targets than are told one by one: the same words about others are not the same.
pub fn of_command_at(seen: &CommandView<'_>, aims: &[String]) -> String {
    let words: Vec<String> = seen.command.argv.iter().map(shown_word).collect();
    let words = format!("{}\n{}", words.join(" "), aims.join("\n"));
    of_text(&words, seen.command.cwd.as_deref())
}

/// Whether whoever was shown one aim was shown the other: it is the same, or a part of it.
pub fn covers(shown: &str, aim: &str) -> bool {
    if shown == aim {
        return true;
    }
    let (Some((kind, shown)), Some((other, path))) = (shown.split_once(' '), aim.split_once(' ')) else {
        return false;
    };
    let fits_pattern = is_pattern(shown) && !is_pattern(path) && fits(shown, path, StarReach::Name);
    match (kind, other) {
        (WORDS, _) => false,
        (FILE, FILE) => fits_pattern,
        (FILES, FILE | FILES) => is_within(path, shown) || fits_pattern,
        (kind, other) => kind == other && is_within(path, shown),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_what_was_shown_is_covered_and_nothing_else() {
        for (shown, aim, holds) in [
            ("files /p/src", "files /p/src", true),
            ("files /p/src", "files /p/src/a.rs", true),
            ("files /p/src", "files /p/srcs", false),
            ("files /p/src/a.rs", "files /p/src", false),
            ("files /p/*.log", "files /p/out.log", true),
            ("files /p/*.log", "files /p/deep/out.log", false),
            ("files /p/out.log", "files /p/*", false),
            ("files /p/out.log", "files /p/*.log", false),
            ("files /p/*", "files /p/*", true),
            ("files /p/*", "file /p/*", true),
            ("files /p/src", "file /p/src/a.rs", true),
            ("file /p/*", "files /p/*", false),
            ("file /p/*", "files /p/src", false),
            ("file /p/*", "file /p/a.rs", true),
            ("file /p/src", "file /p/src/a.rs", false),
            ("untracked /p", "ignored /p", false),
            ("words /p\ngit branch -D a", "words /p\ngit branch -D a", true),
            ("words /p\ngit branch -D a", "words /p\ngit branch -D a/b", false),
        ] {
            assert_eq!(covers(shown, aim), holds, "{shown} / {aim}");
        }
    }
}
