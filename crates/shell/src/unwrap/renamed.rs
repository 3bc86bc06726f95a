//! Commands that are another one under a longer name: `git-reset`, `cargo +nightly`, `/etc/init.d/x`, `yarn workspaces foreach`.

use super::outer::WrapperCommand;
use crate::git_commands;
use crate::inner::Inner;
use crate::word::Word;

/// The plainer command; none if it is plain already.
pub(super) fn inner(outer: &WrapperCommand<'_>) -> Option<Vec<Inner>> {
    let first = outer.argv.get(1).and_then(Word::literal);
    match outer.name {
        "hub" => Some(plainly(outer, &["git"], 1)),
        "cargo" | "rustc" | "rustdoc" if first.is_some_and(|word| word.starts_with('+')) => {
            Some(plainly(outer, &[outer.name], 2))
        }
        "yarn" => workspaces(outer),
        name => git(outer, name).or_else(|| service(outer, name)),
    }
}

/// Some words, and then the outer ones from one on.
fn plainly(outer: &WrapperCommand<'_>, words: &[&str], from: usize) -> Vec<Inner> {
    let mut words: Vec<Word> = words.iter().map(|word| Word::new(*word)).collect();
    words.extend(outer.argv.get(from..).unwrap_or_default().iter().cloned());
    outer.made(words)
}

/// `git-reset --hard`, as git's own folder has it.
fn git(outer: &WrapperCommand<'_>, name: &str) -> Option<Vec<Inner>> {
    let command = name.strip_prefix("git-")?;
    git_commands::is_one(command).then(|| plainly(outer, &["git", command], 1))
}

/// `/etc/init.d/nginx stop`
fn service(outer: &WrapperCommand<'_>, name: &str) -> Option<Vec<Inner>> {
    let written = outer.argv.first()?.literal()?;
    let is_script = ["/etc/init.d/", "/etc/rc.d/"]
        .iter()
        .any(|folder| written.starts_with(folder));
    is_script.then(|| plainly(outer, &["service", name], 1))
}

/// `yarn workspaces foreach -A npm publish`, `yarn workspace web npm publish`.
fn workspaces(outer: &WrapperCommand<'_>) -> Option<Vec<Inner>> {
    let word = |at: usize| outer.argv.get(at).and_then(Word::literal);
    let from = match (word(1)?, word(2)?) {
        ("workspaces", "foreach") => {
            let is_option = |word: &&Word| word.literal().is_some_and(|text| text.starts_with('-'));
            3 + outer.argv.iter().skip(3).take_while(is_option).count()
        }
        ("workspace", _) => 3,
        _ => return None,
    };
    (from < outer.argv.len()).then(|| plainly(outer, &["yarn"], from))
}
