//! What a commit takes along: `git add -A && git commit`, `git commit -am`, `git add a.rs`, and what was added before.

mod pathspec;

pub use pathspec::Pathspec;

use crate::grammar;
use crate::intent::{Command, Intent};
use crate::path::joined;
use crate::place::CommandHost;
use crate::word::Word;

/// A commit, and which changed files it takes along.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Committing {
    /// The folder it runs in, absolute; `None` if it is not known.
    pub cwd: Option<String>,
    /// Its options as they can be written again, without those that say which files: `-m done`. `None` where they cannot.
    pub options: Option<String>,
    /// Everything that changed.
    pub everything: bool,
    /// Everything that changed and that git knows.
    pub tracked: bool,
    /// What is in the index already.
    pub index: bool,
    /// These files, and what changed in these folders, absolute.
    pub paths: Vec<String>,
    /// Whatever fits these.
    pub patterns: Vec<Pathspec>,
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
/// Options that only say which files are taken.
const OF_FILES: &[&str] = &["--", "--all", "--include", "--only", "-a", "-i", "-o"];

/// The first commit that a text makes, with what the text adds before it.
pub fn committing(text: &str, intent: &Intent) -> Option<Committing> {
    let mut found = Committing::default();
    let here = |command: &&Command| command.place == CommandHost::Local;
    for command in intent.commands.iter().filter(here) {
        match subcommand(command) {
            Some("add" | "stage") => found.add(command),
            Some("commit") => {
                let words = CommitWords::of(command, text);
                if words.only_tries {
                    continue;
                }
                if words.paths.is_empty() && words.patterns.is_empty() {
                    found.index = true;
                    found.tracked |= words.is_all;
                } else {
                    // Named files are taken as they are, and nothing else.
                    found = Committing {
                        paths: words.paths,
                        patterns: words.patterns,
                        ..Committing::default()
                    };
                }
                found.cwd.clone_from(&command.cwd);
                found.options = words.options;
                return Some(found);
            }
            Some(_) | None => {}
        }
    }
    None
}

impl Committing {
    fn add(&mut self, command: &Command) {
        let (options, files) = split(command);
        let has = |names: &[&str]| options.iter().any(|word| names.contains(word));
        if has(&["-n", "--dry-run"]) {
            return;
        }
        if files.is_empty() {
            self.everything |= has(&["-A", "--all", "--no-ignore-removal"]);
            self.tracked |= has(&["-u", "--update"]);
        }
        for file in files {
            self.patterns.extend(Pathspec::of(file, command.cwd.as_deref()));
            match file {
                Word::Literal(path) if path == ":/" => self.everything = true,
                Word::Literal(path) => self.paths.extend(joined(command.cwd.as_deref(), path)),
                Word::Glob { .. } | Word::OneOf(_) | Word::Unknown { .. } => {}
            }
        }
    }

