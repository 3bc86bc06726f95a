//! Which files a text certainly shows to whoever runs it, and how much of them: `cat a`, `sed -n 1,20p a`, `grep -n x a | head`.

mod extent;

use super::intent::{Chance, Command, Intent, RedirectOp, Stdin};
use super::path::joined;
use super::place::CommandHost;
use super::sieve;
use super::word::Word;
use crate::extent::ReadExtent;
use std::path::PathBuf;

/// Programs that print what is in the files they are given, or some of it.
const SHOWING: &[&str] = &[
    "bat", "batcat", "cat", "egrep", "fgrep", "gcat", "ghead", "grep", "gsed", "gtail", "head", "less",
    "more", "nl", "rg", "sed", "tac", "tail",
];
/// Programs that print some of what they are handed.
const FILTERS: &[&str] = &["awk", "cut", "gawk", "sort", "tr", "uniq"];
/// More files than anybody reads at once.
const MOST: usize = 16;
/// A pipe with more programs is not followed to its end.
const LONGEST_PIPE: usize = 16;

/// A file that is shown, or several.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Shown {
    /// Which.
    pub file: ShownFile,
    /// How much of each.
    pub extent: ReadExtent,
}

/// What a word of a command names.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ShownFile {
    /// A path from the root; a word that is a number or a text to look for may be no file.
    Path(PathBuf),
    /// Whatever fits a pattern of the shell.
    Pattern {
        /// Where it counts from, absolute.
        folder: PathBuf,
        /// The pattern, with a backslash before ordinary characters.
        pattern: String,
    },
}

/// Whether a text may hold a command that shows a file. Never wrong when it says no.
pub fn may_show(text: &str) -> bool {
    sieve::holds_trigger(text, SHOWING.iter().copied())
}

/// The files that a text shows, whatever becomes of it.
pub fn shown(text: &str, intent: &Intent) -> Vec<Shown> {
    shown_by(text, intent, 0, Chance::Certain)
}

/// Those that it showed as well, now that it has succeeded: they stand in the chain it ends with.
pub fn shown_with_success(text: &str, intent: &Intent) -> Vec<Shown> {
    let is_told = |command: &Command| command.chance == Chance::WithSuccess;
    let last = intent.commands.iter().rposition(|command| !is_told(command));
    shown_by(text, intent, last.map_or(0, |last| last + 1), Chance::WithSuccess)
}

fn shown_by(text: &str, intent: &Intent, from: usize, chance: Chance) -> Vec<Shown> {
    let mut found: Vec<Shown> = Vec::new();
    for (at, command) in intent.commands.iter().enumerate().skip(from) {
        if command.chance != chance || !shows(command) || is_substituted(text, command) {
            continue;
        }
        let Some(extent) = seen_of(intent, at, extent::of(command), LONGEST_PIPE) else {
            continue;
        };
        let input = match &command.stdin {
            Stdin::File(word) => Some(word),
            _ => None,
        };
        for file in command
            .argv
            .iter()
            .skip(1)
            .chain(input)
            .filter_map(|word| file(command, word))
        {
            let new = Shown { file, extent };
            if found.len() < MOST && !found.contains(&new) {
                found.push(new);
            }
        }
    }
    found
}

fn file(command: &Command, word: &Word) -> Option<ShownFile> {
    let cwd = command.cwd.as_deref();
    match word {
        Word::Literal(text) if !text.is_empty() && !text.starts_with('-') => {
            joined(cwd, text).map(|path| ShownFile::Path(path.into()))
        }
        Word::Glob { pattern } => {
            let folder = if pattern.starts_with('/') { "/" } else { cwd? };
            Some(ShownFile::Pattern {
                folder: PathBuf::from(folder),
                pattern: pattern.clone(),
            })
        }
        Word::Literal(_) | Word::OneOf(_) | Word::Unknown { .. } => None,
    }
}

fn shows(command: &Command) -> bool {
    let is_here = command.place == CommandHost::Local && !command.background && !command.wraps;
    let is_in_place = command.program().is_some_and(|name| name.ends_with("sed"))
        && !super::writes::writes(command).is_empty();
    is_here && !is_in_place && command.program().is_some_and(|name| SHOWING.contains(&name))
}

/// Whether it stands at the beginning of `$(…)`: the shell takes what it prints.
fn is_substituted(text: &str, command: &Command) -> bool {
    let before = command.span.and_then(|span| text.get(..span.start));
    let before = before.unwrap_or_default().trim_end();
    ["$(", "<(", "`"].iter().any(|opens| before.ends_with(opens))
}

/// Whether its output is not sent to a file.
fn prints(command: &Command) -> bool {
    command.redirects.iter().all(|redirect| match redirect.op {
        RedirectOp::Write
        | RedirectOp::Clobber
        | RedirectOp::Append
        | RedirectOp::WriteAll
        | RedirectOp::AppendAll => redirect.fd.is_some_and(|fd| fd != 1),
        RedirectOp::Read
        | RedirectOp::ReadWrite
        | RedirectOp::Duplicate
        | RedirectOp::HereDoc
        | RedirectOp::HereString => true,
    })
}

