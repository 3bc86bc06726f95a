//! Which files a text certainly shows to whoever runs it: `cat a`, `sed -n 1,20p a`, `grep -n x a | head`.
//!
//! Who sees a part of a file counts as having seen it, as the client's own tool for reading does.

use super::intent::{Command, Intent, RedirectOp, Stdin};
use super::path::joined;
use super::place::Place;
use super::sieve;
use super::word::Word;

/// Programs that print what is in the files they are given.
const SHOWING: &[&str] = &[
    "bat", "batcat", "cat", "egrep", "fgrep", "gcat", "ghead", "grep", "gsed", "gtail", "head", "less",
    "more", "nl", "rg", "sed", "tac", "tail",
];
/// Programs that print some of what they are handed.
const FILTERS: &[&str] = &["awk", "cut", "gawk", "sort", "tr", "uniq"];
/// More files than anybody reads at once.
const MOST: usize = 16;

/// Whether a text may hold a command that shows a file. Never wrong when it says no.
pub fn may_show(text: &str) -> bool {
    sieve::holds_trigger(text, SHOWING.iter().copied())
}

/// The words of a text that name files it shows, as absolute paths: some may be patterns or numbers, and no file.
pub fn shown(text: &str, intent: &Intent) -> Vec<String> {
    let mut found = Vec::new();
    for (at, command) in intent.commands.iter().enumerate() {
        if !shows(command) || !is_visible(intent, at) || is_substituted(text, command) {
            continue;
        }
        let words = command.argv.iter().skip(1).filter_map(Word::literal);
        let input = match &command.stdin {
            Stdin::File(word) => word.literal(),
            _ => None,
        };
        for word in words
            .chain(input)
            .filter(|word| !word.is_empty() && !word.starts_with('-'))
        {
            let path = joined(command.cwd.as_deref(), word);
            found.extend(path.filter(|path| found.len() < MOST && !found.contains(path)));
        }
    }
    found
}

fn shows(command: &Command) -> bool {
    let is_here = command.place == Place::Local && !command.background && !command.wraps;
    let is_in_place = command.program().is_some_and(|name| name.ends_with("sed"))
        && !super::writes::writes(command).is_empty();
    is_here
        && !is_in_place
        && command.program().is_some_and(|name| SHOWING.contains(&name))
        && prints(command)
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

/// Whether what a command prints is seen: it is no word of another command, and whoever it is handed to prints it.
fn is_visible(intent: &Intent, at: usize) -> bool {
    let is_word = |command: &Command| command.feeds.iter().any(|feed| feed.commands.contains(&at));
    let hides = |command: &Command| {
        let takes =
            matches!(&command.stdin, Stdin::Pipe(from) | Stdin::Substitution(from) if from.contains(&at));
        let passes = command
            .program()
            .is_some_and(|name| SHOWING.contains(&name) || FILTERS.contains(&name));
        takes && !(passes && prints(command))
    };
    !intent
        .commands
        .iter()
        .any(|command| is_word(command) || hides(command))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::{Scene, UserWrappers, read};

    fn of(text: &str) -> String {
        let wrappers = UserWrappers::default();
        let intent = read(text, &Scene::at(Some(std::path::Path::new("/w")), &wrappers));
        shown(text, &intent).join(" ")
    }

    #[test]
    fn what_is_printed_is_seen() {
        assert_eq!(of("cat a.rs"), "/w/a.rs");
        assert_eq!(
            of("cd src && head -n 20 a.rs b.rs"),
            "/w/src/20 /w/src/a.rs /w/src/b.rs"
        );
        assert_eq!(of("sed -n 1,20p a.rs"), "/w/1,20p /w/a.rs");
        assert_eq!(of("grep -n x a.rs | head -5"), "/w/x /w/a.rs");
        assert_eq!(of("cat < a.rs 2>/dev/null"), "/w/a.rs");
        assert_eq!(of("sh -c 'cat a.rs'"), "/w/a.rs");
    }

    #[test]
    fn what_goes_elsewhere_is_not() {
        for text in [
            "cat a.rs > b.rs",
            "cat a.rs | wc -l",
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
