//! Code from the network that runs unread.

use super::CheckContext;
use crate::policy::guard::exec::{
    code_words, fetches, inline_code, is_interpreter, is_shell, makers, runs_fetched,
};
use crate::policy::guard::match_result::Hit;
use crate::policy::guard::path::name;
use shell::{Command, Word};

pub(super) fn find(look: &CheckContext<'_>) -> Option<Hit> {
    // Only read, to see whether it could be run.
    if is_shell(look.seen) && look.seen.has(&["-n", "--no-execute"]) {
        return None;
    }
    if is_interpreter(look.seen) && inline_code(look.seen).any(runs_fetched) {
        return Some(Hit::yes());
    }
    makers(look.seen, look.world)
        .into_iter()
        .find(|command| fetches(command))
        .or_else(|| downloaded(look))
        .map(|command| Hit::yes().about(command.text.clone()).fed_by(command))
}

/// The command that fetched the very file this one runs: `wget https://host/x.sh && sh x.sh`.
fn downloaded<'a>(look: &CheckContext<'a>) -> Option<&'a Command> {
    let seen = look.seen;
    let runs: Vec<&str> = code_words(seen)
        .into_iter()
        .filter_map(|at| seen.command.argv.get(at)?.literal())
        .filter(|word| word.contains('/') || seen.command.argv.first().and_then(Word::literal) != Some(word))
        .map(name)
        .collect();
    // Most commands run no file: a long text must not be searched again for each of them.
    if runs.is_empty() {
        return None;
    }
    let before = seen.intent.commands.get(..seen.index).unwrap_or_default();
    look.world.spend(1 + before.len() / 16);
    before
        .iter()
        .filter(|command| fetches(command))
        .find(|command| saved(command).is_some_and(|file| runs.contains(&file)))
}

/// The name a download gets, as it is told or from its address.
fn saved(command: &Command) -> Option<&str> {
    let words: Vec<&str> = command.argv.iter().filter_map(Word::literal).collect();
    let told = words
        .iter()
        .zip(words.iter().skip(1))
        .find(|(option, _)| matches!(**option, "-o" | "--output" | "-O" | "--output-document"));
    if let Some((_, file)) = told.filter(|(option, _)| **option != "-O" || command.program() == Some("wget"))
    {
        return Some(name(file));
    }
    let keeps_name = match command.program() {
        Some("wget" | "wget2" | "axel" | "aria2c") => true,
        Some(_) | None => words.iter().any(|word| {
            *word == "--remote-name"
                || (word.starts_with('-') && !word.starts_with("--") && word.contains('O'))
        }),
    };
    let address = words
        .iter()
        .skip(1)
        .find(|word| word.contains("://") || word.contains('/'))?;
    let path = address.split(['?', '#']).next().unwrap_or(address);
    keeps_name.then(|| name(path)).filter(|file| !file.is_empty())
}