/// How much is seen of what a command passes on; `None` if nothing is: it is a word of another command, goes to a file, or
/// is handed to a program that does not print it.
fn seen_of(intent: &Intent, at: usize, passed: ReadExtent, left: usize) -> Option<ReadExtent> {
    let command = intent.commands.get(at)?;
    let is_word = |command: &Command| command.feeds.iter().any(|feed| feed.commands.contains(&at));
    if left == 0 || !prints(command) || intent.commands.iter().any(is_word) {
        return None;
    }
    let takes = |command: &Command| matches!(&command.stdin, Stdin::Pipe(from) | Stdin::Substitution(from) if from.contains(&at));
    let mut seen = passed;
    for (next, taker) in intent
        .commands
        .iter()
        .enumerate()
        .filter(|(_, taker)| takes(taker))
    {
        let name = taker.program()?;
        let taken = if SHOWING.contains(&name) {
            extent::of(taker)
        } else if FILTERS.contains(&name) {
            ReadExtent::Part
        } else {
            return None;
        };
        seen = seen_of(intent, next, seen.through(taken), left - 1)?;
    }
    Some(seen)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Scene, UserWrappers, read};

    fn of(text: &str) -> String {
        let wrappers = UserWrappers::default();
        let intent = read(text, &Scene::at(Some(std::path::Path::new("/w")), &wrappers));
        let shown = shown(text, &intent).into_iter().map(|shown| {
            let file = match shown.file {
                ShownFile::Path(path) => path.display().to_string(),
                ShownFile::Pattern { folder, pattern } => format!("{}:{pattern}", folder.display()),
            };
            match shown.extent {
                ReadExtent::Whole => file,
                ReadExtent::Lines {
                    first,
                    last: u64::MAX,
                } => format!("{file}[{first}..]"),
                ReadExtent::Lines { first, last } => format!("{file}[{first}..{last}]"),
                ReadExtent::LastLines(count) => format!("{file}[-{count}..]"),
                ReadExtent::Part => format!("{file}?"),
            }
        });
        shown.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_is_printed_is_seen() {
        assert_eq!(of("cat a.rs"), "/w/a.rs");
        assert_eq!(of("cat -n a.rs"), "/w/a.rs");
        assert_eq!(of("cat < a.rs 2>/dev/null"), "/w/a.rs");
        assert_eq!(of("sh -c 'cat a.rs'"), "/w/a.rs");
        assert_eq!(of("cat a.rs | nl | less"), "/w/a.rs");
        assert_eq!(of("cd src && cat *.rs /etc/a?"), "/w/src:*.rs /:/etc/a?");
    }

    #[test]
    fn of_a_part_is_known_which() {
        assert_eq!(
            of("cd src && head -n 20 a.rs b.rs"),
            "/w/src/20[1..20] /w/src/a.rs[1..20] /w/src/b.rs[1..20]"
        );
        for (text, part) in [
            ("head a.rs", "[1..10]"),
            ("head -5 a.rs", "[1..5]"),
            ("head -n5 a.rs", "[1..5]"),
            ("head --lines=5 a.rs", "[1..5]"),
            ("head -n -5 a.rs", "?"),
            ("head -c 100 a.rs", "?"),
            ("tail a.rs", "[-10..]"),
            ("tail -n 3 a.rs", "[-3..]"),
            ("tail -n +3 a.rs", "[3..]"),
            ("tail -c +3 a.rs", "?"),
            ("sed -n 1,20p a.rs", "[1..20]"),
            ("sed -n '2p' a.rs", "[2..2]"),
            ("sed -n '1,$p' a.rs", "[1..]"),
            ("sed -n -e 1,20p a.rs", "[1..20]"),
            ("sed -n p a.rs", ""),
            ("sed s/a/b/ a.rs", "?"),
            ("sed -n /x/p a.rs", "?"),
            ("grep -n x a.rs", "?"),
            ("rg x a.rs", "?"),
            ("bat -r 1:5 a.rs", "?"),
            ("cat a.rs | head -5", "[1..5]"),
            ("cat a.rs | grep x", "?"),
            ("head -50 a.rs | tail -5", "?"),
            ("cat a.rs | sort -u", "?"),
        ] {
            let shown = of(text);
            let file = shown.split(' ').find(|word| word.starts_with("/w/a.rs"));
            assert_eq!(file, Some(format!("/w/a.rs{part}").as_str()), "{text}: {shown}");
        }
    }

    #[test]
    fn what_goes_elsewhere_is_not() {
        for text in [
            "cat a.rs > b.rs",
            "cat a.rs | wc -l",
            "cat a.rs | head | wc -l",
            "x=$(cat a.rs)",
            "echo $(cat a.rs)",
            "sed -i s/a/b/ a.rs",
            "cat a.rs &",
            "cat a.rs | head > b.rs",
            "echo 'cat a.rs'",
            "ssh box cat a.rs",
        ] {
            assert_eq!(of(text), "", "{text}");
        }
    }
}
