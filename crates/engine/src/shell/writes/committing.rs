//! Commits of everything that changed: `git add -A && git commit`, `git commit -am`.

use crate::shell::grammar;
use crate::shell::intent::{Command, Intent};
use crate::shell::place::Place;
use crate::shell::word::Word;

/// A commit that takes along whatever changed in a worktree.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SweepingCommit {
    /// The folder it runs in, absolute; `None` if it is not known.
    pub cwd: Option<String>,
    /// Its message, where it is given as one word.
    pub message: Option<String>,
}

/// Options of `git commit` whose value is the next word.
const WITH_VALUE: &[&str] = &[
    "--author",
    "--cleanup",
    "--date",
    "--file",
    "--fixup",
    "--message",
    "--reuse-message",
    "--squash",
    "--template",
    "--trailer",
    "-C",
    "-F",
    "-c",
    "-m",
    "-t",
];

/// The commit of everything that a text makes, if it makes one.
pub fn sweeping_commit(intent: &Intent) -> Option<SweepingCommit> {
    let mut has_added = false;
    for command in intent
        .commands
        .iter()
        .filter(|command| command.place == Place::Local)
    {
        match subcommand(command) {
            Some("add" | "stage") => has_added |= adds_all(command),
            Some("commit") => {
                let words = Words::of(command);
                if words.is_all || (has_added && !words.names_files) {
                    return Some(SweepingCommit {
                        cwd: command.cwd.clone(),
                        message: words.message,
                    });
                }
            }
            Some(_) | None => {}
        }
    }
    None
}

fn subcommand(command: &Command) -> Option<&str> {
    if command.program() != Some("git") || command.wraps {
        return None;
    }
    let usage = grammar::usage(grammar::program("git"), &command.argv);
    let first = usage.sub.first().copied();
    let mut words = command.argv.iter().filter_map(Word::literal);
    words.find(|word| first.is_some_and(|first| first == *word))
}

fn adds_all(command: &Command) -> bool {
    let all = ["-A", "--all", "-u", "--update", ".", "./", ":/", "*"];
    let words: Vec<&str> = command.argv.iter().filter_map(Word::literal).collect();
    let only_tries = words.iter().any(|word| matches!(*word, "-n" | "--dry-run"));
    !only_tries && words.iter().any(|word| all.contains(word))
}

/// The words of a commit that matter here.
#[derive(Default)]
struct Words {
    is_all: bool,
    names_files: bool,
    message: Option<String>,
}

impl Words {
    fn of(command: &Command) -> Self {
        let mut found = Self::default();
        let mut words = command
            .argv
            .iter()
            .skip_while(|word| word.literal() != Some("commit"))
            .skip(1);
        while let Some(word) = words.next() {
            let Some(text) = word.literal() else {
                continue;
            };
            let is_cluster = text.starts_with('-') && !text.starts_with("--");
            found.is_all |= text == "--all" || is_cluster && text.contains('a') && !text.contains('C');
            let takes_value = WITH_VALUE.contains(&text) || is_cluster && text.ends_with('m');
            if takes_value {
                let value = words.next().and_then(Word::literal);
                if text == "--message" || text.ends_with('m') {
                    found.message = value.map(str::to_owned);
                }
            } else if let Some(value) = text.strip_prefix("--message=") {
                found.message = Some(value.to_owned());
            } else if !text.starts_with('-') {
                found.names_files = true;
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::{Scene, UserWrappers, read};

    fn found(text: &str) -> Option<SweepingCommit> {
        let wrappers = UserWrappers::default();
        let intent = read(text, &Scene::at(Some(std::path::Path::new("/w")), &wrappers));
        sweeping_commit(&intent)
    }

    #[test]
    fn a_commit_of_everything_is_told_from_one_of_named_files() {
        let with = |message: Option<&str>| {
            Some(SweepingCommit {
                cwd: Some("/w".to_owned()),
                message: message.map(str::to_owned),
            })
        };
        let message = with(Some("done"));
        assert_eq!(found("git add -A && git commit -m done"), message);
        assert_eq!(found("git add . && git commit --message=done"), message);
        assert_eq!(found("git add -u; git commit -q -m done"), message);
        assert_eq!(found("git commit -am done"), message);
        assert_eq!(found("git commit --all --message done"), message);
        assert_eq!(found("git add -A && git commit -F msg"), with(None));
        for text in [
            "git add -A",
            "git commit -m done",
            "git add a.rs && git commit -m done",
            "git add -- a.rs && git commit -m done -- a.rs",
            "git add -A && git commit -m done -- a.rs",
            "git add -n . && git commit -m done",
            "git commit --amend --no-edit",
            "echo 'git commit -am x'",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
    }
}