    /// Whether it takes along a changed file, given by its absolute path.
    pub fn takes(&self, path: &str, is_known: bool, is_in_index: bool) -> bool {
        let is_named = |named: &String| {
            let folder = named.trim_end_matches('/');
            path.strip_prefix(folder)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.everything
            || self.tracked && is_known
            || self.index && is_in_index
            || self.paths.iter().any(is_named)
            || self.patterns.iter().any(|pattern| pattern.takes(path))
    }
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

/// The options and the files of `git add`.
fn split(command: &Command) -> (Vec<&str>, Vec<&Word>) {
    let mut words = command.argv.iter();
    words.find(|word| matches!(word.literal(), Some("add" | "stage")));
    let (mut options, mut files, mut is_over) = (Vec::new(), Vec::new(), false);
    for word in words {
        match word.literal() {
            Some("--") if !is_over => is_over = true,
            Some(option) if !is_over && option.starts_with('-') => options.push(option),
            Some(_) | None => files.push(word),
        }
    }
    (options, files)
}

/// The words of a commit that matter here.
#[derive(Default)]
struct CommitWords {
    is_all: bool,
    only_tries: bool,
    paths: Vec<String>,
    patterns: Vec<Pathspec>,
    options: Option<String>,
}

impl CommitWords {
    fn of(command: &Command, text: &str) -> Self {
        let mut found = Self::default();
        let mut options = Some(String::new());
        let mut words = command.argv.iter().enumerate();
        words.find(|(_, word)| word.literal() == Some("commit"));
        let mut is_over = false;
        while let Some((_, word)) = words.next() {
            let option = word.literal().filter(|word| !is_over && word.starts_with('-'));
            let Some(option) = option else {
                let path = word
                    .literal()
                    .and_then(|path| joined(command.cwd.as_deref(), path));
                found.paths.extend(path);
                found.patterns.extend(Pathspec::of(word, command.cwd.as_deref()));
                continue;
            };
            is_over |= option == "--";
            let is_cluster = !option.starts_with("--");
            let has_all = is_cluster && option.contains('a') && !option.contains('C');
            found.is_all |= option == "--all" || has_all;
            found.only_tries |= option == "--dry-run";
            if !OF_FILES.contains(&option) {
                let kept = if has_all {
                    option.replacen('a', "", 1)
                } else {
                    option.to_owned()
                };
                keep(&mut options, Some(quoted(&kept)));
            }
            let takes_value = WITH_VALUE.contains(&option) || is_cluster && option.ends_with('m');
            if takes_value && let Some((at, value)) = words.next() {
                keep(&mut options, written(command, at, value, text));
            }
        }
        found.options = options;
        found
    }
}

fn keep(options: &mut Option<String>, word: Option<String>) {
    *options = match (options.take(), word) {
        (Some(all), Some(word)) => Some(format!("{all} {word}")),
        (None, _) | (_, None) => None,
    };
}

/// A word as it can be written again: in the agent's own letters, or quoted.
fn written(command: &Command, at: usize, word: &Word, text: &str) -> Option<String> {
    let own = command.spans.get(at).copied().flatten();
    let own = own.and_then(|span| span.of(text)).map(str::to_owned);
    own.or_else(|| word.literal().map(quoted))
}

fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_./:=@%+,".contains(letter);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Scene, UserWrappers, read};

    fn found(text: &str) -> Option<Committing> {
        let wrappers = UserWrappers::default();
        let intent = read(text, &Scene::at(Some(std::path::Path::new("/w")), &wrappers));
        committing(text, &intent)
    }

    /// What it takes of the index, of what git knows, of all, by name; and its options.
    fn shown(text: &str) -> String {
        let Some(found) = found(text) else {
            return "-".to_owned();
        };
        let mut parts = Vec::new();
        for (is_so, name) in [
            (found.index, "index"),
            (found.tracked, "tracked"),
            (found.everything, "all"),
        ] {
            if is_so {
                parts.push(name.to_owned());
            }
        }
        parts.extend(found.paths);
        format!("{}:{}", parts.join(" "), found.options.unwrap_or_default())
    }

    #[test]
    fn what_a_commit_takes_along_is_told_by_its_words_and_those_before_it() {
        for (text, takes) in [
            ("git add -A && git commit -m done", "index all: -m done"),
            ("git add -A . && git commit -m done", "index /w: -m done"),
            (
                "cd sub && git add -A . && git commit -m done",
                "index /w/sub: -m done",
            ),
            (
                "git add . && git commit --message=done",
                "index /w: --message=done",
            ),
            ("git add * && git commit -m x", "index: -m x"),
            ("git add -u; git commit -q -m done", "index tracked: -q -m done"),
            ("git commit -am done", "index tracked: -m done"),
            (
                "git commit -a --author 'A <a@b>' -F msg",
                "index tracked: --author 'A <a@b>' -F msg",
            ),
            ("git commit --all --message done", "index tracked: --message done"),
            ("git add a.rs && git commit -m done", "index /w/a.rs: -m done"),
            ("git commit -m done -- a.rs", "/w/a.rs: -m done"),
            ("git add -A && git commit -m done a.rs", "/w/a.rs: -m done"),
            ("git commit -m \"it's $X\"", "index: -m \"it's $X\""),
            (
                "git commit -m \"$(cat <<'E'\nx\nE\n)\"",
                "index: -m \"$(cat <<'E'\nx\nE\n)\"",
            ),
            ("git commit --amend --no-edit", "index: --amend --no-edit"),
            ("git add -n . && git commit -m done", "index: -m done"),
            ("sh -c 'git commit -m \"two words\"'", "index: -m 'two words'"),
            ("git add -A", "-"),
            ("git commit --dry-run -m x", "-"),
            ("echo 'git commit -am x'", "-"),
        ] {
            assert_eq!(shown(text), takes, "{text}");
        }
    }

    #[test]
    fn a_file_is_taken_by_its_name_its_folder_or_the_index() {
        let takes = |text: &str, path: &str, is_known, is_in_index| {
            found(text).is_some_and(|found| found.takes(path, is_known, is_in_index))
        };
        assert!(takes("git commit -m x", "/w/a", true, true));
        assert!(!takes("git commit -m x", "/w/a", true, false));
        assert!(takes("git commit -am x", "/w/a", true, false));
        assert!(!takes("git commit -am x", "/w/a", false, false));
        assert!(takes("git add sub && git commit -m x", "/w/sub/a", false, false));
        assert!(!takes(
            "git add sub && git commit -m x",
            "/w/subs/a",
            false,
            false
        ));
        assert!(!takes("git add -A && git commit -m x b", "/w/a", true, true));
    }

    #[test]
    fn a_file_is_taken_by_a_pattern_as_the_shell_or_git_fills_it_in() {
        for (words, path, is_taken) in [
            ("add '*'", "/w/src/a.rs", true),
            ("add 'src/*.rs'", "/w/src/a.rs", true),
            ("add 'src/*.rs'", "/w/src/deep/a.rs", true),
            ("add 'src/*.rs'", "/w/src/a.md", false),
            ("add 'src/*.rs'", "/w/other/src/a.rs", false),
            ("add src/*.rs", "/w/src/a.rs", true),
            ("add src/*.rs", "/w/src/deep/a.rs", false),
            ("add src/**/*.rs", "/w/src/deep/a.rs", true),
            ("add *", "/w/src/a.rs", true),
            ("add *", "/w/.hidden", false),
            ("add s*", "/w/src/a.rs", true),
            ("add -- '*.rs' ../x/'?.md'", "/x/a.md", true),
            ("add ':!*.rs'", "/w/a.rs", false),
        ] {
            let text = format!("git {words} && git commit -m x");
            let found = found(&text).is_some_and(|found| found.takes(path, false, false));
            assert_eq!(found, is_taken, "{words}: {path}");
        }
        let named = found("git commit -m x -- '*.rs'").is_some_and(|found| {
            found.takes("/w/src/a.rs", true, false) && !found.takes("/w/a.md", true, true)
        });
        assert!(named);
    }
}
