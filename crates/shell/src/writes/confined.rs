//! Commands that can write only what they name: whatever else changes while they run is not their doing.

use super::{reading, written};
use crate::intent::{Command, Intent};
use crate::place::CommandHost;
use crate::word::Word;
use std::collections::BTreeSet;

/// Programs that write the paths they are given, and nothing else.
const CONFINED: &[&str] = &[
    "cp", "ln", "mkdir", "mv", "rm", "rmdir", "sed", "tee", "touch", "truncate", "unlink",
];

/// Programs that only run what they are given, which is read as well.
const RUNNERS: &[&str] = &[
    "bash", "builtin", "command", "dash", "env", "exec", "nice", "nohup", "sh", "time", "timeout", "zsh",
];

/// The last names of all paths that a text can write; none if that cannot be told.
pub fn confined(intent: &Intent) -> Option<BTreeSet<String>> {
    if intent.notes.iter().any(|note| note.cause.is_opaque()) {
        return None;
    }
    let mut names = BTreeSet::new();
    for command in &intent.commands {
        names.extend(of(command)?);
    }
    Some(names)
}

fn of(command: &Command) -> Option<Vec<String>> {
    if command.place != CommandHost::Local || command.effect.is_some() {
        return None;
    }
    // A script of sed may name files to write.
    let names_files = |word: &Word| word.literal().is_none_or(|text| text.contains("w "));
    if matches!(command.program(), Some("sed" | "gsed")) && command.argv.iter().any(names_files) {
        return None;
    }
    let is_confined = match command.program() {
        None => command.argv.is_empty(),
        Some(program) if command.wraps => RUNNERS.contains(&program),
        Some(program) => {
            let is_given = CONFINED.contains(&program);
            is_given && command.argv.iter().all(|word| word.literal().is_some())
                || reading::only_reads_itself(command)
        }
    };
    let found = written(command);
    if !is_confined || found.tree || !found.scopes.is_empty() {
        return None;
    }
    let mut names = Vec::new();
    for write in found.files {
        names.push(last_name(&write.target)?);
        names.extend(write.into);
    }
    Some(names)
}

fn last_name(target: &Word) -> Option<String> {
    let name = target.literal()?.trim_end_matches('/').rsplit('/').next()?;
    (!matches!(name, "" | "." | "..")).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Scene, UserWrappers, read};

    fn names(text: &str) -> Option<Vec<String>> {
        let wrappers = UserWrappers::default();
        let found = confined(&read(text, &Scene::at(None, &wrappers)))?;
        Some(found.into_iter().collect())
    }

    #[test]
    fn what_a_text_names_is_all_it_writes() {
        for (text, expected) in [
            ("echo hi > out.txt; sleep 2", &["out.txt"][..]),
            ("ls", &[]),
            ("mkdir -p q && touch q/a", &["a"]),
            ("rm b.txt", &["b.txt"]),
            ("mv src/a.txt z.txt", &["a.txt", "z.txt"]),
            ("mv src lib/", &["src"]),
            ("cp -r ../other .", &["other"]),
            ("sed -i s/a/b/ d/a.txt", &["a.txt"]),
            ("bash -c 'echo x >> log'", &["log"]),
            ("cat <<'E' | tee f\nx\nE", &["f"]),
            ("echo x > /dev/null", &[]),
        ] {
            assert_eq!(
                names(text).as_deref(),
                Some(&expected.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>()[..]),
                "{text}"
            );
        }
    }

    #[test]
    fn what_may_write_more_is_not_confined() {
        for text in [
            "npm test",
            "make > out.txt",
            "python3 -c 'open(\"a\", \"w\")'",
            "git commit -m x",
            "cp *.txt d/",
            "echo x > $f",
            "rm -rf .",
            "cp -r ../other/* .",
            "bash run.sh",
            "find . -name x -delete",
            "ssh host rm a",
            "eval \"$x\"",
            "sed -n 'w other' a.txt",
            "sed -i 's/a/b/w other' a.txt",
        ] {
            assert_eq!(names(text), None, "{text}");
        }
    }
}
